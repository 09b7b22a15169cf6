//! Mounts a target as its mount(8) command would, but by the mount API and without mount(8), which would read the disk
//! itself; the mount is reached only through its descriptor.

use super::FaultsError;
use ::fs::{Cmd, Part, Site};
use lab::{error::LabError, mounts::detached};
use rustix::{io::Errno, mount::MountAttrFlags};
use std::{
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Options that are of the mount and not of the file system.
const ATTRIBUTES: [(&str, MountAttrFlags); 5] = [
    ("noatime", MountAttrFlags::MOUNT_ATTR_NOATIME),
    ("relatime", MountAttrFlags::MOUNT_ATTR_RELATIME),
    ("strictatime", MountAttrFlags::MOUNT_ATTR_STRICTATIME),
    ("nodiratime", MountAttrFlags::MOUNT_ATTR_NODIRATIME),
    ("nosuid", MountAttrFlags::MOUNT_ATTR_NOSUID),
];

/// How long a disk may be busy: much less than a look may take, as that would be taken for a hang.
const BUSY_PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(1);

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
        How::by(part, part.fs.mount(site, &part.options))
    }

    /// As the command does by which `part` is mounted though some of its disks are missing.
    ///
    /// # Errors
    /// The same.
    pub(super) fn degraded(part: &Part, site: &Site) -> Result<How, FaultsError> {
        How::by(part, part.fs.mount_degraded(site, &part.options))
    }

    fn by(part: &Part, commands: Vec<Cmd>) -> Result<How, FaultsError> {
        let refused = |why: &str| FaultsError::Target {
            target: part.fs.about().name.into(),
            why: why.into(),
        };
        let [command] = commands.as_slice() else {
            return Err(refused("mounting it takes more than one command"));
        };
        read(command).ok_or_else(|| refused(&format!("the mount API cannot do `{command}`")))
    }

    /// The kind of file system, as the kernel calls it.
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// Options that are of the file system, each with its value if it has one.
    pub(super) fn options(&self) -> &[(String, Option<String>)] {
        &self.options
    }

    /// The same without times of access: reading writes nothing then.
    pub(super) fn without_access_times(&self) -> How {
        let other = MountAttrFlags::MOUNT_ATTR_STRICTATIME;
        let attributes = (self.attributes - other) | MountAttrFlags::MOUNT_ATTR_NOATIME;
        How { attributes, ..self.clone() }
    }

    /// The command that does so with an image at `path`, at /mnt.
    pub(super) fn command(&self, path: &Path) -> String {
        let named = |flag: &MountAttrFlags| {
            ATTRIBUTES.iter().find(|(_, own)| own == flag).map(|(name, _)| (*name).to_string())
        };
        let own = self.options.iter().map(|(key, value)| match value {
            Some(value) => format!("{key}={value}"),
            None => key.clone(),
        });
        let attributes = self.attributes.iter().filter_map(|flag| named(&flag));
        let options: Vec<String> =
            ["loop".to_string()].into_iter().chain(attributes).chain(own).collect();
        let options = options.join(",");
        Cmd::new("mount").args(["-t", &self.kind, "-o", &options]).arg(path).arg("/mnt").to_string()
    }

    /// The same with more options.
    pub(super) fn with(mut self, options: &[&str]) -> How {
        self.options.extend(options.iter().map(|option| ((*option).into(), None)));
        self
    }

    /// Mounts it. The inner error is what the kernel says of what is on the disk. While the disk is busy it is tried
    /// again: a program that is being started keeps what it has inherited open until its exec, and with it a disk that
    /// was looked at just then.
    ///
    /// # Errors
    /// The machine is at fault: see [`is_of_machine`].
    pub(super) fn mount(&self) -> Result<Result<Mounted, Errno>, FaultsError> {
        let begun = Instant::now();
        loop {
            match self.mount_once() {
                Err(Errno::BUSY) if begun.elapsed() < BUSY_PATIENCE => thread::sleep(PAUSE),
                Err(errno) if is_of_machine(errno) => {
                    return Err(LabError::io("mount", &self.device)(errno.into()).into());
                }
                done => return Ok(done),
            }
        }
    }

    fn mount_once(&self) -> Result<Mounted, Errno> {
        let start = Instant::now();
        let source = [("source", self.device.to_str())];
        let own = self.options.iter().map(|(key, value)| (key.as_str(), value.as_deref()));
        let fd = detached::mount(&self.kind, source.into_iter().chain(own), self.attributes)?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()));
        Ok(Mounted { fd, root, took: start.elapsed() })
    }
}

/// Whether a mount that was refused so says nothing of what is on the disk: another process has the disk, a copy of the
/// file system is mounted, or the machine is short of something.
fn is_of_machine(errno: Errno) -> bool {
    [Errno::BUSY, Errno::EXIST, Errno::NOMEM, Errno::MFILE, Errno::NFILE].contains(&errno)
}

/// A mounted file system; dropping it unmounts it.
#[derive(Debug)]
pub(super) struct Mounted {
    fd: OwnedFd,
    root: PathBuf,
    took: Duration,
}

impl Mounted {
    /// Its root, for this process alone.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// How long mounting it took.
    pub(super) fn took(&self) -> Duration {
        self.took
    }

    /// Its descriptor.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
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
    fn only_what_is_on_the_disk_is_harm() {
        assert!([Errno::BUSY, Errno::EXIST, Errno::NOMEM].map(is_of_machine).iter().all(|is| *is));
        // A checksum, a superblock, a tree, a log that cannot be read: EFSBADCRC is EBADMSG.
        let harm = [Errno::BADMSG, Errno::INVAL, Errno::UCLEAN, Errno::IO, Errno::ROFS];
        assert!(!harm.map(is_of_machine).iter().any(|is| *is));
    }

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
        let strict = read(&command(&["-t", "xfs", "-o", "strictatime,nosuid", "/dev/d", "/m"]));
        let (none, nosuid) =
            (MountAttrFlags::MOUNT_ATTR_NOATIME, MountAttrFlags::MOUNT_ATTR_NOSUID);
        assert_eq!(strict.unwrap().without_access_times().attributes, none | nosuid);
        assert!(read(&command(&["-t", "xfs", "/dev/d", "/m"])).unwrap().options.is_empty());
        let pair = read(&command(&["-t", "btrfs", "-o", "degraded,device=/dev/b", "/dev/a", "/m"]));
        let known = [("degraded", None), ("device", Some("/dev/b"))];
        let known = known.map(|(key, value)| (key.to_string(), value.map(String::from)));
        assert_eq!(pair.unwrap().options, known);
        assert!(read(&command(&["-i", "-t", "xfs", "/dev/d", "/m"])).is_none());
        assert!(read(&Cmd::new("zpool").args(["-t", "xfs", "/dev/d", "/m"])).is_none());
    }
}
