//! Code shared by several file systems.

pub(crate) mod fuse_over;
pub(crate) mod lvm;
pub(crate) mod mapped;
pub(crate) mod md;
pub(crate) mod zerofs;
