//! Code shared by several file systems.

pub(crate) mod fuse_over;
pub(crate) mod zerofs;
