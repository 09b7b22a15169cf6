//! The two variants of the programs.

use std::fs;

/// How programs see the arguments of tracepoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With their types, which needs the kernel's BTF.
    Typed,
    /// As numbers.
    Plain,
}

impl Form {
    /// The better one that this kernel has.
    pub fn of_kernel() -> Form {
        if fs::exists("/sys/kernel/btf/vmlinux").unwrap_or(false) {
            Form::Typed
        } else {
            Form::Plain
        }
    }
}
