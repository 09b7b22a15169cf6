//! Distinguishes what this program created from everything else: marks, private directories, the state folder, and the
//! list of what must be torn down.

pub(crate) mod beneath;
pub(crate) mod mark;
pub(crate) mod private_dir;
pub(crate) mod state;
pub(crate) mod undo;
pub(crate) mod user;

pub use state::State;
pub use undo::Undo;
