//! Names the disk that a path is on, since every figure depends on it. Models and sizes are named; volumes, files and
//! hosts are not.

use crate::mounts::{self, kinds};
use disk::Device;
use model::text::Bytes;
use std::{fs, path::Path};

/// Bytes of a sector in `/sys/block/*/size`, whatever the disk's own are.
const SECTOR: u64 = 512;

/// The disk under a directory, or that a node of a device is: `vda (virtio disk, 256 GiB)`,
/// `dm-0 on nvme0n1 (SAMSUNG MZQL21T9HCJR, 1.7 TiB)`. Where there is none, what is there instead.
pub fn medium(path: &Path) -> String {
    let device = Device::of_node(path).or_else(|| Device::under(path).ok().flatten());
    if let Some(text) = device.and_then(|device| of_block(&device.sysfs())) {
        return text;
    }
    let mount = path.canonicalize().ok().and_then(|path| mounts::holding(&path).ok().flatten());
    match mount.map(|mount| mount.kind) {
        Some(kind) if kinds::is_memory(&kind) => format!("memory ({kind})"),
        Some(kind) if !disk::shows_devices() => {
            format!(
                "a disk that cannot be seen, as /sys is not mounted ({kind}): no flush of it can be proven"
            )
        }
        Some(kind) => format!("a disk of unknown type ({kind})"),
        None => "a disk of unknown type".into(),
    }
}

/// The device with this directory in sysfs, and what it is on.
fn of_block(dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    let whole = if dir.join("partition").exists() { dir.parent()? } else { &dir };
    let disks = below(whole);
    if disks.is_empty() {
        return disk(whole);
    }
    Some(format!("{} on {}", name(whole)?, disks.join(" and ")))
}

/// The disks that a device is made of, each once; none for a disk itself.
fn below(whole: &Path) -> Vec<String> {
    let entries = fs::read_dir(whole.join("slaves")).into_iter().flatten().flatten();
    let mut disks: Vec<String> = entries.filter_map(|entry| of_block(&entry.path())).collect();
    disks.sort();
    disks.dedup();
    disks
}

fn disk(dir: &Path) -> Option<String> {
    let name = name(dir)?;
    let sectors: u64 = text(dir, "size")?.parse().ok()?;
    let what = text(dir, "device/model").unwrap_or_else(|| kind(dir, &name));
    Some(format!("{name} ({what}, {})", Bytes(SECTOR * sectors)))
}

/// Returns what a disk is that has no model: the bus that it is on, or the driver that makes it.
fn kind(dir: &Path, name: &str) -> String {
    let bus = fs::read_link(dir.join("device/subsystem")).ok();
    if let Some(bus) = bus.as_deref().and_then(Path::file_name) {
        return format!("{} disk", bus.to_string_lossy());
    }
    match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "loop" => "loop device".into(),
        "ram" | "zram" => "memory".into(),
        "nbd" => "network block device".into(),
        _ => "block device".into(),
    }
}

fn name(dir: &Path) -> Option<String> {
    Some(dir.file_name()?.to_string_lossy().into_owned())
}

/// The text of an attribute with single spaces; `None` where it has none.
fn text(dir: &Path, attribute: &str) -> Option<String> {
    let text = fs::read_to_string(dir.join(attribute)).ok()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::fs::symlink, path::PathBuf};

    /// A sysfs in which devices can be made.
    struct Sysfs(tempfile::TempDir);

    impl Sysfs {
        /// Makes a device of `gib` GiB with these files.
        fn device(&self, name: &str, gib: u64, files: &[(&str, &str)]) -> PathBuf {
            let dir = self.0.path().join(name);
            let size = (gib * (1 << 21)).to_string() + "\n";
            for (file, text) in files.iter().chain(&[("size", size.as_str())]) {
                fs::create_dir_all(dir.join(file).parent().unwrap()).unwrap();
                fs::write(dir.join(file), text).unwrap();
            }
            dir
        }

        /// `above` is made of `dir`.
        fn lay(&self, above: &Path, dir: &Path) {
            fs::create_dir_all(above.join("slaves")).unwrap();
            symlink(dir, above.join("slaves").join(dir.file_name().unwrap())).unwrap();
        }
    }

    fn sysfs() -> Sysfs {
        Sysfs(tempfile::tempdir().unwrap())
    }

    #[test]
    fn a_disk_is_named_with_its_model_and_one_without_by_its_bus() {
        let sys = sysfs();
        let model = [("device/model", "SAMSUNG  MZQL21T9HCJR-00A07   \n")];
        let nvme = sys.device("nvme0n1", 1788, &model);
        let named = "nvme0n1 (SAMSUNG MZQL21T9HCJR-00A07, 1.7 TiB)";
        assert_eq!(of_block(&nvme).unwrap(), named);
        let part = sys.device("nvme0n1/nvme0n1p2", 10, &[("partition", "2\n")]);
        assert_eq!(of_block(&part).unwrap(), named, "a partition is of its disk");
        let vda = sys.device("vda", 256, &[("device/vendor", "0x1af4\n")]);
        let bus = sys.0.path().join("bus/virtio");
        fs::create_dir_all(&bus).unwrap();
        symlink(&bus, vda.join("device/subsystem")).unwrap();
        assert_eq!(of_block(&vda).unwrap(), "vda (virtio disk, 256 GiB)");
        let zram = sys.device("zram0", 4, &[]);
        assert_eq!(of_block(&zram).unwrap(), "zram0 (memory, 4.0 GiB)");
        assert_eq!(of_block(&sys.0.path().join("none")), None);
    }

    #[test]
    fn layers_on_disks_name_them() {
        let sys = sysfs();
        let disk = |name| sys.device(name, 100, &[("device/model", "HDD")]);
        let (sda, sdb) = (disk("sda"), disk("sdb"));
        let part = sys.device("sda/sda3", 50, &[("partition", "3")]);
        let (md, dm) = (sys.device("md0", 50, &[]), sys.device("dm-0", 50, &[]));
        for (above, dir) in [(&md, &part), (&md, &sdb), (&md, &sda), (&dm, &md)] {
            sys.lay(above, dir);
        }
        let expected = "dm-0 on md0 on sda (HDD, 100 GiB) and sdb (HDD, 100 GiB)";
        assert_eq!(of_block(&dm).unwrap(), expected);
    }

    #[test]
    fn a_path_without_a_disk_names_its_file_system() {
        assert_eq!(medium(Path::new("/proc")), "a disk of unknown type (proc)");
        assert!(!medium(Path::new("/")).is_empty());
    }
}
