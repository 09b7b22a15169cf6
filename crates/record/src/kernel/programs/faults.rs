//! `page_fault_user` and `page_fault_kernel`: writes which address was used first, and whether for a write.
//!
//! Whether a file is mapped there is found out later: the kernel would have to look for it at each fault.

use super::{
    super::{
        asm::{Alu, Asm, If, Insn, R0, R1, R7, R8, Width},
        layout::{self, EntryKind, register},
        maps::Maps,
    },
    parts::{own_state, reserve_unless_busy, stamp},
};

/// Addresses of processes are below this power of two, with four levels of page tables.
const USER_BITS: i32 = 47;

pub(in super::super) fn fault(maps: &Maps) -> Vec<Insn> {
    let mut asm = Asm::default();
    asm.load(Width::W8, R7, R1, 0).load(Width::W8, R8, R1, 16);
    asm.copy(R1, R7).alu(Alu::Right, R1, USER_BITS).jump_if(If::NotEqual, R1, 0, "out");
    own_state(&mut asm, maps);
    reserve_unless_busy(&mut asm, maps);
    for (argument, value) in layout::ARGUMENTS.into_iter().zip([R7, R8]) {
        asm.store(Width::W8, R0, register(argument), value);
    }
    stamp(&mut asm, EntryKind::Fault, layout::FIXED as i32);
    asm.finish()
}
