//! The block device under a target: its number, its counters and what sysfs says of it.

use crate::{Error, mounts};
use std::{
    collections::BTreeSet,
    fmt, fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Where the kernel shows devices by their numbers.
const SYSFS: &str = "/sys/dev/block";

/// A block device or partition by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device {
    major: u32,
    minor: u32,
}

/// Whether the kernel shows devices and their counters here; a chroot without /sys does not.
pub fn shows_devices() -> bool {
    Path::new(SYSFS).exists()
}

impl Device {
    /// The device on which `path` lies; `None` where there is none, as on tmpfs or NFS.
    ///
    /// # Errors
    /// `path` cannot be looked at.
    pub fn under(path: &Path) -> Result<Option<Device>, Error> {
        let path = path.canonicalize().map_err(Error::io("find", path))?;
        let meta = fs::metadata(&path).map_err(Error::io("look at", &path))?;
        let device = Device::from_number(meta.dev());
        if device.sysfs().exists() {
            return Ok(Some(device));
        }
        // Btrfs and overlays give files an anonymous number; the mount table knows the source.
        let source = mounts::holding(&path)?.map(|mount| mount.source);
        Ok(source.and_then(|source| Device::of_node(&source)))
    }

    /// The device of the node `/dev/...`.
    pub fn of_node(node: &Path) -> Option<Device> {
        let device = Device::from_number(fs::metadata(node).ok()?.rdev());
        device.sysfs().exists().then_some(device)
    }

    /// By the number that stat(2) tells.
    pub fn from_number(number: u64) -> Device {
        Device { major: rustix::fs::major(number), minor: rustix::fs::minor(number) }
    }

    /// A number as sysfs writes it: `7:1`.
    pub fn from_text(text: &str) -> Option<Device> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(Device { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// The name of its node, e.g. `/dev/sda1`; its number where the kernel tells none.
    pub fn name(self) -> String {
        let own = fs::canonicalize(self.sysfs()).ok();
        let name = own.as_deref().and_then(Path::file_name);
        name.map_or_else(|| self.to_string(), |name| format!("/dev/{}", name.to_string_lossy()))
    }

    /// Its directory in sysfs.
    pub fn sysfs(self) -> PathBuf {
        Path::new(SYSFS).join(self.to_string())
    }

    /// The disk that it is a partition of, or itself.
    pub fn disk(self) -> Device {
        let number = || {
            let own = fs::canonicalize(self.sysfs()).ok()?;
            own.join("partition").exists().then_some(())?;
            Device::from_text(&fs::read_to_string(own.parent()?.join("dev")).ok()?)
        };
        number().unwrap_or(self)
    }

    /// The members of the mapping or array that it is, and those below them.
    pub(crate) fn below(self) -> BTreeSet<Device> {
        let mut below = BTreeSet::new();
        let mut open = vec![self];
        while let Some(device) = open.pop() {
            let members = fs::read_dir(device.disk().sysfs().join("slaves"));
            let number = |path: PathBuf| fs::read_to_string(path.join("dev")).ok();
            let numbers = members.into_iter().flatten().flatten().filter_map(|m| number(m.path()));
            open.extend(numbers.filter_map(|n| Device::from_text(&n)).filter(|d| below.insert(*d)));
        }
        below
    }

    /// The file with its I/O counters.
    pub fn stat_file(self) -> PathBuf {
        self.sysfs().join("stat")
    }

    /// An attribute such as `queue/scheduler`; a partition has those of its disk.
    pub fn attribute(self, name: &str) -> Option<String> {
        let own = fs::canonicalize(self.sysfs()).ok()?;
        let text = fs::read_to_string(own.join(name))
            .or_else(|_| fs::read_to_string(own.parent().unwrap_or(&own).join(name)));
        text.ok().map(|text| text.trim().to_string()).filter(|text| !text.is_empty())
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_no_device() {
        assert_eq!(Device::under(Path::new("/proc")).unwrap(), None);
        assert!(Device::under(Path::new("/no/such/path")).is_err());
    }
}
