//! Makes files durable: by `fsync` in this process, which is what is ranked, and by the original suite's way of
//! spawning a shell that runs `sync FILE`, whose cost is reported separately.

use super::{column::Column, put::fsync};
use crate::{Meter, TestError};
use model::{
    figure::Synced,
    text::shell_word,
    workload::{Job, PhaseKind},
};
use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The data that a test makes durable.
#[derive(Clone, Debug, Default)]
pub(super) struct Durable {
    /// Synced in this order.
    pub(super) files: Vec<PathBuf>,
    /// Bytes that become durable by it.
    pub(super) bytes: u64,
    /// Share of them that no compressor can save.
    pub(super) incompressible_share: f64,
    /// The files that the original suite's shell command syncs; empty if it has none.
    pub(super) spawned: Vec<PathBuf>,
}

impl Durable {
    /// One file, which the original suite syncs too.
    pub(super) fn file(path: &Path, bytes: u64, incompressible_share: f64) -> Durable {
        Durable {
            files: vec![path.into()],
            bytes,
            incompressible_share,
            spawned: vec![path.into()],
        }
    }

    /// The files that a test of `job` wrote. The original suite's command is left out where tests are sized one by
    /// one: it is about one file, and its own start is most of it.
    pub(super) fn of(columns: &[Column], job: &Job) -> Durable {
        let files: Vec<PathBuf> = columns.iter().map(|column| column.path.clone()).collect();
        let spawned = if job.work.is_none() { files.clone() } else { Vec::new() };
        let bytes = columns.iter().map(Column::data_bytes).sum();
        let incompressible_share = mean_share(columns, |column| column.incompressible_share);
        Durable { files, bytes, incompressible_share, spawned }
    }

    /// The phases `Sync` and, where the original suite has it, `SpawnSync`.
    pub(super) fn phases(&self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Sync, &mut |progress| {
            for path in &self.files {
                fsync(path)?;
                progress.add(0, 1);
            }
            progress.add(self.bytes, 0);
            Ok(())
        })?;
        if self.spawned.is_empty() {
            return Ok(());
        }
        meter.phase(PhaseKind::SpawnSync, &mut |progress| {
            self.spawn()?;
            progress.add(0, 1);
            Ok(())
        })
    }

    /// Returns the data that these phases make durable.
    pub(super) fn synced(&self) -> Option<Synced> {
        Some(Synced::data(self.bytes, self.incompressible_share))
    }

    /// Characters in the original suite's command, by which it multiplies its rate.
    pub(super) fn command_chars(&self) -> u32 {
        if self.spawned.is_empty() { 0 } else { self.command(|path| path).chars().count() as u32 }
    }

    /// The command, with each path as `quote` has it: the original suite quotes none.
    fn command(&self, quote: impl Fn(String) -> String) -> String {
        self.spawned.iter().fold("sync".to_string(), |line, path| {
            line + " " + &quote(path.to_string_lossy().into_owned())
        })
    }

    fn spawn(&self) -> Result<(), TestError> {
        let shell = Path::new("/bin/sh");
        let output = Command::new(shell)
            .arg("-c")
            .arg(self.command(|path| shell_word(&path)))
            .stdin(Stdio::null())
            .output()
            .map_err(TestError::io("spawn", shell))?;
        if output.status.success() {
            return Ok(());
        }
        let why = String::from_utf8_lossy(&output.stderr).trim().to_string();
        Err(TestError::io("sync by shell", &self.spawned[0])(io::Error::other(why)))
    }
}

/// The share of the bytes of all `columns` of which each has `share`.
pub(super) fn mean_share(columns: &[Column], share: impl Fn(&Column) -> f64) -> f64 {
    let (mut bytes, mut all) = (0.0, 0.0);
    for column in columns {
        let own = column.data_bytes() as f64;
        (bytes, all) = (bytes + share(column) * own, all + own);
    }
    if all > 0.0 { bytes / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_synced_by_the_shell() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("it's a $(file)");
        std::fs::write(&path, "x").unwrap();
        let durable = Durable::file(&path, 1, 1.0);
        durable.spawn().unwrap();
        assert_eq!(durable.command_chars() as usize, 5 + path.to_str().unwrap().len());
        std::fs::remove_file(&path).unwrap();
        assert!(durable.spawn().is_err());
        assert!(fsync(&path).unwrap_err().to_string().starts_with("open "));
    }
}
