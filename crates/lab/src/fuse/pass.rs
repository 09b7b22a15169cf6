//! Passes every request through to an underlying directory, except syncs.

use fuser::{
    AccessFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};
use rustix::fs::{self as sys, Access, CWD, OFlags};
use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

/// Names stay as they are; attributes are asked for again.
const NAME_VALID: Duration = Duration::from_secs(3600);

/// Requests that a file system over a directory answers in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// A read is about to be done.
    Read,
    /// A sync is answered, and not done.
    Sync,
}

/// A directory passed on; `T` receives each [`Call`].
pub(super) struct Pass<T> {
    nodes: Mutex<Nodes>,
    on: T,
}

/// Nodes that the kernel has asked for; numbers are never used again.
struct Nodes {
    paths: HashMap<u64, PathBuf>,
    last_node: u64,
    files: HashMap<u64, Arc<File>>,
    last_file: u64,
}

impl<T: Fn(Call) + Send + Sync + 'static> Pass<T> {
    /// The files below `dir`.
    pub(super) fn of(dir: &Path, on: T) -> Pass<T> {
        let paths = HashMap::from([(INodeNo::ROOT.0, dir.to_path_buf())]);
        let last_node = INodeNo::ROOT.0;
        let nodes = Nodes { paths, last_node, files: HashMap::new(), last_file: 0 };
        Pass { nodes: Mutex::new(nodes), on }
    }

    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Nodes {
    fn path(&self, node: INodeNo) -> io::Result<PathBuf> {
        self.paths.get(&node.0).cloned().ok_or_else(|| errno(Errno::ESTALE))
    }

    fn child(&self, parent: INodeNo, name: &OsStr) -> io::Result<PathBuf> {
        Ok(self.path(parent)?.join(name))
    }

    fn file(&self, handle: FileHandle) -> io::Result<Arc<File>> {
        self.files.get(&handle.0).cloned().ok_or_else(|| errno(Errno::EBADF))
    }

    /// Returns what `path` is, with its number.
    fn entry(&mut self, path: PathBuf) -> io::Result<FileAttr> {
        let found = fs::symlink_metadata(&path)?;
        let known = self.paths.iter().find(|(_, own)| **own == path).map(|(node, _)| *node);
        let node = known.unwrap_or_else(|| {
            self.last_node += 1;
            self.paths.insert(self.last_node, path);
            self.last_node
        });
        attributes(INodeNo(node), &found)
    }

    fn keep(&mut self, file: File) -> FileHandle {
        self.last_file += 1;
        self.files.insert(self.last_file, Arc::new(file));
        FileHandle(self.last_file)
    }

    fn create(
        &mut self,
        path: PathBuf,
        mode: u32,
        flags: OFlags,
    ) -> io::Result<(FileAttr, FileHandle)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(mode).truncate(flags.contains(OFlags::TRUNC));
        match flags.contains(OFlags::EXCL) {
            true => options.create_new(true),
            false => options.create(true),
        };
        let file = options.open(&path)?;
        Ok((self.entry(path)?, self.keep(file)))
    }

    fn remove(
        &mut self,
        (parent, name): (INodeNo, &OsStr),
        act: impl Fn(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let path = self.child(parent, name)?;
        act(&path)?;
        self.paths.retain(|_, own| *own != path);
        Ok(())
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        self.paths.retain(|_, own| *own != to);
        for own in self.paths.values_mut() {
            if let Ok(rest) = own.strip_prefix(from) {
                *own = if rest.as_os_str().is_empty() { to.into() } else { to.join(rest) };
            }
        }
        Ok(())
    }
}

fn errno(errno: Errno) -> io::Error {
    io::Error::from_raw_os_error(errno.code())
}

/// Returns what `found` is, under the number `ino`.
fn attributes(ino: INodeNo, found: &Metadata) -> io::Result<FileAttr> {
    let time = |seconds: i64, nanoseconds: i64| {
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let start = match seconds < 0 {
            true => SystemTime::UNIX_EPOCH - whole,
            false => SystemTime::UNIX_EPOCH + whole,
        };
        start + Duration::from_nanos(nanoseconds as u64)
    };
    let ctime = time(found.ctime(), found.ctime_nsec());
    Ok(FileAttr {
        ino,
        size: found.size(),
        blocks: found.blocks(),
        atime: time(found.atime(), found.atime_nsec()),
        mtime: time(found.mtime(), found.mtime_nsec()),
        ctime,
        crtime: ctime,
        kind: FileType::from_std(found.file_type()).ok_or_else(|| errno(Errno::EINVAL))?,
        perm: (found.mode() & 0o7777) as u16,
        nlink: found.nlink() as u32,
        uid: found.uid(),
        gid: found.gid(),
        rdev: found.rdev() as u32,
        blksize: found.blksize() as u32,
        flags: 0,
    })
}

/// Changes the file at `path`; times are left as they are.
fn change(
    path: &Path,
    mode: Option<u32>,
    owners: (Option<u32>, Option<u32>),
    bytes: Option<u64>,
) -> io::Result<Metadata> {
    if let Some(mode) = mode {
        fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))?;
    }
    if let (uid, gid) = owners
        && uid.or(gid).is_some()
    {
        chown(path, uid, gid)?;
    }
    if let Some(bytes) = bytes {
        OpenOptions::new().write(true).open(path)?.set_len(bytes)?;
    }
    fs::symlink_metadata(path)
}

/// Reads up to `size` bytes at `offset`, as many as `file` has.
fn read(file: &File, offset: u64, size: u32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size as usize];
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], offset + done as u64)? {
            0 => break,
            read => done += read,
        }
    }
    bytes.truncate(done);
    Ok(bytes)
}

/// The names in `dir` with their kinds, in an order that does not change while they are asked for part by part.
fn names(dir: &Path) -> io::Result<Vec<(std::ffi::OsString, FileType)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = FileType::from_std(entry.file_type()?).unwrap_or(FileType::RegularFile);
        names.push((entry.file_name(), kind));
    }
    names.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(names)
}

/// Answers with what `$done` gives by `$with`, or with its error.
macro_rules! answer {
    ($reply:ident, $done:expr, $found:pat => $with:expr) => {
        match $done {
            Ok($found) => $with,
            Err(error) => $reply.error(error.into()),
        }
    };
}

impl<T: Fn(Call) + Send + Sync + 'static> Filesystem for Pass<T> {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        super::ask_as_programs_do(config)
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let mut nodes = self.nodes();
        let found = nodes.child(parent, name).and_then(|path| nodes.entry(path));
        answer!(reply, found, found => entry(reply, &found));
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let found = self.nodes().path(ino).and_then(fs::symlink_metadata);
        let found = found.and_then(|found| attributes(ino, &found));
        answer!(reply, found, found => reply.attr(&Duration::ZERO, &found));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let found = self.nodes().path(ino).and_then(|path| change(&path, mode, (uid, gid), size));
        let found = found.and_then(|found| attributes(ino, &found));
        answer!(reply, found, found => reply.attr(&Duration::ZERO, &found));
    }

    fn mkdir(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        reply: ReplyEntry,
    ) {
        let mut nodes = self.nodes();
        let made = nodes.child(parent, name).and_then(|path| {
            fs::DirBuilder::new().mode(mode).create(&path)?;
            nodes.entry(path)
        });
        answer!(reply, made, made => entry(reply, &made));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.nodes().remove((parent, name), |path| fs::remove_file(path));
        answer!(reply, removed, () => reply.ok());
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let removed = self.nodes().remove((parent, name), |path| fs::remove_dir(path));
        answer!(reply, removed, () => reply.ok());
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        if !flags.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        let mut nodes = self.nodes();
        let paths =
            nodes.child(parent, name).and_then(|from| Ok((from, nodes.child(newparent, newname)?)));
        let renamed = paths.and_then(|(from, to)| nodes.rename(&from, &to));
        answer!(reply, renamed, () => reply.ok());
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let mut nodes = self.nodes();
        let flags = OFlags::from_bits_retain(flags as u32);
        let made = nodes.child(parent, name).and_then(|path| nodes.create(path, mode, flags));
        answer!(reply, made, (found, handle) => {
            reply.created(&NAME_VALID, &found, Generation(0), handle, FopenFlags::empty());
        });
    }

    fn open(&self, _: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let writes = flags.acc_mode() != fuser::OpenAccMode::O_RDONLY;
        let mut nodes = self.nodes();
        let opened = nodes
            .path(ino)
            .and_then(|path| OpenOptions::new().read(true).write(writes).open(path))
            .map(|file| nodes.keep(file));
        answer!(reply, opened, handle => reply.opened(handle, FopenFlags::empty()));
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        (self.on)(Call::Read);
        let file = self.nodes().file(handle);
        let bytes = file.and_then(|file| read(&file, offset, size));
        answer!(reply, bytes, bytes => reply.data(&bytes));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        bytes: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let file = self.nodes().file(handle);
        let written = file.and_then(|file| file.write_all_at(bytes, offset));
        answer!(reply, written, () => reply.written(bytes.len() as u32));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.nodes().files.remove(&handle.0);
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        (self.on)(Call::Sync);
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        (self.on)(Call::Sync);
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let all = self.nodes().path(ino).and_then(|dir| names(&dir));
        answer!(reply, all, all => {
            for (next, (name, kind)) in (1..).zip(&all).skip(offset as usize) {
                // The number is not told; the kernel looks each name up.
                if reply.add(INodeNo(u64::from(u32::MAX)), next, *kind, name) {
                    break;
                }
            }
            reply.ok();
        });
    }

    fn statfs(&self, _: &Request, ino: INodeNo, reply: ReplyStatfs) {
        let room = self.nodes().path(ino).and_then(|path| Ok(sys::statvfs(path)?));
        answer!(reply, room, of => {
            let (block, fragment) = (of.f_bsize as u32, of.f_frsize as u32);
            reply.statfs(of.f_blocks, of.f_bfree, of.f_bavail, of.f_files, of.f_ffree, block, 255, fragment);
        });
    }

    fn access(&self, _: &Request, ino: INodeNo, mask: AccessFlags, reply: ReplyEmpty) {
        let asked = Access::from_bits_retain(mask.bits() as u32);
        let may = self
            .nodes()
            .path(ino)
            .and_then(|path| Ok(sys::accessat(CWD, path, asked, sys::AtFlags::empty())?));
        answer!(reply, may, () => reply.ok());
    }
}

fn entry(reply: ReplyEntry, found: &FileAttr) {
    reply.entry_with_ttls(&Duration::ZERO, &NAME_VALID, found, Generation(0));
}
