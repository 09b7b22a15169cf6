//! Builds the test binaries, by cargo, and says which units they hold.

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A built test binary.
#[derive(Clone, Debug)]
pub(super) struct Binary {
    /// `CRATE/TARGET`, as `lab/claim`; `lab/lib` for the unit tests of a library.
    name: String,
    /// The program.
    pub(super) program: PathBuf,
    /// The folder of its crate, in which cargo would start it.
    pub(super) package: PathBuf,
}

/// What is run and timed at once.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// That of its binary, with the module.
    pub(super) name: String,
    /// Where its tests are.
    pub(super) binary: Binary,
    /// Arguments of the binary: which tests to run, or to leave to another unit.
    pub(super) args: Vec<String>,
    /// Whether it is a long part of a binary of quick tests.
    pub(super) is_long: bool,
}

impl Unit {
    /// Whether it is `name`, or a module of it.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.name == name || self.binary.name == name
    }
}

#[cfg(test)]
impl Unit {
    /// One that cannot be started.
    pub(super) fn stub(name: &str) -> Unit {
        let binary = Binary { name: name.into(), program: PathBuf::new(), package: PathBuf::new() };
        Unit { name: name.into(), binary, args: Vec::new(), is_long: false }
    }
}

/// All test binaries of the workspace at `root`.
pub(super) fn build(root: &Path) -> anyhow::Result<Vec<Binary>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--workspace", "--locked", "--lib", "--bins", "--tests", "--no-run"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "cargo failed");
    let text = String::from_utf8(output.stdout)?;
    let mut found: Vec<Binary> = Vec::new();
    for line in text.lines() {
        found.extend(binary(&serde_json::from_str(line).context("a message of cargo")?));
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The test binary that a message of cargo tells of.
fn binary(message: &Value) -> Option<Binary> {
    let is_test = message["profile"]["test"].as_bool()?;
    let program = message["executable"].as_str().filter(|_| is_test)?;
    let package = Path::new(message["manifest_path"].as_str()?).parent()?;
    let target = &message["target"];
    let target = match target["kind"][0].as_str()? {
        "lib" => "lib",
        "bin" => "main",
        _ => target["name"].as_str()?,
    };
    let name = format!("{}/{target}", package.file_name()?.to_str()?);
    Some(Binary { name, program: program.into(), package: package.into() })
}

/// Each binary, or each module of those called in `modules`; of each of `long`, a binary and what names of its
/// tests begin with, those tests apart from the others.
pub(super) fn units(
    binaries: &[Binary],
    modules: &[&str],
    long: &[(&str, &str)],
) -> anyhow::Result<Vec<Unit>> {
    let mut units = Vec::new();
    if let Some((stray, _)) = long.iter().find(|(of, _)| !binaries.iter().any(|b| b.name == *of)) {
        bail!("`{stray}` in LONG_TESTS is no test binary any more");
    }
    for binary in binaries {
        let name = binary.name.as_str();
        let of = |part: &str, args: Vec<String>, is_long| {
            let name = if part.is_empty() { name.into() } else { format!("{name}::{part}") };
            Unit { name, binary: binary.clone(), args, is_long }
        };
        if modules.contains(&name) {
            let own = list(binary)?.into_iter();
            units.extend(own.map(|module| of(&module, vec![format!("{module}::")], false)));
            continue;
        }
        let parts: Vec<&str> =
            long.iter().filter(|(of, _)| *of == name).map(|(_, part)| *part).collect();
        for part in &parts {
            ensure!(
                tests(binary)?.iter().any(|test| test.starts_with(part)),
                "no test of {name} begins with `{part}` any more; mend LONG_TESTS"
            );
            units.push(of(part.trim_end_matches("::"), vec![part.to_string()], true));
        }
        let skip = |part: &&str| ["--skip".to_string(), part.to_string()];
        units.push(of("", parts.iter().flat_map(skip).collect(), false));
    }
    Ok(units)
}

/// The names of the tests of a binary.
fn tests(binary: &Binary) -> anyhow::Result<Vec<String>> {
    let output = Command::new(&binary.program).args(["--list", "--format", "terse"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(String::from).collect())
}

/// The modules with tests of a binary.
fn list(binary: &Binary) -> anyhow::Result<BTreeSet<String>> {
    let module = |test: String| match test.split_once("::") {
        Some((module, _)) => Ok(module.to_string()),
        None => bail!("{}: `{test}` stands in no module and would not be run", binary.name),
    };
    tests(binary)?.into_iter().map(module).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_about_a_test_names_its_binary() {
        let message = |kind: &str, test: bool| {
            json!({
                "manifest_path": "/x/crates/lab/Cargo.toml",
                "target": { "kind": [kind], "name": "claim" },
                "profile": { "test": test },
                "executable": "/x/target/claim-1",
            })
        };
        let found = binary(&message("test", true)).unwrap();
        assert_eq!(
            (found.name.as_str(), found.package.to_str()),
            ("lab/claim", Some("/x/crates/lab"))
        );
        assert_eq!(binary(&message("lib", true)).unwrap().name, "lab/lib");
        assert!(binary(&message("bin", false)).is_none());
        assert!(binary(&json!({ "reason": "build-finished" })).is_none());
    }
}
