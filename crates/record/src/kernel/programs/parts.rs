//! Code shared by several programs.

use super::super::{
    asm::{Alu, Asm, FP, Helper, If, R0, R1, R2, R3, R4, R7, Width},
    layout::{self, EntryKind},
    maps::{IDLE, Maps, SEGMENT_BITS, SLACK},
};
use std::os::fd::BorrowedFd;

/// Where the stack has this thread, until an entry is begun.
pub(super) const TID: i16 = -4;
/// Where it has another thread, or this one's process.
pub(super) const OTHER: i16 = -44;
/// Where the stack has the processor, its control, how far its ring is written, and the entry that is being written.
const PROCESSOR: i16 = -8;
const CONTROL: i16 = -16;
const HEAD: i16 = -24;
const SEGMENT: i16 = -28;
pub(super) const ENTRY: i16 = -40;
/// Where the control of a processor says that an entry is being written.
const BUSY: i16 = 24;

/// `r0 = &map[key on the stack]`; goes to `otherwise` where the key is not in the map.
pub(super) fn look_up(asm: &mut Asm, map: BorrowedFd, key: i16, otherwise: &'static str) {
    asm.copy(R2, FP).alu(Alu::Add, R2, key.into()).map(R1, map);
    asm.call(Helper::LookUp).jump_if(If::Equal, R0, 0, otherwise);
}

/// `r0` = the state of this thread; ends where it is not recorded.
pub(super) fn own_state(asm: &mut Asm, maps: &Maps) {
    own_state_from(asm, maps, IDLE);
}

/// `r0` = the state of this thread; ends where that is less than `least`.
pub(super) fn own_state_from(asm: &mut Asm, maps: &Maps, least: u64) {
    asm.call(Helper::PidTgid).store(Width::W4, FP, TID, R0);
    look_up(asm, maps.threads.fd(), TID, "out");
    asm.load(Width::W8, R1, R0, 0).jump_if(If::Less, R1, least as i32, "out");
}

/// The end of each program; `out` leads there.
pub(super) fn return_zero(asm: &mut Asm) {
    asm.label("out").set(R0, 0).exit();
}

/// Keeps where there is room for an entry on the stack and in `r0`. Without room it is counted as lost.
///
/// Until it is handed over, no other program of this processor gets room, and goes to `otherwise`: where one reads an
/// address that is not mapped, the programs of page faults run before it continues.
fn reserve_or(asm: &mut Asm, maps: &Maps, otherwise: &'static str) {
    asm.call(Helper::Processor).store(Width::W4, FP, PROCESSOR, R0);
    look_up(asm, maps.control.fd(), PROCESSOR, "out");
    asm.store(Width::W8, FP, CONTROL, R0);
    asm.load(Width::W8, R1, R0, BUSY).jump_if(If::NotEqual, R1, 0, otherwise);
    asm.load(Width::W8, R1, R0, 0).load(Width::W8, R2, R0, 8).store(Width::W8, FP, HEAD, R1);
    asm.copy(R3, R1).alu_reg(Alu::Sub, R3, R2);
    let most = maps.ring_bytes() as i32 - SLACK as i32;
    asm.jump_if(If::Greater, R3, most, "lost");
    asm.alu(Alu::Right, R1, SEGMENT_BITS).alu(Alu::And, R1, (1 << maps.segments_bits) - 1);
    asm.load(Width::W4, R4, FP, PROCESSOR).alu(Alu::Left, R4, maps.segments_bits);
    asm.alu_reg(Alu::Or, R1, R4).store(Width::W4, FP, SEGMENT, R1);
    look_up(asm, maps.ring.fd(), SEGMENT, "out");
    asm.load(Width::W8, R1, FP, HEAD).alu(Alu::And, R1, (1 << SEGMENT_BITS) - 1);
    asm.alu_reg(Alu::Add, R0, R1).store(Width::W8, FP, ENTRY, R0);
    asm.load(Width::W8, R1, FP, CONTROL).store_value(Width::W8, R1, BUSY, 1);
}

/// Finds room for an entry; one for which there is none is counted as lost.
pub(super) fn reserve(asm: &mut Asm, maps: &Maps) {
    reserve_or(asm, maps, "lost");
}

/// Finds room for an entry that is of no interest while a program of ours writes another one.
pub(super) fn reserve_unless_busy(asm: &mut Asm, maps: &Maps) {
    reserve_or(asm, maps, "out");
}

/// Hands over the entry in `r0`, whose length is in `r3`, and ends the program; `lost` leads behind it.
pub(super) fn submit(asm: &mut Asm) {
    asm.store(Width::W4, R0, layout::LEN, R3);
    asm.load(Width::W8, R1, FP, CONTROL).load(Width::W8, R2, FP, HEAD);
    asm.alu_reg(Alu::Add, R2, R3).store(Width::W8, R1, 0, R2);
    asm.store_value(Width::W8, R1, BUSY, 0).jump("out");
    asm.label("lost").load(Width::W8, R1, R0, 16).alu(Alu::Add, R1, 1);
    asm.store(Width::W8, R0, 16, R1);
    return_zero(asm);
}

/// Completes the entry of what happens at a moment, of `bytes`, and ends the program.
pub(super) fn stamp(asm: &mut Asm, kind: EntryKind, bytes: i32) {
    asm.call(Helper::PidTgid).copy(R7, R0).call(Helper::Clock).copy(R4, R0);
    asm.load(Width::W8, R0, FP, ENTRY).store(Width::W4, R0, layout::TID, R7);
    asm.alu(Alu::Right, R7, 32).store(Width::W4, R0, layout::PID, R7);
    asm.store_value(Width::W4, R0, layout::KIND, kind as i32);
    asm.store(Width::W8, R0, layout::START, R4).store(Width::W8, R0, layout::END, R4);
    asm.set(R3, bytes);
    submit(asm);
}
