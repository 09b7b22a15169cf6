//! `sched_waking`: writes which recorded thread woke which other one from a call that waits.

use super::{
    super::{
        asm::{Alu, Asm, FP, If, Insn, R0, R1, R2, R8, Width},
        layout::{self, EntryKind, register},
        maps::{ENDED, Maps},
    },
    parts::{OTHER, look_up, own_state_from, reserve_unless_busy, stamp},
    tree::TaskFields,
};

/// With a typed argument: the task that is woken.
pub(in super::super) fn wake_typed(maps: &Maps, at: TaskFields) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.load(Width::W8, R1, R1, 0).load(Width::W4, R8, R1, at.pid);
    write_wake(&mut asm, maps);
    asm.finish()
}

/// As an event; byte `woken_at` of the context has the thread that is woken.
pub(in super::super) fn wake_event(maps: &Maps, woken_at: i16) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.load(Width::W4, R8, R1, woken_at);
    write_wake(&mut asm, maps);
    asm.finish()
}

/// Writes an entry with the woken thread, which is in `r8`, and notes in its state that it was woken.
///
/// An interrupt that wakes a thread while a program of ours writes an entry gets no room: it is not the thread that it
/// interrupted that wakes.
fn write_wake(asm: &mut Asm, maps: &Maps) {
    // A thread that ended wakes those that wait for that.
    own_state_from(asm, maps, ENDED);
    asm.store(Width::W4, FP, OTHER, R8);
    look_up(asm, maps.threads.fd(), OTHER, "out");
    asm.load(Width::W8, R1, R0, 0).copy(R2, R1).alu(Alu::And, R2, 15);
    for kind in [EntryKind::Stream, EntryKind::Woken] {
        asm.jump_if(If::Equal, R2, kind as i32, "waits");
    }
    asm.jump_if(If::NotEqual, R2, EntryKind::Wait as i32, "out");
    asm.alu(Alu::Or, R1, EntryKind::Woken as i32).store(Width::W8, R0, 0, R1).label("waits");
    reserve_unless_busy(asm, maps);
    asm.store(Width::W8, R0, register(layout::ARGUMENTS[0]), R8);
    stamp(asm, EntryKind::Wake, layout::FIXED as i32);
}

const _: () = assert!(EntryKind::Wait as u32 | 1 == EntryKind::Woken as u32);
