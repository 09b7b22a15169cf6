//! The root directory of a confined process: the system's directories, read-only; one writable directory; and devices
//! without data, such as /dev/null. It has no device node of any disk, and no other directory of this machine.

use super::ConfineError;
use rustix::{
    fs::{FileType, Mode, OFlags, stat},
    io::Errno,
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
        mount_change, mount_remount, unmount,
    },
    process::pivot_root,
};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs::{self, File},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{
            ffi::OsStringExt,
            fs::{PermissionsExt, symlink},
        },
    },
    path::{Component, Path, PathBuf},
};

/// Directories of the system below `/`, as far as they exist.
const SYSTEM: [&str; 12] =
    ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "nix", "gnu", "sys"];
/// Device nodes that hold nothing.
const NODES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Names in /dev that refer to the descriptors of the opening process.
const STREAMS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
/// The directory in which the new root is assembled; every machine has it.
const STAGE: &str = "/proc";
/// The former root, and the new one, while it is put together.
const OLD: &str = "/old";
const NEW: &str = "/new";

/// The content of the new root besides the directories of the system.
#[derive(Debug)]
pub(super) struct Tree {
    /// The directory that can be written.
    pub(super) dir: PathBuf,
    /// The same, opened.
    pub(super) source: OwnedFd,
    /// Files to be read, opened, and where they are shown.
    pub(super) files: Vec<(OwnedFd, PathBuf)>,
    /// Directories with programs.
    pub(super) prefixes: Vec<PathBuf>,
    /// Whether a /proc of this namespace alone can be mounted.
    pub(super) own_proc: bool,
}

/// The permitted uses of a mount in the new root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Read,
    Write,
    Device,
}

/// Makes `tree` the root of this process and its working directory the writable one.
pub(super) fn change(tree: &Tree) -> Result<(), ConfineError> {
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", private).map_err(ConfineError::of("make mounts private"))?;
    stage()?;
    system()?;
    temporary()?;
    for prefix in &tree.prefixes {
        bind(&old(prefix), &new(prefix))?;
    }
    let source = format!("{OLD}/proc/self/fd/{}", tree.source.as_raw_fd());
    bind(source.as_ref(), &new(&tree.dir))?;
    tree.files.iter().try_for_each(|(file, path)| show_file(file, path))?;
    devices()?;
    processes(tree.own_proc)?;
    restrict(&tree.dir)?;
    enter_new(&tree.dir)
}

/// Opens the directory that can be written, in the mount namespace in which it will be shown.
pub(super) fn open(dir: &Path) -> Result<OwnedFd, ConfineError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(dir, flags, Mode::empty())
        .map_err(ConfineError::of(format!("open {}", dir.display())))
}

/// Opens the files that are shown, in the mount namespace in which they will be, each with where that is.
pub(super) fn open_files(
    files: &[(PathBuf, PathBuf)],
) -> Result<Vec<(OwnedFd, PathBuf)>, ConfineError> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = |(from, to): &(PathBuf, PathBuf)| {
        let file = rustix::fs::open(from, flags, Mode::empty());
        let file = file.map_err(ConfineError::of(format!("open {}", from.display())))?;
        Ok((file, to.clone()))
    };
    files.iter().map(open).collect()
}

/// Shows `file` at `path`, which nothing else of the new root has.
fn show_file(file: &OwnedFd, path: &Path) -> Result<(), ConfineError> {
    let failed = || ConfineError::of(format!("show {}", path.display()));
    for dir in path.ancestors().skip(1).filter(|dir| dir.parent().is_some()) {
        fs::create_dir_all(new(dir)).map_err(failed())?;
        // Whatever the umask: the programs are another user's.
        fs::set_permissions(new(dir), fs::Permissions::from_mode(0o755)).map_err(failed())?;
    }
    File::create_new(new(path)).map_err(failed())?;
    let source = format!("{OLD}/proc/self/fd/{}", file.as_raw_fd());
    mount_bind(&source, new(path)).map_err(|why| failed()(why.into()))
}

/// Directories to show for the programs on `path`, a value of PATH: where a directory is called `bin`,
/// the one above it too, in which its programs find their libraries; but never a whole home directory.
pub(super) fn prefixes(path: Option<&OsStr>) -> Vec<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let of = |dir: PathBuf| {
        let is_bin = dir.file_name().is_some_and(|name| name == "bin" || name == "sbin");
        let above = dir.parent().filter(|above| is_bin && above.components().count() > 2);
        let above = above.filter(|above| Some(*above) != home.as_deref());
        above.map(Path::to_path_buf).unwrap_or(dir)
    };
    let known = |dir: &PathBuf| {
        let first = dir.components().nth(1);
        first.is_some_and(|first| {
            SYSTEM.iter().any(|name| first == Component::Normal(name.as_ref()))
        })
    };
    let dirs = path.map(|path| env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
    let usable = dirs.into_iter().filter(|dir| dir.is_absolute() && dir.is_dir());
    let mut found: Vec<PathBuf> =
        usable.filter(|dir| !known(dir) && dir.components().count() > 1).map(of).collect();
    // What lies in another is there with it.
    found.sort();
    found.dedup_by(|dir, above| dir.starts_with(above));
    found
}

/// Two empty in-memory file systems, and the former root next to them.
fn stage() -> Result<(), ConfineError> {
    let memory = |at: &str| {
        mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"mode=755"))
            .map_err(ConfineError::of(format!("mount a tmpfs on {at}")))
    };
    memory(STAGE)?;
    let (old, new) = (format!("{STAGE}{OLD}"), format!("{STAGE}{NEW}"));
    for dir in [&old, &new] {
        fs::create_dir(dir).map_err(ConfineError::of(format!("create {dir}")))?;
    }
    memory(&new)?;
    pivot_root(STAGE, old.as_str()).map_err(ConfineError::of("change the root"))?;
    rustix::process::chdir("/").map_err(ConfineError::of("enter the new root"))
}

fn system() -> Result<(), ConfineError> {
    for name in SYSTEM {
        let (from, to) = (Path::new(OLD).join(name), Path::new(NEW).join(name));
        match fs::symlink_metadata(&from) {
            Ok(meta) if meta.is_symlink() => {
                let target =
                    fs::read_link(&from).map_err(ConfineError::of(format!("read /{name}")))?;
                symlink(target, &to).map_err(ConfineError::of(format!("link /{name}")))?;
            }
            Ok(meta) if meta.is_dir() => bind(&from, &to)?,
            _ => {}
        }
    }
    Ok(())
}

/// A place in memory for programs that do not ask where temporary files belong. What is measured lies in
/// the writable directory, so that there is not much room here.
fn temporary() -> Result<(), ConfineError> {
    let to = new(Path::new("/tmp"));
    fs::create_dir(&to).map_err(ConfineError::of("create /tmp"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", &to, "tmpfs", flags, Some(c"mode=1777,size=256m"))
        .map_err(ConfineError::of("mount /tmp"))
}

fn devices() -> Result<(), ConfineError> {
    let dev = new(Path::new("/dev"));
    fs::create_dir_all(dev.join("shm")).map_err(ConfineError::of("create /dev"))?;
    for node in NODES {
        let from = Path::new(OLD).join("dev").join(node);
        // A place in which one of them is missing has what takes its name.
        let is_device =
            stat(&from).is_ok_and(|s| FileType::from_raw_mode(s.st_mode).is_char_device());
        if !is_device {
            continue;
        }
        let to = dev.join(node);
        File::create(&to).map_err(ConfineError::of(format!("create /dev/{node}")))?;
        mount_bind(&from, &to).map_err(ConfineError::of(format!("show /dev/{node}")))?;
    }
    for (name, target) in STREAMS {
        symlink(target, dev.join(name)).map_err(ConfineError::of(format!("link /dev/{name}")))?;
    }
    mount(
        "tmpfs",
        dev.join("shm"),
        "tmpfs",
        MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC,
        Some(c"mode=1777"),
    )
    .map_err(ConfineError::of("mount /dev/shm"))
}

fn processes(own: bool) -> Result<(), ConfineError> {
    let to = new(Path::new("/proc"));
    if !own {
        return bind(&Path::new(OLD).join("proc"), &to);
    }
    fs::create_dir(&to).map_err(ConfineError::of("create /proc"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", &to, "proc", flags, None).map_err(ConfineError::of("mount /proc"))
}

/// Takes from every mount of the new root what it is not there for. One that does not let itself be
/// restricted is taken away.
fn restrict(dir: &Path) -> Result<(), ConfineError> {
    let path = Path::new(OLD).join("proc/self/mountinfo");
    let table = fs::read(&path).map_err(ConfineError::of("read the mount table"))?;
    for line in table.split(|byte| *byte == b'\n') {
        let Some((at, flags)) = mount_of(line) else { continue };
        let Ok(inside) = at.strip_prefix(NEW) else { continue };
        let wanted = flags | restrictions(use_of(&Path::new("/").join(inside), dir));
        match mount_remount(&at, MountFlags::BIND | wanted, c"") {
            // It is hidden by another mount.
            Ok(()) | Err(Errno::INVAL | Errno::NOENT) => {}
            Err(why) => remove(&at, dir)
                .map_err(|()| ConfineError::of(format!("restrict /{}", inside.display()))(why))?,
        }
    }
    Ok(())
}

/// Takes the mount at `at` away, unless the new root cannot be without it.
fn remove(at: &Path, dir: &Path) -> Result<(), ()> {
    let is_needed = new(dir).starts_with(at);
    let removed = || unmount(at, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW);
    if is_needed { Err(()) } else { removed().map_err(drop) }
}

fn use_of(at: &Path, dir: &Path) -> Use {
    let is_node = at.parent() == Some(Path::new("/dev"))
        && at.file_name().is_some_and(|name| NODES.iter().any(|node| name == *node));
    if is_node {
        Use::Device
    } else if at == dir || at == Path::new("/tmp") || at == Path::new("/dev/shm") {
        Use::Write
    } else {
        Use::Read
    }
}

fn restrictions(used: Use) -> MountFlags {
    match used {
        Use::Read => MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV,
        Use::Write => MountFlags::NOSUID | MountFlags::NODEV,
        Use::Device => MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC,
    }
}

/// Mount point and flags in a line of mountinfo. A flag that is there must be named again: the kernel
/// does not let a user namespace take away what it was given.
fn mount_of(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let at = PathBuf::from(OsString::from_vec(unescaped(fields.nth(4)?)));
    let mut flags = MountFlags::empty();
    for word in fields.next()?.split(|byte| *byte == b',') {
        flags |= match word {
            b"ro" => MountFlags::RDONLY,
            b"nosuid" => MountFlags::NOSUID,
            b"nodev" => MountFlags::NODEV,
            b"noexec" => MountFlags::NOEXEC,
            b"noatime" => MountFlags::NOATIME,
            b"nodiratime" => MountFlags::NODIRATIME,
            b"relatime" => MountFlags::RELATIME,
            _ => MountFlags::empty(),
        };
    }
    Some((at, flags))
}

/// `field` with `\040` and the like as the bytes that they stand for.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        match tail {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] if *first == b'\\' => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

/// Leaves the stage and the former root, for good.
fn enter_new(dir: &Path) -> Result<(), ConfineError> {
    let failed = || ConfineError::of("leave the former root");
    rustix::process::chdir(NEW).map_err(failed())?;
    pivot_root(".", ".").map_err(failed())?;
    unmount(".", UnmountFlags::DETACH).map_err(failed())?;
    rustix::process::chdir(dir).map_err(ConfineError::of(format!("enter {}", dir.display())))
}

fn bind(from: &Path, to: &Path) -> Result<(), ConfineError> {
    let shown = || to.strip_prefix(NEW).unwrap_or(to).display().to_string();
    fs::create_dir_all(to).map_err(ConfineError::of(format!("create /{}", shown())))?;
    mount_bind_recursive(from, to).map_err(ConfineError::of(format!("show /{}", shown())))
}

/// `path` below the former root.
fn old(path: &Path) -> PathBuf {
    Path::new(OLD).join(relative(path))
}

/// `path` below the new root.
fn new(path: &Path) -> PathBuf {
    Path::new(NEW).join(relative(path))
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_mount_has_its_flags_and_its_name() {
        let line = br"36 35 98:0 / /new/a\040b\134 rw,nodev,relatime shared:1 - ext4 /dev/sda rw";
        let (at, flags) = mount_of(line).unwrap();
        assert_eq!(at.as_os_str().as_bytes(), br"/new/a b\");
        assert_eq!(flags, MountFlags::NODEV | MountFlags::RELATIME);
        assert_eq!(mount_of(b""), None);
    }

    #[test]
    fn only_the_target_and_memory_can_be_written() {
        let dir = Path::new("/mnt/t/p0");
        let of = |path: &str| use_of(Path::new(path), dir);
        assert_eq!([of("/mnt/t/p0"), of("/tmp"), of("/dev/shm")], [Use::Write; 3]);
        assert_eq!([of("/dev/null"), of("/dev/tty")], [Use::Device; 2]);
        assert_eq!(
            [of("/"), of("/usr"), of("/dev"), of("/mnt/t/p0/x"), of("/proc")],
            [Use::Read; 5]
        );
    }

    #[test]
    fn programs_come_with_their_neighbouring_files() {
        let base = tempfile::tempdir().unwrap();
        let tools = base.path().join("tools/bin");
        fs::create_dir_all(&tools).unwrap();
        let path =
            env::join_paths([&tools, Path::new("/usr/bin"), Path::new("bin"), Path::new("/no")]);
        let found = prefixes(Some(&path.unwrap()));
        assert_eq!(found, [base.path().join("tools")]);
    }
}
