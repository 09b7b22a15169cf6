//! Shows whether a sync reached the medium: the devices under a target, what they have written, and how often they, and
//! the disks below their images, were asked to flush their caches. Where no device can be seen, it says why.

use crate::{
    error::LabError,
    mounts::{self, kinds::is_memory},
    stack::Stack,
};
use ::fs::{Stores, mounted};
use disk::Device;
use model::figure::Unproven;
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Linux counts device sectors of 512 bytes, whatever the device has.
const SECTOR: u64 = 512;
/// Columns of `stat` (Documentation/block/stat.rst): sectors written, and completed flush requests, which Linux
/// counts since 5.5, for whole disks alone.
const WRITTEN: usize = 6;
const FLUSHES: usize = 15;
/// Most directories in one another before the device is considered unknown.
const DEEPEST: usize = 4;

/// Destination of what is written to a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Persistence {
    devices: Vec<Device>,
    /// The disks under the images of those devices that are loop devices, as far as they are known.
    below: Vec<Device>,
    unseen: Option<Unproven>,
    may_store_less: bool,
}

/// Counters of the devices under a target at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Persisted {
    /// Bytes that they had written.
    pub written_bytes: u64,
    /// Flushes that those of them had done which have a cache.
    pub flushes: Flushes,
    /// The same of the disks below their images.
    pub flushes_below: Flushes,
}

/// Number of times that devices have flushed their caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flushes {
    /// The number of flushes, in total.
    Done(u64),
    /// There is no cache to flush, or no device.
    #[default]
    NotNeeded,
    /// The kernel does not count them.
    NotCounted,
}

impl Persistence {
    /// Returns the persistence of `stack` on `devices`.
    pub(crate) fn of_stack(stack: &Stack, devices: Vec<Device>) -> Result<Persistence, LabError> {
        let mut may_store_less = false;
        for part in stack.parts() {
            let mounted = part.is_mounted().then(|| mounts::at(&part.site.dir)).transpose()?;
            let less = mounted.flatten().map(|m| stores(&m.kind, &m.options) == Stores::Less);
            may_store_less |=
                part.fs().about().mounted.stores == Stores::Less || less == Some(true);
        }
        let seen = Persistence::on(devices);
        Ok(Persistence { may_store_less, ..seen })
    }

    /// Returns the persistence of the directory `path`: the device of its file system, or, for a server or an overlay
    /// that tells where it keeps its files is on.
    pub(crate) fn of_dir(path: &Path) -> Result<Persistence, LabError> {
        let mut dir = path.canonicalize().map_err(LabError::io("find", path))?;
        let mut whole = true;
        for _ in 0..DEEPEST {
            let Some(mount) = mounts::holding(&dir)? else { break };
            whole &= stores(&mount.kind, &mount.options) == Stores::Whole;
            let devices = devices_of(&dir, &mount)?;
            if !devices.is_empty() {
                return Ok(Persistence { may_store_less: !whole, ..Persistence::on(devices) });
            }
            match keeps_in(&mount) {
                Some(other) if other != dir => dir = other,
                _ => return Ok(Persistence::nowhere(hidden(&mount))),
            }
        }
        Ok(Persistence::nowhere(Unproven::NoDevice("directories in directories".into())))
    }

    fn on(devices: Vec<Device>) -> Persistence {
        let images: Vec<PathBuf> = devices.iter().filter_map(|device| image_of(*device)).collect();
        let below = images.iter().filter_map(|image| Device::under(image).ok()?).collect();
        let holds = |image: &PathBuf| mounts::holding(image).ok().flatten();
        let in_memory = images.iter().filter_map(holds).any(|mount| is_memory(&mount.kind));
        let unseen = match devices.is_empty() || in_memory {
            true => Some(Unproven::InMemory),
            false => None,
        };
        Persistence { devices, below, unseen, may_store_less: false }
    }

    fn nowhere(why: Unproven) -> Persistence {
        let (devices, below) = (Vec::new(), Vec::new());
        Persistence { devices, below, unseen: Some(why), may_store_less: true }
    }

    /// The same, of which nothing can be proven because of `why`.
    pub(crate) fn hidden_by(self, why: Unproven) -> Persistence {
        Persistence { unseen: self.unseen.or(Some(why)), ..self }
    }

    /// Returns why nothing can be proven here, whatever is counted.
    pub fn unseen(&self) -> Option<&Unproven> {
        self.unseen.as_ref()
    }

    /// Returns true if fewer bytes may be stored than written, e.g. with compression.
    pub fn may_store_less(&self) -> bool {
        self.may_store_less
    }

    /// Reads the counters.
    ///
    /// # Errors
    /// The counters of a device cannot be read.
    pub fn look(&self) -> Result<Persisted, LabError> {
        let written = |device: &Device| Ok(counter(&stat(*device)?, WRITTEN).unwrap_or(0));
        let sectors = self.devices.iter().map(written).sum::<Result<u64, LabError>>()?;
        Ok(Persisted {
            written_bytes: sectors * SECTOR,
            flushes: flushes(&self.devices)?,
            flushes_below: flushes(&self.below)?,
        })
    }
}

/// Why the device below `mount` is not seen.
fn hidden(mount: &mounts::Mount) -> Unproven {
    let is_node = |path: &Path| fs::symlink_metadata(path).is_ok();
    hidden_by(mount, disk::shows_devices(), is_node(&mount.source))
}

/// The same where sysfs is mounted or not, and the node of its source is there or not.
fn hidden_by(mount: &mounts::Mount, has_sysfs: bool, has_node: bool) -> Unproven {
    let names_device = mount.source.starts_with("/dev");
    match (names_device, has_sysfs, has_node) {
        _ if is_memory(&mount.kind) => Unproven::InMemory,
        (true, false, _) => Unproven::NoSysfs,
        (true, true, false) => Unproven::NoNode,
        _ => Unproven::NoDevice(mount.kind.clone()),
    }
}

fn stat(device: Device) -> Result<String, LabError> {
    let path = device.stat_file();
    fs::read_to_string(&path).map_err(LabError::io("read", &path))
}

fn counter(stat: &str, column: usize) -> Option<u64> {
    stat.split_whitespace().nth(column)?.parse().ok()
}

/// Returns the flushes of all disks of `devices` with a volatile cache.
fn flushes(devices: &[Device]) -> Result<Flushes, LabError> {
    let mut sum = Flushes::NotNeeded;
    for disk in devices.iter().map(|device| device.disk()) {
        if disk.attribute("queue/write_cache").is_some_and(|cache| cache == "write through") {
            continue;
        }
        sum = match (sum, counter(&stat(disk)?, FLUSHES)) {
            (_, None) | (Flushes::NotCounted, _) => Flushes::NotCounted,
            (Flushes::NotNeeded, Some(own)) => Flushes::Done(own),
            (Flushes::Done(others), Some(own)) => Flushes::Done(others + own),
        };
    }
    Ok(sum)
}

/// The file behind a loop device.
fn image_of(device: Device) -> Option<PathBuf> {
    let file = fs::read_to_string(device.disk().sysfs().join("loop/backing_file")).ok()?;
    Some(PathBuf::from(file.trim_end_matches('\n')))
}

/// The devices of the file system that is mounted as `mount` and holds `dir`.
fn devices_of(dir: &Path, mount: &mounts::Mount) -> Result<Vec<Device>, LabError> {
    let number = fs::metadata(dir).map_err(LabError::io("look at", dir))?.dev();
    let own = Some(Device::from_number(number)).filter(|device| device.sysfs().exists());
    let device = own.or_else(|| Device::of_node(&mount.source));
    Ok(match device {
        Some(device) if mount.kind == "btrfs" => members_of_btrfs(device),
        device => device.into_iter().collect(),
    })
}

/// All devices of the Btrfs of which `device` is one: the mount table names a single one.
fn members_of_btrfs(device: Device) -> Vec<Device> {
    let number = |entry: fs::DirEntry| {
        Device::from_text(&fs::read_to_string(entry.path().join("dev")).ok()?)
    };
    let file_systems = fs::read_dir("/sys/fs/btrfs").into_iter().flatten().flatten();
    let members = file_systems.map(|entry| -> Vec<Device> {
        let devices = fs::read_dir(entry.path().join("devices")).into_iter().flatten().flatten();
        devices.filter_map(number).collect()
    });
    members.into_iter().find(|all| all.contains(&device)).unwrap_or_else(|| vec![device])
}

/// The directory in which a FUSE server or an overlay keeps what is written, where the mount tells it.
fn keeps_in(mount: &mounts::Mount) -> Option<PathBuf> {
    let told = match mount.kind.as_str() {
        "overlay" => mount.options.split(',').find_map(|option| option.strip_prefix("upperdir=")),
        kind if kind.starts_with("fuse") => mount.source.to_str(),
        _ => None,
    };
    let dir = Path::new(told?).canonicalize().ok()?;
    dir.is_dir().then_some(dir)
}

/// Returns what the file system that the mount table calls `kind` makes of bytes with these options.
fn stores(kind: &str, options: &str) -> Stores {
    mounted(kind).map_or(Stores::Unknown, |mounted| mounted.stores.with(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(kind: &str, source: &str, options: &str) -> mounts::Mount {
        mounts::Mount {
            number: "0:50".into(),
            mount_point: "/m".into(),
            kind: kind.into(),
            source: source.into(),
            options: options.into(),
        }
    }

    #[test]
    fn a_line_of_counters_has_bytes_written_and_flushes() {
        let stat = "  10 0 800 5 20 0 1600 9 0 100 14 0 0 0 0 7 3\n";
        assert_eq!((counter(stat, WRITTEN), counter(stat, FLUSHES)), (Some(1600), Some(7)));
        assert_eq!(counter("10 0 800 5 20 0 1600 9 0 100 14 0 0 0 0", FLUSHES), None);
    }

    #[test]
    fn compression_is_known_by_effective_options() {
        assert_eq!(stores("btrfs", "rw,compress=zstd:3"), Stores::Less);
        assert_eq!(stores("btrfs", "rw,space_cache=v2"), Stores::Whole);
        assert_eq!(stores("f2fs", "rw,compress_algorithm=lz4"), Stores::Less);
        assert_eq!(stores("zfs", "rw"), Stores::Less);
        assert_eq!(stores("fuse.sshfs", "rw"), Stores::Unknown);
    }

    #[test]
    fn the_mount_names_the_directory_behind_a_server_or_an_overlay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        let upper = format!("rw,lowerdir=/l,upperdir={},workdir=/w", path.display());
        assert_eq!(keeps_in(&mount("overlay", "overlay", &upper)), Some(path.clone()));
        let source = path.to_str().unwrap();
        assert_eq!(keeps_in(&mount("fuse.bindfs", source, "rw")), Some(path.clone()));
        assert_eq!(keeps_in(&mount("fuse.sshfs", "host:/srv", "rw")), None);
        assert_eq!(keeps_in(&mount("nfs4", source, "rw")), None);
    }

    #[test]
    fn targets_without_a_device_give_the_reason() {
        let proc = Persistence::of_dir(Path::new("/proc")).unwrap();
        assert_eq!(proc.unseen(), Some(&Unproven::NoDevice("proc".into())));
        assert_eq!(proc.look().unwrap(), Persisted::default());
    }

    #[test]
    fn device_that_a_chroot_hides_is_reported_with_what_shows_it() {
        let disk = mount("ext4", "/dev/vda1", "rw");
        assert_eq!(hidden_by(&disk, false, false), Unproven::NoSysfs);
        assert_eq!(hidden_by(&disk, false, true), Unproven::NoSysfs);
        assert_eq!(hidden_by(&disk, true, false), Unproven::NoNode);
        let remote = mount("nfs4", "host:/srv", "rw");
        assert_eq!(hidden_by(&remote, false, false), Unproven::NoDevice("nfs4".into()));
        assert_eq!(hidden_by(&mount("tmpfs", "tmpfs", "rw"), false, false), Unproven::InMemory);
    }
}
