//! Rebuilds a Btrfs of several disks during a test: it is mounted without its last disk, which then replaces the
//! missing one, as if it were new.

use crate::options::mount_command;
use crate::{Cmd, Rebuild, Site};
use std::path::Path;

/// Gives each disk of the Btrfs on $1 the rate $2 for what copies it.
const PACE: &str = "set -e; for d in /sys/fs/btrfs/*/devices/$(basename \"$(readlink -f \"$1\")\"); do \
                    for r in ${d%/devices/*}/devinfo/*/scrub_speed_max; do echo $2 >$r; done; done";
/// Share of a disk that is filled to be rebuilt before anything is measured: one in this many.
const REBUILT_SHARE: u64 = 5;

/// Takes `disk` from it: the kernel remembers it, and what it finds there then is not part of this file system.
pub(crate) fn lose(disk: &Path) -> Cmd {
    Cmd::new("wipefs").args(["--all", "--quiet"]).arg(disk)
}

/// Puts a file on all disks of what is whole, as only what is in use is rebuilt.
pub(crate) fn something(site: &Site) -> Vec<Cmd> {
    let others = site.disks.iter().skip(1).map(|disk| format!("device={}", disk.display()));
    let others = others.collect::<Vec<_>>().join(",");
    let mount = mount_command("btrfs", site.disk(), &site.dir, Some(others));
    let bytes = (site.bytes / REBUILT_SHARE).to_string();
    let fill = Cmd::new("fallocate").args(["--length", &bytes]).arg(site.dir.join("rebuilt"));
    mount.into_iter().chain([fill, Cmd::new("umount").arg(&site.dir)]).collect()
}

/// `mount` without `disk`, which is then rebuilt at `rate` MiB/s, as if it were new.
pub(crate) fn begin(site: &Site, disk: &Path, rate: u32, mount: Vec<Cmd>) -> Vec<Cmd> {
    let forget = Cmd::new("btrfs").args(["device", "scan", "--forget"]).arg(disk);
    let pace = Cmd::new("sh").args(["-c", PACE, &site.name]).arg(site.disk());
    // The number that mkfs gives the last disk.
    let last = site.disks.len().to_string();
    let start = Cmd::new("btrfs").args(["replace", "start", "-f", &last]).arg(disk);
    // The kernel may not know the disk, and then says that it cannot forget it.
    let before = [lose(disk), forget.accepts(1)];
    // That the last one was cancelled at the unmount need not have reached the disks.
    let after = [Rebuild::cancel(&site.dir), pace.arg(format!("{rate}m")), start.arg(&site.dir)];
    before.into_iter().chain(mount).chain(after).collect()
}
