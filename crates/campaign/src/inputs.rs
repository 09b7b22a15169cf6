//! Finds and reads what a user names: files, assets of suites, and suites and tests by their names.

pub mod assets;
pub mod catalogue;
pub mod file;
mod traces;
