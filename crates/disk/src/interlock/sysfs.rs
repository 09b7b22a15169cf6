//! Reads block devices from sysfs and udev: partitions, holders, and serial numbers.

use crate::{
    Device,
    attached::{Attached, FileId},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
};

/// Unit of `size` and `start` in sysfs, whatever the sectors of the disk are.
const SECTOR: u64 = 512;

/// Number of a block device, as the kernel writes it: `8:16`.
pub(super) type Number = String;

/// The directories to read; tests use their own.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) sys: PathBuf,
    pub(super) udev: PathBuf,
}

/// A disk, partition, mapping, array or loop device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) number: Number,
    /// Its current kernel name, e.g. `sdb1` or `dm-0`.
    pub(super) name: String,
    dir: PathBuf,
}

/// Number of the device of the node `path`; `None` if it is not a block device.
pub(super) fn number_of(path: &Path) -> Option<Number> {
    let meta = fs::metadata(path).ok()?;
    meta.file_type().is_block_device().then(|| number(meta.rdev()))
}

pub(super) fn number(device: u64) -> Number {
    format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device))
}

impl Default for System {
    fn default() -> System {
        System { sys: "/sys".into(), udev: "/run/udev/data".into() }
    }
}

impl System {
    pub(super) fn by_number(&self, number: &str) -> Option<Block> {
        self.at(&self.sys.join("dev/block").join(number))
    }

    /// Every whole disk, in the order of names.
    pub(super) fn disks(&self) -> Vec<Block> {
        let dir = self.sys.join("block");
        names(&dir).iter().filter_map(|name| self.at(&dir.join(name))).collect()
    }

    fn at(&self, path: &Path) -> Option<Block> {
        let dir = path.canonicalize().ok()?;
        let number = text(&dir, "dev")?;
        let name = dir.file_name()?.to_string_lossy().into_owned();
        Some(Block { number, name, dir })
    }

    /// The disk that `block` is a partition of, or itself.
    pub(super) fn disk(&self, block: &Block) -> Block {
        let parent = block.is_partition().then(|| self.at(block.dir.parent()?)).flatten();
        parent.unwrap_or_else(|| block.clone())
    }

    /// The partitions that the kernel knows.
    pub(super) fn partitions(&self, disk: &Block) -> Vec<Block> {
        let inside = names(&disk.dir).into_iter().filter_map(|name| self.at(&disk.dir.join(name)));
        inside.filter(Block::is_partition).collect()
    }

    /// `block` and everything on which its content lies, partitions not widened to their disks:
    /// members of mappings and arrays, and what is below the file of a loop device.
    pub(super) fn below(&self, number: &str) -> BTreeSet<Number> {
        let mut seen = BTreeSet::new();
        let mut open = vec![number.to_string()];
        while let Some(number) = open.pop() {
            let Some(block) = self.by_number(&number) else { continue };
            if seen.insert(number) {
                let disk = self.disk(&block);
                let slaves = disk.dir.join("slaves");
                open.extend(
                    names(&slaves)
                        .iter()
                        .filter_map(|name| self.at(&slaves.join(name)).map(|b| b.number)),
                );
                open.extend(disk.backing_file().and_then(|file| under(&file)));
            }
        }
        seen
    }

    /// The files behind the loop devices among `number` and all that it lies on, with their names.
    ///
    /// # Errors
    /// The name of a loop device that does not tell its file.
    pub(super) fn files_below(&self, number: &str) -> Result<BTreeMap<FileId, PathBuf>, String> {
        let below = self.below(number);
        let disks = below.iter().filter_map(|number| self.by_number(number)).map(|b| self.disk(&b));
        let loops = disks.filter_map(|disk| Some((disk.backing_file()?, disk)));
        let told = loops.map(|(path, disk)| match disk.attached() {
            Some(attached) => Ok((attached.file, path)),
            None => Err(disk.name),
        });
        told.collect()
    }

    /// Names by which the disk can be told from others, the kernel's first. A loop device has none but
    /// the path of its file; a mapping or array has its UUID.
    pub(super) fn serials(&self, disk: &Block) -> Vec<String> {
        let own = ["serial", "device/serial", "dm/uuid", "md/uuid", "loop/backing_file"];
        let mut all: Vec<String> = own.iter().filter_map(|name| text(&disk.dir, name)).collect();
        all.extend(unit_serial(&disk.dir));
        let udev = fs::read_to_string(self.udev.join(format!("b{}", disk.number)));
        all.extend(udev_serials(&udev.unwrap_or_default()));
        let mut seen = BTreeSet::new();
        all.retain(|serial| !serial.is_empty() && seen.insert(serial.clone()));
        all
    }

    /// UUID of the mounted Btrfs that has `name` among its devices.
    pub(super) fn btrfs_with(&self, name: &str) -> Option<String> {
        let mounted = self.sys.join("fs/btrfs");
        names(&mounted)
            .into_iter()
            .find(|uuid| mounted.join(uuid).join("devices").join(name).exists())
    }
}

impl Block {
    pub(super) fn is_partition(&self) -> bool {
        self.dir.join("partition").exists()
    }

    /// Its number on its disk, where it is a partition.
    pub(super) fn partition(&self) -> Option<u32> {
        text(&self.dir, "partition")?.parse().ok()
    }

    /// Returns true if the kernel supports partitions on it: not on a partition or a mapping (block/genhd.c,
    /// `ext_range`).
    pub(super) fn takes_partitions(&self) -> bool {
        self.count("ext_range") > 1
    }

    /// Bytes.
    pub(super) fn size(&self) -> u64 {
        self.count("size") * SECTOR
    }

    /// Returns the offset of the partition on its disk, bytes.
    pub(super) fn start(&self) -> u64 {
        self.count("start") * SECTOR
    }

    fn count(&self, name: &str) -> u64 {
        text(&self.dir, name).and_then(|n| n.parse().ok()).unwrap_or_default()
    }

    /// Returns true if the kernel refuses writes.
    pub(super) fn is_read_only(&self) -> bool {
        text(&self.dir, "ro").is_none_or(|ro| ro != "0")
    }

    /// Returns its zone model, e.g. `host-managed`; `None` if it has no zones.
    pub(super) fn zones(&self) -> Option<String> {
        text(&self.dir, "queue/zoned").filter(|model| model != "none")
    }

    /// Counts up with every disk that appears, so that an exchanged one is seen (Linux 5.15).
    pub(super) fn sequence(&self) -> Option<String> {
        text(&self.dir, "diskseq")
    }

    /// Returns true if it is one of several paths to a disk that is shown under another name (NVMe multipath).
    pub(super) fn is_hidden(&self) -> bool {
        text(&self.dir, "hidden").is_some_and(|hidden| hidden != "0")
    }

    /// World-wide name: what tells the namespaces of one NVMe controller apart.
    pub(super) fn wwid(&self) -> Option<String> {
        text(&self.dir, "wwid").or_else(|| text(&self.dir, "device/wwid"))
    }

    pub(super) fn model(&self) -> Option<String> {
        text(&self.dir, "device/model")
    }

    pub(super) fn backing_file(&self) -> Option<PathBuf> {
        text(&self.dir, "loop/backing_file").map(PathBuf::from)
    }

    /// Returns its state, if it is a loop device that can be opened.
    pub(super) fn attached(&self) -> Option<Attached> {
        self.backing_file()?;
        Attached::of(&File::open(Path::new("/dev").join(&self.name)).ok()?)
    }

    /// Devices that are on it, as the kernel names them.
    pub(super) fn holders(&self) -> Vec<String> {
        names(&self.dir.join("holders"))
    }
}

/// Number of the device under a file of a loop device, or of the device that the file itself is.
fn under(file: &Path) -> Option<Number> {
    number_of(file).or_else(|| Device::under(file).ok().flatten().map(|device| device.to_string()))
}

/// SCSI's page 0x80 of vital product data: a head of four bytes, then the number (SPC-4, 7.8.17).
fn unit_serial(dir: &Path) -> Option<String> {
    let page = fs::read(dir.join("device/vpd_pg80")).ok()?;
    let len = usize::from(u16::from_be_bytes(page.get(2..4)?.try_into().ok()?));
    let number = page.get(4..)?;
    let number = String::from_utf8_lossy(&number[..len.min(number.len())]).into_owned();
    Some(number.trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_string())
}

/// The properties that `lsblk -o SERIAL` shows, without `ID_SERIAL`, which is the mere model of a disk that
/// has no serial number.
fn udev_serials(data: &str) -> Vec<String> {
    const KEYS: [&str; 2] = ["ID_SCSI_SERIAL", "ID_SERIAL_SHORT"];
    let value = |key: &str| {
        data.lines().find_map(|line| line.strip_prefix("E:")?.strip_prefix(key)?.strip_prefix('='))
    };
    KEYS.iter().filter_map(|key| value(key)).map(|value| value.trim().to_string()).collect()
}

fn text(dir: &Path, name: &str) -> Option<String> {
    let text = fs::read_to_string(dir.join(name)).ok()?;
    Some(text.trim().to_string()).filter(|text| !text.is_empty())
}

/// Names in a directory, sorted; none when it is not there.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests;
