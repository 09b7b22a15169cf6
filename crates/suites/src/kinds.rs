//! The kinds of tests that a declaration can name: one file each, with its settings, its work and
//! its page, and one line in the registry below.

pub use crate::kind::Kind;
pub(crate) use crate::kind::{Defaults, Head, scaled, settings};

macro_rules! registry {
    ($($kind:ident),* $(,)?) => {
        $(mod $kind;)*

        /// Every kind.
        pub static KINDS: &[&Kind] = &[$(&$kind::KIND),*];
    };
}

registry!(app, files, io, log, pages, sqlite, tree);

/// The kind called `name`.
pub(crate) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// The names of all kinds.
pub(crate) fn names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}
