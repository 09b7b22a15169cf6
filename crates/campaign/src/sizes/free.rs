//! Tells the free space that each target has for itself.

use crate::{machine::reserve, stages::Placed};
use anyhow::{Context, Result};
use model::text::Bytes;
use std::{
    fs::File,
    io::{Seek, SeekFrom},
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::Path,
};

/// Bytes that each target of `placed` has for itself under `work`: of a split disk its part, of a file system its
/// share, where sets of images and directories of several candidates hold their files on it at the same time, without
/// what the file system of a directory keeps.
///
/// # Errors
/// `work`, or a directory of a candidate, cannot be asked.
pub fn room(placed: &Placed, work: &Path) -> Result<Bytes> {
    let kept = reserve::kept(&placed.plan.targets, work)?;
    let free = Bytes(free_bytes(work)?.saturating_sub(kept.0) + images_there(placed, work));
    let sharers = u64::from(placed.image_sets()).max(directories_beside(placed, work)?);
    let own = Bytes(free.0 / sharers.max(1));
    Ok(placed.parts().map_or(own, |parts| disk::part_size(free, parts)))
}

/// What images already have that were kept by an earlier campaign.
fn images_there(placed: &Placed, work: &Path) -> u64 {
    let is_image = placed.plan.backing.devices.is_empty() && placed.needs_image();
    if is_image { lab::backing::kept_bytes(work) } else { 0 }
}

/// How many candidates have their directories on the file system of `work` at the same time.
fn directories_beside(placed: &Placed, work: &Path) -> Result<u64> {
    let device = |path: &Path| {
        let found = path.metadata().with_context(|| format!("cannot inspect {}", path.display()));
        found.map(|found| found.dev())
    };
    if !placed.is_interleaved() {
        return Ok(1);
    }
    let own = device(work)?;
    let directories = placed.entrants.iter().filter_map(|entrant| entrant.target.directory());
    let devices = directories.map(device).collect::<Result<Vec<u64>>>()?;
    Ok(devices.into_iter().filter(|device| *device == own).count() as u64)
}

/// Free bytes for an unprivileged user under `dir`; of a disk all of it.
fn free_bytes(dir: &Path) -> Result<u64> {
    if dir.metadata().is_ok_and(|meta| meta.file_type().is_block_device()) {
        let size = File::open(dir).and_then(|mut disk| disk.seek(SeekFrom::End(0)));
        return size.with_context(|| format!("cannot read the size of {}", dir.display()));
    }
    let stat = rustix::fs::statvfs(dir)
        .with_context(|| format!("cannot read the free space of {}", dir.display()))?;
    Ok(stat.f_bavail * stat.f_frsize)
}
