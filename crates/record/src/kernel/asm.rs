//! An assembler for eBPF: instructions are values, jumps go to labels.
//!
//! The programs of the recorder are Rust functions that call these methods; the kernel gets code that is assembled at
//! run time from this source.

use std::os::fd::{AsRawFd, BorrowedFd};

/// A register: `R0` is the result, `R1` to `R5` are arguments and lost by calls, `FP` is the end of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reg(pub(super) u8);

pub(super) const R0: Reg = Reg(0);
pub(super) const R1: Reg = Reg(1);
pub(super) const R2: Reg = Reg(2);
pub(super) const R3: Reg = Reg(3);
pub(super) const R4: Reg = Reg(4);
pub(super) const R6: Reg = Reg(6);
pub(super) const R7: Reg = Reg(7);
pub(super) const R8: Reg = Reg(8);
pub(super) const R9: Reg = Reg(9);
pub(super) const FP: Reg = Reg(10);

/// Bytes of a load or store.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum Width {
    W4 = 0x00,
    W8 = 0x18,
}

/// Arithmetic on 64 bits.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum Alu {
    Add = 0x00,
    Sub = 0x10,
    Or = 0x40,
    And = 0x50,
    Left = 0x60,
    Right = 0x70,
    Move = 0xb0,
}

/// When to jump; comparisons are unsigned unless they say otherwise.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum If {
    Equal = 0x10,
    Greater = 0x20,
    NotEqual = 0x50,
    Less = 0xa0,
    SignedLess = 0xc0,
}

/// Functions of the kernel that programs call, by their numbers in `linux/bpf.h`.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub(super) enum Helper {
    LookUp = 1,
    /// Since 4.1; 5.5 has it for kernel addresses under another number, and keeps this one on x86.
    ProbeRead = 4,
    Clock = 5,
    Processor = 8,
    PidTgid = 14,
    ReadUser = 112,
    ReadUserString = 114,
}

/// One instruction as the kernel takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Insn {
    code: u8,
    registers: u8,
    offset: i16,
    immediate: i32,
}

/// A program that is being assembled.
#[derive(Default)]
pub(super) struct Asm {
    code: Vec<Insn>,
    labels: Vec<(&'static str, usize)>,
    jumps: Vec<(&'static str, usize)>,
}

impl Asm {
    fn push(&mut self, code: u8, to: Reg, from: Reg, offset: i16, immediate: i32) -> &mut Self {
        self.code.push(Insn { code, registers: to.0 | from.0 << 4, offset, immediate });
        self
    }

    pub(super) fn alu(&mut self, op: Alu, to: Reg, by: i32) -> &mut Self {
        self.push(op as u8 | 0x07, to, R0, 0, by)
    }

    pub(super) fn alu_reg(&mut self, op: Alu, to: Reg, from: Reg) -> &mut Self {
        self.push(op as u8 | 0x0f, to, from, 0, 0)
    }

    pub(super) fn set(&mut self, to: Reg, value: i32) -> &mut Self {
        self.alu(Alu::Move, to, value)
    }

    pub(super) fn copy(&mut self, to: Reg, from: Reg) -> &mut Self {
        self.alu_reg(Alu::Move, to, from)
    }

    /// `to = *(from + offset)`.
    pub(super) fn load(&mut self, width: Width, to: Reg, from: Reg, offset: i16) -> &mut Self {
        self.push(width as u8 | 0x61, to, from, offset, 0)
    }

    /// `*(to + offset) = from`.
    pub(super) fn store(&mut self, width: Width, to: Reg, offset: i16, from: Reg) -> &mut Self {
        self.push(width as u8 | 0x63, to, from, offset, 0)
    }

    /// `*(to + offset) = value`.
    pub(super) fn store_value(
        &mut self,
        width: Width,
        to: Reg,
        offset: i16,
        value: i32,
    ) -> &mut Self {
        self.push(width as u8 | 0x62, to, R0, offset, value)
    }

    /// `to = the map`.
    pub(super) fn map(&mut self, to: Reg, map: BorrowedFd) -> &mut Self {
        const FROM_MAP_FD: Reg = Reg(1);
        self.push(0x18, to, FROM_MAP_FD, 0, map.as_raw_fd());
        self.push(0, R0, R0, 0, 0)
    }

    pub(super) fn call(&mut self, helper: Helper) -> &mut Self {
        self.push(0x85, R0, R0, 0, helper as i32)
    }

    pub(super) fn exit(&mut self) -> &mut Self {
        self.push(0x95, R0, R0, 0, 0)
    }

    pub(super) fn jump(&mut self, label: &'static str) -> &mut Self {
        self.jumps.push((label, self.code.len()));
        self.push(0x05, R0, R0, 0, 0)
    }

    pub(super) fn jump_if(&mut self, when: If, a: Reg, b: i32, label: &'static str) -> &mut Self {
        self.jumps.push((label, self.code.len()));
        self.push(when as u8 | 0x05, a, R0, 0, b)
    }

    pub(super) fn jump_if_reg(
        &mut self,
        when: If,
        a: Reg,
        b: Reg,
        label: &'static str,
    ) -> &mut Self {
        self.jumps.push((label, self.code.len()));
        self.push(when as u8 | 0x0d, a, b, 0, 0)
    }

    pub(super) fn label(&mut self, label: &'static str) -> &mut Self {
        self.labels.push((label, self.code.len()));
        self
    }

    /// The program, with its jumps filled in.
    ///
    /// # Panics
    /// A jump goes to a label that is not there or too far away: a mistake in a program of ours, which its test shows.
    pub(super) fn finish(&self) -> Vec<Insn> {
        let mut code = self.code.clone();
        for (label, at) in &self.jumps {
            let target = self.labels.iter().find(|(name, _)| name == label);
            let (_, target) = target.unwrap_or_else(|| panic!("there is no label `{label}`"));
            let distance = *target as i64 - *at as i64 - 1;
            code[*at].offset = i16::try_from(distance).expect("programs are short");
        }
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_count_from_the_next_instruction() {
        let mut asm = Asm::default();
        asm.label("again").jump_if(If::Equal, R1, 7, "end").jump("again").label("end").exit();
        let code = asm.finish();
        assert_eq!(code[0], Insn { code: 0x15, registers: 1, offset: 1, immediate: 7 });
        assert_eq!(code[1], Insn { code: 0x05, registers: 0, offset: -2, immediate: 0 });
        assert_eq!(code[2], Insn { code: 0x95, ..Insn::default() });
    }

    #[test]
    fn instructions_are_those_of_the_manual() {
        let mut asm = Asm::default();
        asm.load(Width::W8, R1, R6, 8).store(Width::W4, FP, -4, R0).alu_reg(Alu::Or, R2, R3);
        let bytes = |i: &Insn| (i.code, i.registers, i.offset);
        let code: Vec<_> = asm.finish().iter().map(bytes).collect();
        assert_eq!(code, [(0x79, 0x61, 8), (0x63, 0x0a, -4), (0x4f, 0x32, 0)]);
    }
}
