//! Input data for commands, generated from the seed: the same in every block and on every target, and never downloaded.

mod text;
mod tree;
mod wheel;
mod zip;

use super::hash::fnv1a;
use crate::{TestError, folders};
use model::{random::Rng, text::Bytes, workload::Job};
use serde::Deserialize;
use std::{
    fs,
    path::{Path, PathBuf},
};
use text::Text;

/// Space of an inode and of the half-empty last block of a file, bytes.
const FILE_SPACE_BYTES: u64 = 2048 + 512;

/// Largest mean size of a file, which is in memory as a whole.
const MOST_FILE: Bytes = Bytes(1 << 30);

/// One set of files.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Material {
    /// Source files in directories, with symbolic links.
    Tree(tree::Tree),
    /// A folder of Python wheels, and a list of their names.
    Wheels(wheel::Wheels),
}

impl Material {
    /// Returns its path below the directory of the test.
    pub(super) fn path(&self) -> &str {
        match self {
            Material::Tree(tree) => &tree.path,
            Material::Wheels(wheels) => &wheels.path,
        }
    }

    /// Refuses what does not fit into memory or into an archive.
    pub(super) fn check(&self) -> Result<(), String> {
        let bytes = match self {
            Material::Tree(tree) => tree.bytes,
            Material::Wheels(wheels) => {
                wheels.check()?;
                wheels.bytes
            }
        };
        match bytes > MOST_FILE {
            true => Err(format!("`bytes` of a material must be at most {MOST_FILE}")),
            false => Ok(()),
        }
    }

    /// Bytes that it takes on the disk of one worker.
    pub(super) fn disk_bytes(&self, job: &Job) -> u64 {
        match self {
            Material::Tree(tree) => tree.disk_bytes(job.scale),
            Material::Wheels(wheels) => wheels.disk_bytes(job.scale),
        }
    }

    /// Writes it below `home`, unless it is there.
    pub(super) fn make(&self, home: &Path, job: &Job) -> Result<(), TestError> {
        let name = fnv1a(&format!("{self:?} {} {} {}", job.scale, job.seed, job.worker));
        let marker = home.join(format!(".made-{name:016x}"));
        if marker.exists() {
            return Ok(());
        }
        let root = home.join(self.path());
        folders::renew(&root)?;
        let seed = job.seed ^ fnv1a(self.path()) ^ (u64::from(job.worker) << 32);
        let mut rng = Rng::new(seed);
        let text = Text::new(&mut rng);
        match self {
            Material::Tree(tree) => tree.make(&root, job.scale, &text, &mut rng)?,
            Material::Wheels(wheels) => wheels.make(&root, job.scale, &text, &mut rng)?,
        }
        write(&marker, b"")
    }

    /// Describes it for the page of a test.
    pub(super) fn describe(&self) -> String {
        match self {
            Material::Tree(tree) => tree.describe(),
            Material::Wheels(wheels) => wheels.describe(),
        }
    }
}

fn create_dir(path: &Path) -> Result<(), TestError> {
    fs::create_dir_all(path).map_err(TestError::io("create", path))
}

fn write(path: &PathBuf, bytes: &[u8]) -> Result<(), TestError> {
    fs::write(path, bytes).map_err(TestError::io("write", path))
}

/// A size from a quarter of `mean` to seven quarters, so that `mean` is the mean.
fn size_bytes(mean: u64, rng: &mut Rng) -> usize {
    (mean / 4 + rng.below(mean * 3 / 2 + 1)) as usize
}
