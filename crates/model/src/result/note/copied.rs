//! The notes on text that was copied before it was imported.

use serde::{Deserialize, Serialize};

/// A change that copying made to files and that was undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// What was done.
    pub mending: Mending,
    /// The first of the files.
    pub files: Vec<String>,
    /// Number of further files.
    pub more_files: usize,
}

/// What was done to copied text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mending {
    /// UTF-16 was decoded, in which some shells write.
    Wide,
    /// Marks and blanks were removed that no tool writes: of byte order, of colours, of pages.
    Characters,
    /// A raw mail was decoded.
    QuotedPrintable,
    /// This was removed from every line.
    Prefix(String),
    /// A time was removed from every line.
    Stamp,
    /// This many blanks were removed from every line.
    Indent(usize),
    /// Blanks at the ends of lines were removed.
    Trailing,
    /// This text before the brace of a document was ignored.
    Stray(String),
    /// A run of fio was read from under this key.
    Nested(String),
    /// Lines that were broken at this width were joined.
    Wrapped(usize),
    /// This many lines before the output were ignored.
    Preamble(usize),
}
