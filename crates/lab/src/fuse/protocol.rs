//! The messages of FUSE as far as a small file system that is only read needs them: requests are
//! taken apart, answers put together. All numbers are in the order of this machine's bytes. Source:
//! include/uapi/linux/fuse.h of Linux, version 7.31 of the protocol.

/// Version of the protocol that is spoken; a newer kernel speaks it too.
const MAJOR: u32 = 7;
const MINOR: u32 = 31;
/// `struct fuse_in_header` and `struct fuse_out_header`.
const IN_HEADER_BYTES: usize = 40;
const OUT_HEADER_BYTES: usize = 16;
/// Names and attributes never change, so the kernel need not ask again, seconds.
const VALID_S: u64 = 3600;
const BLOCK_BYTES: u32 = 4096;
/// Answer of `open`: no page cache.
const DIRECT_IO: u32 = 1;

/// What the kernel asks for, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opcode(u32);

impl Opcode {
    pub(super) const LOOKUP: Opcode = Opcode(1);
    pub(super) const FORGET: Opcode = Opcode(2);
    pub(super) const GETATTR: Opcode = Opcode(3);
    pub(super) const OPEN: Opcode = Opcode(14);
    pub(super) const READ: Opcode = Opcode(15);
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
    pub(super) const INTERRUPT: Opcode = Opcode(36);
    pub(super) const DESTROY: Opcode = Opcode(38);
    pub(super) const BATCH_FORGET: Opcode = Opcode(42);
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
