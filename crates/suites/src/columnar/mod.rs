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
mod put;
mod random;
mod read;
mod replace;
mod rewrite;
mod row;
mod settings;
mod sizes;
mod sort;
mod symbols;
mod sync;
mod tables;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use kdb::Format;
pub(crate) use tables::Tables;

use crate::{Suite, suite::Presets};
use std::borrow::Cow;

/// The tests that represent the suite when there is no time for all of it: every group, every type of test, the
/// vectors that are large enough to say something.
static CORE: [Cow<'static, str>; 21] = [
    Cow::Borrowed("columnar.write.int.small"),
    Cow::Borrowed("columnar.write.int.medium"),
    Cow::Borrowed("columnar.replace.int.small"),
    Cow::Borrowed("columnar.write.float.large"),
    Cow::Borrowed("columnar.append.int.small"),
    Cow::Borrowed("columnar.append.sym.large"),
    Cow::Borrowed("columnar.append.float.large"),
    Cow::Borrowed("columnar.openclose"),
    Cow::Borrowed("columnar.lock"),
    Cow::Borrowed("columnar.size"),
    Cow::Borrowed("columnar.mmap"),
    Cow::Borrowed("columnar.read.int.medium"),
    Cow::Borrowed("columnar.read.float.large"),
    Cow::Borrowed("columnar.reread.int.medium"),
    Cow::Borrowed("columnar.reread.float.large"),
    Cow::Borrowed("columnar.random.1m"),
    Cow::Borrowed("columnar.random.4k"),
    Cow::Borrowed("columnar.rerandom.4k"),
    Cow::Borrowed("columnar.random.mmap.64k"),
    Cow::Borrowed("columnar.sort"),
    Cow::Borrowed("columnar.attribute"),
];

/// The suite of the columnar database.
pub static COLUMNAR: Suite = Suite {
    name: Cow::Borrowed("columnar"),
    about: Cow::Borrowed(
        "What a kdb+ database does on disk: columns written, appended, amended, mapped, read at random and sorted.",
    ),
    knobs: &settings::KNOBS,
    tests: Cow::Borrowed(list::TESTS),
    procs: Vec::new(),
    presets: Presets::core(&CORE),
    pages: Vec::new(),
    assets: Vec::new(),
    text: None,
};
