//! A link from one page to another, or to a source file, leads somewhere.

use crate::{
    problem::Problem,
    tree::{File, Tree},
};

/// Relative links of Markdown pages to files that are not there.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let pages = tree.files.iter().filter(|file| file.path.ends_with(".md"));
    pages.flat_map(|page| broken(page, tree)).collect()
}

fn broken(page: &File, tree: &Tree) -> Vec<Problem> {
    let (mut problems, mut fenced) = (Vec::new(), false);
    for (i, line) in page.text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let Some(end) = line[at..].find(')').filter(|_| !in_code(&line[..at])) else {
                continue;
            };
            let link = &line[at + 2..at + end];
            let outside = link.starts_with('#') || link.contains("://");
            if !outside && !exists(tree, &target(&page.path, link)) {
                problems.push(Problem::line(&page.path, i + 1, format!("`{link}` leads nowhere")));
            }
        }
    }
    problems
}

/// Whether what follows `before` on its line is code: `nfs[vers=3](xfs)` names a target and links to nothing.
fn in_code(before: &str) -> bool {
    before.matches('`').count() % 2 == 1
}

/// Where a link of the page at `from` leads, from the root of the repository.
fn target(from: &str, link: &str) -> String {
    let file = link.split('#').next().unwrap_or(link);
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn exists(tree: &Tree, path: &str) -> bool {
    let folder = format!("{path}/");
    tree.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_target_with_options_is_no_link() {
        let page = "on `ext4`, `nfs[vers=3](xfs)` and [`code`](gone.md)\n```\n--on nfs[vers=3](xfs)\n```\n";
        assert_eq!(
            check(&tree(&[("a.md", page)])),
            [Problem::line("a.md", 1, "`gone.md` leads nowhere")]
        );
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let page = "[a](b.md#part) [c](../src/c.rs) [d](https://d.example) [e](#e) [f](../src)\n[g](g.md)\n";
        let files = [("docs/a.md", page), ("docs/b.md", ""), ("src/c.rs", "")];
        assert_eq!(check(&tree(&files)), [Problem::line("docs/a.md", 2, "`g.md` leads nowhere")]);
    }
}
