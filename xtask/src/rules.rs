//! One rule a file. A rule reads the tree and returns problems; each has a test on which it fails.

pub(crate) mod arrows;
pub(crate) mod comments;
pub(crate) mod cycles;
pub(crate) mod dependencies;
pub(crate) mod functions;
pub(crate) mod links;
pub(crate) mod orphans;
pub(crate) mod outputs;
pub(crate) mod prints;
pub(crate) mod raw_disks;
pub(crate) mod registries;
pub(crate) mod rooms;
pub(crate) mod safety;
pub(crate) mod threats;
pub(crate) mod truth;
pub(crate) mod untested;
pub(crate) mod wording;
pub(crate) mod words;

use crate::{lexer, tree::File};

/// The first line of `file` with `any` of these, outside tests.
fn line_with(file: &File, any: &[&str]) -> Option<usize> {
    if is_test_file(&file.path) {
        return None;
    }
    let code = lexer::code(&file.text);
    let found =
        without_tests(&code).lines().position(|line| any.iter().any(|one| line.contains(one)));
    found.map(|line| line + 1)
}

/// Whether all of the file is test code.
fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// Code of a file up to its `#[cfg(test)] mod tests {`, which rustfmt leaves at its end.
fn without_tests(code: &str) -> &str {
    let inline = |&(at, _): &(usize, &str)| {
        code[at..].trim_start_matches("#[cfg(test)]").trim_start().contains("mod tests {")
    };
    code.match_indices("#[cfg(test)]\n").find(inline).map_or(code, |(at, _)| &code[..at])
}
