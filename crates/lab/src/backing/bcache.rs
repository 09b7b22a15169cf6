//! Releases the disks of a bcache that this program made. Their superblocks identify them: half the UUID of the cache's
//! set is made of a name of ours, and the backing disk, which is in no set while it is detached, has that name as its
//! label.

use crate::{error::LabError, ownership::mark::OURS};
use ::fs::set_mark;
use disk::is_held;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const CLASS: &str = "/sys/class/block";
/// There only where the driver is.
const DRIVER: &str = "/sys/fs/bcache";
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Place of the superblock on a disk, and of its fields (`include/uapi/linux/bcache.h`,
/// `struct cache_sb_disk`).
const SUPERBLOCK: u64 = 4096;
const MAGIC: (usize, [u8; 16]) = (
    24,
    [
        0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d,
        0x81,
    ],
);
/// The last 8 bytes of the UUID of its set.
const SET: usize = 56 + 8;
const LABEL: usize = 72;
const LABEL_BYTES: usize = 32;

/// Stops the cache called `name` and waits until its disks are free. Returns true if there was one.
pub(crate) fn stop(name: &str) -> Result<bool, LabError> {
    if !name.starts_with(OURS) || !Path::new(DRIVER).exists() {
        return Ok(false);
    }
    let members = members(name)?;
    let start = Instant::now();
    for member in &members {
        // The driver takes its files away before it gives the disk up.
        while member.stop()? || is_held(&member.node) {
            if start.elapsed() > PATIENCE {
                return Err(LabError::Disk(disk::Error::StaysBusy {
                    path: member.node.clone(),
                    seconds: PATIENCE.as_secs(),
                    why: "bcache does not release it".into(),
                }));
            }
            thread::sleep(PAUSE);
        }
    }
    Ok(!members.is_empty())
}

/// Returns true if there is a cache called `name`.
pub(crate) fn is_there(name: &str) -> Result<bool, LabError> {
    Ok(name.starts_with(OURS) && Path::new(DRIVER).exists() && !members(name)?.is_empty())
}

/// The names among `candidates` of caches that are there.
pub(crate) fn among(candidates: impl Iterator<Item = String>) -> Result<Vec<String>, LabError> {
    if !Path::new(DRIVER).exists() {
        return Ok(Vec::new());
    }
    let blocks: Vec<_> =
        held()?.iter().filter_map(|member| superblock(&member.node).ok()).collect();
    let is_there = |name: &String| blocks.iter().any(|block| is_of(block, name));
    Ok(if blocks.is_empty() { Vec::new() } else { candidates.filter(is_there).collect() })
}

/// A disk that the driver holds.
struct Member {
    node: PathBuf,
    /// The driver's files about it.
    files: PathBuf,
}

/// The disks of the cache called `name` that the driver holds.
fn members(name: &str) -> Result<Vec<Member>, LabError> {
    // One that cannot be read cannot be known as ours.
    let ours = |member: &Member| superblock(&member.node).is_ok_and(|block| is_of(&block, name));
    Ok(held()?.into_iter().filter(ours).collect())
}

/// Every disk that the driver holds.
fn held() -> Result<Vec<Member>, LabError> {
    let class = Path::new(CLASS);
    let entries = fs::read_dir(class).map_err(LabError::io("list", class))?;
    let all = entries.flatten().map(|entry| Member {
        node: Path::new("/dev").join(entry.file_name()),
        files: entry.path().join("bcache"),
    });
    Ok(all.filter(|member| member.files.exists()).collect())
}

fn superblock(node: &Path) -> io::Result<[u8; LABEL + LABEL_BYTES]> {
    let mut block = [0; LABEL + LABEL_BYTES];
    File::open(node)?.read_exact_at(&mut block, SUPERBLOCK)?;
    Ok(block)
}

/// Returns true if this is the superblock of a disk of the cache called `name`.
fn is_of(block: &[u8], name: &str) -> bool {
    let at = |from: usize, length: usize| block.get(from..from + length).unwrap_or_default();
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let label = at(LABEL, LABEL_BYTES).split(|byte| *byte == 0).next().unwrap_or_default();
    let in_set = digits(at(SET, 8)) == set_mark(name).replace('-', "");
    at(MAGIC.0, 16) == MAGIC.1 && (in_set || label == name.as_bytes())
}

impl Member {
    /// Asks the driver to release it, and a cache with all that it caches. Returns true if there was
    /// a driver to ask.
    fn stop(&self) -> Result<bool, LabError> {
        let set = self.files.join("set/stop");
        let file = if set.exists() { set } else { self.files.join("stop") };
        // Never created: sysfs would say EACCES in place of ENOENT.
        let opened = OpenOptions::new().write(true).open(&file);
        match opened.and_then(|mut opened| opened.write_all(b"1")) {
            Ok(()) => Ok(true),
            // Gone meanwhile.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENODEV)) => {
                Ok(false)
            }
            Err(error) => Err(LabError::io("stop", &file)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(mark: &str, label: &str) -> Vec<u8> {
        let mut block = vec![0; LABEL + LABEL_BYTES];
        block[MAGIC.0..MAGIC.0 + 16].copy_from_slice(&MAGIC.1);
        let half = u64::from_str_radix(&mark.replace('-', ""), 16).unwrap();
        block[SET..SET + 8].copy_from_slice(&half.to_be_bytes());
        block[LABEL..LABEL + label.len()].copy_from_slice(label.as_bytes());
        block
    }

    #[test]
    fn a_set_is_marked_with_the_name_of_its_part() {
        assert_eq!(set_mark("assay-1a2b3c4d-12"), "a55a-001a2b3c4d12");
        assert_ne!(set_mark("assay-1a2b3c4d-1"), set_mark("assay-1a2b3c4d-12"));
    }

    #[test]
    fn disks_are_known_by_their_set_or_label() {
        let (name, none) = ("assay-1a2b3c4d-2", "0000-000000000000");
        assert!(is_of(&block(&set_mark(name), ""), name));
        assert!(is_of(&block(none, name), name));
        assert!(!is_of(&block(none, "assay-1a2b3c4d-21"), name));
        assert!(!is_of(&block(&set_mark("assay-1a2b3c4d-3"), "data"), name));
        let mut other = block(&set_mark(name), name);
        other[MAGIC.0] = 0;
        assert!(!is_of(&other, name) && !is_of(&[], name));
    }

    #[test]
    fn there_is_nothing_to_stop_here() {
        assert!(!stop("assay-none").unwrap() && !stop("bcache0").unwrap());
    }
}
