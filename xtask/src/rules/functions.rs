//! A function fits on a screen.

use crate::{lexer, problem::Problem, tree::Tree};

/// Longest function, lines, signature and closing brace included.
const LINES_MAX: usize = 70;

/// Functions that have grown too long.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .flat_map(|file| {
            functions(&lexer::code(&file.text))
                .into_iter()
                .filter(|f| f.lines > LINES_MAX)
                .map(|f| Problem::line(&file.path, f.start, f.complaint()))
                .collect::<Vec<_>>()
        })
        .collect()
}

struct Function {
    name: String,
    start: usize,
    lines: usize,
}

impl Function {
    fn complaint(&self) -> String {
        format!("fn {} has {} lines; split it, {LINES_MAX} is the limit", self.name, self.lines)
    }
}

/// Functions of formatted code. rustfmt puts the closing brace alone at the indentation of the
/// `fn`, so braces need not be counted.
fn functions(code: &str) -> Vec<Function> {
    let lines: Vec<&str> = code.lines().map(str::trim_end).collect();
    lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            let name = name_of(line)?;
            let indent = line.len() - line.trim_start().len();
            let end = body_end(&lines[at..], indent)?;
            Some(Function { name, start: at + 1, lines: end + 1 })
        })
        .collect()
}

/// The name that a line declares, when it declares a function.
fn name_of(line: &str) -> Option<String> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let qualifiers = ["pub", "const", "async", "unsafe", "extern"];
    let qualified = before.split_whitespace().all(|word| {
        qualifiers.contains(&word.split('(').next().unwrap_or(word)) || word.ends_with(')')
    });
    let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (qualified && !name.is_empty()).then_some(name)
}

/// Index of the line that closes the function; `None` for a signature alone or a body in one line.
fn body_end(lines: &[&str], indent: usize) -> Option<usize> {
    let signature_end = lines.iter().position(|line| line.contains('{') || line.ends_with(';'))?;
    if !lines[signature_end].ends_with('{') {
        return None;
    }
    let closing = format!("{}}}", " ".repeat(indent));
    lines.iter().position(|line| **line == closing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn with_body(lines: usize) -> String {
        format!(
            "//! A.\nimpl A {{\n    pub(crate) fn b(\n    ) {{\n{}    }}\n}}\n",
            "        c();\n".repeat(lines)
        )
    }

    #[test]
    fn a_long_function_is_found() {
        assert_eq!(check(&tree(&[("a.rs", &with_body(LINES_MAX - 3))])), []);
        let problems = check(&tree(&[("a.rs", &with_body(LINES_MAX - 2))]));
        assert_eq!(
            problems,
            [Problem::line("a.rs", 3, "fn b has 71 lines; split it, 70 is the limit")]
        );
    }

    #[test]
    fn signatures_and_short_bodies_are_measured_right() {
        let code = "trait A {\n    fn a();\n    fn b() {}\n    fn c() {\n    }\n}\nfn d(f: fn (u8)) {\n    x\n}\n";
        let found: Vec<(String, usize)> =
            functions(code).into_iter().map(|f| (f.name, f.lines)).collect();
        assert_eq!(found, [("c".into(), 2), ("d".into(), 3)]);
    }
}
