//! The kinds of tests that a declaration can name: one file each, with its settings, its work and
//! its page, one `mod` line and one line of [`KINDS`].

mod app;
mod crash;
mod files;
mod io;
mod log;
mod pages;
mod sqlite;
mod trace;
mod tree;

pub use crate::kind::Kind;
pub(crate) use crate::kind::{Defaults, Head, scaled, settings};

/// Every kind.
pub static KINDS: &[&Kind] = &[
    &app::KIND,
    &crash::KIND,
    &files::KIND,
    &io::KIND,
    &log::KIND,
    &pages::KIND,
    &sqlite::KIND,
    &trace::KIND,
    &tree::KIND,
];

/// The kind called `name`.
pub(crate) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// The names of all kinds.
pub(crate) fn names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}
