//! The recorded file-system calls of an application: their types, and what the disk held when the recording began.
//!
//! A trace has *handles* instead of descriptors, and *paths below roots* instead of absolute names: the recorder
//! resolves both once, so that a replay opens nothing outside its own directory. No process, no clock.

pub mod call;
pub mod file;
pub mod header;
pub mod path;
pub mod start;
pub mod summary;
