//! Divides a disk into equal parts, one for each target. A part is a partition of the kernel while a target is on it,
//! without a partition table: both ends of the disk stay blank, so that anything found there later is the user's data
//! and judged as such.

use super::{
    facts,
    signature::EDGE_BYTES,
    sysfs::{self, Block, System},
    table::{self, Partition, TableError},
};
use crate::{DiskPart, Error, Refusal, blkpg};
use model::text::Bytes;
use std::{
    fs::File,
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Left out at both ends of the disk: all in which a signature or a table of the whole disk can lie.
const MARGIN: u64 = EDGE_BYTES;
/// Parts begin and end at a multiple of it, bytes, as partitions do by custom.
const ALIGNMENT: u64 = 1 << 20;
/// The time another process may hold a partition open to inspect it.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

/// Returns the size of each of `parts` equal parts of a disk.
pub fn part_size(disk: Bytes, parts: u32) -> Bytes {
    let room = disk.0.saturating_sub(2 * MARGIN);
    Bytes(room / u64::from(parts.max(1)) / ALIGNMENT * ALIGNMENT)
}

/// The `parts` equal parts of a disk.
pub(crate) fn divide(disk: Bytes, parts: u32) -> Vec<DiskPart> {
    let Bytes(bytes) = part_size(disk, parts);
    let part = |number| DiskPart { number, start: MARGIN + u64::from(number - 1) * bytes, bytes };
    (1..=parts).map(part).collect()
}

/// Makes the kernel forget those partitions of the disk at `link` that are among `parts`. Nothing is done
/// when it is not the disk `identity` any more, and nothing about what a table on the disk describes,
/// because that belongs to another process. Returns the names of the removed partitions.
///
/// # Errors
/// The disk cannot be read, or a partition is in use.
pub fn forget_parts(link: &Path, identity: &str, parts: &[DiskPart]) -> Result<Vec<String>, Error> {
    let Some((file, ours)) = own_parts(link, identity, parts)? else { return Ok(Vec::new()) };
    ours.iter().try_for_each(|block| forget(&file, block))?;
    Ok(ours.into_iter().map(|block| block.name).collect())
}

/// Returns the partitions that [`forget_parts`] would forget.
///
/// # Errors
/// The disk cannot be read.
pub fn known_parts(link: &Path, identity: &str, parts: &[DiskPart]) -> Result<Vec<String>, Error> {
    let found = own_parts(link, identity, parts)?;
    Ok(found.into_iter().flat_map(|(_, ours)| ours).map(|block| block.name).collect())
}

/// The disk at `link`, open for reading, with those partitions that the kernel knows and are ours.
fn own_parts(
    link: &Path,
    identity: &str,
    parts: &[DiskPart],
) -> Result<Option<(File, Vec<Block>)>, Error> {
    let (Ok(node), false) = (facts::resolve(link), parts.is_empty()) else { return Ok(None) };
    let system = System::default();
    let disk = sysfs::number_of(&node).and_then(|number| system.by_number(&number));
    let disk = disk.filter(|disk| facts::identity(&system, disk) == identity);
    let known: Vec<Block> = disk.iter().flat_map(|disk| system.partitions(disk)).collect();
    let Some(disk) = disk.filter(|_| !known.is_empty()) else { return Ok(None) };
    // For reading: a disk that was closed after writing is looked at by udev.
    let file = File::open(&node).map_err(Error::io("open", &node))?;
    let described = table::partitions(&file, 0, disk.size()).map_err(|error| match error {
        TableError::Io(error) => Error::io("read", &node)(error),
        TableError::Unread(why) => Refusal::Unreadable { path: link.into(), why }.into(),
    })?;
    let ours = |block: &Block| {
        let of = part(block);
        let is_same = |other: &Partition| (other.start, other.len) == (of.start, of.bytes);
        parts.contains(&of) && !described.iter().any(is_same)
    };
    Ok(Some((file, known.into_iter().filter(ours).collect())))
}

/// Makes the kernel forget all partitions of `disk`, which `file` is open on, after its table was wiped.
pub(super) fn forget_all(file: &File, disk: &Path) -> Result<(), Error> {
    let system = System::default();
    let block = sysfs::number_of(disk).and_then(|number| system.by_number(&number));
    let known = block.iter().flat_map(|block| system.partitions(block));
    known.into_iter().try_for_each(|block| forget(file, &block))
}

/// Returns the kernel's view of a partition.
pub(super) fn part(block: &Block) -> DiskPart {
    let number = block.partition().unwrap_or_default();
    DiskPart { number, start: block.start(), bytes: block.size() }
}

fn forget(disk: &File, partition: &Block) -> Result<(), Error> {
    let start = Instant::now();
    loop {
        match blkpg::remove(disk, part(partition).number) {
            Err(error)
                if error.kind() == io::ErrorKind::ResourceBusy && start.elapsed() < PATIENCE =>
            {
                thread::sleep(PAUSE);
            }
            result => {
                let node = Path::new("/dev").join(&partition.name);
                return result.map_err(Error::io("give up", &node));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn partitions_are_named_as_the_kernel_does() {
        let part = DiskPart { number: 2, start: 0, bytes: 0 };
        let named = |disk: &str| part.node(Path::new(disk)).display().to_string();
        let names = ["/dev/sdb", "/dev/nvme0n1", "/dev/loop7"].map(named);
        assert_eq!(names, ["/dev/sdb2", "/dev/nvme0n1p2", "/dev/loop7p2"]);
    }

    #[test]
    fn a_disk_without_room_has_empty_parts() {
        for disk in [0, MARGIN, 2 * MARGIN, 2 * MARGIN + 3 * ALIGNMENT - 1] {
            assert_eq!(part_size(Bytes(disk), 3), Bytes(0));
        }
        assert_eq!(part_size(Bytes(2 * MARGIN + 3 * ALIGNMENT), 3), Bytes(ALIGNMENT));
    }

    proptest! {
        #[test]
        fn parts_are_equal_aligned_and_apart_and_spare_the_ends(
            sectors in 0u64..1 << 40, count in 1u32..64
        ) {
            let disk = sectors * 512;
            let parts = divide(Bytes(disk), count);
            prop_assert_eq!(parts.len(), count as usize);
            for pair in parts.windows(2) {
                prop_assert_eq!(pair[0].range().end, pair[1].start);
            }
            for part in &parts {
                prop_assert_eq!(part.bytes, parts[0].bytes);
                prop_assert_eq!((part.start % ALIGNMENT, part.bytes % ALIGNMENT), (0, 0));
                prop_assert!(part.start >= MARGIN);
                prop_assert!(part.bytes == 0 || part.range().end <= disk - MARGIN);
            }
            // No room is left over that would make each part larger.
            let used = u64::from(count) * (parts[0].bytes + ALIGNMENT);
            prop_assert!(disk < used + 2 * MARGIN);
        }
    }
}
