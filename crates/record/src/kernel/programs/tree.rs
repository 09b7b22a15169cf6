//! Programs that follow the tree of processes: a new thread is recorded if its maker is.

use super::{
    super::{
        asm::{Alu, Asm, FP, Helper, If, Insn, R0, R1, R2, R3, R6, R7, R8, R9, Width},
        bpf::BpfError,
        btf::Btf,
        layout::{self, EntryKind, register},
        maps::{ENDED, IDLE, Maps},
    },
    parts::{OTHER, TID, look_up, own_state, reserve, return_zero, stamp},
};

/// Where the kernel's `struct task_struct` has what a fork is about.
#[derive(Clone, Copy)]
pub(in super::super) struct TaskFields {
    pub(super) pid: i16,
    tgid: i16,
    files: i16,
    fs: i16,
}

impl TaskFields {
    pub(in super::super) fn of(btf: &Btf) -> Result<TaskFields, BpfError> {
        let at = |member| btf.offset("task_struct", member);
        Ok(TaskFields { pid: at("pid")?, tgid: at("tgid")?, files: at("files")?, fs: at("fs")? })
    }
}

/// `sched_process_fork` with typed arguments: the parent's and the child's task.
pub(in super::super) fn fork_typed(maps: &Maps, at: TaskFields) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.copy(R6, R1);
    own_state(&mut asm, maps);
    asm.load(Width::W8, R1, R6, 8).load(Width::W4, R7, R1, at.pid);
    asm.load(Width::W8, R1, R6, 8).load(Width::W4, R8, R1, at.tgid);
    asm.set(R9, 0);
    for (field, bit, label) in [(at.files, 1, "own files"), (at.fs, 2, "own fs")] {
        asm.load(Width::W8, R1, R6, 0).load(Width::W8, R2, R1, field);
        asm.load(Width::W8, R1, R6, 8).load(Width::W8, R3, R1, field);
        asm.jump_if_reg(If::NotEqual, R2, R3, label).alu(Alu::Or, R9, bit).label(label);
    }
    write_fork(&mut asm, maps);
    asm.finish()
}

/// `sched_process_fork` as an event, which has the child's number only; byte `child_at` of the context has it.
pub(in super::super) fn fork_event(maps: &Maps, child_at: i16) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.copy(R6, R1);
    own_state(&mut asm, maps);
    asm.load(Width::W4, R7, R6, child_at).set(R8, 0).set(R9, 0);
    write_fork(&mut asm, maps);
    asm.finish()
}

/// Marks the child in `r7` and writes an entry with it, its process in `r8` and what it shares in `r9`.
fn write_fork(asm: &mut Asm, maps: &Maps) {
    asm.store(Width::W4, FP, OTHER, R7);
    look_up(asm, maps.threads.fd(), OTHER, "out");
    asm.store_value(Width::W8, R0, 0, IDLE as i32);
    reserve(asm, maps);
    let arguments = layout::ARGUMENTS.map(register);
    for (to, from) in arguments.into_iter().zip([R7, R8, R9]) {
        asm.store(Width::W8, R0, to, from);
    }
    stamp(asm, EntryKind::Fork, layout::FIXED as i32);
}

/// `sched_process_exec`: a thread that is not its process's first becomes it, and takes its number.
///
/// The old number is argument 1 where `old_at` is none, else at that byte of the event.
pub(in super::super) fn exec(maps: &Maps, old_at: Option<i16>) -> Vec<Insn> {
    let mut asm = Asm::default();
    match old_at {
        None => asm.load(Width::W8, R1, R1, 8),
        Some(at) => asm.load(Width::W4, R1, R1, at),
    };
    asm.store(Width::W4, FP, OTHER, R1).call(Helper::PidTgid).store(Width::W4, FP, TID, R0);
    look_up(&mut asm, maps.threads.fd(), OTHER, "out");
    asm.load(Width::W8, R7, R0, 0).jump_if(If::Less, R7, IDLE as i32, "out");
    asm.store_value(Width::W8, R0, 0, 0);
    look_up(&mut asm, maps.threads.fd(), TID, "out");
    asm.store(Width::W8, R0, 0, R7);
    return_zero(&mut asm);
    asm.finish()
}

/// `sched_process_exit`: the number may be given to another thread soon.
pub(in super::super) fn thread_exit(maps: &Maps) -> Vec<Insn> {
    let mut asm = Asm::default();
    own_state(&mut asm, maps);
    asm.store_value(Width::W8, R0, 0, ENDED as i32);
    reserve(&mut asm, maps);
    stamp(&mut asm, EntryKind::Exit, layout::FIXED as i32);
    asm.finish()
}
