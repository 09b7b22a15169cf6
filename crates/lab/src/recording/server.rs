//! Serves a recording disk as a file, to which every read, write, flush and discard of its loop device comes as one
//! request. A write is logged when it is done, a flush when it arrives.

use super::{content::Content, mapped::Mapped};
use faults::{
    log::{Event, Log},
    rule::{self, Armed, Fate, Request as Asked},
};
use fuser::{
    BackingId, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyWrite, Request, WriteFlags,
};
use std::{
    cell::RefCell,
    ffi::OsStr,
    fs::File,
    io,
    os::unix::fs::FileExt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, SystemTime},
};

/// Nothing changes behind the back of the kernel.
const VALID: Duration = Duration::from_secs(1 << 20);
/// Most bytes of a request: as many pages as the kernel allows.
const REQUEST_BYTES: u32 = 1 << 20;
/// Requests that the kernel sends without waiting for answers.
const IN_FLIGHT: u16 = 64;
/// The file of which each request comes here.
const SERVED: INodeNo = INodeNo(2);
/// The same bytes as a file that the kernel reads and writes without this process; it has the same name.
const PASSED: INodeNo = INodeNo(3);

/// Answers with success, or with the error of `$done`.
macro_rules! answer {
    ($reply:ident, $done:expr, $found:pat => $with:expr) => {
        match $done {
            Ok($found) => $with,
            Err(error) => $reply.error(error.into()),
        }
    };
}

/// Requests that were served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Discards, and writes of zeros.
    pub discards: u64,
    /// For each rule of the last `inject`, the requests that it was for.
    pub injected: Vec<u64>,
}

/// The disk, for its server and for who steers it.
#[derive(Debug)]
pub(super) struct Shared {
    name: String,
    bytes: u64,
    /// What holds the content. It is read without the lock of the state, as a disk may be.
    file: File,
    /// Whether a flush syncs the file.
    syncs: bool,
    /// The content in memory, which nothing writes to while the state is read.
    mapped: Option<Mapped>,
    state: RwLock<State>,
    rules: Mutex<Armed>,
    has_rules: AtomicBool,
    slow_ns: AtomicU64,
    /// Whether the kernel can read and write the content without this process.
    pub(super) can_pass: AtomicBool,
    /// Whether it does with the file that is opened next.
    pub(super) is_passing: AtomicBool,
    /// Reads, writes, flushes and discards.
    counts: [AtomicU64; 4],
}

/// What changes with each write.
#[derive(Debug)]
pub(super) struct State {
    pub(super) content: Content,
    pub(super) log: Option<Log>,
    /// Why the log does not hold everything.
    pub(super) spoilt: Option<String>,
}

/// Orders the requests to all disks of this process.
fn next_stamp() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

impl State {
    /// Logs what was done.
    pub(super) fn note(&mut self, event: Event) {
        if let Some(log) = self.log.as_mut().filter(|_| self.spoilt.is_none()) {
            log.stamp(next_stamp());
            log.push(event);
        }
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.content.write(offset, data)?;
        if let Some(log) = self.log.as_mut().filter(|_| self.spoilt.is_none()) {
            let full = || "its log is full; allow more, or do less".to_string();
            log.stamp(next_stamp());
            self.spoilt = log.write(offset, data).is_err().then(full);
        }
        Ok(())
    }

    fn discard(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.content.discard(offset, length)?;
        self.note(Event::Discard { offset, length });
        Ok(())
    }
}

impl Shared {
    pub(super) fn new(name: &str, content: Content) -> io::Result<Shared> {
        let (bytes, syncs) = (content.bytes(), !content.is_in_memory());
        let file = content.file().try_clone()?;
        // Of a file, a read that fails would end the process.
        let length = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mapped = if syncs { None } else { Some(Mapped::new(&file, length)?) };
        let state = RwLock::new(State { content, log: None, spoilt: None });
        Ok(Shared {
            name: name.into(),
            bytes,
            file,
            syncs,
            mapped,
            state,
            rules: Mutex::default(),
            has_rules: false.into(),
            slow_ns: 0.into(),
            can_pass: false.into(),
            is_passing: false.into(),
            counts: Default::default(),
        })
    }

    pub(super) fn state(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn rules(&self) -> MutexGuard<'_, Armed> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn arm(&self, rules: Armed, are_any: bool) {
        *self.rules() = rules;
        self.has_rules.store(are_any, Relaxed);
    }

    pub(super) fn slow(&self, delay: Duration) {
        self.slow_ns.store(u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    pub(super) fn counts(&self) -> Counts {
        let [reads, writes, flushes, discards] =
            [0, 1, 2, 3].map(|kind: usize| self.counts[kind].load(Relaxed));
        Counts { reads, writes, flushes, discards, injected: self.rules().injected().to_vec() }
    }

    fn count(&self, kind: usize) {
        self.counts[kind].fetch_add(1, Relaxed);
    }

    /// The outcome of a request, once its delay is over.
    fn fate(&self, request: Asked<'_>, offset: u64, length: u64) -> Fate {
        let slow_ns = self.slow_ns.load(Relaxed);
        let has_rules = self.has_rules.load(Relaxed);
        if slow_ns == 0 && !has_rules {
            return Fate::default();
        }
        let mut fate = Fate::default();
        if has_rules {
            fate = self.rules().decide(request, &(offset..offset.saturating_add(length)));
        }
        let slow = match request {
            Asked::Write(_) => Duration::from_nanos(slow_ns),
            Asked::Read | Asked::Flush | Asked::Discard => Duration::ZERO,
        };
        if !(fate.delay + slow).is_zero() {
            thread::sleep(fate.delay + slow);
        }
        fate
    }

    /// Gives `size` bytes from `offset` on to `reply`.
    fn read(&self, offset: u64, size: usize, reply: ReplyData) {
        self.count(0);
        let fate = self.fate(Asked::Read, offset, size as u64);
        if fate.is_error {
            return reply.error(failed().into());
        }
        let from = fate.to.unwrap_or(offset);
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(mapped) = self.mapped.as_ref().filter(|_| fate.flips.is_empty())
            && let Ok(start) = usize::try_from(from)
            // SAFETY: the content is written to under the lock of the state, which is held until the answer is
            // given, or by the kernel where it passes by this process, which then reads nothing.
            && let Some(bytes) = unsafe { mapped.get(start..start.saturating_add(size)) }
        {
            return reply.data(bytes);
        }
        drop(state);
        READ.with_borrow_mut(|buffer| {
            if buffer.len() < size {
                buffer.resize(size, 0);
            }
            let bytes = &mut buffer[..size];
            answer!(reply, self.file.read_exact_at(bytes, from), () => {
                rule::flip(bytes, offset, &fate.flips);
                reply.data(bytes);
            });
        });
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.count(1);
        let fate = self.fate(Asked::Write(bytes), offset, bytes.len() as u64);
        if fate.is_error {
            return Err(failed());
        }
        if fate.is_lost {
            return Ok(());
        }
        let to = fate.to.unwrap_or(offset);
        if fate.flips.is_empty() {
            return self.state().write(to, bytes);
        }
        let mut turned = bytes.to_vec();
        rule::flip(&mut turned, offset, &fate.flips);
        self.state().write(to, &turned)
    }

    fn flush(&self) -> io::Result<()> {
        self.count(2);
        let fate = self.fate(Asked::Flush, 0, 0);
        if fate.is_error {
            return Err(failed());
        }
        if fate.is_lost {
            return Ok(());
        }
        self.state().note(Event::Flush);
        if self.syncs { self.file.sync_data() } else { Ok(()) }
    }

    fn discard(&self, offset: u64, length: u64) -> io::Result<()> {
        self.count(3);
        let fate = self.fate(Asked::Discard, offset, length);
        if fate.is_error {
            return Err(failed());
        }
        if fate.is_lost {
            return Ok(());
        }
        self.state().discard(offset, length)
    }

    fn attributes(&self, ino: INodeNo) -> FileAttr {
        let (kind, perm, size) = match ino {
            INodeNo::ROOT => (FileType::Directory, 0o700, 0),
            _ => (FileType::RegularFile, 0o600, self.bytes),
        };
        let never = SystemTime::UNIX_EPOCH;
        FileAttr {
            ino,
            size,
            blocks: size / 512,
            atime: never,
            mtime: never,
            ctime: never,
            crtime: never,
            kind,
            perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}

fn failed() -> io::Error {
    io::Error::from_raw_os_error(libc::EIO)
}

thread_local! {
    static READ: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Answers what the kernel asks.
pub(super) struct Server {
    shared: Arc<Shared>,
    backing: Mutex<Option<BackingId>>,
}

impl Server {
    pub(super) fn new(shared: Arc<Shared>) -> Server {
        Server { shared, backing: Mutex::default() }
    }
}

impl Filesystem for Server {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        config.set_max_write(REQUEST_BYTES).map_err(|_| io::ErrorKind::InvalidInput)?;
        config.set_max_background(IN_FLIGHT).map_err(|_| io::ErrorKind::InvalidInput)?;
        // Without it the kernel waits for each answer before the next request.
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let can_pass = config.add_capabilities(InitFlags::FUSE_PASSTHROUGH).is_ok()
            && config.set_max_stack_depth(1).is_ok();
        self.shared.can_pass.store(can_pass, Relaxed);
        Ok(())
    }

    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name != self.shared.name.as_str() {
            return reply.error(Errno::ENOENT);
        }
        let ino = if self.shared.is_passing.load(Relaxed) { PASSED } else { SERVED };
        let attributes = self.shared.attributes(ino);
        reply.entry_with_ttls(&VALID, &Duration::ZERO, &attributes, Generation(0));
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&VALID, &self.shared.attributes(ino));
    }

    fn open(&self, _: &Request, ino: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        if ino != PASSED {
            // Otherwise the kernel would keep what it has read, and hide a bit that is turned afterwards.
            let direct = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
            return reply.opened(FileHandle(ino.0), direct);
        }
        let backing = reply.open_backing(&self.shared.file);
        let mut kept = self.backing.lock().unwrap_or_else(PoisonError::into_inner);
        answer!(reply, backing, backing => {
            reply.opened_passthrough(FileHandle(ino.0), FopenFlags::empty(), &backing);
            *kept = Some(backing);
        });
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let left = self.shared.bytes.saturating_sub(offset);
        let size = usize::try_from(left.min(size.into())).unwrap_or(usize::MAX);
        self.shared.read(offset, size, reply);
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        bytes: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        answer!(reply, self.shared.write(offset, bytes), () => reply.written(length));
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        answer!(reply, self.shared.flush(), () => reply.ok());
    }

    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let zeroes = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_ZERO_RANGE;
        if mode & zeroes == 0 {
            return reply.error(Errno::EOPNOTSUPP);
        }
        answer!(reply, self.shared.discard(offset, length), () => reply.ok());
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // A descriptor was closed, which asks for nothing.
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        if ino == PASSED {
            self.backing.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        reply.ok();
    }
}
