//! A problem found by a rule.

use std::fmt;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The file.
    path: String,
    /// Line from 1; 0 for the file as a whole.
    line: usize,
    /// What is wrong, and what to do.
    what: String,
}

impl Problem {
    /// A problem of a file as a whole.
    pub(crate) fn file(path: &str, what: impl Into<String>) -> Problem {
        Problem::line(path, 0, what)
    }

    /// A problem of line `line`, from 1.
    pub(crate) fn line(path: &str, line: usize, what: impl Into<String>) -> Problem {
        Problem { path: path.into(), line, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}
