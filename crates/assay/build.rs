//! Tells the program which commit it was built from, where there is a repository.

use std::{path::Path, process::Command};

fn main() {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_string())
    };
    let own = env!("CARGO_PKG_VERSION");
    let version = match git(&["show", "--no-patch", "--format=%h, %cs", "HEAD"]) {
        Some(commit) => format!("{own} ({commit})"),
        None => own.into(),
    };
    println!("cargo::rustc-env=ASSAY_VERSION={version}");
    // Grows with every commit, and when another branch is checked out.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    match log.filter(|log| Path::new(log).exists()) {
        Some(log) => println!("cargo::rerun-if-changed={log}"),
        None => println!("cargo::rerun-if-changed=build.rs"),
    }
}
