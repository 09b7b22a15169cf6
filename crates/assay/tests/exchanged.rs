//! Tests of a disk or image exchanged between its wipe and mkfs: a program before mkfs on PATH does it at that moment,
//! and then runs mkfs. The foreign file keeps every byte.

use crate::common::{Place, ready_or_skip, root_or_skip, text};
use crate::stand_in::{Disk, can_attach, run};
use std::{
    env, fs,
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

const SIZE: u64 = 2 << 30;
const FOREIGN: u64 = 64 << 20;

/// Exchanges around `mkfs`, in the words of a shell: `$node` is the disk's, `$foreign` the file, and `$other` a loop
/// device on it.
const DETACHED: &str = r#"losetup -d "$node"; losetup "$node" "$foreign"; mkfs "$@""#;
const NODE: &str = r#"was=$(stat -c '%Hr %Lr' "$node"); is=$(stat -c '%Hr %Lr' "$other")
    rm "$node"; mknod -m 600 "$node" b $is; mkfs "$@"; status=$?; rm "$node"; mknod -m 600 "$node" b $was; exit $status"#;
const LINK: &str = r#"ln -sfn "$other" "$link"; mkfs "$@""#;
const RENAMED: &str =
    r#"losetup -d "$other"; mv -f "$foreign" "$(losetup -n -O BACK-FILE "$node")"; mkfs "$@""#;

/// A foreign file with a file system, and a loop device on it.
struct Foreign {
    disk: Disk,
    open: fs::File,
    before: Vec<u8>,
}

impl Foreign {
    fn new() -> Foreign {
        let disk = Disk::new(FOREIGN);
        disk.make("mkfs.ext4", &["-q", "-L", "foreign"]);
        run("sync", &[]);
        let mut open = fs::File::open(disk.image()).unwrap();
        let mut before = Vec::new();
        open.read_to_end(&mut before).unwrap();
        Foreign { disk, open, before }
    }

    fn is_untouched(&self) -> bool {
        run("sync", &[]);
        let mut now = Vec::new();
        let mut again = fs::File::open(format!("/proc/self/fd/{}", fd(&self.open))).unwrap();
        again.read_to_end(&mut now).unwrap();
        now == self.before
    }
}

fn fd(file: &fs::File) -> i32 {
    use std::os::fd::AsRawFd;
    file.as_raw_fd()
}

/// A folder with an mkfs.ext4 of its own, which does `exchange` around that of the system, for the first disk that
/// `is_meant` says.
fn stand_in(
    place: &Place,
    foreign: &Foreign,
    (link, is_meant): (&Path, &str),
    exchange: &str,
) -> String {
    let (dir, done) = (place.dir("bin"), place.path("exchanged"));
    let script = format!(
        "#!/bin/sh\nmkfs() {{ /usr/sbin/mkfs.ext4 \"$@\"; }}\nfor node; do :; done\nnode=$(readlink -f \"$node\")\n\
         foreign={} other={} link={}\nif [ -e {done} ] || ! {is_meant}; then mkfs \"$@\"; exit; fi\n: > {done}\n{exchange}\n",
        foreign.disk.image().display(),
        foreign.disk.node.display(),
        link.display(),
        done = done.display(),
    );
    let path = dir.join("mkfs.ext4");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", dir.display(), env::var("PATH").unwrap())
}

fn base<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let base = ["run", "--on", "ext4", "--suite", "null", "--procs", "1", "--preset", "smoke"];
    [&base[..], &["--scale", "smoke"], more].concat()
}

#[test]
fn exchange_between_wipe_and_mkfs_reaches_no_foreign_file_behind_a_disk() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    for exchange in [DETACHED, NODE, LINK, RENAMED] {
        let (place, disk, foreign) = (Place::new(), Disk::new(SIZE), Foreign::new());
        if !ready_or_skip(&place, "ext4") {
            return;
        }
        let (serial, link) = (disk.serial(), disk.link.to_str().unwrap());
        let is_meant = format!("[ \"$node\" = {} ]", disk.node.display());
        let path = stand_in(&place, &foreign, (&disk.link, &is_meant), exchange);
        let args = base(&["--device", link, "--destroy", &serial]);
        let output = place.command(&args).env("PATH", path).output().unwrap();
        let told = text(&output.stderr);
        assert!(place.path("exchanged").exists(), "mkfs was not reached: {told}");
        assert!(foreign.is_untouched(), "{exchange}: the foreign file was written to: {told}");
    }
}

#[test]
fn exchange_between_wipe_and_mkfs_reaches_no_foreign_file_behind_an_image() {
    if !root_or_skip("loop devices") || !can_attach("an image") {
        return;
    }
    for exchange in [DETACHED, NODE, RENAMED] {
        let (place, foreign) = (Place::new(), Foreign::new());
        if !ready_or_skip(&place, "ext4") {
            return;
        }
        // Images of campaigns lie there, and what is tried before them does not.
        let images: PathBuf = place.dir("images");
        let is_meant = format!(
            "losetup -n -O BACK-FILE \"$node\" | grep -v rehearsal | grep -q '^{}/.*-image'",
            images.display()
        );
        let path = stand_in(&place, &foreign, (Path::new("/none"), &is_meant), exchange);
        let images = images.to_str().unwrap();
        let args = base(&["--image-size", "64M", "--image-dir", images]);
        let output = place.command(&args).env("PATH", path).output().unwrap();
        let told = text(&output.stderr);
        assert!(place.path("exchanged").exists(), "mkfs was not reached: {told}");
        assert!(foreign.is_untouched(), "{exchange}: the foreign file was written to: {told}");
    }
}
