//! A source tree: files of C-like text, thirty to a directory, two levels of directories, and here
//! and there a symbolic link.

use super::{FILE_SPACE_BYTES, create_dir, size_bytes, text::Text, write};
use crate::{TestError, kinds::scaled};
use model::{random::Rng, text::Bytes};
use serde::Deserialize;
use std::{os::unix::fs::symlink, path::Path};

const FILES_PER_DIR: u64 = 30;
const DIRS_PER_DIR: u64 = 20;
/// One file in this many has a link.
const FILES_PER_LINK: u64 = 50;
/// Fewer files than this are no tree.
const LEAST_FILES: u64 = 60;
const DIR_SPACE_BYTES: u64 = 4096 + 512;

/// The parameters of the generated tree.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Tree {
    /// Its directory.
    pub(super) path: String,
    /// Files at scale 1.
    files: u64,
    /// Mean size of a file.
    pub(super) bytes: Bytes,
}

impl Tree {
    fn files(&self, scale: f64) -> u64 {
        scaled(self.files, scale, LEAST_FILES.min(self.files))
    }

    pub(super) fn disk_bytes(&self, scale: f64) -> u64 {
        let files = self.files(scale);
        let dirs = files.div_ceil(FILES_PER_DIR);
        let of_files = files.saturating_mul(self.bytes.0.saturating_add(FILE_SPACE_BYTES));
        of_files.saturating_add(dirs.saturating_mul(DIR_SPACE_BYTES))
    }

    pub(super) fn make(
        &self,
        root: &Path,
        scale: f64,
        text: &Text,
        rng: &mut Rng,
    ) -> Result<(), TestError> {
        let mut dir = root.to_path_buf();
        for i in 0..self.files(scale) {
            let number = i / FILES_PER_DIR;
            if i % FILES_PER_DIR == 0 {
                dir = root
                    .join(format!("part{:03}", number / DIRS_PER_DIR))
                    .join(format!("module{:02}", number % DIRS_PER_DIR));
                create_dir(&dir)?;
            }
            let name = format!("file{i:06}.c");
            let file = text.file(&format!("/* {name} */"), size_bytes(self.bytes.0, rng), rng);
            write(&dir.join(&name), &file)?;
            if i % FILES_PER_LINK == 0 {
                let link = dir.join(format!("link{i:06}.c"));
                symlink(&name, &link).map_err(TestError::io("link", &link))?;
            }
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        format!(
            "`{}`: {} files of text like C source, {} on average, thirty to a directory, with a \
             symbolic link to one in fifty",
            self.path, self.files, self.bytes
        )
    }
}
