//! Programs that see the requests of io_uring: one as a request is submitted, and one as it completes. Both see the
//! request itself, so it does not matter which thread of the kernel works on it.

use super::{
    super::{
        asm::{Alu, Asm, FP, Helper, If, Insn, R0, R1, R2, R3, R6, R7, R8, R9, Width},
        layout::{self, EntryKind, register},
        maps::{ENDED, IDLE, Maps},
        requests::ResultAt,
    },
    parts::{OTHER, TID, look_up, reserve, stamp},
};

/// `io_uring_submit_req`: copies the first `bytes` of the request.
pub(in super::super) fn submit(maps: &Maps, bytes: i32) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.load(Width::W8, R7, R1, 0);
    has_recorded_process(&mut asm, maps);
    reserve(&mut asm, maps);
    asm.store(Width::W8, R0, register(layout::ARGUMENTS[0]), R7);
    asm.copy(R1, R0).alu(Alu::Add, R1, layout::DATA as i32).set(R2, bytes).copy(R3, R7);
    asm.call(Helper::ProbeRead);
    stamp(&mut asm, EntryKind::Submit, layout::DATA as i32 + bytes);
    asm.finish()
}

/// `io_uring_complete`: its second argument is the request, and the result is where `result` says.
pub(in super::super) fn complete(maps: &Maps, result: ResultAt) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.copy(R6, R1).load(Width::W8, R7, R6, 8);
    match result {
        ResultAt::Argument => asm.load(Width::W8, R8, R6, 24),
        ResultAt::Entry(at) => asm.load(Width::W8, R8, R6, 16).load(Width::W4, R8, R8, at),
    };
    has_recorded_process(&mut asm, maps);
    reserve(&mut asm, maps);
    asm.store(Width::W8, R0, register(layout::ARGUMENTS[0]), R7);
    asm.store(Width::W8, R0, layout::RESULT, R8);
    stamp(&mut asm, EntryKind::Complete, layout::FIXED as i32);
    asm.finish()
}

/// Ends unless this thread or the first of its process is recorded: threads that the kernel adds to a process for its
/// requests are not known.
fn has_recorded_process(asm: &mut Asm, maps: &Maps) {
    asm.call(Helper::PidTgid).copy(R9, R0).store(Width::W4, FP, TID, R0);
    asm.alu(Alu::Right, R9, 32).store(Width::W4, FP, OTHER, R9);
    look_up(asm, maps.threads.fd(), TID, "by process");
    asm.load(Width::W8, R1, R0, 0).jump_if(If::Greater, R1, ENDED as i32, "recorded");
    asm.label("by process");
    look_up(asm, maps.threads.fd(), OTHER, "out");
    asm.load(Width::W8, R1, R0, 0).jump_if(If::Less, R1, IDLE as i32, "out").label("recorded");
}
