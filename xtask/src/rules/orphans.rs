//! In a crate whose tests are a few binaries of many files, a file that none of them names would never run.

use crate::{
    problem::Problem,
    tree::{File, Tree},
};

/// Files of tests that are no binary and no module of one.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let manifests = tree.files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    manifests
        .filter(|file| file.text.contains("\nautotests = false"))
        .flat_map(|m| of(m, tree))
        .collect()
}

fn of(manifest: &File, tree: &Tree) -> Vec<Problem> {
    let tests = manifest.path.replace("Cargo.toml", "tests/");
    let files = || {
        let below = |file: &'_ &File| {
            Some(file.path.strip_prefix(&tests)?.strip_suffix(".rs")?.to_string())
        };
        tree.rust().filter_map(move |file| Some((below(&file)?, file)))
    };
    let is_flat = |name: &str| !name.contains('/');
    let is_binary = |name: &str| manifest.text.contains(&format!("name = \"{name}\""));
    let roots: Vec<&File> =
        files().filter(|(name, _)| is_binary(name)).map(|(_, file)| file).collect();
    let is_module = |name: &str| roots.iter().any(|r| r.text.contains(&format!("\nmod {name};")));
    files()
        .filter(|(name, _)| is_flat(name) && !is_binary(name) && !is_module(name))
        .map(|(_, file)| {
            Problem::file(&file.path, "is a module of no test binary, so it never runs")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_file_that_no_binary_names_is_found() {
        let manifest = "[package]\nautotests = false\n[[test]]\nname = \"e2e\"\n";
        let of = |manifest: &str| {
            check(&tree(&[
                ("crates/a/Cargo.toml", manifest),
                ("crates/a/tests/e2e.rs", "//! A.\n\nmod run;\n"),
                ("crates/a/tests/run.rs", ""),
                ("crates/a/tests/forgotten.rs", ""),
                ("crates/a/tests/common/mod.rs", ""),
            ]))
        };
        let why = "is a module of no test binary, so it never runs";
        assert_eq!(of(manifest), [Problem::file("crates/a/tests/forgotten.rs", why)]);
        assert!(of("[package]\n").is_empty());
    }
}
