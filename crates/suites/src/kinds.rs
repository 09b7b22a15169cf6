//! The kinds of tests that a declaration can name: one file each, with its settings, its work and
//! its page, one `mod` line and one line of [`KINDS`].

mod app;
mod clone;
mod column;
mod crash;
mod failed_write;
mod files;
mod flush;
mod full;
mod io;
mod log;
mod mirror;
mod pages;
mod promise;
mod prompt;
mod recorded;
mod snapshots;
mod sqlite;
mod trace;
pub mod transfer;
mod tree;
mod turned_bit;

pub use crate::kind::Kind;
pub(crate) use crate::kind::{Defaults, Head, check_count, scaled, settings};

/// Every kind.
pub static KINDS: &[&Kind] = &[
    &app::KIND,
    &clone::KIND,
    &column::KIND,
    &crash::KIND,
    &failed_write::KIND,
    &files::KIND,
    &flush::KIND,
    &full::KIND,
    &io::KIND,
    &log::KIND,
    &mirror::KIND,
    &pages::KIND,
    &promise::KIND,
    &prompt::KIND,
    &recorded::KIND,
    &snapshots::KIND,
    &sqlite::KIND,
    &trace::KIND,
    &transfer::KIND,
    &tree::KIND,
    &turned_bit::KIND,
];

/// The kind called `name`.
pub(crate) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// The names of all kinds.
pub(crate) fn names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}
