//! The list of rules, and the test by which `cargo test` enforces them.

use crate::{
    rules::{
        arrows, comments, functions, links, orphans, prints, raw_disks, registries, safety,
        threats, truth, words,
    },
    tree::Tree,
};
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

const RULES: &[fn(&Tree) -> Vec<Problem>] = &[
    arrows::check,
    comments::check,
    functions::check,
    links::check,
    orphans::check,
    prints::check,
    raw_disks::check,
    registries::check,
    safety::check,
    threats::check,
    truth::check,
    words::check,
];

/// Every problem of the repository, rule by rule.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    RULES.iter().flat_map(|rule| rule(tree)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let problems = check(&Tree::read(&crate::root()).unwrap());
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
    }

    #[test]
    fn a_problem_names_its_line() {
        assert_eq!(Problem::line("a.rs", 7, "why").to_string(), "a.rs:7: why");
        assert_eq!(Problem::file("a.rs", "why").to_string(), "a.rs: why");
    }
}
