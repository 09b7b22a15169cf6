//! Runs an application next to another program that syncs its own files: without any sync nothing would reach the disk
//! during the recording, and a power cut would have no effect.

use crate::{Application, TestError};
use faults::contract::Finding;
use std::{
    cell::RefCell,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Bytes of a file of the other program.
const BYTES: usize = 4096;

/// An application, and after each piece of its work a new file next to its directory, with an fsync.
#[derive(Debug)]
pub(super) struct WithOtherProgram(pub(super) Arc<dyn Application>);

impl Application for WithOtherProgram {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn prepare(&self, root: &Path) -> Result<(), TestError> {
        self.0.prepare(root)
    }

    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError> {
        let failed = RefCell::new(None);
        self.0.work(root, &|number| {
            mark(number);
            if let Err(error) = sync_another(&other(root, number)) {
                failed.borrow_mut().get_or_insert(error);
            }
        })?;
        failed.into_inner().map_or(Ok(()), Err)
    }

    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError> {
        self.0.look(root, acknowledged)
    }
}

/// The file next to `root` that belongs to the other program.
fn other(root: &Path, number: u64) -> PathBuf {
    root.with_extension(format!("other{number}"))
}

fn sync_another(path: &Path) -> Result<(), TestError> {
    let mut file = File::create(path).map_err(TestError::io("create", path))?;
    let written = file.write_all(&[0x5a; BYTES]).and_then(|()| file.sync_all());
    written.map_err(TestError::io("sync", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn after_each_piece_another_file_is_there_outside_of_the_work() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("work0");
        fs::create_dir(&root).unwrap();
        let both = super::super::find("columnar-unsynced").unwrap().make(2, 1);
        both.prepare(&root).unwrap();
        both.work(&root, &|_| ()).unwrap();
        assert_eq!(both.look(&root, Some(1)).unwrap(), []);
        let names = fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["work0", "work0.other0", "work0.other1"]);
        assert_eq!(fs::read(other(&root, 1)).unwrap().len(), BYTES);
    }
}
