//! Libraries return text; one file of the program prints it. So output can be tested, and a
//! measurement never waits for a terminal.

use super::{is_test_file, without_tests};
use crate::{
    lexer,
    problem::Problem,
    tree::{File, Tree},
};

/// The one file that prints.
const TERMINAL: &str = "crates/assay/src/terminal.rs";

const PRINTS: [&str; 4] = ["println!", "eprintln!", "print!", "eprint!"];

/// Prints outside the terminal file, chores, examples and tests.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust().filter(|file| must_not_print(&file.path)).flat_map(prints).collect()
}

fn must_not_print(path: &str) -> bool {
    path.starts_with("crates/")
        && path != TERMINAL
        && !is_test_file(path)
        && !path.contains("/examples/")
        // What a build script prints is for cargo.
        && !path.ends_with("/build.rs")
}

fn prints(file: &File) -> Vec<Problem> {
    let code = lexer::code(&file.text);
    without_tests(&code)
        .lines()
        .enumerate()
        .filter(|(_, line)| PRINTS.iter().any(|print| lexer::has_word(line, print)))
        .map(|(i, _)| {
            Problem::line(&file.path, i + 1, format!("return the text; only {TERMINAL} prints"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_print_in_a_library_is_found() {
        let found =
            check(&tree(&[("crates/lab/src/a.rs", "//! A.\nfn a() {\n    eprintln!();\n}\n")]));
        assert_eq!(
            found,
            [Problem::line(
                "crates/lab/src/a.rs",
                3,
                "return the text; only crates/assay/src/terminal.rs prints"
            )]
        );
    }

    #[test]
    fn the_terminal_and_tests_may_print() {
        let print = "fn a() {\n    println!();\n}\n";
        let test = format!("#[cfg(test)]\nmod tests {{\n{print}}}\n");
        for (path, text) in [
            (TERMINAL, print),
            ("crates/lab/tests/a.rs", print),
            ("crates/lab/examples/a.rs", print),
            ("xtask/src/main.rs", print),
            ("crates/lab/src/a.rs", &test),
            ("crates/lab/src/b.rs", "// println!()\nlet s = \"println!()\"; write!(s)"),
        ] {
            assert_eq!(check(&tree(&[(path, text)])), [], "{path}");
        }
    }
}
