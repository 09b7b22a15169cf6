//! The columnar suite: what kdb+ does on disk when the KX Nano benchmark drives it, reproduced
//! without kdb+: whole columns written, appended, amended, mapped, gathered, sorted.
//!
//! One file for each family of tests; `list` has the tests, `column` the files that they share.

mod append;
mod attribute;
mod column;
mod explain;
mod get;
mod kdb;
mod list;
mod measure;
mod meta;
mod page;
mod random;
mod read;
mod replace;
mod row;
mod settings;
mod sizes;
mod sort;
mod symbols;
mod sync;
mod write;

#[cfg(test)]
mod tests;

use crate::{Suite, suite::Presets};
use std::borrow::Cow;

/// The suite of the columnar database.
pub static COLUMNAR: Suite = Suite {
    name: Cow::Borrowed("columnar"),
    about: Cow::Borrowed(
        "What a kdb+ database does on disk: columns written, appended, amended, mapped, read at random and sorted.",
    ),
    knobs: &settings::KNOBS,
    tests: Cow::Borrowed(list::TESTS),
    procs: Vec::new(),
    presets: Presets::ALL,
    pages: Vec::new(),
    text: None,
};
