//! The part that runs in the kernel: small eBPF programs that this crate assembles itself, their maps, and the ring
//! buffer that they write to.

mod asm;
mod bpf;
mod btf;
mod event;
mod form;
mod layout;
mod maps;
mod programs;
mod requests;
mod ring;
mod syscalls;
mod tap;

pub use bpf::{BpfError, program_exists};
pub use layout::{Entry, EntryKind};
/// The numbers of the calls on files that are recorded, and what entries of each have.
pub fn recorded_calls() -> impl Iterator<Item = (i64, EntryKind)> {
    syscalls::KINDS.iter().copied()
}

/// Whether a call waits for other threads or processes and is on no file.
pub(crate) fn is_wait(number: i64) -> bool {
    syscalls::WAITS.iter().any(|(wait, _)| *wait == number)
}

pub use form::Form;
pub use requests::RequestFields;
pub use tap::{Floor, Tap};
