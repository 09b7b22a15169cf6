//! The kernel's own description of its types (BTF): ids of tracepoints, and where fields are.

use super::bpf::BpfError;
use std::fs;

/// Where the kernel keeps it.
const PLACE: &str = "/sys/kernel/btf/vmlinux";

const POINTER: u32 = 2;
const STRUCT: u32 = 4;
const TYPEDEF: u32 = 8;

/// A parsed description.
pub(super) struct Btf {
    bytes: Vec<u8>,
    /// Where each type begins, from type 1 on.
    types: Vec<usize>,
    strings: usize,
}

impl Btf {
    /// That of the running kernel; `None` where it has none.
    pub(super) fn of_kernel() -> Option<Btf> {
        Btf::parse(fs::read(PLACE).ok()?)
    }

    fn parse(bytes: Vec<u8>) -> Option<Btf> {
        let word = |at: usize| word(&bytes, at);
        if word(0)? & 0xffff != 0xeb9f {
            return None;
        }
        let head = word(4)? as usize;
        let (begin, len) = (head + word(8)? as usize, word(12)? as usize);
        let strings = head + word(16)? as usize;
        let end = begin.checked_add(len).filter(|end| *end <= bytes.len())?;
        let mut types = Vec::new();
        let mut at = begin;
        while at < end {
            types.push(at);
            let info = word(at + 4)?;
            at += 12 + extra_bytes(info >> 24 & 0x1f, (info & 0xffff) as usize)?;
        }
        Some(Btf { types, strings, bytes })
    }

    /// The id by which a typed program is attached to the tracepoint `name`.
    pub(super) fn tracepoint(&self, name: &str) -> Result<u32, BpfError> {
        let typedef = format!("btf_trace_{name}");
        let found = self.types.iter().position(|at| self.is(*at, TYPEDEF, typedef.as_bytes()));
        found.map(|index| index as u32 + 1).ok_or(BpfError::Unknown(typedef))
    }

    /// Whether argument `index` of the tracepoint `name` points to a structure.
    pub(super) fn is_structure(&self, name: &str, index: usize) -> Result<bool, BpfError> {
        let typedef = self.tracepoint(name)?;
        // A pointer to a function, whose first argument is the tracepoint's own.
        let function = self.target(typedef).and_then(|pointer| self.target(pointer));
        let argument = function.and_then(|function| {
            let at = *self.types.get(function as usize - 1)?;
            let count = word(&self.bytes, at + 4)? & 0xffff;
            let is_there = index + 1 < count as usize;
            is_there.then(|| word(&self.bytes, at + 12 + 8 * (index + 1) + 4))?
        });
        let unknown = || BpfError::Unknown(format!("argument {index} of {name}"));
        let argument = argument.ok_or_else(unknown)?;
        let kind = |id: u32| self.kind(*self.types.get((id as usize).checked_sub(1)?)?);
        Ok(kind(argument) == Some(POINTER) && self.target(argument).and_then(kind) == Some(STRUCT))
    }

    /// What a typedef or pointer leads to.
    fn target(&self, id: u32) -> Option<u32> {
        word(&self.bytes, self.types.get((id as usize).checked_sub(1)?)? + 8)
    }

    fn kind(&self, at: usize) -> Option<u32> {
        word(&self.bytes, at + 4).map(|info| info >> 24 & 0x1f)
    }

    /// Where the field `member` of the structure `name` is, bytes.
    pub(super) fn offset(&self, name: &str, member: &str) -> Result<i16, BpfError> {
        let mut all = self.types.iter().filter(|at| self.is(**at, STRUCT, name.as_bytes()));
        all.find_map(|at| self.member(*at, member.as_bytes()))
            .ok_or_else(|| BpfError::Unknown(format!("{name}.{member}")))
    }

    fn member(&self, at: usize, name: &[u8]) -> Option<i16> {
        let info = word(&self.bytes, at + 4)?;
        let has_bit_fields = info >> 31 == 1;
        (0..(info & 0xffff) as usize).map(|i| at + 12 + 12 * i).find_map(|member| {
            let bits = word(&self.bytes, member + 8)?;
            let bits = if has_bit_fields { bits & 0xff_ffff } else { bits };
            (self.name(member)? == name).then(|| i16::try_from(bits / 8).ok())?
        })
    }

    fn is(&self, at: usize, kind: u32, name: &[u8]) -> bool {
        self.kind(at) == Some(kind) && self.name(at) == Some(name)
    }

    fn name(&self, at: usize) -> Option<&[u8]> {
        let text = self.bytes.get(self.strings + word(&self.bytes, at)? as usize..)?;
        text.split(|b| *b == 0).next()
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Bytes that follow the head of a type.
fn extra_bytes(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        // A number, a variable, a tag.
        1 | 14 | 17 => 4,
        // An array.
        3 => 12,
        // A structure, a union, a section, an enumeration of 64 bits.
        4 | 5 | 15 | 19 => 12 * members,
        // An enumeration, a function's parameters.
        6 | 13 => 8 * members,
        2 | 7..=12 | 16 | 18 => 0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_description_is_none() {
        assert!(Btf::parse(vec![]).is_none());
        assert!(
            Btf::parse(vec![0x9f, 0xeb, 1, 0, 24, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0]).is_none()
        );
    }

    #[test]
    fn running_kernel_describes_its_tracepoints() {
        let Some(btf) = Btf::of_kernel() else {
            return needs::skip(needs::Need::Other, "the kernel has no BTF");
        };
        assert!(btf.tracepoint("sys_enter").unwrap() > 0);
        assert!(btf.tracepoint("no_such_point").is_err());
        assert!(btf.offset("task_struct", "tgid").unwrap() > 0);
        assert!(btf.is_structure("sys_enter", 0).unwrap(), "struct pt_regs *");
        assert!(!btf.is_structure("sys_enter", 1).unwrap(), "long");
        assert!(btf.is_structure("sys_enter", 2).is_err());
    }
}
