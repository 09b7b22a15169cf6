//! Finds additions without a test: a section of the report of which no test knows a word, a kind of work without tests
//! or without the declaration from which a worker makes its test again.

use crate::{problem::Problem, tree::Tree};

/// Where the sections are, and their tests.
const SECTIONS: &str = "crates/report/src/sections/";
const OF_SECTIONS: &str = "crates/report/tests/";

/// Before the title of a section.
const TITLE: &str = "fn title(&self) -> &'static str {";

/// A shorter text may be in any test.
const SHORTEST: usize = 10;

/// Where the kinds of work are.
const KINDS: &str = "crates/suites/src/kinds/";

/// Sections and kinds that nothing tests.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    sections(tree).chain(kinds(tree)).collect()
}

/// The part of `path` below `folder` up to the next `/` or `.`: a module.
fn module<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.split(['/', '.']).next()
}

/// Whether a file of module `name` of `folder` has `text`.
fn has(tree: &Tree, folder: &str, name: &str, text: &str) -> bool {
    tree.rust().any(|file| module(&file.path, folder) == Some(name) && file.text.contains(text))
}

fn sections(tree: &Tree) -> impl Iterator<Item = Problem> {
    let titled = tree.rust().filter(|file| file.path.starts_with(SECTIONS));
    titled.filter(|file| file.text.contains(TITLE)).filter_map(|file| {
        let name = module(&file.path, SECTIONS)?;
        let own = tree.rust().filter(|own| module(&own.path, SECTIONS) == Some(name));
        let own: Vec<&str> = own.map(|own| own.text.as_str()).collect();
        let own = own.concat();
        let mut tests = tree.files.iter().filter(|test| test.path.starts_with(OF_SECTIONS));
        let is_known = tests
            .any(|test| module(&test.path, OF_SECTIONS) == Some(name) || says(&own, &test.text));
        let what =
            format!("no test below {OF_SECTIONS} knows a word of this section; add {name}.rs");
        (!is_known && !own.contains("#[cfg(test)]")).then(|| Problem::file(&file.path, what))
    })
}

/// Whether `test` has a text of `section`: its title, or a longer part of what it writes.
fn says(section: &str, test: &str) -> bool {
    let (_, title) = section.split_once(TITLE).unwrap_or_default();
    let title = title.split('"').nth(1).unwrap_or_default();
    let is_titled = |before: &str| test.contains(&format!("{before}{title}"));
    let texts = section.split('"').skip(1).step_by(2);
    let mut parts = texts.flat_map(|text| text.split(['{', '}', '\\'])).map(str::trim);
    let is_in = |part: &str| part.len() >= SHORTEST && test.contains(part);
    ["\"", "## ", "<h2>"].into_iter().any(is_titled) || parts.any(is_in)
}

fn kinds(tree: &Tree) -> impl Iterator<Item = Problem> {
    let roots = tree.rust().filter_map(|file| {
        let name = module(&file.path, KINDS)?;
        let is_root = [format!("{KINDS}{name}.rs"), format!("{KINDS}{name}/mod.rs")];
        is_root.contains(&file.path).then_some((file, name))
    });
    roots.flat_map(move |(file, name)| {
        let needs = [
            (&["#[cfg(test)]"][..], "has no test; do its work once and look at `measure`"),
            (
                // A test of the lab returns it for its kind.
                &["fn declaration(&self)", "lab_test("],
                "returns no `declaration`; a worker cannot make its test again",
            ),
        ];
        let has_one = move |texts: &[&str]| texts.iter().any(|text| has(tree, KINDS, name, text));
        let missing = needs.into_iter().filter(move |(texts, _)| !has_one(texts));
        missing.map(move |(_, what)| Problem::file(&file.path, format!("`{name}` {what}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_section_that_no_test_knows_is_found() {
        let section = "fn title(&self) -> &'static str {\n        \"Waits\"\n    }";
        let path = "crates/report/src/sections/waits.rs";
        let found = |test: (&str, &str)| check(&tree(&[(path, section), test])).len();
        assert_eq!(found(("crates/report/tests/short.rs", "\"Ratios\"")), 1);
        assert_eq!(found(("crates/report/tests/short.rs", "\"Waits\"")), 0);
        assert_eq!(found(("crates/report/tests/waits.rs", "")), 0);
        assert_eq!(found(("crates/report/src/sections/waits/tests.rs", "#[cfg(test)]")), 0);
    }

    #[test]
    fn a_kind_without_tests_or_declaration_is_found() {
        let found = |text| check(&tree(&[("crates/suites/src/kinds/walk/mod.rs", text)])).len();
        assert_eq!(found("struct Walk;"), 2);
        assert_eq!(found("fn declaration(&self) -> Option<String> {}"), 1);
        assert_eq!(found("fn declaration(&self) {}\n#[cfg(test)]\nmod tests;"), 0);
        assert_eq!(found("lab_test(head, test)\n#[cfg(test)]\nmod tests;"), 0);
    }
}
