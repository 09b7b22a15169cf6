//! Tests of the distribution: a reproducible tarball with the program, manual pages and completions that works where it
//! is unpacked.

use crate::common::{Place, text};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Makes the tarball alone, in `out`.
fn tarball(out: &Path) -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/dist.sh");
    let mut dist = Command::new("sh");
    dist.arg(script).arg("tarball").env("ASSAY", env!("CARGO_BIN_EXE_assay")).env("DIST", out);
    let made = dist.output().unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    PathBuf::from(text(&made.stdout).trim_end())
}

#[test]
fn a_tarball_holds_a_program_that_runs_with_its_pages_and_completions() {
    let place = Place::new();
    let tarball = tarball(&place.dir("out"));
    let root = place.dir("root");
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--strip-components=1").arg("--directory").arg(&root);
    assert!(unpack.arg("--file").arg(&tarball).status().unwrap().success());
    let version = Command::new(root.join("assay")).arg("--version").output().unwrap();
    assert!(text(&version.stdout).starts_with("assay "), "{}", text(&version.stderr));
    for page in ["assay.1.gz", "assay-run.1.gz", "assay-rm.1.gz"] {
        assert!(root.join("man").join(page).exists(), "{page}");
    }
    let notices = fs::read_to_string(root.join("NOTICES")).unwrap();
    assert!(notices.contains("SQLite") && notices.contains("libsqlite3-sys"), "{notices}");
    for name in ["assay", "_assay", "assay.fish"] {
        let completions = fs::read_to_string(root.join("completions").join(name)).unwrap();
        assert!(completions.contains("image-dir"), "{name}");
    }
    let checked = Command::new("bash").arg("-n").arg(root.join("completions/assay")).status();
    assert!(checked.unwrap().success());
}

#[test]
fn the_same_commit_gives_the_same_tarball() {
    let place = Place::new();
    let bytes = |name: &str| fs::read(tarball(&place.dir(name))).unwrap();
    assert!(bytes("first") == bytes("second"));
}
