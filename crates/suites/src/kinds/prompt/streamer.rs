//! The stream: a thread that fills two files in turn through the page cache.

use crate::{TestError, commits::data};
use engine::data::Data;
use model::workload::Job;
use std::{
    fs::{self, File},
    io::ErrorKind,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// Bytes of one write.
const BLOCK_BYTES: u64 = 1 << 20;
const NAMES: [&str; 2] = ["stream.a", "stream.b"];

/// The files, and what they are filled with.
pub(super) struct Streamer {
    files: [(File, PathBuf); 2],
    /// Bytes to which each grows.
    limit: u64,
    data: Data,
}

/// Removes the files of a stream in `dir`, if they are there.
pub(super) fn remove(dir: &Path) -> Result<(), TestError> {
    NAMES.iter().try_for_each(|name| {
        let path = dir.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(TestError::io("remove", &path)(error))
            }
            _ => Ok(()),
        }
    })
}

impl Streamer {
    /// New files in the directory of `job`, which grow to `limit` bytes each.
    pub(super) fn new(job: &Job, limit: u64) -> Result<Streamer, TestError> {
        let create = |name| {
            let path = job.dir.join(name);
            let file = File::create(&path).map_err(TestError::io("create", &path))?;
            Ok::<_, TestError>((file, path))
        };
        let files = [create(NAMES[0])?, create(NAMES[1])?];
        let data = data(job, &format!("{} stream", job.test), BLOCK_BYTES);
        Ok(Streamer { files, limit: limit - limit % BLOCK_BYTES, data })
    }

    /// Writes until `stop`; returns the bytes.
    pub(super) fn run(&self, stop: &AtomicBool) -> Result<u64, TestError> {
        let words = BLOCK_BYTES / 8;
        let mut written = 0;
        while !stop.load(Ordering::Relaxed) {
            let (file, path) = &self.files[(written / self.limit % 2) as usize];
            let at = written % self.limit;
            if at == 0 {
                file.set_len(0).map_err(TestError::io("truncate", path))?;
            }
            let block = self.data.piece_bytes(written / 8, words);
            file.write_all_at(block, at).map_err(TestError::io("write", path))?;
            written += block.len() as u64;
        }
        Ok(written)
    }
}
