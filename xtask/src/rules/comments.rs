//! Each Rust file says what it is for before anything else, and stays small enough to be read; so do the lines of
//! comments, which rustfmt leaves as they are.

use crate::{
    problem::Problem,
    tree::{File, Tree},
};

/// Longest source file, lines, tests included.
const LINES_MAX: usize = 500;

/// Longest line of a comment, characters.
const COLUMNS_MAX: usize = 120;

const SOURCES: [&str; 4] = [".rs", ".py", ".sh", ".c"];

/// Files that do not open with `//!`, and files that have grown too long.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let silent = tree
        .rust()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| Problem::file(&file.path, "open the file with `//! ` and what it is for"));
    silent.chain(tree.files.iter().filter_map(too_long)).chain(tree.rust().flat_map(wide)).collect()
}

fn wide(file: &File) -> impl Iterator<Item = Problem> {
    let is_wide =
        |line: &str| line.trim_start().starts_with("//") && line.chars().count() > COLUMNS_MAX;
    let lines = file.text.lines().zip(1..).filter(move |(line, _)| is_wide(line));
    lines.map(|(_, number)| {
        Problem::line(
            &file.path,
            number,
            format!("a comment wider than {COLUMNS_MAX} columns; break it"),
        )
    })
}

fn too_long(file: &File) -> Option<Problem> {
    let lines = file.text.lines().count();
    let source = SOURCES.iter().any(|end| file.path.ends_with(end));
    (source && lines > LINES_MAX).then(|| {
        Problem::file(&file.path, format!("{lines} lines; split it, {LINES_MAX} is the limit"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_file_without_an_opening_is_found() {
        assert_eq!(check(&tree(&[("a.rs", "//! Why.\n"), ("b.md", "text")])), []);
        assert_eq!(check(&tree(&[("a.rs", "// Why.\n")])).len(), 1);
    }

    #[test]
    fn a_comment_that_is_too_wide_is_found() {
        let wide = format!("//! Why.\n    // {}\n", "a ".repeat(COLUMNS_MAX / 2));
        assert_eq!(check(&tree(&[("a.rs", &wide)])).len(), 1);
        let code = format!("//! Why.\nlet a = \"{}\";\n", "a".repeat(COLUMNS_MAX));
        assert_eq!(check(&tree(&[("a.rs", &code)])), []);
    }

    #[test]
    fn a_file_that_is_too_long_is_found() {
        let long = format!("//! Why.\n{}", "\n".repeat(LINES_MAX));
        assert_eq!(check(&tree(&[("a.rs", &long)])).len(), 1);
        assert_eq!(check(&tree(&[("a.rs", &long[..LINES_MAX]), ("a.csv", &long)])), []);
    }
}
