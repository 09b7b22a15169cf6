//! The messages of FUSE as far as the small file systems here need them: requests are
//! taken apart, answers put together. All numbers are in the order of this machine's bytes. Source:
//! include/uapi/linux/fuse.h of Linux, version 7.31 of the protocol.

use rustix::fs::StatVfs;
use std::{fs::Metadata, os::unix::fs::MetadataExt};

/// Version of the protocol that is spoken; a newer kernel speaks it too.
const MAJOR: u32 = 7;
const MINOR: u32 = 31;
/// `struct fuse_in_header` and `struct fuse_out_header`.
const IN_HEADER_BYTES: usize = 40;
const OUT_HEADER_BYTES: usize = 16;
/// Names and attributes never change, so the kernel need not ask again, seconds.
const VALID_S: u64 = 3600;
const BLOCK_BYTES: u32 = 4096;
/// Most bytes of a write, less than the buffer for requests holds.
const WRITE_BYTES: u32 = 32 << 10;
/// Answer of `open`: no page cache.
const DIRECT_IO: u32 = 1;

/// What the kernel asks for, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opcode(u32);

impl Opcode {
    pub(super) const LOOKUP: Opcode = Opcode(1);
    pub(super) const FORGET: Opcode = Opcode(2);
    pub(super) const GETATTR: Opcode = Opcode(3);
    pub(super) const SETATTR: Opcode = Opcode(4);
    pub(super) const MKDIR: Opcode = Opcode(9);
    pub(super) const UNLINK: Opcode = Opcode(10);
    pub(super) const RMDIR: Opcode = Opcode(11);
    pub(super) const RENAME: Opcode = Opcode(12);
    pub(super) const OPEN: Opcode = Opcode(14);
    pub(super) const READ: Opcode = Opcode(15);
    pub(super) const WRITE: Opcode = Opcode(16);
    pub(super) const STATFS: Opcode = Opcode(17);
    pub(super) const RELEASE: Opcode = Opcode(18);
    pub(super) const FSYNC: Opcode = Opcode(20);
    pub(super) const FLUSH: Opcode = Opcode(25);
    pub(super) const INIT: Opcode = Opcode(26);
    pub(super) const OPENDIR: Opcode = Opcode(27);
    pub(super) const READDIR: Opcode = Opcode(28);
    pub(super) const RELEASEDIR: Opcode = Opcode(29);
    pub(super) const FSYNCDIR: Opcode = Opcode(30);
    pub(super) const ACCESS: Opcode = Opcode(34);
    pub(super) const CREATE: Opcode = Opcode(35);
    pub(super) const INTERRUPT: Opcode = Opcode(36);
    pub(super) const DESTROY: Opcode = Opcode(38);
    pub(super) const BATCH_FORGET: Opcode = Opcode(42);
    pub(super) const RENAME2: Opcode = Opcode(45);
    pub(super) const SYNCFS: Opcode = Opcode(50);
}

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request<'a> {
    pub(super) opcode: Opcode,
    /// By which the kernel knows the answer.
    pub(super) unique: u64,
    /// The file or directory that it is about.
    pub(super) node: u64,
    /// What follows the header.
    pub(super) body: &'a [u8],
}

impl<'a> Request<'a> {
    /// Takes a message apart; `None` when it is too short to be one.
    pub(super) fn of(message: &'a [u8]) -> Option<Request<'a>> {
        let body = message.get(IN_HEADER_BYTES..)?;
        Some(Request {
            opcode: Opcode(u32_at(message, 4)?),
            unique: u64_at(message, 8)?,
            node: u64_at(message, 16)?,
            body,
        })
    }

    /// The name that a lookup asks for.
    pub(super) fn name(&self) -> &'a [u8] {
        self.body.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Offset and length of a read, bytes (`struct fuse_read_in`).
    pub(super) fn range(&self) -> Option<(u64, u32)> {
        Some((u64_at(self.body, 8)?, u32_at(self.body, 16)?))
    }
}

/// What a `setattr` asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) mode: Option<u32>,
    pub(super) uid: Option<u32>,
    pub(super) gid: Option<u32>,
    pub(super) bytes: Option<u64>,
}

impl<'a> Request<'a> {
    /// The number by which the kernel knows an open file, with which most structures begin.
    pub(super) fn handle(&self) -> u64 {
        u64_at(self.body, 0).unwrap_or(0)
    }

    /// The number of 32 bits with which the structure begins: flags of `open`, rights of `access`.
    pub(super) fn first_number(&self) -> Option<u32> {
        u32_at(self.body, 0)
    }

    /// The numbers of `struct fuse_mkdir_in` or `struct fuse_create_in`, and the name behind them.
    pub(super) fn numbers_and_name<const N: usize>(&self) -> Option<([u32; N], &'a [u8])> {
        let mut numbers = [0; N];
        for (place, number) in numbers.iter_mut().enumerate() {
            *number = u32_at(self.body, 4 * place)?;
        }
        Some((numbers, names(self.body.get(4 * N..)?).next()?))
    }

    /// The directory to which a name goes, the name that it has there and the new one: `struct fuse_rename_in`,
    /// `struct fuse_rename2_in` without flags.
    pub(super) fn renamed(&self) -> Option<(u64, &'a [u8], &'a [u8])> {
        let behind = if self.opcode == Opcode::RENAME2 { 16 } else { 8 };
        let plain = self.opcode == Opcode::RENAME || u32_at(self.body, 8)? == 0;
        let mut names = names(self.body.get(behind..).filter(|_| plain)?);
        Some((u64_at(self.body, 0)?, names.next()?, names.next()?))
    }

    /// Offset and bytes of a write (`struct fuse_write_in`).
    pub(super) fn written(&self) -> Option<(u64, &'a [u8])> {
        let length = u32_at(self.body, 16)? as usize;
        Some((u64_at(self.body, 8)?, self.body.get(40..40 + length)?))
    }

    /// What is to be changed, as far as it is known here (`struct fuse_setattr_in`): times are not.
    pub(super) fn change(&self) -> Option<Change> {
        let valid = u32_at(self.body, 0)?;
        let number = |bit: u32, at| if valid & bit == 0 { None } else { u32_at(self.body, at) };
        Some(Change {
            mode: number(1, 68),
            uid: number(1 << 1, 76),
            gid: number(1 << 2, 80),
            bytes: if valid & 1 << 3 == 0 { None } else { u64_at(self.body, 16) },
        })
    }
}

/// Names that end with a zero byte each.
fn names(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// What is answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It was done; this is what was asked for.
    Done(Vec<u8>),
    /// It was not, by this errno.
    Failed(rustix::io::Errno),
    /// The kernel wants no answer.
    Nothing,
}

impl Answer {
    /// As a message to the request `unique`.
    pub(super) fn message(&self, unique: u64) -> Option<Vec<u8>> {
        let (error, body): (i32, &[u8]) = match self {
            Answer::Done(body) => (0, body),
            Answer::Failed(errno) => (-errno.raw_os_error(), &[]),
            Answer::Nothing => return None,
        };
        let mut message = Message::default();
        message.u32((OUT_HEADER_BYTES + body.len()) as u32).u32(error as u32).u64(unique);
        message.0.extend_from_slice(body);
        Some(message.0)
    }

    /// `struct fuse_init_out`: no feature is asked for, and no write is taken.
    pub(super) fn init() -> Answer {
        let mut out = Message::default();
        out.u32(MAJOR).u32(MINOR).u32(0).u32(0);
        // Most in the background and how many are a crowd, 16 bits each; 0 is the kernel's default.
        out.u32(0).u32(BLOCK_BYTES).u32(1);
        out.zeros(36);
        Answer::Done(out.0)
    }

    /// The same for one that is written to, a good part of a request at a time.
    pub(super) fn init_for_writes() -> Answer {
        const BIG_WRITES: u32 = 1 << 5;
        let mut out = Message::default();
        out.u32(MAJOR).u32(MINOR).u32(0).u32(BIG_WRITES);
        out.u32(0).u32(WRITE_BYTES).u32(1);
        out.zeros(36);
        Answer::Done(out.0)
    }

    /// `struct fuse_entry_out` of `node`, which is `found`.
    pub(super) fn entry_of(node: u64, found: &Metadata) -> Answer {
        let mut out = Message::default();
        out.entry_of(node, found);
        Answer::Done(out.0)
    }

    /// `struct fuse_attr_out` of `node`, which is `found`.
    pub(super) fn attributes_of(node: u64, found: &Metadata) -> Answer {
        let mut out = Message::default();
        out.u64(0).u32(0).u32(0);
        out.attributes_of(node, found);
        Answer::Done(out.0)
    }

    /// `struct fuse_open_out` of the file that is `handle`, by the page cache.
    pub(super) fn opened(handle: u64) -> Answer {
        let mut out = Message::default();
        out.u64(handle).u32(0).u32(0);
        Answer::Done(out.0)
    }

    /// `struct fuse_entry_out` and `struct fuse_open_out` of a file that was made.
    pub(super) fn created(node: u64, found: &Metadata, handle: u64) -> Answer {
        let mut out = Message::default();
        out.entry_of(node, found);
        out.u64(handle).u32(0).u32(0);
        Answer::Done(out.0)
    }

    /// `struct fuse_write_out`: so many bytes were.
    pub(super) fn written(bytes: u32) -> Answer {
        let mut out = Message::default();
        out.u32(bytes).u32(0);
        Answer::Done(out.0)
    }

    /// `struct fuse_dirent` of each name with the place of the next, as long as they fit in `most_bytes`.
    pub(super) fn names<'a>(
        all: impl Iterator<Item = (u64, &'a [u8], bool)>,
        most_bytes: usize,
    ) -> Answer {
        let mut out = Message::default();
        for (next, name, is_dir) in all {
            if out.0.len() + (24 + name.len()).next_multiple_of(8) > most_bytes {
                break;
            }
            // The kind as in the upper bits of a mode; the number is not told.
            let kind = if is_dir { 0o4 } else { 0o10 };
            out.u64(u64::from(u32::MAX)).u64(next).u32(name.len() as u32).u32(kind);
            out.0.extend_from_slice(name);
            out.zeros(name.len().next_multiple_of(8) - name.len());
        }
        Answer::Done(out.0)
    }

    /// `struct fuse_kstatfs` of a file system.
    pub(super) fn room(of: &StatVfs) -> Answer {
        let mut out = Message::default();
        out.u64(of.f_blocks).u64(of.f_bfree).u64(of.f_bavail).u64(of.f_files).u64(of.f_ffree);
        out.u32(of.f_bsize as u32).u32(255).u32(of.f_frsize as u32);
        out.zeros(28);
        Answer::Done(out.0)
    }

    /// `struct fuse_entry_out` of `node`.
    pub(super) fn entry(node: u64, file_bytes: Option<u64>) -> Answer {
        let mut out = Message::default();
        out.u64(node).u64(0).u64(VALID_S).u64(VALID_S).u32(0).u32(0);
        out.attributes(node, file_bytes);
        Answer::Done(out.0)
    }

    /// `struct fuse_attr_out` of `node`.
    pub(super) fn attributes(node: u64, file_bytes: Option<u64>) -> Answer {
        let mut out = Message::default();
        out.u64(VALID_S).u32(0).u32(0);
        out.attributes(node, file_bytes);
        Answer::Done(out.0)
    }

    /// `struct fuse_open_out`.
    pub(super) fn open() -> Answer {
        let mut out = Message::default();
        out.u64(0).u32(DIRECT_IO).u32(0);
        Answer::Done(out.0)
    }

    /// `struct fuse_kstatfs`: full, of `bytes`, with `files` files.
    pub(super) fn space(bytes: u64, files: u64) -> Answer {
        let mut out = Message::default();
        out.u64(bytes.div_ceil(u64::from(BLOCK_BYTES))).u64(0).u64(0).u64(files).u64(0);
        out.u32(BLOCK_BYTES).u32(255).u32(BLOCK_BYTES);
        out.zeros(28);
        Answer::Done(out.0)
    }
}

/// A message while it is put together.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn u32(&mut self, value: u32) -> &mut Message {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    fn u64(&mut self, value: u64) -> &mut Message {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    fn zeros(&mut self, count: usize) {
        self.0.resize(self.0.len() + count, 0);
    }

    /// `struct fuse_entry_out`, of which only the name stays as it is: attributes are asked for again.
    fn entry_of(&mut self, node: u64, found: &Metadata) {
        self.u64(node).u64(0).u64(VALID_S).u64(0).u32(0).u32(0);
        self.attributes_of(node, found);
    }

    /// `struct fuse_attr` of what was found.
    fn attributes_of(&mut self, node: u64, found: &Metadata) {
        self.u64(node).u64(found.size()).u64(found.blocks());
        self.u64(found.atime() as u64).u64(found.mtime() as u64).u64(found.ctime() as u64);
        self.u32(found.atime_nsec() as u32).u32(found.mtime_nsec() as u32);
        self.u32(found.ctime_nsec() as u32);
        self.u32(found.mode()).u32(found.nlink() as u32).u32(found.uid()).u32(found.gid());
        self.u32(found.rdev() as u32).u32(found.blksize() as u32).u32(0);
    }

    /// `struct fuse_attr`: a file of so many bytes, or a directory.
    fn attributes(&mut self, node: u64, file_bytes: Option<u64>) {
        let (mode, links) = if file_bytes.is_some() { (0o100_644, 1) } else { (0o040_755, 2) };
        let bytes = file_bytes.unwrap_or(0);
        self.u64(node).u64(bytes).u64(bytes.div_ceil(512));
        // Times of access, change and birth: seconds, then nanoseconds.
        self.zeros(3 * 8 + 3 * 4);
        // Owner, group, device number.
        self.u32(mode).u32(links).u32(0).u32(0).u32(0).u32(BLOCK_BYTES).u32(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(answer: Answer) -> usize {
        let Answer::Done(body) = answer else { panic!("{answer:?}") };
        body.len()
    }

    #[test]
    fn answers_have_the_length_of_their_structures() {
        assert_eq!(length(Answer::init()), 64);
        assert_eq!(length(Answer::entry(2, Some(5))), 128);
        assert_eq!(length(Answer::attributes(2, None)), 104);
        assert_eq!(length(Answer::open()), 16);
        assert_eq!(length(Answer::space(4096, 1)), 80);
        let found = std::fs::metadata("/").unwrap();
        assert_eq!(length(Answer::init_for_writes()), 64);
        assert_eq!(length(Answer::entry_of(2, &found)), 128);
        assert_eq!(length(Answer::attributes_of(2, &found)), 104);
        assert_eq!(length(Answer::created(2, &found, 1)), 144);
        assert_eq!(length(Answer::written(5)), 8);
        assert_eq!(length(Answer::room(&rustix::fs::statvfs("/").unwrap())), 80);
        let names: [(u64, &[u8], bool); 2] = [(1, b"a", true), (2, b"12345678", false)];
        assert_eq!(length(Answer::names(names.into_iter(), 4096)), 64);
        assert_eq!(length(Answer::names(names.into_iter(), 63)), 32);
    }

    #[test]
    fn a_message_names_its_request_its_length_and_its_error() {
        let message = Answer::Failed(rustix::io::Errno::NOENT).message(7).unwrap();
        assert_eq!(u32_at(&message, 0), Some(16));
        assert_eq!(u32_at(&message, 4), Some((-2i32) as u32));
        assert_eq!(u64_at(&message, 8), Some(7));
        assert_eq!(Answer::Nothing.message(7), None);
    }

    #[test]
    fn a_short_message_is_no_request() {
        assert_eq!(Request::of(&[0; IN_HEADER_BYTES - 1]), None);
        assert!(Request::of(&[0; IN_HEADER_BYTES]).unwrap().range().is_none());
    }
}
