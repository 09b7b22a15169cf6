//! Opens files below a directory that is held open, without following a link, leaving the directory or entering another
//! mount, whatever another user plants there meanwhile.

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Component, Path, PathBuf},
};

const STAY: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);
/// Flags that open a directory and nothing else.
pub(crate) const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);
/// Flags that open a file without waiting for the other end of a pipe, or becoming its terminal.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Opens `path`, which is relative, below `dir`.
///
/// # Errors
/// It is not there, or only by way of a link, another mount or out of `dir`.
pub(crate) fn open(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat2(dir, path, flags, Mode::empty(), STAY) {
        // Linux before 5.6, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(dir, path, flags),
        file => Ok(file?),
    }
}

fn step_by_step(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let last = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = openat(dir, c".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let device = fstat(&at)?.st_dev;
    let mut steps = path.components().peekable();
    while let Some(step) = steps.next() {
        let Component::Normal(name) = step else { return Err(Errno::XDEV.into()) };
        let between = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let flags = if steps.peek().is_some() { between } else { last };
        at = openat(&at, name, flags, Mode::empty())?;
        if fstat(&at)?.st_dev != device {
            return Err(Errno::XDEV.into());
        }
    }
    Ok(at)
}

/// Opens the regular file `path` below `dir` for reading.
///
/// # Errors
/// As for [`open`], or it is not a regular file.
pub(crate) fn open_file(dir: BorrowedFd<'_>, path: &Path) -> io::Result<File> {
    let file = File::from(open(dir, path, FILE)?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// A regular file below a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// From the directory on.
    pub(crate) path: PathBuf,
    /// Bytes that it takes.
    pub(crate) allocated: u64,
}

/// Every regular file below `dir`.
///
/// # Errors
/// A directory cannot be listed. What goes away meanwhile is left out.
pub(crate) fn files(dir: BorrowedFd<'_>) -> io::Result<Vec<Found>> {
    let (mut found, mut open_dirs) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(path) = open_dirs.pop() {
        let shown = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let Some(list) = still_there(open(dir, shown, DIR))? else { continue };
        for name in names(list.as_fd())? {
            let stat = statat(&list, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from);
            let Some(stat) = still_there(stat)? else { continue };
            let path = path.join(name);
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => open_dirs.push(path),
                FileType::RegularFile => {
                    found.push(Found { path, allocated: stat.st_blocks as u64 * 512 });
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Names of what is in `dir`.
fn names(dir: BorrowedFd<'_>) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).into());
        }
    }
    Ok(names)
}

/// Returns true if `dir` is empty.
///
/// # Errors
/// It cannot be listed.
pub(crate) fn is_empty(dir: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(names(dir)?.is_empty())
}

/// `None` for what has gone away, or has become something else, since it was listed.
pub(crate) fn still_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    const GONE: [Errno; 4] = [Errno::NOENT, Errno::LOOP, Errno::NOTDIR, Errno::XDEV];
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if GONE.iter().any(|gone| error.raw_os_error() == Some(gone.raw_os_error())) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Makes the directories of `path`, which is relative, below `dir`, as far as they are not there.
///
/// # Errors
/// One cannot be made, or something else is in its place.
pub(crate) fn make_dirs(dir: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
    let mut at = dir.try_clone_to_owned()?;
    for step in path.components() {
        let Component::Normal(name) = step else { return Err(Errno::XDEV.into()) };
        match rustix::fs::mkdirat(&at, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        at = open(at.as_fd(), Path::new(name), OFlags::PATH | OFlags::DIRECTORY)?;
    }
    Ok(())
}

/// Opens every directory on the way to the absolute `path`, none of them by a link, and `path` at last.
///
/// # Errors
/// `path` is not there, or has a link in it.
pub(crate) fn way_to(path: &Path) -> io::Result<Vec<OwnedFd>> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut way = vec![openat(CWD, c"/", flags, Mode::empty())?];
    for step in path.components() {
        let Component::Normal(name) = step else { continue };
        let last = way.last().map(OwnedFd::as_fd).unwrap_or(CWD);
        way.push(openat(last, name, flags, Mode::empty())?);
    }
    Ok(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        os::unix::fs::{FileExt, symlink},
        process::Command,
    };

    /// A directory with a file, and with ways out of it.
    fn planted() -> (tempfile::TempDir, File) {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("d/in")).unwrap();
        fs::write(top.path().join("precious"), "x").unwrap();
        fs::write(top.path().join("d/in/f"), vec![1; 8192]).unwrap();
        symlink("../../precious", top.path().join("d/in/link")).unwrap();
        symlink("..", top.path().join("d/up")).unwrap();
        symlink("/proc/self/root", top.path().join("d/root")).unwrap();
        let dir = File::open(top.path().join("d")).unwrap();
        (top, dir)
    }

    type Opener = fn(BorrowedFd<'_>, &Path, OFlags) -> io::Result<OwnedFd>;

    #[test]
    fn nothing_leads_out() {
        let (_top, dir) = planted();
        for open in [open as Opener, step_by_step] {
            let reach = |path: &str| open(dir.as_fd(), Path::new(path), FILE);
            let mut byte = [0];
            File::from(reach("in/f").unwrap()).read_exact_at(&mut byte, 0).unwrap();
            for out in ["in/link", "up/precious", "up", "root/etc/passwd", "../precious", "/etc"] {
                assert!(reach(out).is_err(), "{out}");
            }
        }
    }

    #[test]
    fn links_and_pipes_are_no_files() {
        let (top, dir) = planted();
        let pipe = top.path().join("d/in/pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        fs::File::open(top.path().join("d/in/f")).unwrap().sync_all().unwrap();
        let found = files(dir.as_fd()).unwrap();
        assert_eq!(found, [Found { path: "in/f".into(), allocated: 8192 }]);
        // Opening it in the usual way would wait for a writer.
        assert!(open_file(dir.as_fd(), Path::new("in/pipe")).is_err());
        assert!(open_file(dir.as_fd(), Path::new("in")).is_err());
        open_file(dir.as_fd(), Path::new("in/f")).unwrap();
    }

    #[test]
    fn directories_are_made_only_inside() {
        let (top, dir) = planted();
        make_dirs(dir.as_fd(), Path::new("in/a/b")).unwrap();
        make_dirs(dir.as_fd(), Path::new("in/a/b")).unwrap();
        assert!(top.path().join("d/in/a/b").is_dir());
        for out in ["up/new", "../new"] {
            assert!(make_dirs(dir.as_fd(), Path::new(out)).is_err(), "{out}");
        }
        assert!(!top.path().join("new").exists());
    }

    #[test]
    fn a_way_has_no_links() {
        let (top, _) = planted();
        let top = top.path().canonicalize().unwrap();
        assert_eq!(way_to(&top).unwrap().len(), top.components().count());
        assert!(way_to(&top.join("d/up")).is_err());
    }
}
