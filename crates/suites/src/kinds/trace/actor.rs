//! Makes the calls of one lane: what is asked of the kernel for each kind of call.

use super::{
    stage::{Descriptors, LONGEST, Stage},
    step::Step,
};
use engine::{
    aligned::Aligned,
    calls::{self, MapAs, Mapped, RecordLock},
};
use rustix::{
    fs::{self, Advice, FallocateFlags, FlockOperation, Mode, RawDir, SeekFrom, XattrFlags},
    io::{self, Errno},
};
use std::{
    ffi::{CStr, CString},
    io::{IoSlice, IoSliceMut},
    mem::MaybeUninit,
    num::NonZeroU64,
    os::fd::BorrowedFd,
};
use trace::call::{Op, to_offset};

/// Most buffers of a vector; a longer one is made with this many.
const MOST_BUFFERS: usize = 16;
/// Longest list of directory entries of one call.
const MOST_LISTED: usize = 64 << 10;
/// The name of the one attribute that a replay sets.
const ATTRIBUTE: &CStr = c"user.assay";
/// `MAP_SHARED`, `MAP_POPULATE`, `PROT_WRITE`, `MS_SYNC`, `LOCK_UN`.
const MAP_SHARED: u32 = 1;
const MAP_POPULATE: u32 = 0x8000;
const PROT_WRITE: u32 = 2;
const MS_SYNC: u32 = 4;
/// Longest value of an attribute.
const MOST_VALUE: usize = 64 << 10;

/// A lane's hands: its descriptors and its memory.
pub(super) struct Actor<'s> {
    pub(super) stage: &'s Stage,
    pub(super) files: Descriptors<'s>,
    buffer: Aligned,
    entries: Vec<MaybeUninit<u8>>,
    turn: u64,
}

impl<'s> Actor<'s> {
    /// The hands of lane `number` for calls with at most `longest` bytes.
    pub(super) fn new(stage: &'s Stage, number: usize, longest: usize) -> Actor<'s> {
        Actor {
            stage,
            files: Descriptors::new(stage),
            buffer: Aligned::new(longest.clamp(MOST_VALUE, LONGEST)),
            entries: vec![MaybeUninit::uninit(); MOST_LISTED],
            turn: (number as u64) << 32,
        }
    }

    /// Makes the call of `step`, and returns what it returned: a count, or the negative of an errno.
    #[inline]
    pub(super) fn act(&mut self, step: &Step, links: &[CString]) -> i64 {
        let result = match step.op {
            Op::Read => self.read(step, None),
            Op::Pread | Op::RingRead => self.read(step, Some(step.offset)),
            Op::Write => self.write(step, None),
            Op::Pwrite | Op::RingWrite => self.write(step, Some(step.offset)),
            Op::Close => self.close(step),
            Op::Dup => self.dup(step),
            Op::CopyRange | Op::CopyTo | Op::SendFile | Op::Clone => self.between(step),
            Op::Getdents => self.list(step),
            Op::Map => self.map(step),
            Op::Unmap => self.stage.set_mapped(step.other, None),
            Op::Msync => self.stage.mapped(step.other, |map| {
                map.sync(step.offset, step.len, step.flags & MS_SYNC != 0)
            }),
            Op::Madvise => {
                self.stage.mapped(step.other, |map| map.advise(step.offset, step.len, step.flags))
            }
            Op::Touch => self
                .stage
                .mapped(step.other, |map| map.touch(step.offset, step.len, step.flags == 1)),
            Op::Begin | Op::End | Op::Wake | Op::Wait => Ok(0),
            Op::Sync => fs::syncfs(&self.stage.tree).map(|()| 0),
            op if op.fields().contains(&trace::call::Field::Path) => self.name(step, links),
            _ => self.on_handle(step),
        };
        result.unwrap_or_else(|errno| -i64::from(errno.raw_os_error()))
    }

    fn read(&mut self, step: &Step, at: Option<u64>) -> Result<i64, Errno> {
        let Actor { files, buffer, .. } = self;
        files.with(step.handle, |file| {
            if step.mode > 1 {
                let buffer = buffer.first(clipped(step.len));
                return scattered(file, buffer, step.mode as usize, at);
            }
            let mut done = 0;
            loop {
                let part = buffer.first(clipped(step.len - done));
                let asked = part.len() as u64;
                let read = match at {
                    Some(at) => io::pread(file, part, at.wrapping_add(done))?,
                    None => io::read(file, part)?,
                } as u64;
                done += read;
                if read < asked || done >= step.len {
                    return Ok(done as i64);
                }
            }
        })
    }

    fn write(&mut self, step: &Step, at: Option<u64>) -> Result<i64, Errno> {
        let Actor { files, stage, turn, .. } = self;
        files.with(step.handle, |file| {
            let mut done = 0;
            loop {
                let piece = stage.data.piece(*turn, clipped(step.len - done));
                *turn = turn.wrapping_add((piece.len() as u64).div_ceil(4096).max(1));
                let at = at.map(|at| at.wrapping_add(done));
                let written = match (step.mode > 1, at) {
                    (true, _) => gathered(file, piece, step.mode as usize, at)?,
                    (false, Some(at)) => io::pwrite(file, piece, at)?,
                    (false, None) => io::write(file, piece)?,
                } as u64;
                done += written;
                if written < piece.len() as u64 || done >= step.len {
                    return Ok(done as i64);
                }
            }
        })
    }

    fn close(&mut self, step: &Step) -> Result<i64, Errno> {
        // Another descriptor of the same handle stays open, and the replay has only one.
        if step.flags != 0 {
            return Ok(0);
        }
        calls::close(self.files.take(step.handle)?).map(|()| 0)
    }

    fn dup(&mut self, step: &Step) -> Result<i64, Errno> {
        let copy = self.files.with(step.handle, |file| io::dup(file))?;
        self.files.put(step.other, copy);
        Ok(0)
    }

    /// From one handle to another.
    fn between(&mut self, step: &Step) -> Result<i64, Errno> {
        let Actor { files, buffer, .. } = self;
        let len = usize::try_from(step.len).unwrap_or(usize::MAX);
        let mut offset = step.offset;
        let at = (step.offset != u64::MAX).then_some(&mut offset);
        files.with(step.handle, |from| match (step.op, step.other) {
            // What goes to a socket or a pipe is only read.
            (Op::SendFile, super::step::NONE) => {
                let part = buffer.first(clipped(step.len));
                let read = match at {
                    Some(at) => io::pread(from, part, *at)?,
                    None => io::read(from, part)?,
                };
                Ok(read as i64)
            }
            (op, other) => files.with(other, |to| match op {
                Op::Clone => fs::ioctl_ficlone(from, to).map(|()| 0),
                Op::SendFile => fs::sendfile(to, from, at, len).map(|done| done as i64),
                _ => {
                    let mut to_offset = to_offset(step.flags, step.mode);
                    let to_at = (op == Op::CopyTo).then_some(&mut to_offset);
                    fs::copy_file_range(from, at, to, to_at, len).map(|done| done as i64)
                }
            }),
        })
    }

    fn list(&mut self, step: &Step) -> Result<i64, Errno> {
        let Actor { files, entries, .. } = self;
        let len = clipped(step.len).min(entries.len());
        files.with(step.handle, |directory| {
            let mut list = RawDir::new(directory, &mut entries[..len]);
            // One call brings as many entries as the buffer holds.
            match list.next() {
                None => Ok(0),
                Some(entry) => entry.map(|_| 1),
            }
        })
    }

    fn map(&mut self, step: &Step) -> Result<i64, Errno> {
        let how = MapAs {
            write: step.mode & PROT_WRITE != 0,
            shared: step.flags & MAP_SHARED != 0,
            populate: step.flags & MAP_POPULATE != 0,
        };
        let map =
            self.files.with(step.handle, |file| Mapped::new(file, step.offset, step.len, how))?;
        self.stage.set_mapped(step.other, Some(map))
    }

    /// Calls that need nothing but their handle.
    fn on_handle(&mut self, step: &Step) -> Result<i64, Errno> {
        let Actor { files, buffer, stage, .. } = self;
        let Step { offset, len, flags, mode, .. } = *step;
        files.with(step.handle, |file| match step.op {
            Op::Fsync => none(fs::fsync(file)),
            Op::RingFsync if flags == 0 => none(fs::fsync(file)),
            Op::Fdatasync | Op::RingFsync => none(fs::fdatasync(file)),
            Op::Syncfs => none(fs::syncfs(file)),
            Op::SyncRange => none(calls::sync_range(file, offset, len, flags)),
            Op::Ftruncate => none(fs::ftruncate(file, len)),
            Op::Fallocate => {
                none(fs::fallocate(file, FallocateFlags::from_bits_retain(flags), offset, len))
            }
            Op::Fadvise => none(fs::fadvise(file, offset, NonZeroU64::new(len), advice(flags)?)),
            Op::Readahead => none(calls::read_ahead(file, offset, len)),
            Op::Seek => seek(file, offset, flags),
            Op::Fstat => fs::fstat(file).map(|_| 0),
            Op::Fstatfs => fs::fstatfs(file).map(|_| 0),
            Op::Fchmod => none(fs::fchmod(file, Mode::from_raw_mode(mode & 0o777))),
            Op::Fchown => none(fs::fchown(file, None, None)),
            Op::Futimens => none(fs::futimens(file, &now())),
            Op::Fsetxattr => {
                let value = stage.data.piece(0, clipped(len).min(MOST_VALUE));
                let flags = XattrFlags::from_bits_truncate(flags);
                none(fs::fsetxattr(file, ATTRIBUTE, value, flags))
            }
            Op::Fgetxattr => {
                fs::fgetxattr(file, ATTRIBUTE, buffer.first(clipped(len))).map(|n| n as i64)
            }
            Op::Flistxattr => fs::flistxattr(file, buffer.first(clipped(len))).map(|n| n as i64),
            Op::Lock => {
                let lock = match flags {
                    0 => RecordLock::Read,
                    1 => RecordLock::Write,
                    _ => RecordLock::Unlock,
                };
                none(calls::record_lock(file, lock, offset, len))
            }
            Op::Flock => none(fs::flock(file, lock_operation(flags))),
            _ => Err(Errno::NOSYS),
        })
    }
}

impl Actor<'_> {
    /// An attribute of the file at `path`, through a descriptor.
    pub(super) fn attribute(&mut self, step: &Step, file: BorrowedFd<'_>) -> Result<i64, Errno> {
        let Actor { buffer, stage, .. } = self;
        let len = clipped(step.len);
        match step.op {
            Op::Setxattr => {
                let value = stage.data.piece(0, len.min(MOST_VALUE));
                none(fs::fsetxattr(
                    file,
                    ATTRIBUTE,
                    value,
                    XattrFlags::from_bits_truncate(step.flags),
                ))
            }
            Op::Getxattr => fs::fgetxattr(file, ATTRIBUTE, buffer.first(len)).map(|n| n as i64),
            Op::Listxattr => fs::flistxattr(file, buffer.first(len)).map(|n| n as i64),
            _ => none(fs::fremovexattr(file, ATTRIBUTE)),
        }
    }

    /// The target of the link at `path`.
    pub(super) fn link_target(&mut self, path: &CStr, len: u64) -> Result<i64, Errno> {
        let Actor { buffer, stage, .. } = self;
        fs::readlinkat_raw(&stage.tree, path, buffer.first(clipped(len))).map(|n| n as i64)
    }
}

fn none(result: Result<(), Errno>) -> Result<i64, Errno> {
    result.map(|()| 0)
}

/// As much of `len` as one call takes.
#[inline]
fn clipped(len: u64) -> usize {
    usize::try_from(len).unwrap_or(LONGEST).min(LONGEST)
}

/// Reads into `count` buffers, about equal parts of `buffer`.
fn scattered(
    file: BorrowedFd<'_>,
    buffer: &mut [u8],
    count: usize,
    at: Option<u64>,
) -> Result<i64, Errno> {
    let each = buffer.len().div_ceil(count.min(MOST_BUFFERS)).max(1);
    let mut slices = [(); MOST_BUFFERS].map(|()| IoSliceMut::new(&mut []));
    let mut used = 0;
    for (slice, part) in slices.iter_mut().zip(buffer.chunks_mut(each)) {
        *slice = IoSliceMut::new(part);
        used += 1;
    }
    let slices = &mut slices[..used];
    Ok(match at {
        Some(at) => io::preadv(file, slices, at)?,
        None => io::readv(file, slices)?,
    } as i64)
}

/// Writes from `count` buffers, about equal parts of `piece`.
fn gathered(
    file: BorrowedFd<'_>,
    piece: &[u8],
    count: usize,
    at: Option<u64>,
) -> Result<usize, Errno> {
    let each = piece.len().div_ceil(count.min(MOST_BUFFERS)).max(1);
    let mut slices = [IoSlice::new(&[]); MOST_BUFFERS];
    let mut used = 0;
    for (slice, part) in slices.iter_mut().zip(piece.chunks(each)) {
        *slice = IoSlice::new(part);
        used += 1;
    }
    match at {
        Some(at) => io::pwritev(file, &slices[..used], at),
        None => io::writev(file, &slices[..used]),
    }
}

fn seek(file: BorrowedFd<'_>, offset: u64, origin: u32) -> Result<i64, Errno> {
    let signed = offset as i64;
    let to = match origin {
        0 => SeekFrom::Start(offset),
        1 => SeekFrom::Current(signed),
        2 => SeekFrom::End(signed),
        3 => SeekFrom::Data(offset),
        4 => SeekFrom::Hole(offset),
        _ => return Err(Errno::INVAL),
    };
    fs::seek(file, to).map(|at| at as i64)
}

fn advice(number: u32) -> Result<Advice, Errno> {
    let known = [
        Advice::Normal,
        Advice::Random,
        Advice::Sequential,
        Advice::WillNeed,
        Advice::DontNeed,
        Advice::NoReuse,
    ];
    known.get(number as usize).copied().ok_or(Errno::INVAL)
}

/// Never waits: the call that gives the lock back is not known to come.
fn lock_operation(flags: u32) -> FlockOperation {
    match flags & !4 {
        1 => FlockOperation::NonBlockingLockShared,
        8 => FlockOperation::Unlock,
        _ => FlockOperation::NonBlockingLockExclusive,
    }
}

/// Sets both times to now.
pub(super) fn now() -> fs::Timestamps {
    let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: fs::UTIME_NOW as _ };
    fs::Timestamps { last_access: now, last_modification: now }
}
