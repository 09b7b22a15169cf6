//! The page of dependencies names each crate of others that a manifest names, and no other: what is added is
//! justified there, what is dropped is struck.

use crate::{problem::Problem, tree::Tree};
use std::collections::BTreeSet;

/// The page.
const PAGE: &str = "docs/dependencies.md";
/// The workspace.
const ROOT: &str = "Cargo.toml";

/// Crates that are in manifests or on the page alone.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let Some(page) = tree.file(PAGE) else { return Vec::new() };
    let listed = listed(&page.text);
    let manifests = tree.files.iter().filter(|file| {
        let own = file.path.strip_prefix("crates/").is_some_and(|p| p.matches('/').count() == 1);
        own || [ROOT, "fuzz/Cargo.toml", "xtask/Cargo.toml"].contains(&&*file.path)
    });
    let manifests = manifests.filter(|file| file.path.ends_with("Cargo.toml"));
    let named: BTreeSet<String> = manifests.flat_map(|file| named(&file.text)).collect();
    let missing = named
        .difference(&listed)
        .map(|name| Problem::file(PAGE, format!("does not say what `{name}` is for; add its row")));
    let stale = listed
        .difference(&named)
        .map(|name| Problem::file(PAGE, format!("lists `{name}`, which no manifest names")));
    missing.chain(stale).collect()
}

/// First cells of the rows of the page's first table.
fn listed(page: &str) -> BTreeSet<String> {
    let rows = page.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| Some(row.split('|').nth(1)?.trim().to_string())).collect()
}

/// Crates of others in the sections of dependencies of a manifest: those with a version.
fn named(manifest: &str) -> Vec<String> {
    let table: toml::Table = manifest.parse().unwrap_or_default();
    let workspace = table.get("workspace").and_then(|workspace| workspace.as_table());
    let sections = ["dependencies", "dev-dependencies", "build-dependencies"];
    let sections = sections.iter().filter_map(|name| table.get(*name));
    let shared = workspace.and_then(|workspace| workspace.get("dependencies"));
    let entries = sections.chain(shared).filter_map(|section| section.as_table()).flatten();
    let is_foreign = |value: &toml::Value| value.is_str() || value.get("version").is_some();
    entries.filter(|(_, value)| is_foreign(value)).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const MANIFEST: &str =
        "[workspace.dependencies]\nmodel = { path = \"crates/model\" }\nserde = \"1\"\n";

    fn problems(page: &str) -> usize {
        let own = "[dependencies]\nserde.workspace = true\nio-uring = { version = \"0.7\" }\n";
        check(&tree(&[(ROOT, MANIFEST), ("crates/engine/Cargo.toml", own), (PAGE, page)])).len()
    }

    #[test]
    fn each_crate_of_others_has_a_row_and_no_other_has() {
        let head = "# Dependencies\n\n| crate | what for |\n|---|---|\n";
        let good = format!(
            "{head}| io-uring | x |\n| serde | y |\n\n| left out | |\n|---|---|\n| z | |\n"
        );
        assert_eq!(problems(&good), 0);
        assert_eq!(problems(&format!("{head}| serde | y |\n")), 1);
        assert_eq!(problems(&good.replace("| serde |", "| gone |")), 2);
    }
}
