//! What is ours: by which mark it is known, where it lies, and what of it must be torn down.

pub(crate) mod beneath;
pub(crate) mod mark;
pub(crate) mod private_dir;
pub(crate) mod state;
pub(crate) mod undo;
pub(crate) mod user;
