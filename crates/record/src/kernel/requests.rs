//! Requests of io_uring as the kernel keeps them: what a program copies of one, and what its fields say.

use super::{
    bpf::BpfError,
    btf::Btf,
    layout::{Entry, EntryKind},
};
use crate::raw::Submitted;

/// Most bytes of a request that are copied.
const MOST_BYTES: i16 = 256;

/// Where `io_uring_complete` has a request's result.
#[derive(Clone, Copy, Debug)]
pub(super) enum ResultAt {
    /// In its fourth argument.
    Argument,
    /// At that byte of the entry that its third argument points to.
    Entry(i16),
}

/// Where the kernel's `struct io_kiocb` has what a request is about. Its first bytes belong to the operation: they are
/// a `struct io_rw` of reads and writes, and a `struct io_sync` of syncs.
#[derive(Clone, Copy, Debug)]
pub struct RequestFields {
    operation: i16,
    flags: i16,
    fd: i16,
    mode: i16,
    data: Fields,
    sync: Fields,
    result: ResultAt,
}

/// Where an operation has its own.
#[derive(Clone, Copy, Debug)]
struct Fields {
    offset: i16,
    len: i16,
    flags: i16,
}

impl RequestFields {
    /// Those of the running kernel.
    pub(super) fn of(btf: &Btf) -> Result<RequestFields, BpfError> {
        let of = |name, member| btf.offset(name, member);
        let data = Fields {
            offset: of("io_rw", "kiocb")? + of("kiocb", "ki_pos")?,
            len: of("io_rw", "len")?,
            flags: of("io_rw", "flags")?,
        };
        let sync = Fields {
            offset: of("io_sync", "off")?,
            len: of("io_sync", "len")?,
            flags: of("io_sync", "flags")?,
        };
        let result = if btf.is_structure("io_uring_complete", 2)? {
            ResultAt::Entry(of("io_uring_cqe", "res")?)
        } else {
            ResultAt::Argument
        };
        let fields = RequestFields {
            operation: of("io_kiocb", "opcode")?,
            flags: of("io_kiocb", "flags")?,
            // The descriptor shares its place with the flags of the result, behind `res`.
            fd: of("io_kiocb", "cqe")? + of("io_cqe", "res")? + 4,
            mode: of("io_sync", "mode")?,
            data,
            sync,
            result,
        };
        if fields.bytes() > MOST_BYTES {
            return Err(BpfError::Unknown("the fields of io_kiocb within its first bytes".into()));
        }
        Ok(fields)
    }

    /// How much of a request has all of it.
    pub(super) fn bytes(self) -> i16 {
        let own = [self.operation, self.flags, self.fd, self.mode].into_iter();
        let each = [self.data, self.sync].into_iter();
        let all = own.chain(each.flat_map(|fields| [fields.offset, fields.len, fields.flags]));
        (all.max().unwrap_or(0) + 8 + 7) & !7
    }

    pub(super) fn result(self) -> ResultAt {
        self.result
    }

    /// What an entry of [`EntryKind::Submit`] says.
    pub fn read(self, entry: Entry) -> Option<Submitted> {
        if entry.kind() != Some(EntryKind::Submit) {
            return None;
        }
        let bytes = entry.data();
        let long = |at: i16| {
            let at = at as usize;
            bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes)
        };
        let operation = *bytes.get(self.operation as usize)?;
        let fields = if is_sync(operation) { self.sync } else { self.data };
        let len = long(fields.len)?;
        Some(Submitted {
            tid: entry.tid(),
            pid: entry.pid(),
            key: entry.arguments()[0],
            at_ns: entry.end_ns(),
            operation,
            fd: long(self.fd)? as u32,
            request_flags: long(self.flags)? as u32,
            offset: long(fields.offset)?,
            len: if is_sync(operation) { len } else { len & u64::from(u32::MAX) },
            flags: long(fields.flags)? as u32,
            mode: long(self.mode)? as u32,
        })
    }
}

/// Whether the kernel keeps a request of this operation as a `struct io_sync`: fsync, sync_file_range, fallocate.
fn is_sync(operation: u8) -> bool {
    use crate::raw::operation::{FALLOCATE, FSYNC, SYNC_FILE_RANGE};
    [FSYNC, SYNC_FILE_RANGE, FALLOCATE].contains(&operation)
}
