//! Measures the read and write rates of a backing in a short trial.

use crate::{machine::reserve, messages::refusal};
use anyhow::{Context, Result};
use model::text::Bytes;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::FileTypeExt,
    path::Path,
    time::Instant,
};

/// Bytes that the pilot writes and reads.
const PILOT_BYTES: usize = 192 << 20;
/// Less tells nothing.
const PILOT_LEAST_BYTES: usize = 8 << 20;

/// Rates of the backing, bytes per second.
#[derive(Clone, Copy, Debug)]
pub struct Pilot {
    /// Durable sequential write.
    pub write_bytes_per_s: f64,
    /// Sequential read after the cache was dropped for the file.
    pub read_bytes_per_s: f64,
}

/// Writes, syncs, drops and reads a file in `dir` that has no name, so that nothing is left of it
/// however the program ends.
///
/// A disk is only read, as there is no consent yet: its read rate is used for both.
pub fn pilot(dir: &Path) -> Result<Pilot> {
    if dir.metadata().is_ok_and(|meta| meta.file_type().is_block_device()) {
        let read = File::open(dir).and_then(|mut disk| read_rate(&mut disk));
        let rate = read.with_context(|| format!("cannot read {}", dir.display()))?;
        return Ok(Pilot { write_bytes_per_s: rate, read_bytes_per_s: rate });
    }
    let bytes = pilot_bytes(dir);
    let tried = tempfile::tempfile_in(dir).and_then(|file| try_out(file, bytes));
    match tried {
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(refusal::lacking(format!(
            "{} has no space for the speed test ({}); free some, or choose another folder",
            dir.display(),
            Bytes(PILOT_LEAST_BYTES as u64)
        ))),
        tried => tried.with_context(|| format!("cannot measure the speed of {}", dir.display())),
    }
}

/// What may be written in `dir`, for that short time: at most half of what is free beyond the reserve.
fn pilot_bytes(dir: &Path) -> usize {
    let stat = rustix::fs::statvfs(dir).ok().filter(|stat| stat.f_blocks > 0);
    // One that tells nothing has to be tried.
    let Some(stat) = stat else { return PILOT_BYTES };
    let reserve = reserve::of(Bytes(stat.f_blocks.saturating_mul(stat.f_frsize)));
    let own = (stat.f_bavail * stat.f_frsize).saturating_sub(reserve.0);
    usize::try_from(own / 2).unwrap_or(usize::MAX).min(PILOT_BYTES)
}

fn try_out(mut file: File, bytes: usize) -> io::Result<Pilot> {
    if bytes < PILOT_LEAST_BYTES {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let mut rng = model::random::Rng::new(1);
    let chunk: Vec<u8> = (0..1 << 20 >> 3).flat_map(|_| rng.next_u64().to_le_bytes()).collect();
    let start = Instant::now();
    let chunks = bytes / chunk.len();
    for _ in 0..chunks {
        file.write_all(&chunk)?;
    }
    file.sync_all()?;
    let write_s = start.elapsed().as_secs_f64();
    Ok(Pilot {
        write_bytes_per_s: (chunks * chunk.len()) as f64 / write_s.max(1e-6),
        read_bytes_per_s: read_rate(&mut file)?,
    })
}

/// Reads what the pilot reads from the start of `file`, which is dropped from the cache before; bytes per
/// second.
fn read_rate(file: &mut File) -> io::Result<f64> {
    rustix::fs::fadvise(&*file, 0, None, rustix::fs::Advice::DontNeed)?;
    file.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; 1 << 20];
    let (start, mut done) = (Instant::now(), 0);
    while done < PILOT_BYTES {
        match file.read(&mut buffer)? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done as f64 / start.elapsed().as_secs_f64().max(1e-6))
}
