//! How far an option of a target may reach: to the target's own disks, whoever wrote it. mkfs takes a log
//! device, a mount option a journal on another disk, a FUSE program a command to run; a plan of somebody
//! else's must not get at them, and a disk is given by its name and its serial number alone.

use super::{Candidate, Part, resolve};
use crate::{LabError, throttle};
use model::{Options, Target};

/// What names a disk without a path, and what names a partition so.
const TAGS: [&str; 2] = ["uuid=", "label="];

/// Refuses an option of `target` that names a file, a disk, or further options.
///
/// # Errors
/// The first such option, and what is wrong with it.
pub(super) fn check(target: &Target, options: &Options) -> Result<(), LabError> {
    let bad = options.iter().find_map(|(key, value)| Some((key, value, reason(key, value)?)));
    match bad {
        None => Ok(()),
        Some((key, value, why)) => Err(LabError::Reaches {
            target: target.to_string(),
            option: format!("{key}={value}"),
            why,
        }),
    }
}

fn reason(key: &str, value: &str) -> Option<&'static str> {
    let lower = value.to_lowercase();
    if key.contains('/') || value.contains('/') || value.contains("..") {
        return Some("it names a path; a target has the disks that --device names, and no files");
    }
    if TAGS.iter().any(|tag| lower.contains(tag)) {
        return Some("it names a disk; a target has the disks that --device names");
    }
    if value.chars().any(char::is_control) || value.starts_with('-') && !is_number(value) {
        return Some("it is no value");
    }
    (!key.starts_with("mkfs.") && value.contains(','))
        .then_some("a comma begins another option; write that one beside it")
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

/// The first option of `target` that is handed on without being known here, so that it could make a program
/// do anything; `None` where all are known, and for what is not a target.
pub fn unchecked(target: &Target) -> Option<String> {
    let Ok(Candidate::Made(parts)) = resolve(target) else { return None };
    let unknown = |part: &Part| {
        let known = |key: &str| {
            key.starts_with("mkfs.")
                || throttle::is_cap(key)
                || part.fs.about().knobs.iter().any(|knob| knob.name == key)
        };
        part.options.keys().find(|key| !known(key)).cloned()
    };
    parts.iter().find_map(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(target: &str) -> Option<String> {
        resolve(&target.parse().unwrap()).err().map(|error| error.to_string())
    }

    #[test]
    fn no_option_reaches_another_disk_or_file() {
        for target in [
            "ext4[mkfs.J=\"device=/dev/sdb\"]",
            "ext4[mkfs.J=\"device=UUID=0b3ee2c2-8d0b-4a4f\"]",
            "ext4[mkfs.J=\"size=4,device=LABEL=log\"]",
            "ext4[mkfs.z=\"../undo\"]",
            "xfs[mkfs.l=\"logdev=/dev/sdb,size=64m\"]",
            "xfs[mkfs.r=\"rtdev=/dev/sdb\"]",
            "xfs[mkfs.p=/etc/passwd]",
            "xfs[o.logdev=/dev/sdb]",
            "btrfs[mkfs.rootdir=/etc]",
            "f2fs[mkfs.c=/dev/sdb]",
            "ext4[commit=\"5,journal_dev=2049\"]",
            "zfs[o.mountpoint=/etc]",
            "sshfs[o.ssh_command=\"sh -c /tmp/x\"](ext4)",
            "raid1(xfs[mkfs.l=\"logdev=/dev/sdb\"])",
        ] {
            let why = refusal(target).unwrap_or_else(|| panic!("{target} is taken"));
            assert!(why.contains("is refused"), "{target}: {why}");
        }
        for target in [
            "ext4[mkfs.O=\"bigalloc,^has_journal\",mkfs.E=\"lazy_itable_init=0\"]",
            "xfs[mkfs.l=\"size=64m\",mkfs.m=\"crc=1,reflink=0\",logbsize=256k]",
            "btrfs[compress=zstd:3]",
            "xfs[o.inode32]",
        ] {
            assert_eq!(refusal(target), None, "{target}");
        }
    }

    #[test]
    fn what_is_handed_on_unknown_is_named() {
        let of = |target: &str| unchecked(&target.parse().unwrap());
        assert_eq!(of("sshfs[o.ssh_command=reboot](ext4)").as_deref(), Some("o.ssh_command"));
        assert_eq!(of("raid1(xfs[o.x])").as_deref(), Some("o.x"));
        assert_eq!(of("ext4[noatime,mkfs.O=bigalloc,cap.read_iops=500]"), None);
        assert_eq!(of("dir:/mnt"), None);
    }
}
