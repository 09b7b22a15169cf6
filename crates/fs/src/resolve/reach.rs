//! Limits the reach of options. No option may name another disk or a file: mkfs accepts a log device, a mount option a
//! journal on another disk, but a disk is given only by its name and its serial number. A plan file may do less: only
//! options that assay knows by name, with values that it can check.

use crate::{About, Error, cap::is_cap, options::MKFS};
use model::target::{Knob, Options, Target};
use std::fmt;

/// Keys of mkfs and mount options, whole or before `=`, whose value is another device or a file, or a tag of one.
const DEVICES: [&str; 9] =
    ["device", "journal_dev", "journal_path", "logdev", "rtdev", "log_dev", "file", "name", "type"];

/// Refuses an option of a part of `target`, that names a file, a disk, or further options.
///
/// # Errors
/// The first such option, and what is wrong with it.
pub(super) fn check(target: &Target, about: &About, options: &Options) -> Result<(), Error> {
    let bad =
        options.iter().find_map(|(key, value)| Some((key, value, reason(about, key, value)?)));
    match bad {
        None => Ok(()),
        Some((key, value, why)) => Err(Error::Reaches {
            target: target.to_string(),
            option: format!("{key}={value}"),
            why,
        }),
    }
}

fn reason(about: &About, key: &str, value: &str) -> Option<&'static str> {
    if key.contains('/') || value.contains('/') || value.contains("..") {
        return Some("it names a path; a target may only use the disks of --device");
    }
    if about.file_flags.contains(&key) {
        return Some("its value is a file; a target may only use the disks of --device");
    }
    if names_device(key, value) {
        return Some("it names a disk; a target may only use the disks of --device");
    }
    if value.chars().any(char::is_control) || value.starts_with('-') && !is_number(value) {
        return Some("it is not a valid value");
    }
    (!key.starts_with(MKFS) && value.contains(','))
        .then_some("a comma starts another option; write it separately")
}

/// Returns true if an option names a device: by its key, by a key within its value, or by a tag of blkid (`LABEL=`,
/// `UUID=`, `TYPE=`, `PARTUUID=` and others, all in capitals or not).
fn names_device(key: &str, value: &str) -> bool {
    const TAGS: [&str; 2] = ["uuid", "label"];
    let bare = |key: &str| {
        let key = key.trim_start_matches(['-', '^']).to_lowercase();
        key.strip_prefix("o.").map_or(key.clone(), String::from)
    };
    if DEVICES.contains(&bare(key).as_str()) {
        return true;
    }
    let keys = value.split([',', ':', ' ', ';']).flat_map(|part| {
        // `device=UUID=...` has two.
        let mut keys: Vec<&str> = part.split('=').collect();
        keys.pop();
        keys
    });
    keys.map(bare)
        .any(|key| DEVICES.contains(&key.as_str()) || TAGS.iter().any(|tag| key.ends_with(tag)))
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

/// An option that only the command line may set, because it could make a program or this machine do anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandLineOnly {
    /// To mount what a server elsewhere exports; the target.
    Server(String),
    /// An option that is not known by name, or whose value cannot be judged.
    Option(String),
}

impl fmt::Display for CommandLineOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandLineOnly::Server(target) => write!(
                f,
                "a file cannot make this machine mount a remote export; name {target} on the \
                 command line with --on"
            ),
            CommandLineOnly::Option(option) => write!(
                f,
                "the option `{option}` is unknown and could do anything; name its target on the \
                 command line with --on"
            ),
        }
    }
}

/// The first of `options` that is not known by name among `knobs`, or has a value that cannot be judged.
pub(super) fn unknown(knobs: &[Knob], options: &Options) -> Option<String> {
    let mut unknown = options.iter().filter(|(key, value)| !is_known(knobs, key, value));
    unknown.next().map(|(key, value)| match value.as_str() {
        "" => key.clone(),
        value => format!("{key}={value}"),
    })
}

fn is_known(knobs: &[Knob], key: &str, value: &str) -> bool {
    if is_cap(key) {
        return true;
    }
    let knob = |name: &str| knobs.iter().find(|knob| knob.name == name && !name.ends_with('*'));
    if let Some(knob) = knob(key) {
        return is_judged(knob, value);
    }
    let is_flag = key.starts_with(MKFS);
    let is_part = |part: &str| match part.split_once('=') {
        Some((name, value)) => {
            knob(&format!("{key}={name}")).is_some_and(|knob| is_judged(knob, value))
        }
        // Features are named, and have no value.
        None => [FEATURES, RUNTIME_FEATURES].contains(&key) && is_feature(part),
    };
    is_flag && value.split(',').all(is_part)
}

/// The flags of mkfs that take a list of features.
const FEATURES: &str = "mkfs.O";
const RUNTIME_FEATURES: &str = "mkfs.R";

fn is_judged(knob: &Knob, value: &str) -> bool {
    match knob.range {
        [] => is_plain(value),
        range => range.contains(&value),
    }
}

/// A number with a unit, or a word: a host as `s3.eu-west-1.amazonaws.com` is one.
fn is_plain(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".:%_+-".contains(c);
    value.chars().all(is_plain)
}

fn is_feature(name: &str) -> bool {
    let bare = name.strip_prefix('^').unwrap_or(name);
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    bare.starts_with(|c: char| c.is_ascii_lowercase()) && bare.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ResolvedTarget, resolve};

    fn refusal(target: &str) -> Option<String> {
        resolve(&target.parse().unwrap()).err().map(|error| error.to_string())
    }

    fn command_line_only(target: &str) -> Option<String> {
        match target.parse::<ResolvedTarget>().unwrap().command_line_only()? {
            CommandLineOnly::Option(option) => Some(option),
            CommandLineOnly::Server(server) => Some(server),
        }
    }

    #[test]
    fn no_option_reaches_another_disk_or_file() {
        for target in [
            "ext4[mkfs.J=\"device=/dev/sdb\"]",
            "ext4[mkfs.J=\"device=UUID=0b3ee2c2-8d0b-4a4f\"]",
            "ext4[mkfs.J=\"size=4,device=LABEL=log\"]",
            "ext4[mkfs.J=\"device=TYPE=jbd\"]",
            "ext4[mkfs.J=\"device=PARTUUID=1\"]",
            "ext4[mkfs.J=\"device=PARTLABEL=log\"]",
            "ext4[mkfs.J=\"DEVICE=sdb\"]",
            "ext4[mkfs.J=\"device=sdb\"]",
            "ext4[mkfs.d=sys]",
            "ext4[o.journal_dev=2049]",
            "ext4[o.journal_path=sdb]",
            "ext4[mkfs.z=\"../undo\"]",
            "xfs[mkfs.l=\"logdev=/dev/sdb,size=64m\"]",
            "xfs[mkfs.l=\"logdev=sdb\"]",
            "xfs[mkfs.r=\"rtdev=/dev/sdb\"]",
            "xfs[mkfs.d=\"name=sdb\"]",
            "xfs[mkfs.d=\"file=1\"]",
            "xfs[mkfs.p=/etc/passwd]",
            "xfs[mkfs.p=protofile]",
            "xfs[o.logdev=/dev/sdb]",
            "xfs[o.logdev=sdb]",
            "xfs[agcount=4,o.rtdev=sdb]",
            "btrfs[mkfs.rootdir=/etc]",
            "btrfs[mkfs.rootdir=etc]",
            "btrfs[o.device=sdb]",
            "f2fs[mkfs.c=/dev/sdb]",
            "f2fs[mkfs.c=sdb]",
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
            "ext4[mkfs.T=largefile4]",
            "xfs[mkfs.l=\"size=64m\",mkfs.m=\"crc=1,reflink=0\",logbsize=256k]",
            "btrfs[compress=zstd:3]",
            "xfs[o.inode32]",
        ] {
            assert_eq!(refusal(target), None, "{target}");
        }
    }

    #[test]
    fn file_may_not_hand_on_unknown_options() {
        for (target, option) in [
            ("sshfs[o.ssh_command=reboot](ext4)", "o.ssh_command=reboot"),
            ("raid1(xfs[o.x])", "o.x"),
            // A short name next to it does not hide it.
            ("xfs[agcount=4,o.x=1]", "o.x=1"),
            ("btrfs[nodesize=4k,o.x=1]", "o.x=1"),
            ("ext4[packed_meta_blocks=1,o.x=1]", "o.x=1"),
            ("f2fs[s=2,o.x=1]", "o.x=1"),
            ("ntfs-3g[c=65536,o.x=1]", "o.x=1"),
            ("gocryptfs[xchacha,o.x=1](xfs)", "o.x=1"),
            ("sshfs[o.ssh_command=reboot](xfs[agcount=4])", "o.ssh_command=reboot"),
            // No flag of mkfs counts as known by its prefix.
            ("ext4[mkfs.e=panic]", "mkfs.e=panic"),
            ("ext4[mkfs.U=clear]", "mkfs.U=clear"),
            ("ext4[mkfs.L=root]", "mkfs.L=root"),
            ("ext4[mkfs.E=\"lazy_itable_init=0,resize=1\"]", "mkfs.E=lazy_itable_init=0,resize=1"),
            ("xfs[mkfs.d=\"agcount=4,sectsize=4k\"]", "mkfs.d=agcount=4,sectsize=4k"),
            ("ext4[mkfs.O=\"bigalloc,x=1\"]", "mkfs.O=bigalloc,x=1"),
            ("f2fs[compress_extension=\"a b\"]", "compress_extension=a b"),
        ] {
            assert_eq!(command_line_only(target).as_deref(), Some(option), "{target}");
        }
        for target in [
            "ext4[noatime,mkfs.O=bigalloc,cap.read_iops=500]",
            "ext4[mkfs.O=\"bigalloc,^metadata_csum\",commit=60,mkfs.J=size=256]",
            "xfs[agcount=4,reflink=0,rmapbt=1,logbsize=256k]",
            "btrfs[compress=zstd:3,nodesize=4k,mkfs.R=^free-space-tree]",
            "zfs[recordsize=16k,compression=off]",
            "raid1(ext4)",
            "rclone[store=s3,s3.delay=20](xfs[agcount=4])",
            "rclone[store=s3,s3.host=s3.eu-west-1.amazonaws.com](xfs)",
            "dir:/mnt",
        ] {
            assert_eq!(command_line_only(target), None, "{target}");
        }
        assert!(command_line_only("nfs[server=files.lan:/srv]").is_some());
        assert!(command_line_only("nfs[server=files.lan:/srv,rsize=65536]").is_some());
    }
}
