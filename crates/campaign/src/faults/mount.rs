//! Mounts a target by its descriptor alone, as its command of mount(8) would: that reads the disk by itself, and takes
//! no part.

use super::FaultsError;
use ::fs::{Cmd, Part, Site};
use lab::mounts::detached;
use rustix::{io::Errno, mount::MountAttrFlags};
use std::{
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

/// Options that are of the mount and not of the file system.
const ATTRIBUTES: [(&str, MountAttrFlags); 5] = [
    ("noatime", MountAttrFlags::MOUNT_ATTR_NOATIME),
    ("relatime", MountAttrFlags::MOUNT_ATTR_RELATIME),
    ("strictatime", MountAttrFlags::MOUNT_ATTR_STRICTATIME),
    ("nodiratime", MountAttrFlags::MOUNT_ATTR_NODIRATIME),
    ("nosuid", MountAttrFlags::MOUNT_ATTR_NOSUID),
];

/// How to mount a target.
#[derive(Clone, Debug)]
pub(super) struct How {
    kind: String,
    device: PathBuf,
    attributes: MountAttrFlags,
    options: Vec<(String, Option<String>)>,
}

impl How {
    /// As the command does by which the lab would mount `part`.
    ///
    /// # Errors
    /// It is not mounted by one mount(8) of one disk.
    pub(super) fn of(part: &Part, site: &Site) -> Result<How, FaultsError> {
        let commands = part.fs.mount(site, &part.options);
        let refused = |why: &str| FaultsError::Target {
            target: part.fs.about().name.into(),
            why: why.into(),
        };
        let [command] = commands.as_slice() else {
            return Err(refused("it takes more than one command to mount it"));
        };
        read(command).ok_or_else(|| refused(&format!("the kernel alone cannot do `{command}`")))
    }

    /// Mounts it.
    ///
    /// # Errors
    /// What the kernel says.
    pub(super) fn mount(&self) -> Result<Mounted, Errno> {
        let source = [("source", self.device.to_str())];
        let own = self.options.iter().map(|(key, value)| (key.as_str(), value.as_deref()));
        let fd = detached::mount(&self.kind, source.into_iter().chain(own), self.attributes)?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()));
        Ok(Mounted { _fd: fd, root })
    }
}

/// A mounted file system; dropping it unmounts it.
#[derive(Debug)]
pub(super) struct Mounted {
    _fd: OwnedFd,
    root: PathBuf,
}

impl Mounted {
    /// Its root, for this process alone.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }
}

/// What mount(8) is asked; `None` where it is anything but `mount -t KIND [-o OPTIONS] DEVICE DIR`.
fn read(command: &Cmd) -> Option<How> {
    let args: Vec<&str> = command.args.iter().map(|arg| arg.to_str()).collect::<Option<_>>()?;
    let (kind, options, device) = match (command.program.as_str(), args.as_slice()) {
        ("mount", ["-t", kind, "-o", options, device, _]) => (*kind, *options, *device),
        ("mount", ["-t", kind, device, _]) => (*kind, "", *device),
        _ => return None,
    };
    let mut how = How {
        kind: kind.into(),
        device: device.into(),
        attributes: MountAttrFlags::empty(),
        options: Vec::new(),
    };
    for option in options.split(',').filter(|option| !option.is_empty()) {
        if let Some((_, attribute)) = ATTRIBUTES.iter().find(|(name, _)| *name == option) {
            how.attributes |= *attribute;
        } else {
            let (key, value) = option.split_once('=').unzip();
            how.options.push((key.unwrap_or(option).into(), value.map(String::from)));
        }
    }
    Some(how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_of_the_mount_or_of_the_file_system() {
        let command = |args: &[&str]| Cmd::new("mount").args(args);
        let options = "data=writeback,noatime,nobarrier";
        let how = read(&command(&["-t", "ext4", "-o", options, "/dev/d", "/m"])).unwrap();
        assert_eq!(how.attributes, MountAttrFlags::MOUNT_ATTR_NOATIME);
        let expected = [("data", Some("writeback")), ("nobarrier", None)];
        let expected = expected.map(|(key, value)| (key.to_string(), value.map(String::from)));
        assert_eq!(how.options, expected);
        assert_eq!((&*how.kind, how.device.as_path()), ("ext4", Path::new("/dev/d")));
        assert!(read(&command(&["-t", "xfs", "/dev/d", "/m"])).unwrap().options.is_empty());
        assert!(read(&command(&["-i", "-t", "xfs", "/dev/d", "/m"])).is_none());
        assert!(read(&Cmd::new("zpool").args(["-t", "xfs", "/dev/d", "/m"])).is_none());
    }
}
