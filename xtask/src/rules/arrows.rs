//! Allowed dependencies between crates: a wrong arrow is a design change, not a detail.

use crate::{problem::Problem, tree::Tree};

/// Each crate with the crates that it may depend on. Data goes one way: plan, lab, workers, store,
/// statistics, report.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("fs", &["model"]),
    // For tests alone.
    ("needs", &[]),
    ("engine", &["model", "needs"]),
    ("trace", &["model"]),
    ("faults", &["model"]),
    ("record", &["model", "trace", "needs"]),
    // Reads traces, and never the recorder, which runs as root.
    ("suites", &["model", "engine", "trace", "faults", "needs"]),
    ("disk", &["model", "fs", "needs"]),
    ("lab", &["model", "fs", "disk", "faults", "needs"]),
    ("workers", &["model", "suites", "engine", "needs"]),
    ("formats", &["model", "fs"]),
    ("store", &["model"]),
    ("stats", &["model", "fs"]),
    ("report", &["model", "stats"]),
    (
        "campaign",
        &[
            "model", "fs", "engine", "suites", "disk", "faults", "lab", "workers", "formats",
            "store", "stats", "needs",
        ],
    ),
    (
        "assay",
        &[
            "model", "fs", "engine", "trace", "record", "suites", "disk", "faults", "lab",
            "workers", "campaign", "formats", "store", "stats", "report", "needs",
        ],
    ),
    // No crate depends on the MPI crate.
    ("mpi", &["model", "engine", "lab", "workers", "campaign", "store", "assay", "needs"]),
];

/// Sections of a manifest that make an arrow; what only tests use counts too.
const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Manifests with an arrow that is not in the table.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.files
        .iter()
        .filter_map(|file| Some((file, crate_of(&file.path)?)))
        .flat_map(|(file, name)| {
            manifest(name, &file.text).into_iter().map(|what| Problem::file(&file.path, what))
        })
        .collect()
}

fn crate_of(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml").filter(|name| !name.contains('/'))
}

fn manifest(name: &str, text: &str) -> Vec<String> {
    let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| *from == name) else {
        return vec![format!("crate `{name}` has no line in xtask/src/rules/arrows.rs; add it")];
    };
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(error) => return vec![format!("not TOML: {error}")],
    };
    dependencies(&table)
        .into_iter()
        .filter(|to| ARROWS.iter().any(|(known, _)| known == to) && !allowed.contains(&to.as_str()))
        .map(|to| format!("{name} must not depend on {to}; it may know {allowed:?} alone"))
        .collect()
}

/// Names of all dependencies, those of `[target.*]` with them, as the crate folder is called.
fn dependencies(table: &toml::Table) -> Vec<String> {
    let mut names: Vec<String> = SECTIONS
        .iter()
        .filter_map(|section| table.get(*section)?.as_table())
        .flat_map(|section| section.iter().map(|(key, value)| folder(key, value)))
        .collect();
    if let Some(targets) = table.get("target").and_then(toml::Value::as_table) {
        names.extend(targets.values().filter_map(toml::Value::as_table).flat_map(dependencies));
    }
    names
}

fn folder(key: &str, value: &toml::Value) -> String {
    let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(key);
    package.strip_prefix("assay-").unwrap_or(package).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn problems(name: &str, text: &str) -> usize {
        check(&tree(&[(&format!("crates/{name}/Cargo.toml"), text)])).len()
    }

    #[test]
    fn an_arrow_that_is_not_listed_is_found() {
        assert_eq!(problems("stats", "[dependencies]\nmodel.workspace = true\n"), 0);
        assert_eq!(problems("stats", "[dependencies]\nstore.workspace = true\n"), 1);
        assert_eq!(problems("stats", "[dev-dependencies]\nengine.workspace = true\n"), 1);
        assert_eq!(problems("stats", "[target.'cfg(unix)'.dependencies]\nlab.workspace = true"), 1);
        assert_eq!(problems("model", "[dependencies]\nx = { package = \"assay-lab\" }\n"), 1);
        assert_eq!(problems("assay", "[dependencies]\nlab.workspace = true\nclap = \"4\"\n"), 0);
    }

    #[test]
    fn a_new_crate_must_be_listed() {
        assert_eq!(problems("utils", ""), 1);
        assert_eq!(problems("stats", "[dependencies"), 1);
    }
}
