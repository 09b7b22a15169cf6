//! Shows how to make and mount a file system on a disk of the reader's own: the commands of the lab, without what is
//! particular to the lab, and with placeholders for disk and mount point.

use crate::{Cmd, FileSystem, Site};
use model::target::Options;
use std::path::PathBuf;

/// Stands for the disk. A command with it in place fails, and makes nothing.
const DEVICE: &str = "DEVICE";
/// Stands for the mount point.
const DIRECTORY: &str = "DIRECTORY";
/// Stands for what has a name of its own, as a pool.
const NAME: &str = "NAME";

/// The commands that make `fs` with `options` and mount it, as an administrator would type them; `None` for what is on
/// no disk or on several, offers a disk to something else, or needs a server that this program keeps.
pub fn by_hand(fs: &dyn FileSystem, options: &Options) -> Option<Vec<Cmd>> {
    let site = Site {
        disks: vec![DEVICE.into()],
        bytes: 0,
        below: None,
        store: None,
        outside: None,
        dir: DIRECTORY.into(),
        name: NAME.into(),
        scratch: PathBuf::new(),
        free_nbd: PathBuf::new(),
    };
    if fs.disks(options) != 1 || !fs.offers(&site).is_empty() {
        return None;
    }
    let commands: Vec<Cmd> = fs.by_hand(&site, options).into_iter().map(Cmd::by_hand).collect();
    let is_plain = commands.iter().all(|cmd| cmd.serves.is_none() && cmd.stdin.is_empty());
    (is_plain && !commands.is_empty()).then_some(commands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, resolve};

    fn typed(text: &str) -> Option<Vec<String>> {
        let target = resolve(&text.parse().unwrap()).unwrap();
        let [part] = target.parts() else { panic!("{text}") };
        let commands = by_hand(part.fs, &part.options)?;
        Some(commands.iter().map(Cmd::to_string).collect())
    }

    #[test]
    fn commands_are_those_of_the_lab_without_its_own_flags() {
        let xfs = ["mkfs.xfs -m crc=0 DEVICE", "mount -t xfs -o noatime DEVICE DIRECTORY"];
        assert_eq!(typed("xfs[noatime,mkfs.m=crc=0]").unwrap(), xfs);
        let ext4 = ["mkfs.ext4 -b 4096 DEVICE", "mount -t ext4 DEVICE DIRECTORY"];
        assert_eq!(typed("ext4").unwrap(), ext4);
        let zfs =
            "zpool create -o ashift=12 -O relatime=on -O compression=lz4 -m DIRECTORY NAME DEVICE";
        assert_eq!(typed("zfs[compression=lz4]").unwrap(), [zfs]);
        assert_eq!(typed("btrfs[raid1]"), None);
        assert_eq!(typed("tmpfs"), None);
        assert_eq!(typed("ntfs-3g"), None);
    }

    #[test]
    fn no_command_overwrites_what_is_there() {
        for fs in ALL {
            for cmd in by_hand(*fs, &Options::new()).into_iter().flatten() {
                let text = cmd.to_string();
                let words: Vec<&str> = text.split(' ').collect();
                let forced = ["-f", "-F", "--force", "-q", "--quiet", "-K"];
                assert!(!words.iter().any(|word| forced.contains(word)), "{text}");
                assert!(!text.contains("/dev/"), "{text}");
            }
        }
    }
}
