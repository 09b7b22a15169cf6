//! Fuzz targets: each takes any bytes that somebody else may give to assay, does with them what the verbs do up to
//! where the machine would be touched, and asserts what must hold of whatever was accepted. cargo-fuzz runs them for as
//! long as one likes, and `tests/damaged` a bounded number of times.
//!
//! A suite lives as long as the program ([`suites::from_text`]), so that memory grows with what is accepted.

mod bundle;
mod dataset;
mod import;
mod job;
mod journal;
mod plan;
mod recorded;
mod shown;
mod store;
mod suite;
mod target;

pub use self::{
    bundle::bundle,
    dataset::{dataset, pack},
    import::import,
    job::job,
    journal::journal,
    plan::plan,
    recorded::{strace, trace},
    store::store,
    suite::suite,
    target::{sweep, target},
};

use model::text::is_unprintable;

/// A target: whether what it was given was accepted.
///
/// # Panics
/// A promise is broken.
pub type Run = fn(&[u8]) -> bool;

/// Every target, by name.
pub const TARGETS: [(&str, Run); 12] = [
    ("target", target),
    ("sweep", sweep),
    ("plan", plan),
    ("suite", suite),
    ("job", job),
    ("journal", journal),
    ("import", import),
    ("dataset", dataset),
    ("bundle", bundle),
    ("store", store),
    ("trace", trace),
    ("strace", strace),
];

/// The text that `bytes` hold; files that are no text are refused where they are read.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Asserts that `text` does nothing to a terminal or to the order in which it is read.
fn assert_harmless(what: &str, text: &str) {
    let harm = text.chars().find(|&c| is_unprintable(c) && c != '\n' && c != '\t');
    assert_eq!(harm, None, "{what} holds it: {text:.300?}");
}
