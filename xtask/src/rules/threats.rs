//! The pages of threats and of truth name the tests that hold what they say; one that does not exist holds nothing.

use crate::{problem::Problem, tree::Tree};

/// The pages.
const PAGES: [&str; 2] = ["docs/threats.md", "docs/truth.md"];
/// Shorter words in backquotes are commands or files.
const SHORTEST: usize = 12;

/// Names of tests on the pages that no source file has.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    PAGES.iter().flat_map(|page| missing(tree, page)).collect()
}

fn missing(tree: &Tree, path: &str) -> Vec<Problem> {
    let Some(page) = tree.file(path) else { return Vec::new() };
    let is_there = |name: &str| {
        let definition = format!("fn {name}(");
        let listed = format!("{name},");
        tree.rust().any(|file| file.text.contains(&definition) || file.text.contains(&listed))
    };
    let named = page.text.split('`').skip(1).step_by(2);
    let is_test = |name: &&str| {
        name.len() >= SHORTEST
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    named
        .filter(is_test)
        .filter(|name| !is_there(name))
        .map(|name| Problem::file(path, format!("names the test `{name}`, which does not exist")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_test_that_is_gone_is_found() {
        let page = "| a | `x.rs`: `what_is_there_holds`, `what_is_gone_holds`, `--unconfined` |\n";
        for path in PAGES {
            let files = [(path, page), ("x.rs", "fn what_is_there_holds() {}")];
            let why = "names the test `what_is_gone_holds`, which does not exist";
            assert_eq!(check(&tree(&files)), [Problem::file(path, why)]);
        }
    }
}
