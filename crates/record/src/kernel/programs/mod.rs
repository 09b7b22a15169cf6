//! The programs, as functions that assemble them.

mod exit;
mod faults;
mod parts;
mod requests;
mod tree;
mod wakes;

use super::{
    asm::{Alu, Asm, FP, Helper, If, Insn, R0, R1, R6, R7, R8, Width},
    layout::EntryKind,
    maps::{ENDED, IDLE, Maps},
};
pub(super) use exit::exit;
pub(super) use faults::fault;
use parts::{TID, look_up, return_zero};
pub(super) use requests::{complete, submit};
pub(super) use tree::{TaskFields, exec, fork_event, fork_typed, thread_exit};
pub(super) use wakes::{wake_event, wake_typed};

/// `sys_enter`: where a recorded thread begins a call that is recorded, notes the time and the kind of its entry.
///
/// A thread that is not recorded pays one look-up in an array.
pub(super) fn enter(maps: &Maps) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.load(Width::W8, R6, R1, 8);
    asm.call(Helper::PidTgid).store(Width::W4, FP, TID, R0);
    look_up(&mut asm, maps.threads.fd(), TID, "out");
    asm.load(Width::W8, R1, R0, 0).jump_if(If::Less, R1, IDLE as i32, "out");
    asm.copy(R7, R0).store(Width::W4, FP, -8, R6);
    look_up(&mut asm, maps.kinds.fd(), -8, "out");
    asm.load(Width::W8, R8, R0, 0).jump_if(If::Equal, R8, 0, "out");
    asm.call(Helper::Clock);
    asm.alu(Alu::And, R0, !15).alu_reg(Alu::Or, R0, R8).store(Width::W8, R7, 0, R0);
    return_zero(&mut asm);
    asm.finish()
}

/// A program that does nothing: what the floor of the cost is measured with.
pub(super) fn nothing() -> Vec<Insn> {
    let mut asm = Asm::default();
    return_zero(&mut asm);
    asm.finish()
}

/// States of threads are distinguished from times by being small; kinds share their lowest bits.
const _: () = assert!((EntryKind::Stream as u32) < 16 && IDLE < 16 && ENDED < IDLE);
