//! The recorded file-system calls of an application: their types, and what the disk held when the recording began.
//!
//! A trace speaks of *handles*, not of descriptors, and of *paths below roots*, not of absolute names: whoever records
//! resolves both once, so that a replay opens nothing outside its own directory. No process, no clock.

pub mod call;
pub mod file;
pub mod header;
pub mod path;
pub mod start;
pub mod summary;
