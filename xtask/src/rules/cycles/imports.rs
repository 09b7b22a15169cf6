//! Parses the imports of a Rust file: its `use` trees, and paths that start at the crate or at a parent.

/// A path that is used, with the name by which it is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// Line, from 1.
    pub(super) line: usize,
    /// As `["crate", "fs", "Part"]`; the last is `*` for all that a module has.
    pub(super) path: Vec<String>,
    pub(super) name: String,
    /// Whether it is of a `use`, and so gives a name to others, too.
    pub(super) is_use: bool,
}

/// All imports of `code`, which has neither comments nor literals.
pub(super) fn imports(code: &str) -> Vec<Import> {
    let tokens = tokens(code);
    let (mut all, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let is_path = |at: usize| {
            matches!(tokens[at].1, "crate" | "super") && text(&tokens, at + 1) == Some("::")
        };
        let is_inner = at > 0 && matches!(tokens[at - 1].1, "::" | "$");
        let is_use = tokens[at].1 == "use";
        if is_use || (is_path(at) && !is_inner) {
            let line = tokens[at].0;
            let mut found = Vec::new();
            let begin = at + usize::from(is_use);
            at = tree(&tokens, begin, &[], &mut found).max(at + 1);
            let import = |(path, name)| Import { line, path, name, is_use };
            all.extend(found.into_iter().map(import));
        } else {
            at += 1;
        }
    }
    all
}

type Token<'c> = (usize, &'c str);

/// Reads one tree from `at` on, after `prefix`. Returns where it ends.
fn tree(
    tokens: &[Token<'_>],
    mut at: usize,
    prefix: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let mut path = prefix.to_vec();
    while let Some(token) = text(tokens, at) {
        if token == "{" {
            at += 1;
            while text(tokens, at).is_some_and(|token| token != "}") {
                let end = tree(tokens, at, &path, found);
                at = end.max(at + 1) + usize::from(text(tokens, end) == Some(","));
            }
            return at + 1;
        }
        if token != "*" && !is_word(token) {
            break;
        }
        path.push(token.into());
        at += 1;
        if text(tokens, at) != Some("::") {
            break;
        }
        at += 1;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    let Some(mut name) = path.last().cloned() else { return at };
    if text(tokens, at) == Some("as") {
        name = text(tokens, at + 1).unwrap_or_default().into();
        at += 2;
    }
    found.push((path, name));
    at
}

fn text<'c>(tokens: &[Token<'c>], at: usize) -> Option<&'c str> {
    tokens.get(at).map(|(_, text)| *text)
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Words, `::`, and single signs, each with its line.
fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let in_word = |c: char| c.is_alphanumeric() || c == '_';
            let len = match first {
                _ if in_word(first) => rest.find(|c| !in_word(c)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            all.push((number + 1, &rest[..len]));
            rest = rest[len..].trim_start();
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(code: &str) -> Vec<String> {
        let all = imports(code).into_iter();
        all.map(|import| format!("{} {}", import.path.join("::"), import.name)).collect()
    }

    #[test]
    fn trees_are_taken_apart() {
        let code = "use crate::{\n    A, a::{self, B as C},\n    b::*,\n};\nuse std::fs;\n";
        let all = ["crate::A A", "crate::a a", "crate::a::B C", "crate::b::* *", "std::fs fs"];
        assert_eq!(paths(code), all);
    }

    #[test]
    fn paths_in_code_are_found() {
        let code = "pub(crate) fn f(x: super::X) { crate::a::go::<u8>(x); $crate::b!() }";
        assert_eq!(paths(code), ["super::X X", "crate::a::go go"]);
        assert_eq!(imports("\n\nsuper::super::a();")[0].line, 3);
    }
}
