//! A folder of Python wheels: archives as installers take them, stored without compression, so that
//! unpacking them is the file system's work and not the processor's.

use super::{FILE_SPACE_BYTES, size_bytes, text::Text, write, zip::Zip};
use crate::{TestError, kinds::scaled};
use model::{random::Rng, text::Bytes};
use serde::Deserialize;
use std::path::Path;

/// Files next to the modules: `METADATA`, `WHEEL` and `RECORD`.
const INFO_FILES: u64 = 3;
const LEAST_PACKAGES: u64 = 3;
const LEAST_FILES: u64 = 10;
const FILES_PER_DIR: u64 = 25;

/// The parameters of the generated archives.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Wheels {
    /// Its directory; in it, `requirements.txt` names all packages.
    pub(super) path: String,
    /// Packages at scale 1.
    packages: u64,
    /// Modules in a package at scale 1.
    files: u64,
    /// Mean size of a module.
    pub(super) bytes: Bytes,
}

/// The most files that an archive of this kind can hold.
const MOST_FILES: u64 = 65_535;
const MOST_ARCHIVE: Bytes = Bytes(1 << 32);
/// The most that the files of a package become at any scale.
const LARGEST_FACTOR: u64 = 2;

impl Wheels {
    /// Refuses archives that the format has no numbers for.
    pub(super) fn check(&self) -> Result<(), String> {
        let files = self.files.saturating_mul(LARGEST_FACTOR).saturating_add(INFO_FILES);
        // A module has at most seven quarters of the mean, and its name twice.
        let bytes = files.saturating_mul(self.bytes.0.saturating_mul(2).saturating_add(512));
        match () {
            () if files > MOST_FILES => Err(format!(
                "`files` of a wheel must be at most {}",
                (MOST_FILES - INFO_FILES) / LARGEST_FACTOR
            )),
            () if bytes > MOST_ARCHIVE.0 => Err(format!(
                "a wheel would have more than {MOST_ARCHIVE}; use smaller or fewer files"
            )),
            () => Ok(()),
        }
    }

    /// Packages and modules of each; their product follows the scale.
    fn counts(&self, scale: f64) -> (u64, u64) {
        let root = scale.sqrt();
        let packages = scaled(self.packages, root, LEAST_PACKAGES.min(self.packages));
        (packages, scaled(self.files, root, LEAST_FILES.min(self.files)))
    }

    pub(super) fn disk_bytes(&self, scale: f64) -> u64 {
        let (packages, files) = self.counts(scale);
        let files = files.saturating_add(INFO_FILES);
        let wheel = files.saturating_mul(self.bytes.0.saturating_add(256));
        packages.saturating_mul(wheel.saturating_add(FILE_SPACE_BYTES))
    }

    pub(super) fn make(
        &self,
        root: &Path,
        scale: f64,
        text: &Text,
        rng: &mut Rng,
    ) -> Result<(), TestError> {
        let (packages, files) = self.counts(scale);
        let mut names = String::new();
        for number in 0..packages {
            let name = format!("assay_pkg{number:03}");
            let wheel = self.wheel(&name, files, text, rng);
            write(&root.join(format!("{name}-1.0-py3-none-any.whl")), &wheel)?;
            names.push_str(&format!("{name}==1.0\n"));
        }
        write(&root.join("requirements.txt"), names.as_bytes())
    }

    /// One archive, as <https://packaging.python.org/en/latest/specifications/binary-distribution-format/>
    /// has it; hashes in its record may be left out.
    fn wheel(&self, name: &str, files: u64, text: &Text, rng: &mut Rng) -> Vec<u8> {
        let mut zip = Zip::default();
        let mut record = String::new();
        let mut add = |path: String, content: &[u8]| {
            zip.add(&path, content);
            record.push_str(&format!("{path},,\n"));
        };
        add(format!("{name}/__init__.py"), b"");
        for i in 1..files {
            let module = text.file(&format!("# {name} {i}"), size_bytes(self.bytes.0, rng), rng);
            add(format!("{name}/part{:02}/module{i:04}.py", i / FILES_PER_DIR), &module);
        }
        let info = format!("{name}-1.0.dist-info");
        let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n");
        add(format!("{info}/METADATA"), metadata.as_bytes());
        let wheel =
            b"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
        add(format!("{info}/WHEEL"), wheel);
        record.push_str(&format!("{info}/RECORD,,\n"));
        zip.add(&format!("{info}/RECORD"), record.as_bytes());
        zip.finish()
    }

    pub(super) fn describe(&self) -> String {
        format!(
            "`{}`: {} Python wheels of {} modules of {} on average, not compressed, and \
             `requirements.txt` with their names",
            self.path, self.packages, self.files, self.bytes
        )
    }
}
