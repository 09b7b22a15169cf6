//! Checks whether a machine meets a need, by doing it with system programs: attaches a loop device, creates a file
//! system and mounts it in a private namespace. Nothing is left behind.

use crate::Need;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Where a program may be that is not on a plain user's path.
const SYSTEM: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

pub(crate) fn is_met(need: &Need) -> Option<bool> {
    Some(match need {
        Need::Root => rustix::process::geteuid().is_root(),
        Need::Loop => can_attach(),
        Need::FileSystem(name) => return can_mount(name),
        Need::Fuse(name) => find(name).is_some() && can_open("/dev/fuse"),
        Need::Program(name) => find(name).is_some(),
        Need::Python(name) => succeeds("python3", &["-c", &format!("import {name}")]),
        Need::Namespaces => succeeds("unshare", &["--mount", "--pid", "--fork", "true"]),
        Need::Uml => find("linux.uml").is_some() && Path::new("/usr/lib/uml/modules").is_dir(),
        Need::Qemu => find("qemu-system-x86_64").is_some() && has_kernel(),
        Need::Kvm => can_open("/dev/kvm"),
        Need::Other => return None,
    })
}

/// Where `program` is installed.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = env::split_paths(&path).chain(SYSTEM.map(PathBuf::from));
    dirs.map(|dir| dir.join(program)).find(|file| file.is_file())
}

fn can_open(device: &str) -> bool {
    fs::File::options().read(true).write(true).open(device).is_ok()
}

fn succeeds(program: &str, args: &[&str]) -> bool {
    let Some(program) = find(program) else { return false };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A sparse file in a directory that goes with it.
fn image() -> Option<(tempfile::TempDir, String)> {
    let dir = tempfile::tempdir().ok()?;
    let path = dir.path().join("image");
    fs::File::create(&path).ok()?.set_len(512 << 20).ok()?;
    let path = path.to_str()?.to_string();
    Some((dir, path))
}

fn can_attach() -> bool {
    let Some((_dir, image)) = image() else { return false };
    let Some(losetup) = find("losetup") else { return false };
    let output = Command::new(&losetup).args(["--find", "--show", &image]).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else { return false };
    let node = String::from_utf8_lossy(&output.stdout).trim().to_string();
    succeeds("losetup", &["--detach", &node])
}

/// `None` for one that no `mkfs` of its name makes: it may be a layer, or built by assay.
fn can_mount(name: &str) -> Option<bool> {
    let mkfs = format!("mkfs.{name}");
    find(&mkfs)?;
    let (dir, image) = image()?;
    let mount = ["--mount", "mount", "-o", "loop", &image, dir.path().to_str()?];
    Some(succeeds(&mkfs, &[&image]) && succeeds("unshare", &mount))
}

/// A kernel of the distribution with its modules.
fn has_kernel() -> bool {
    fs::read_dir("/boot").into_iter().flatten().flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.strip_prefix("vmlinuz-").is_some_and(|v| Path::new("/lib/modules").join(v).is_dir())
    })
}
