//! The system call bpf(2): maps, programs, and their attachment. Each object is freed with its descriptor.

use super::asm::Insn;
use std::{
    ffi::CStr,
    io,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
};

const MAP_CREATE: libc::c_long = 0;
const PROG_LOAD: libc::c_long = 5;
const RAW_TRACEPOINT_OPEN: libc::c_long = 17;

const MAP_ARRAY: u32 = 2;
/// Memory that this process maps, too; since 5.5.
const MMAPABLE: u32 = 1 << 10;

/// Programs use functions that the kernel has for those alone that can be GPL.
const LICENSE: &CStr = c"Dual MIT/GPL";
const LOG_BYTES: usize = 256 << 10;

/// A part of the recorder that the kernel refuses.
#[derive(Debug, thiserror::Error)]
pub enum BpfError {
    /// A map cannot be made.
    #[error("the kernel has no room for the recorder's map `{name}` of {bytes} bytes: {source}")]
    Map {
        /// Its name.
        name: &'static str,
        /// Its size.
        bytes: u64,
        /// Why.
        source: io::Error,
    },
    /// A program is refused.
    #[error("the kernel refuses the recorder's program `{name}`: {source}{}", shown(.log))]
    Program {
        /// Its name.
        name: &'static str,
        /// Why.
        source: io::Error,
        /// What the verifier says.
        log: String,
    },
    /// A program cannot be attached.
    #[error("the recorder's program `{name}` cannot be attached: {source}")]
    Attach {
        /// Its name.
        name: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The kernel does not say what a program needs to know.
    #[error("the kernel does not describe `{0}`, which the recorder needs")]
    Unknown(String),
    /// This machine cannot be recorded in this way.
    #[error("{0}")]
    Machine(&'static str),
}

/// The last lines of the verifier's words.
fn shown(log: &str) -> String {
    let lines: Vec<&str> = log.lines().rev().take(4).collect();
    lines.iter().rev().map(|line| format!("\n  {line}")).collect()
}

/// How a program is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attach {
    /// To a tracepoint by the id of its type in the kernel's BTF: its arguments are typed.
    Typed(u32),
    /// To a tracepoint by its name: its arguments are numbers.
    Raw(&'static CStr),
    /// To the record of a tracepoint, by its number in tracefs.
    Event(u64),
}

#[repr(C)]
#[derive(Default)]
struct MapAttr {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
    inner_map_fd: u32,
    numa_node: u32,
    map_name: [u8; 16],
}

/// Makes an array that this process can map.
pub(super) fn array(
    name: &'static str,
    value_bytes: usize,
    entries: usize,
) -> Result<OwnedFd, BpfError> {
    let bytes = value_bytes as u64 * entries as u64;
    let failed = |source| BpfError::Map { name, bytes, source };
    let size = |n: usize| u32::try_from(n).map_err(|e| failed(io::Error::other(e)));
    let attr = MapAttr {
        map_type: MAP_ARRAY,
        key_size: 4,
        value_size: size(value_bytes)?,
        max_entries: size(entries)?,
        map_flags: MMAPABLE,
        map_name: name_of(name),
        ..MapAttr::default()
    };
    bpf(MAP_CREATE, &attr).map_err(failed)
}

#[repr(C)]
#[derive(Default)]
struct ProgAttr {
    prog_type: u32,
    insn_cnt: u32,
    insns: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log_buf: u64,
    kern_version: u32,
    prog_flags: u32,
    prog_name: [u8; 16],
    prog_ifindex: u32,
    expected_attach_type: u32,
    prog_btf_fd: u32,
    func_info_rec_size: u32,
    func_info: u64,
    func_info_cnt: u32,
    line_info_rec_size: u32,
    line_info: u64,
    line_info_cnt: u32,
    attach_btf_id: u32,
}

/// Has the kernel check a program.
pub(super) fn load(name: &'static str, code: &[Insn], attach: Attach) -> Result<OwnedFd, BpfError> {
    const TRACEPOINT: u32 = 5;
    const RAW_TRACEPOINT: u32 = 17;
    const TRACING: u32 = 26;
    const TRACE_RAW_TP: u32 = 23;
    let (prog_type, expected_attach_type, attach_btf_id) = match attach {
        Attach::Typed(id) => (TRACING, TRACE_RAW_TP, id),
        Attach::Raw(_) => (RAW_TRACEPOINT, 0, 0),
        Attach::Event(_) => (TRACEPOINT, 0, 0),
    };
    let mut attr = ProgAttr {
        prog_type,
        insn_cnt: code.len() as u32,
        insns: code.as_ptr() as u64,
        license: LICENSE.as_ptr() as u64,
        prog_name: name_of(name),
        expected_attach_type,
        attach_btf_id,
        ..ProgAttr::default()
    };
    if let Ok(fd) = bpf(PROG_LOAD, &attr) {
        return Ok(fd);
    }
    // Once more, for the verifier's words.
    let mut log = vec![0u8; LOG_BYTES];
    (attr.log_level, attr.log_size, attr.log_buf) = (1, LOG_BYTES as u32, log.as_mut_ptr() as u64);
    bpf(PROG_LOAD, &attr).map_err(|source| {
        let end = log.iter().position(|b| *b == 0).unwrap_or(log.len());
        let log = String::from_utf8_lossy(&log[..end]).into_owned();
        BpfError::Program { name, source, log }
    })
}

/// Attaches a program; it is detached when what this returns is dropped.
pub(super) fn attach(
    name: &'static str,
    program: BorrowedFd,
    to: Attach,
) -> Result<OwnedFd, BpfError> {
    #[repr(C)]
    struct Attr {
        name: u64,
        prog_fd: u32,
        flags: u32,
        cookie: u64,
    }
    let path = match to {
        Attach::Typed(_) => 0,
        Attach::Raw(tracepoint) => tracepoint.as_ptr() as u64,
        Attach::Event(id) => {
            return attach_event(program, id).map_err(|source| BpfError::Attach { name, source });
        }
    };
    let attr = Attr { name: path, prog_fd: program.as_raw_fd() as u32, flags: 0, cookie: 0 };
    bpf(RAW_TRACEPOINT_OPEN, &attr).map_err(|source| BpfError::Attach { name, source })
}

/// By an event of perf: one for any processor has the program run on all.
fn attach_event(program: BorrowedFd, id: u64) -> io::Result<OwnedFd> {
    /// `struct perf_event_attr` of its first version.
    #[repr(C)]
    #[derive(Default)]
    struct EventAttr {
        kind: u32,
        size: u32,
        config: u64,
        sample_period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup_events: u32,
        bp_type: u32,
        config1: u64,
    }
    const PERF_TYPE_TRACEPOINT: u32 = 2;
    const CLOSE_ON_EXEC: libc::c_ulong = 8;
    const SET_BPF: libc::Ioctl = 0x4004_2408;
    const ENABLE: libc::Ioctl = 0x2400;
    let attr = EventAttr {
        kind: PERF_TYPE_TRACEPOINT,
        size: size_of::<EventAttr>() as u32,
        config: id,
        sample_period: 1,
        wakeup_events: 1,
        ..EventAttr::default()
    };
    // SAFETY: `attr` is a whole structure of the size that it states, and lives through the call.
    let event = owned(unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attr, -1, 0, -1, CLOSE_ON_EXEC)
    })?;
    for (request, argument) in [(SET_BPF, program.as_raw_fd()), (ENABLE, 0)] {
        // SAFETY: both requests take a number, and `event` is open.
        if unsafe { libc::ioctl(event.as_raw_fd(), request, argument) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(event)
}

/// Whether the kernel has a program of this number, as `/proc/PID/fdinfo` has them: for tests of what is left behind.
pub fn program_exists(id: u32) -> bool {
    const PROG_GET_FD_BY_ID: libc::c_long = 13;
    #[repr(C)]
    struct Attr {
        id: u32,
        next_id: u32,
        flags: u32,
    }
    bpf(PROG_GET_FD_BY_ID, &Attr { id, next_id: 0, flags: 0 }).is_ok()
}

fn bpf<T>(command: libc::c_long, attr: &T) -> io::Result<OwnedFd> {
    // SAFETY: `attr` is a whole structure of the size that is passed; what its fields point to lives through the call.
    owned(unsafe {
        libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attr), size_of::<T>())
    })
}

fn owned(result: libc::c_long) -> io::Result<OwnedFd> {
    let fd = i32::try_from(result).map_err(io::Error::other)?;
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel made this descriptor for us just now, and nothing else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn name_of(name: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (to, from) in bytes[..15].iter_mut().zip(name.bytes()) {
        *to = from;
    }
    bytes
}
