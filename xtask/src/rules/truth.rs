//! The page of truth carries each promise that the README makes on its figures, word for word, and no other: a
//! promise without its proof is taken out, a proof without its promise is stale.

use crate::{problem::Problem, tree::Tree};
use std::collections::BTreeSet;

/// The page.
const PAGE: &str = "docs/truth.md";
/// Where the promises are made.
const README: &str = "README.md";
/// The section of them.
const SECTION: &str = "\n## Why the numbers can be trusted\n";

/// Promises that are on one of the two alone.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let (Some(readme), Some(page)) = (tree.file(README), tree.file(PAGE)) else {
        return Vec::new();
    };
    let Some((_, section)) = readme.text.split_once(SECTION) else {
        return vec![Problem::file(README, format!("has no section `{}`", SECTION.trim()))];
    };
    let section = section.split("\n## ").next().unwrap_or_default();
    let (made, proven) = (paragraphs(section, "- ", "  "), paragraphs(&page.text, "> ", "> "));
    let unproven = made.difference(&proven).map(|promise| {
        Problem::file(README, format!("promises \"{promise}\", which {PAGE} does not quote"))
    });
    let stale = proven.difference(&made).map(|promise| {
        Problem::file(PAGE, format!("quotes \"{promise}\", which {README} does not promise"))
    });
    unproven.chain(stale).collect()
}

/// What begins with `first` and goes on with `next`, each in one line.
fn paragraphs(text: &str, first: &str, next: &str) -> BTreeSet<String> {
    let mut all: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let begun = line.strip_prefix(first).filter(|_| !is_open || first != next);
        if let Some(rest) = begun {
            all.push(rest.trim().into());
            is_open = true;
        } else if let Some(rest) = line.strip_prefix(next).filter(|_| is_open) {
            let open = all.pop().unwrap_or_default();
            all.push(format!("{open} {}", rest.trim()));
        } else {
            is_open = false;
        }
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn problems(bullets: &str, quotes: &str) -> Vec<Problem> {
        let readme =
            format!("# assay\n{SECTION}\n{bullets}\n[docs](docs)\n\n## Safety\n\n- else\n");
        check(&tree(&[(README, readme.as_str()), (PAGE, quotes)]))
    }

    #[test]
    fn a_promise_that_is_quoted_is_proven_however_its_lines_break() {
        let bullets = "- Cold is\n  proven.\n- Data is seeded.\n";
        let quotes =
            "# Truth\n\n> Cold\n> is proven.\n\nBy this.\n\n> Data is seeded.\n\nBy that.\n";
        assert_eq!(problems(bullets, quotes), []);
    }

    #[test]
    fn a_promise_without_proof_and_a_proof_without_promise_are_found() {
        let unproven = "promises \"Cold is proven.\", which docs/truth.md does not quote";
        let stale = "quotes \"Cold is sure.\", which README.md does not promise";
        assert_eq!(
            problems("- Cold is proven.\n", "> Cold is sure.\n"),
            [Problem::file(README, unproven), Problem::file(PAGE, stale)]
        );
    }

    #[test]
    fn a_readme_without_the_section_is_found() {
        let found = check(&tree(&[(README, "# assay\n"), (PAGE, "> a\n")]));
        assert_eq!(found.len(), 1);
    }
}
