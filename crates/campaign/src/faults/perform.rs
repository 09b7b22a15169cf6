//! Performs the operations of a workload.

use super::FaultsError;
use ::faults::{
    content::{Author, Content},
    contract::Contract,
    ideal::parent,
    workload::{ATTRIBUTE, How, Operation, Space},
};
use engine::{aligned::Aligned, map::WriteMap};
use rustix::fs::{
    AtFlags, FallocateFlags, OFlags, XattrFlags, fallocate, fremovexattr, fsetxattr, syncfs,
    unlinkat,
};
use std::{
    fs::{self, File, OpenOptions},
    io,
    ops::Range,
    os::unix::fs::{FileExt, OpenOptionsExt, symlink},
    path::{Path, PathBuf},
};

/// Performs these operations of the workload of `contract` below `root`; `mark` gets the marks. Files that it holds
/// open go to `held`.
///
/// # Errors
/// An operation fails.
pub(super) fn perform(
    contract: &Contract,
    operations: Range<usize>,
    (content, root): (Content, &Path),
    held: &mut Vec<File>,
    mark: &dyn Fn(u64),
) -> Result<(), FaultsError> {
    let workload = contract.workload();
    for number in operations {
        let author = contract.ideal().authors.get(&number).copied();
        let operation = &workload.operations[number];
        let one = One { content, root, author, number };
        one.perform(operation, held, mark).map_err(|error| {
            let workload = workload.name.clone();
            FaultsError::Operation { workload, number, error }
        })?;
    }
    Ok(())
}

/// One operation.
struct One<'a> {
    content: Content,
    root: &'a Path,
    author: Option<Author>,
    /// The number of the operation.
    number: usize,
}

impl One<'_> {
    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn open(&self, path: &str) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.at(path))
    }

    fn open_both(&self, path: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(self.at(path))
    }

    fn perform(
        &self,
        operation: &Operation,
        held: &mut Vec<File>,
        mark: &dyn Fn(u64),
    ) -> io::Result<()> {
        match operation {
            Operation::Create(path) => File::create_new(self.at(path)).map(drop),
            Operation::Mkdir(path) => fs::create_dir(self.at(path)),
            Operation::Write { path, offset, length, how } => {
                self.write(path, (*offset, *length), *how)
            }
            Operation::Truncate { path, size } => self.open(path)?.set_len(*size),
            Operation::Fallocate { path, space, offset, length } => {
                Ok(fallocate(self.open(path)?, flags(*space), *offset, *length)?)
            }
            Operation::Rename { from, to } => fs::rename(self.at(from), self.at(to)),
            Operation::Link { from, to } => fs::hard_link(self.at(from), self.at(to)),
            Operation::Symlink { target, path } => symlink(target, self.at(path)),
            Operation::Unlink(path) => fs::remove_file(self.at(path)),
            Operation::Remove(path) => {
                let directory = File::open(self.at(parent(path)))?;
                let name = path.rsplit('/').next().unwrap_or(path);
                Ok(unlinkat(directory, name, AtFlags::empty())?)
            }
            Operation::SetAttribute(path) => {
                let value = self.number.to_string();
                let file = self.open(path)?;
                Ok(fsetxattr(file, ATTRIBUTE, value.as_bytes(), XattrFlags::empty())?)
            }
            Operation::RemoveAttribute(path) => Ok(fremovexattr(self.open(path)?, ATTRIBUTE)?),
            Operation::Rmdir(path) => fs::remove_dir(self.at(path)),
            Operation::Hold(path) => {
                held.push(File::open(self.at(path))?);
                Ok(())
            }
            Operation::Fsync(path) => File::open(self.at(path))?.sync_all(),
            Operation::Fdatasync(path) => self.open(path)?.sync_data(),
            Operation::Msync { path, offset, length } => {
                let map = WriteMap::new(&self.open_both(path)?, offset + length)?;
                map.sync(*offset..offset + length)
            }
            Operation::Syncfs => Ok(syncfs(File::open(self.root)?)?),
            Operation::Mark(number) => {
                mark(*number);
                Ok(())
            }
        }
    }

    fn write(&self, path: &str, (offset, length): (u64, u64), how: How) -> io::Result<()> {
        let author = self.author.ok_or(io::ErrorKind::InvalidInput)?;
        let data = self.content.bytes(author, offset, length);
        match how {
            How::Buffered => self.open(path)?.write_all_at(&data, offset),
            How::Mapped => {
                let (file, end) = (self.open_both(path)?, offset + length);
                if file.metadata()?.len() < end {
                    file.set_len(end)?;
                }
                WriteMap::new(&file, end)?.write(offset, &data)
            }
            How::Direct => {
                let flags = i32::try_from(OFlags::DIRECT.bits()).map_err(io::Error::other)?;
                let file =
                    OpenOptions::new().write(true).custom_flags(flags).open(self.at(path))?;
                let mut aligned = Aligned::new(data.len());
                aligned.bytes().copy_from_slice(&data);
                file.write_all_at(aligned.bytes(), offset)
            }
        }
    }
}

fn flags(space: Space) -> FallocateFlags {
    match space {
        Space::Allocate => FallocateFlags::empty(),
        Space::Keep => FallocateFlags::KEEP_SIZE,
        Space::Zero => FallocateFlags::ZERO_RANGE,
        Space::ZeroKeep => FallocateFlags::ZERO_RANGE | FallocateFlags::KEEP_SIZE,
        Space::Punch => FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE,
    }
}
