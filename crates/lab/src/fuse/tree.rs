//! The directories and files of a read-only file system, each of whose reads takes a given time.

use fuser::{
    AccessFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyStatfs, Request,
};
use std::{
    ffi::{OsStr, OsString},
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Names and attributes never change, so the kernel need not ask again.
const VALID: Duration = Duration::from_secs(3600);
const BLOCK_BYTES: u32 = 4096;

/// A directory or file.
#[derive(Debug)]
struct Node {
    parent: u64,
    name: OsString,
    /// The length of a file; `None` for a directory.
    file_bytes: Option<u64>,
}

/// All of them; a node's number is its place, from 1.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    delay: Duration,
    /// Duration of each read, nanoseconds.
    times_ns: Arc<Mutex<Vec<u64>>>,
}

impl Tree {
    /// The tree that holds `files`, relative paths and bytes, all zeros. A read takes `delay`, and is noted in
    /// `times_ns`.
    pub(super) fn new(
        files: &[(PathBuf, u64)],
        delay: Duration,
        times_ns: Arc<Mutex<Vec<u64>>>,
    ) -> Tree {
        let root = Node { parent: INodeNo::ROOT.0, name: OsString::new(), file_bytes: None };
        let mut tree = Tree { nodes: vec![root], delay, times_ns };
        for (path, bytes) in files {
            let mut node = INodeNo::ROOT.0;
            for name in path {
                node = tree.find(node, name).unwrap_or_else(|| tree.add(node, name));
            }
            tree.nodes[node as usize - 1].file_bytes = Some(*bytes);
        }
        tree
    }

    fn add(&mut self, parent: u64, name: &OsStr) -> u64 {
        self.nodes.push(Node { parent, name: name.into(), file_bytes: None });
        self.nodes.len() as u64
    }

    fn find(&self, parent: u64, name: &OsStr) -> Option<u64> {
        let children = (INodeNo::ROOT.0 + 1..).zip(&self.nodes[1..]);
        let mut found = children.filter(|(_, node)| node.parent == parent && node.name == name);
        found.next().map(|(number, _)| number)
    }

    fn node(&self, number: u64) -> Option<&Node> {
        self.nodes.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// Attributes of the node of that number: a file with its size, or a directory.
    fn attributes(&self, number: u64) -> Option<FileAttr> {
        let file_bytes = self.node(number)?.file_bytes;
        let (kind, perm, nlink) = match file_bytes {
            Some(_) => (FileType::RegularFile, 0o644, 1),
            None => (FileType::Directory, 0o755, 2),
        };
        let size = file_bytes.unwrap_or(0);
        let [atime, mtime, ctime, crtime] = [SystemTime::UNIX_EPOCH; 4];
        Some(FileAttr {
            ino: INodeNo(number),
            size,
            blocks: size.div_ceil(512),
            atime,
            mtime,
            ctime,
            crtime,
            kind,
            perm,
            nlink,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: BLOCK_BYTES,
            flags: 0,
        })
    }
}

impl Filesystem for Tree {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        super::ask_as_programs_do(config)
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.find(parent.0, name).and_then(|number| self.attributes(number)) {
            Some(found) => reply.entry(&VALID, &found, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(ino.0) {
            Some(found) => reply.attr(&VALID, &found),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let start = Instant::now();
        let Some(bytes) = self.node(ino.0).and_then(|node| node.file_bytes) else {
            return reply.error(Errno::EINVAL);
        };
        let zeros = vec![0; bytes.saturating_sub(offset).min(u64::from(size)) as usize];
        thread::sleep(self.delay);
        let took_ns = start.elapsed().as_nanos() as u64;
        self.times_ns.lock().unwrap_or_else(PoisonError::into_inner).push(took_ns);
        reply.data(&zeros);
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let bytes: u64 = self.nodes.iter().filter_map(|node| node.file_bytes).sum();
        let (blocks, files) = (bytes.div_ceil(u64::from(BLOCK_BYTES)), self.nodes.len() as u64);
        reply.statfs(blocks, 0, 0, files, 0, BLOCK_BYTES, 255, BLOCK_BYTES);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn access(&self, _: &Request, _: INodeNo, _: AccessFlags, reply: ReplyEmpty) {
        reply.ok();
    }
}
