//! `sys_exit`: writes the entry of a call that ended.

use super::{
    super::{
        asm::{Alu, Asm, FP, Helper, If, Insn, R0, R1, R2, R3, R4, R6, R7, R8, R9, Reg, Width},
        form::Form,
        layout::{self, EntryKind, register},
        maps::{IDLE, Maps},
    },
    parts::{ENTRY, TID, look_up, reserve, submit},
};

/// `r6` is the context, `r7` when the call began with its kind, `r8` when it ended, `r9` first the thread and its
/// process, then the bytes behind the fixed part.
pub(in super::super) fn exit(maps: &Maps, form: Form) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.copy(R6, R1).call(Helper::PidTgid);
    asm.copy(R9, R0).store(Width::W4, FP, TID, R0);
    look_up(&mut asm, maps.threads.fd(), TID, "out");
    asm.load(Width::W8, R7, R0, 0).jump_if(If::Less, R7, 16, "out");
    asm.store_value(Width::W8, R0, 0, IDLE as i32);
    // A call that waits is recorded only where a recorded thread ended the wait.
    asm.copy(R1, R7).alu(Alu::And, R1, 15);
    asm.jump_if(If::Equal, R1, EntryKind::Wait as i32, "out");
    drop_other_ioctls(&mut asm, form);
    asm.call(Helper::Clock).copy(R8, R0);
    reserve(&mut asm, maps);
    fixed_part(&mut asm, form);
    asm.copy(R1, R7).alu(Alu::And, R1, 15);
    asm.set(R3, layout::FIXED as i32);
    for kind in [EntryKind::Plain, EntryKind::Stream, EntryKind::Woken] {
        asm.jump_if(If::Equal, R1, kind as i32, "whole");
    }
    kinds(&mut asm);
    asm.label("data").load(Width::W8, R0, FP, ENTRY).copy(R3, R9);
    asm.alu(Alu::Add, R3, layout::DATA as i32).label("whole");
    submit(&mut asm);
    asm.finish()
}

/// Of the requests of `ioctl` only that which clones a file is recorded; `r1` is the kind.
fn drop_other_ioctls(asm: &mut Asm, form: Form) {
    const FICLONE: i32 = 0x4004_9409;
    asm.jump_if(If::NotEqual, R1, EntryKind::Ioctl as i32, "go");
    let request = layout::ARGUMENTS[1];
    if form == Form::Typed {
        asm.load(Width::W8, R1, R6, 0).load(Width::W8, R1, R1, request);
    } else {
        asm.copy(R1, FP).alu(Alu::Add, R1, -48).set(R2, 8).load(Width::W8, R3, R6, 0);
        asm.alu(Alu::Add, R3, request.into()).call(Helper::ProbeRead).load(Width::W8, R1, FP, -48);
    }
    asm.jump_if(If::NotEqual, R1, FICLONE, "out").label("go");
}

/// Fills the part that each entry has; `r0` is the entry before and after.
fn fixed_part(asm: &mut Asm, form: Form) {
    asm.store(Width::W4, R0, layout::TID, R9).alu(Alu::Right, R9, 32);
    asm.store(Width::W4, R0, layout::PID, R9);
    asm.copy(R1, R7).alu(Alu::And, R1, 15).store(Width::W4, R0, layout::KIND, R1);
    asm.store(Width::W8, R0, layout::START, R7).store(Width::W8, R0, layout::END, R8);
    asm.load(Width::W8, R1, R6, 8).store(Width::W8, R0, layout::RESULT, R1);
    if form == Form::Typed {
        asm.load(Width::W8, R1, R6, 0);
        for offset in layout::ARGUMENTS.into_iter().chain([layout::NUMBER]) {
            asm.load(Width::W8, R2, R1, offset).store(Width::W8, R0, register(offset), R2);
        }
    } else {
        asm.copy(R1, R0).alu(Alu::Add, R1, layout::REGS.into()).set(R2, layout::PT_REGS_BYTES);
        asm.load(Width::W8, R3, R6, 0).alu(Alu::Add, R3, layout::PT_REGS_FROM.into());
        asm.call(Helper::ProbeRead).load(Width::W8, R0, FP, ENTRY);
    }
}

/// What each kind has besides; `r1` is the kind, `r0` the entry. Each ends at `data` with the bytes in `r9`.
fn kinds(asm: &mut Asm) {
    asm.store_value(Width::W8, R0, layout::LENS as i16, 0).set(R9, 0);
    // Each with its label, and the labels within it: a label is in a program once.
    let paths: [(EntryKind, [&'static str; 4]); 6] = [
        (EntryKind::Path0, ["not path 0", "a1", "a2", ""]),
        (EntryKind::Path1, ["not path 1", "b1", "b2", ""]),
        (EntryKind::Paths01, ["not paths 0 and 1", "c1", "c2", "c3"]),
        (EntryKind::Paths13, ["not paths 1 and 3", "d1", "d2", "d3"]),
        (EntryKind::Paths02, ["not paths 0 and 2", "e1", "e2", "e3"]),
        (EntryKind::OpenHow, ["not openat2", "f1", "f2", ""]),
    ];
    for (kind, [otherwise, first, second, third]) in paths {
        asm.jump_if(If::NotEqual, R1, kind as i32, otherwise);
        for (i, argument) in kind.paths().iter().enumerate() {
            let labels = if i == 0 { [first, second] } else { [third, otherwise_of(kind)] };
            string(asm, *argument, i, labels);
        }
        if kind == EntryKind::OpenHow {
            words(asm, 2, 24);
        }
        asm.jump("data").label(otherwise);
    }
    asm.jump_if(If::NotEqual, R1, EntryKind::Fcntl as i32, "no fcntl");
    lock(asm);
    asm.label("no fcntl").jump_if(If::NotEqual, R1, EntryKind::Offsets13 as i32, "no copy");
    words(asm, 1, 8);
    words(asm, 3, 8);
    asm.jump("data").label("no copy");
    asm.jump_if(If::NotEqual, R1, EntryKind::Offset2 as i32, "data");
    words(asm, 2, 8);
    asm.jump("data");
}

/// The second label of a kind's second string.
fn otherwise_of(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Paths01 => "c4",
        EntryKind::Paths13 => "d4",
        _ => "e4",
    }
}

/// Copies the string that `argument` points to behind what is there, and adds its bytes to `r9`.
fn string(asm: &mut Asm, argument: usize, index: usize, [none, counted]: [&'static str; 2]) {
    target(asm, R1);
    asm.set(R2, layout::STRING as i32);
    pointer(asm, argument);
    asm.call(Helper::ReadUserString).load(Width::W8, R1, FP, ENTRY);
    asm.store(Width::W4, R1, layout::LENS as i16 + 4 * index as i16, R0);
    asm.jump_if(If::SignedLess, R0, 0, none);
    asm.jump_if(If::Greater, R0, layout::STRING as i32, none);
    asm.alu(Alu::Add, R0, 7).alu(Alu::And, R0, 0x1ff8).alu_reg(Alu::Add, R9, R0).jump(counted);
    asm.label(none).label(counted);
}

/// Copies `bytes` from where `argument` points to, zeroes where it points nowhere.
fn words(asm: &mut Asm, argument: usize, bytes: i32) {
    target(asm, R1);
    asm.set(R2, bytes);
    pointer(asm, argument);
    asm.call(Helper::ReadUser).alu(Alu::Add, R9, bytes);
}

/// The lock of those requests of `fcntl` that have one.
fn lock(asm: &mut Asm) {
    let requests = [libc::F_GETLK, libc::F_SETLK, libc::F_SETLKW];
    let of_files = [libc::F_OFD_GETLK, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
    asm.load(Width::W8, R4, R0, register(layout::ARGUMENTS[1]));
    for request in requests.into_iter().chain(of_files) {
        asm.jump_if(If::Equal, R4, request, "lock");
    }
    asm.jump("data").label("lock");
    words(asm, 2, 32);
    asm.jump("data");
}

/// `to` = where the next data of the entry goes.
fn target(asm: &mut Asm, to: Reg) {
    asm.load(Width::W8, to, FP, ENTRY).alu(Alu::Add, to, layout::DATA as i32);
    asm.alu_reg(Alu::Add, to, R9);
}

/// `r3` = what `argument` was.
fn pointer(asm: &mut Asm, argument: usize) {
    asm.load(Width::W8, R3, FP, ENTRY);
    asm.load(Width::W8, R3, R3, register(layout::ARGUMENTS[argument]));
}
