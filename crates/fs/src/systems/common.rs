//! What several file systems have in common.

pub(crate) mod fuse_over;
pub(crate) mod zerofs;
