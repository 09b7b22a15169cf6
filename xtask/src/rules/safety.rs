//! `unsafe` lives in four crates, and each use says why it is sound.

use crate::{
    lexer,
    problem::Problem,
    tree::{File, Tree},
};

const HOMES: [&str; 4] = ["crates/engine/", "crates/disk/", "crates/lab/", "crates/record/"];

/// Uses of `unsafe` in other crates, and uses without a reason.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust().flat_map(uses).collect()
}

fn uses(file: &File) -> Vec<Problem> {
    let code = lexer::code(&file.text);
    let at_home = HOMES.iter().any(|home| file.path.starts_with(home));
    let lines: Vec<&str> = file.text.lines().collect();
    code.lines()
        .enumerate()
        .filter(|(_, line)| lexer::has_word(line, "unsafe"))
        .filter_map(|(i, _)| {
            let what = if !at_home {
                "`unsafe` belongs in crates/engine, crates/disk, crates/lab or crates/record; move it there"
            } else if !has_reason(&lines[..=i]) {
                "say in a `// SAFETY:` comment above why this is sound"
            } else {
                return None;
            };
            Some(Problem::line(&file.path, i + 1, what))
        })
        .collect()
}

/// Whether the comment above the statement that ends at the last of `lines` gives a reason.
fn has_reason(lines: &[&str]) -> bool {
    let reason = |line: &str| line.contains("SAFETY:") || line.contains("# Safety");
    let Some((last, above)) = lines.split_last() else { return false };
    if reason(last) {
        return true;
    }
    let mut in_statement = true;
    for line in above.iter().rev().map(|line| line.trim()) {
        let comment = line.starts_with("//");
        if comment && reason(line) {
            return true;
        }
        in_statement &= !comment && !line.ends_with([';', '{', '}', ',']);
        if !comment && !in_statement && !line.starts_with("#[") {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const BARE: &str = "fn a() {\n    b();\n    unsafe { c() }\n}\n";

    #[test]
    fn unsafe_elsewhere_is_found() {
        let reason = "// SAFETY: it is.\nunsafe { c() }\n";
        assert_eq!(check(&tree(&[("crates/stats/src/a.rs", reason)])).len(), 1);
        assert_eq!(check(&tree(&[("crates/lab/src/a.rs", reason)])), []);
    }

    #[test]
    fn unsafe_without_a_reason_is_found() {
        let found = check(&tree(&[("crates/engine/src/a.rs", BARE)]));
        let what = "say in a `// SAFETY:` comment above why this is sound";
        assert_eq!(found, [Problem::line("crates/engine/src/a.rs", 3, what)]);
    }

    #[test]
    fn a_reason_may_stand_above_the_statement() {
        for text in [
            "// SAFETY: a\n// b\nunsafe { c() }",
            "// SAFETY: a\nlet x =\n    unsafe { c() };",
            "// SAFETY: a\n#[inline]\nunsafe { c() }",
            "/// # Safety\n/// The caller\npub unsafe fn a() {",
            "#![allow(unsafe_code)]\n// unsafe in words",
        ] {
            assert_eq!(check(&tree(&[("crates/engine/src/a.rs", text)])), [], "{text}");
        }
        let far = "// SAFETY: a\nlet x = unsafe { c() };\nlet y = unsafe { d() };";
        assert_eq!(check(&tree(&[("crates/engine/src/a.rs", far)])).len(), 1);
    }
}
