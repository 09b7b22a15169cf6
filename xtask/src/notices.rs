//! Writes the notices of everything that is linked into the program: `cargo run -p xtask -- notices`. Crates and their
//! licence texts come from `cargo metadata` and from the crates' own sources; nothing is downloaded.

use crate::root;
use anyhow::{Context, bail};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::Path,
    process::Command,
};

/// The crate whose dependencies are linked.
const PROGRAM: &str = "assay";

/// Beginnings of the names of files with terms, in capitals.
const TERMS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// What is linked and is not a crate.
const OTHERS: &str = "\
SQLite (compiled in by libsqlite3-sys)
    The authors of SQLite have dedicated its code to the public domain.

The Rust standard library
    MIT OR Apache-2.0; Copyright (c) The Rust Project Contributors. The texts of both licences are below.

The GNU C Library (linked statically)
    LGPL-2.1-or-later; Copyright (C) Free Software Foundation, Inc. and others. The program can be linked with another
    version of it: `scripts/build.sh` of the source links it with the one that is installed.
";

/// A crate that is linked.
struct Crate {
    name: String,
    version: String,
    licence: String,
    /// Text by the name of its file.
    texts: BTreeMap<String, String>,
}

/// Returns the notices as text: each crate with its licence, then each text once, with the crates that carry it.
pub(crate) fn notices() -> anyhow::Result<String> {
    let edges = "normal,no-proc-macro";
    let tree = cargo(&["tree", "--package", PROGRAM, "--edges", edges, "--prefix", "none"])?;
    let metadata = cargo(&["metadata", "--format-version", "1"])?;
    let metadata = serde_json::from_str(&metadata).context("read cargo metadata")?;
    Ok(written(&linked(&tree, &metadata)?))
}

/// What cargo answers in this repository.
fn cargo(args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("cargo").args(args).arg("--locked").current_dir(root()).output();
    let output = output.with_context(|| format!("run cargo {}", args[0]))?;
    if !output.status.success() {
        bail!("cargo {} failed: {}", args[0], String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The crates of others in the lines `name v1.2.3` of `tree`, which cargo resolved for the program alone; `metadata` is
/// of the whole workspace and says where their sources are.
fn linked(tree: &str, metadata: &Value) -> anyhow::Result<Vec<Crate>> {
    let named = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_string(), words.next()?.strip_prefix('v')?.to_string()))
    };
    let named: BTreeSet<(String, String)> = tree.lines().filter_map(named).collect();
    let text = |package: &Value, key: &str| package[key].as_str().unwrap_or_default().to_string();
    // Crates of the workspace have no source.
    let is_linked = |package: &&Value| {
        let key = (text(package, "name"), text(package, "version"));
        named.contains(&key) && !package["source"].is_null()
    };
    metadata["packages"].as_array().into_iter().flatten().filter(is_linked).map(read).collect()
}

fn read(package: &Value) -> anyhow::Result<Crate> {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_string();
    let manifest = text("manifest_path");
    let folder = Path::new(&manifest).parent().context("a manifest lies in a folder")?;
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let has_terms = TERMS.iter().any(|begin| name.to_uppercase().starts_with(begin));
        if has_terms && entry.file_type()?.is_file() {
            let text = fs::read_to_string(entry.path())
                .with_context(|| format!("read {}", entry.path().display()))?;
            texts.insert(name, text);
        }
    }
    Ok(Crate { name: text("name"), version: text("version"), licence: text("license"), texts })
}

fn written(crates: &[Crate]) -> String {
    let mut out =
        format!("What assay is linked with, and under which terms.\n\n{OTHERS}\nCrates\n");
    for Crate { name, version, licence, texts } in crates {
        let note = if texts.is_empty() { "; it ships no text of its own" } else { "" };
        let _ = writeln!(out, "    {name} {version}: {licence}{note}");
    }
    let mut carriers = BTreeMap::<&str, Vec<String>>::new();
    for one in crates {
        for (file, text) in &one.texts {
            carriers.entry(text.trim()).or_default().push(format!("{} ({file})", one.name));
        }
    }
    for (text, names) in carriers {
        let _ = write!(out, "\n{}\n{}:\n\n{text}\n", "-".repeat(78), names.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_linked_crates_of_others_are_named_and_each_text_once() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("LICENSE-MIT"), "own words\n").unwrap();
        let package = |name: &str, source: Value| {
            json!({"name": name, "version": "1.0.0", "license": "MIT", "source": source,
                "manifest_path": folder.path().join("Cargo.toml")})
        };
        let others = ["a", "b", "syn"].map(|name| package(name, "registry".into()));
        let packages: Vec<Value> =
            others.into_iter().chain([package("assay", Value::Null)]).collect();
        let tree = "assay v1.0.0 (/somewhere)\na v1.0.0\nb v1.0.0\na v1.0.0 (*)\nsyn v2.0.0\n";
        let crates = linked(tree, &json!({"packages": packages})).unwrap();
        assert_eq!(crates.iter().map(|c| &*c.name).collect::<Vec<_>>(), ["a", "b"]);
        let text = written(&crates);
        assert!(text.contains("a 1.0.0: MIT\n") && text.contains("SQLite"), "{text}");
        assert_eq!(text.matches("own words").count(), 1, "{text}");
        assert!(text.contains("a (LICENSE-MIT), b (LICENSE-MIT):"), "{text}");
    }

    #[test]
    fn notices_of_this_tree_have_the_text_of_each_licence() {
        let text = notices().unwrap();
        for part in
            ["libsqlite3-sys", "Apache License", "Permission is hereby granted", "GNU C Library"]
        {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("    proptest "), "a crate for tests is not linked");
    }
}
