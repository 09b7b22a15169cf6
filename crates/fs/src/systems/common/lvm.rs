//! Shared code of layers made by LVM: commands that see the disks of one target and no other.

use crate::magic::{Signature, start};
use crate::{Cmd, Remains, Site, Tool};
use std::path::PathBuf;

/// What makes volumes.
pub(crate) const LVCREATE: Tool = Tool::new("lvcreate", ["lvm2"; 4]);
/// What removes their mappings after a crash.
pub(crate) const DMSETUP: Tool =
    Tool::new("dmsetup", ["dmsetup", "device-mapper", "device-mapper", "device-mapper"]);
/// Why setup does not install [`DMSETUP`].
pub(crate) const NOT_IN_SETUP: &str = "lvm2 brings dmsetup";

/// The name of the volume that the part above is on.
pub(crate) const VOLUME: &str = "--name=volume";

/// The label of a physical volume.
const LABEL: &[u8] = b"LVM2 001";

/// The signature of a disk of a volume group.
pub(crate) const SIGNATURE: Signature = Signature::Magic(&[
    start("LVM2_member", 0x018, LABEL, Some((8, 32))),
    start("LVM2_member", 0x218, LABEL, Some((8, 32))),
    start("LVM2_member", 0x418, LABEL, Some((8, 32))),
    start("LVM2_member", 0x618, LABEL, Some((8, 32))),
]);

/// Nodes are made without udev, too, nothing is written to `/etc/lvm`, and no daemon is started that would watch the
/// volumes and outlive them.
pub(crate) const CONFIG: &str =
    "activation{verify_udev_operations=1 monitoring=0} backup{archive=0 backup=0}";

/// A command of LVM that sees the disks of `site` and no other.
pub(crate) fn seeing(program: &str, site: &Site) -> Cmd {
    site.disks.iter().fold(Cmd::new(program), |cmd, disk| cmd.arg("--devices").arg(disk))
}

/// The same, which changes something and asks nothing.
pub(crate) fn lvm(program: &str, site: &Site) -> Cmd {
    seeing(program, site).args(["--config", CONFIG, "--yes"])
}

/// Makes a volume group, called as the site is, of all its disks.
pub(crate) fn make_group(site: &Site) -> Cmd {
    lvm("vgcreate", site).arg(&site.name).args(&site.disks)
}

/// Makes the nodes of the volumes, or removes them.
pub(crate) fn activate(site: &Site, yes_or_no: &str) -> Cmd {
    lvm("vgchange", site).args(["--activate", yes_or_no]).arg(&site.name)
}

/// The nodes of the volume that [`VOLUME`] names.
pub(crate) fn nodes(site: &Site) -> Vec<PathBuf> {
    vec![PathBuf::from("/dev").join(&site.name).join("volume")]
}

/// What is left of a volume group whose target ended early.
pub(crate) fn remains(site: &Site) -> Vec<Remains> {
    vec![Remains::Mapping(site.name.clone())]
}

/// Prints the version of LVM.
pub(crate) fn version() -> Option<Cmd> {
    Some(Cmd::new("lvcreate").arg("--version"))
}

/// Lists these columns of the volumes, as `LVM2_COLUMN=VALUE`.
pub(crate) fn list(site: &Site, columns: &str) -> Cmd {
    let cmd = seeing("lvs", site).args(["--noheadings", "--nameprefixes", "--unquoted"]);
    cmd.args(["-o", columns, &site.name])
}

/// Those columns in `line` of the list that are `kept`, under the names given there.
pub(crate) fn columns(line: &str, kept: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = line.split_whitespace().filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let (_, name) = kept.iter().find(|(kept, _)| *kept == key)?;
        Some((name.to_string(), value.to_string()))
    });
    pairs.collect()
}
