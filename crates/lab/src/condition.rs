//! The condition a file system is in before it is measured: aged, full, in pieces.

pub(crate) mod age;
pub(crate) mod fullness;
pub(crate) mod layout;
