//! What this machine is, and what it can do.

pub(crate) mod environment;
pub(crate) mod health;
pub(crate) mod matrix;
pub(crate) mod medium;
pub(crate) mod modules;
pub(crate) mod needs;
pub(crate) mod probe;
