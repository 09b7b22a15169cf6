//! The packages of `make dist`, installed into roots in which nothing else is: the program runs there, its pages and
//! completions are where a system looks for them, and nothing is left when the package is removed.

use crate::common::{Place, text};
use needs::{Need, program_or_skip, root_or_skip, skip};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

/// What `make dist` made, by the end of its name. Made once: it builds the static program.
fn package(end: &str) -> Option<PathBuf> {
    static MADE: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/dist.sh");
        let output = Command::new("sh").arg(script).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        text(&output.stdout).lines().map(|line| root.join(line)).collect()
    });
    let found = made.iter().find(|path| path.to_string_lossy().ends_with(end)).cloned();
    if found.is_none() {
        let tool = if end == ".deb" { "cargo-deb" } else { "cargo-generate-rpm" };
        skip(Need::program(tool), format!("`{tool}`, which makes {end}, is not installed"));
    }
    found
}

fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {}", text(&stderr));
    text(&stdout)
}

/// Files below `root`, without what the package managers keep for themselves.
fn files(root: &Path) -> BTreeSet<String> {
    let list = run(Command::new("find").arg(root).args(["!", "-type", "d", "-printf", "%P\n"]));
    let kept = ["var/lib/", "var/log/", "usr/lib/sysimage/", "root/.rpmdb/"];
    let own = |line: &&str| !kept.iter().any(|place| line.starts_with(place));
    list.lines().filter(own).map(String::from).collect()
}

/// Runs the program where there is nothing but the package.
fn inside(root: &Path, args: &[&str]) -> String {
    let mut chroot = Command::new("chroot");
    chroot.arg(root).arg("/usr/bin/assay").args(args).env_clear();
    run(chroot.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"))
}

fn assert_whole(root: &Path, completions: &[&str]) {
    assert!(inside(root, &["--version"]).starts_with("assay "));
    let studies = inside(root, &["list", "--published"]);
    assert!(studies.contains("published-"), "{studies}");
    let id = studies.split_whitespace().find(|word| word.starts_with("published-")).unwrap();
    let report = inside(root, &["report", id]);
    assert!(report.contains("xfs"), "{report}");
    let files = files(root);
    let man = |name: &str| format!("usr/share/man/man1/{name}.1.gz");
    for file in [man("assay"), man("assay-run"), man("assay-export")] {
        let page = run(Command::new("gzip").args(["-dc"]).arg(root.join(&file)));
        assert!(page.contains("\n.TH "), "{file}");
    }
    for file in completions {
        let written =
            fs::read_to_string(root.join(file)).unwrap_or_else(|why| panic!("{file}: {why}"));
        assert!(written.contains("image-dir"), "{file}");
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(files.iter().any(|file| file.ends_with(licence)), "{licence}: {files:?}");
    }
}

#[test]
fn the_deb_installs_into_a_clean_root_runs_and_leaves_nothing() {
    if !root_or_skip("dpkg in a root of its own") || !program_or_skip("dpkg") {
        return;
    }
    let Some(deb) = package(".deb") else { return };
    let place = Place::new();
    let root = place.dir("root");
    let dpkg = |args: &[&str]| run(Command::new("dpkg").arg("--root").arg(&root).args(args));
    for made in ["var/lib/dpkg/updates", "var/lib/dpkg/info", "var/log"] {
        fs::create_dir_all(root.join(made)).unwrap();
    }
    for list in ["status", "available"] {
        fs::write(root.join("var/lib/dpkg").join(list), "").unwrap();
    }
    let before = files(&root);
    dpkg(&["--install", deb.to_str().unwrap()]);
    let completions = [
        "usr/share/bash-completion/completions/assay",
        "usr/share/zsh/vendor-completions/_assay",
        "usr/share/fish/vendor_completions.d/assay.fish",
    ];
    assert_whole(&root, &completions);
    dpkg(&["--purge", "assay"]);
    assert_eq!(files(&root), before);
}

#[test]
fn the_rpm_installs_into_a_clean_root_runs_and_leaves_nothing() {
    if !root_or_skip("rpm in a root of its own") || !program_or_skip("rpm") {
        return;
    }
    let Some(package) = package(".rpm") else { return };
    let place = Place::new();
    let root = place.dir("root");
    let rpm = |args: &[&str]| run(Command::new("rpm").arg("--root").arg(&root).args(args));
    let before = files(&root);
    let package = package.to_str().unwrap();
    // What every system has, and this root has not.
    let needed = run(Command::new("rpm").args(["-qp", "--nosignature", "--requires", package]));
    let is_there = |line: &str| line == "/bin/sh" || line.starts_with("rpmlib(");
    assert!(needed.lines().all(is_there), "{needed}");
    rpm(&["--install", "--nodeps", "--nosignature", package]);
    let completions = [
        "usr/share/bash-completion/completions/assay",
        "usr/share/zsh/site-functions/_assay",
        "usr/share/fish/vendor_completions.d/assay.fish",
    ];
    assert_whole(&root, &completions);
    rpm(&["--erase", "assay"]);
    assert_eq!(files(&root), before);
}
