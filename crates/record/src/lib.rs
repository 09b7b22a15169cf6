//! Records the file-system calls of an application, and what its disk held before.
//!
//! [`kernel`] sees the calls by eBPF programs.
#![allow(unsafe_code)]

pub mod kernel;
pub mod raw;
pub mod resolve;
