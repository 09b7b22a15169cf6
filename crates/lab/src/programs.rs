//! Runs programs of this machine, finds them, and names the packages of those that are missing.

pub mod artifacts;
pub(crate) mod command;
#[allow(unsafe_code)]
mod inherited;
mod kernel_log;
pub(crate) mod keys;
#[allow(unsafe_code)]
mod pipe;
pub(crate) mod tool;

pub use command::{Output, Run};
pub use inherited::inherited_to_write;
pub use pipe::{Piped, pipe};
pub use tool::{how_to_install_kernel, install, is_installed};
