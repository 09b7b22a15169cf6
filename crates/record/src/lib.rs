//! Records the file-system calls of an application, and what its disk held before.
//!
//! [`kernel`] sees the calls by eBPF programs, [`resolve`] turns descriptors and names into handles and paths, and
//! [`recording`] is a recording from its beginning to its end;
//! [`strace`] reads text that strace wrote. Data is never recorded.
#![allow(unsafe_code)]

mod calibrate;
mod derived;
mod descriptions;
pub mod kernel;
mod out;
mod proc;
pub mod raw;
pub mod recording;
pub mod resolve;
mod start;
pub mod strace;
