//! Errors of the I/O engines.

use super::Op;
use rustix::io::Errno;
use std::{
    fs::File,
    io,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
};

/// Why an engine could not be prepared, or a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The options contradict each other, the file or the machine.
    #[error("I/O engine: {0}")]
    Options(String),
    /// The kernel or its settings have no such engine.
    #[error("{what} cannot be used here: {source}; {fix}")]
    Unavailable {
        /// The engine or a part of it.
        what: &'static str,
        /// The reason.
        source: io::Error,
        /// The remedy.
        fix: &'static str,
    },
    /// The file system refuses direct I/O.
    #[error(
        "{path} is on a file system without direct I/O; omit `direct`", path = path.display()
    )]
    NotDirect {
        /// The file.
        path: PathBuf,
    },
    /// The file system, or the kernel, does not support a way of I/O.
    #[error("{what} is not supported on {path}; omit `{omit}`", path = path.display())]
    NotSupported {
        /// The way, by its name in the manual pages.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The setting that asks for it.
        omit: &'static str,
    },
    /// A system call on a file failed.
    #[error("{what} {path}: {source}", path = path.display())]
    File {
        /// The act, e.g. `open`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// An operation failed.
    #[error("{what} {path} at byte {offset}: {source}", path = path.display())]
    Io {
        /// `read` or `write`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Byte at which the block begins.
        offset: u64,
        /// The reason; of kind `StorageFull` when there is no space.
        source: io::Error,
    },
    /// An operation moved less than a block.
    #[error(
        "{what} {path} at byte {offset} moved {moved} of {block_bytes} bytes; the file is shorter \
         than expected", path = path.display()
    )]
    Short {
        /// `read` or `write`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Byte at which the block begins.
        offset: u64,
        /// Bytes that were moved.
        moved: u32,
        /// Bytes that were asked for.
        block_bytes: u32,
    },
    /// The source named an operation that the engine was not prepared for.
    #[error("operation out of range: {0}")]
    Operation(String),
    /// A system call without a file failed.
    #[error("{what}: {source}")]
    System {
        /// The act.
        what: &'static str,
        /// The reason.
        source: io::Error,
    },
}

impl EngineError {
    /// The kind of the system's error, where it was one.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            EngineError::Unavailable { source, .. }
            | EngineError::File { source, .. }
            | EngineError::Io { source, .. }
            | EngineError::System { source, .. } => Some(source.kind()),
            EngineError::Short { .. } => Some(io::ErrorKind::UnexpectedEof),
            EngineError::NotDirect { .. }
            | EngineError::NotSupported { .. }
            | EngineError::Options(_)
            | EngineError::Operation(_) => None,
        }
    }

    /// The file that it is about, where there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            EngineError::NotDirect { path }
            | EngineError::NotSupported { path, .. }
            | EngineError::File { path, .. }
            | EngineError::Io { path, .. }
            | EngineError::Short { path, .. } => Some(path),
            _ => None,
        }
    }

    /// A way of I/O that the file system of `path` does not support; `omit` is the setting that asks for it.
    pub fn not_supported(what: &'static str, path: PathBuf, omit: &'static str) -> EngineError {
        EngineError::NotSupported { what, path, omit }
    }

    /// The way of I/O that is not supported, if that is what it says.
    pub fn refused(&self) -> Option<&'static str> {
        match self {
            EngineError::NotSupported { what, .. } => Some(what),
            EngineError::NotDirect { .. } => Some("O_DIRECT"),
            _ => None,
        }
    }

    pub(super) fn file(what: &'static str, file: &File, source: impl Into<io::Error>) -> Self {
        EngineError::File { what, path: path_of(file), source: source.into() }
    }
}

/// The name under which `file` was opened, or its number where the kernel does not tell.
pub(super) fn path_of(file: &File) -> PathBuf {
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    std::fs::read_link(&link).unwrap_or_else(|_| link.into())
}

/// Why `op` did not move `block`, but `moved` bytes or nothing. An empty block is one that the engine
/// was not prepared for.
#[cold]
pub(super) fn fault(files: &[File], op: Op, block: &[u8], moved: io::Result<usize>) -> EngineError {
    let what = if op.write { "write" } else { "read" };
    let Some(file) = files.get(op.file as usize) else {
        return EngineError::Operation(format!("{what} of file {} of {}", op.file, files.len()));
    };
    let (path, offset) = (path_of(file), op.offset);
    if block.is_empty() {
        return EngineError::Operation(format!("{what} {} without data", path.display()));
    }
    match moved.and_then(|moved| rest_of_write(file, op, block, moved)) {
        Err(source) => EngineError::Io { what, path, offset, source },
        Ok(moved) => EngineError::Short {
            what,
            path,
            offset,
            moved: moved as u32,
            block_bytes: block.len() as u32,
        },
    }
}

/// A write that met the end of the space is short, and only the next one says why.
fn rest_of_write(file: &File, op: Op, block: &[u8], moved: usize) -> io::Result<usize> {
    if !op.write || moved >= block.len() {
        return Ok(moved);
    }
    match rustix::io::pwrite(file, &block[moved..], op.offset + moved as u64) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::IO)) => Err(error.into()),
        _ => Ok(moved),
    }
}
