//! Watches the disk below, which holds the loop images and may be used by other programs. Its traffic beyond that of
//! the loop devices belongs to other programs.
//!
//! That holds if a loop device passes each request through unchanged: with direct I/O, on a file system that overwrites
//! in place. Otherwise (a buffered loop device, whose writes come whenever the flusher runs; Btrfs or ZFS, which
//! rewrite data together with their trees) the counters show nothing, and no disk below is named.

use crate::{error::LabError, mounts};
use disk::{Device, Disk};
use std::{fs, os::unix::fs::FileTypeExt, path::Path};

/// Disks, and those devices of a campaign that are on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Below {
    pub(super) disks: Vec<Device>,
    pub(super) own: Vec<Device>,
}

impl Below {
    /// Below `disks`, some of `all` that a campaign has; `None` if their traffic cannot be attributed.
    ///
    /// # Errors
    /// The mount table cannot be read, or an image is gone.
    pub(crate) fn of(disks: &[Disk], all: &[Disk]) -> Result<Option<Below>, LabError> {
        let mut below = Below::default();
        for disk in disks {
            let Some(whole) = image_disk(disk)? else { return Ok(None) };
            if !below.disks.contains(&whole) {
                below.disks.push(whole);
            }
        }
        for disk in all {
            let on_it = image_disk(disk)?.is_some_and(|whole| below.disks.contains(&whole));
            below.own.extend(disk.device().filter(|_| on_it));
        }
        Ok((!below.disks.is_empty()).then_some(below))
    }
}

/// The disk that the image behind `disk` is on.
fn image_disk(disk: &Disk) -> Result<Option<Device>, LabError> {
    let Some(image) = disk.image().filter(|image| image.direct_io) else { return Ok(None) };
    let path = image.path.canonicalize().map_err(LabError::io("find", &image.path))?;
    let kind = mounts::holding(&path)?.map(|mount| mount.kind);
    let in_place =
        kind.and_then(|kind| ::fs::mounted(&kind)).is_some_and(|known| known.overwrites_in_place);
    let device = if in_place { Device::under(&path)? } else { None };
    Ok(device.map(|device| whole(device, Path::new("/sys/dev/block"))))
}

/// The devices whose counters show what is done in `path`, or on the disk of which it is the node: that of its file
/// system, or the disk, first, then all below it, through partitions, mappings, arrays and the files of loop devices.
/// Empty where there is none, as in memory.
///
/// # Errors
/// `path` cannot be looked at.
pub fn counted_on(path: &Path) -> Result<Vec<Device>, LabError> {
    let mut all = Vec::new();
    let is_node = path.metadata().is_ok_and(|meta| meta.file_type().is_block_device());
    let own = if is_node { Device::of_node(path) } else { Device::under(path)? };
    let mut open: Vec<Device> = own.into_iter().collect();
    while let Some(device) = open.pop() {
        if all.contains(&device) {
            continue;
        }
        all.push(device);
        let sysfs = device.disk().sysfs();
        let slaves = fs::read_dir(sysfs.join("slaves")).into_iter().flatten().flatten();
        let number = |slave: fs::DirEntry| {
            Device::from_text(&fs::read_to_string(slave.path().join("dev")).ok()?)
        };
        open.extend(slaves.filter_map(number));
        let file = fs::read_to_string(sysfs.join("loop/backing_file")).unwrap_or_default();
        // One that is gone has no name to find its disk by.
        open.extend(Device::under(Path::new(file.trim_end_matches('\n'))).ok().flatten());
        open.push(device.disk());
    }
    Ok(all)
}

/// The lowest device that all of `device` goes through, byte by byte: the disk of a partition, what a
/// mapping is on. One that is made of several is counted separately, as mirrors write everything twice.
fn whole(device: Device, sysfs: &Path) -> Device {
    let disk = device.disk();
    let slaves = fs::read_dir(sysfs.join(disk.to_string()).join("slaves"));
    let slaves: Vec<_> = slaves.into_iter().flatten().flatten().collect();
    let [only] = slaves.as_slice() else { return disk };
    let number = fs::read_to_string(only.path().join("dev")).ok();
    match number.and_then(|number| Device::from_text(&number)) {
        Some(slave) => whole(slave, sysfs),
        None => disk,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::Image;
    use model::text::Bytes;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::slice::from_ref;

    fn device(number: &str) -> Device {
        Device::from_text(number).unwrap()
    }

    #[test]
    fn traffic_of_a_directory_is_counted_on_its_device_and_below() {
        let dir = tempfile::tempdir().unwrap();
        let Some(own) = Device::under(dir.path()).unwrap() else {
            assert_eq!(counted_on(dir.path()).unwrap(), []);
            return needs::skip(needs::Need::Other, "temporary files are in memory");
        };
        let all = counted_on(dir.path()).unwrap();
        assert_eq!(all[0], own);
        assert!(all.contains(&own.disk()), "{all:?}");
        assert!(counted_on(Path::new("/no/such/place")).is_err());
        let node = PathBuf::from(own.name());
        if needs::root_or_skip("the node of a disk") && node.exists() {
            assert_eq!(counted_on(&node).unwrap(), all);
        }
    }

    #[test]
    fn the_walk_down_ends_at_a_layer_on_two_disks() {
        let sysfs = tempfile::tempdir().unwrap();
        // A mapping on an array of two disks that do not exist; no disk of this machine has these numbers.
        let lay = |above: &str, below: &[&str]| {
            let slaves = sysfs.path().join(above).join("slaves");
            fs::create_dir_all(&slaves).unwrap();
            for number in below {
                let dir = sysfs.path().join(number);
                fs::create_dir_all(&dir).unwrap();
                fs::write(dir.join("dev"), format!("{number}\n")).unwrap();
                symlink(&dir, slaves.join(number)).unwrap();
            }
        };
        lay("4001:0", &["4001:1"]);
        lay("4001:1", &["4002:0"]);
        lay("4002:0", &["4003:0", "4003:16"]);
        assert_eq!(whole(device("4001:0"), sysfs.path()), device("4002:0"));
        assert_eq!(whole(device("4003:16"), sysfs.path()), device("4003:16"));
    }

    #[test]
    fn no_disk_below_is_named_for_buffered_loops_and_guests() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("image");
        fs::write(&path, "x").unwrap();
        let image = Image { path: path.clone(), direct_io: false, held: None };
        let buffered = Disk::of_image("/dev/null".into(), Bytes(1), image).unwrap();
        for disk in [buffered, Disk::of_guest(&path).unwrap()] {
            assert_eq!(Below::of(from_ref(&disk), from_ref(&disk)).unwrap(), None);
        }
        assert_eq!(Below::of(&[], &[]).unwrap(), None);
    }
}
