//! The pages under docs/tests say what `assay explain` prints; `ASSAY_BLESS=1 cargo test -p assay
//! --test e2e docs::` writes them anew.

use crate::common::{Place, text};
use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn the_pages_of_the_tests_are_those_of_the_program() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tests");
    let bless = std::env::var_os("ASSAY_BLESS").is_some();
    let (mut pages, mut stale) = (BTreeSet::new(), Vec::new());
    for page in suites::book::pages() {
        let path = dir.join(&page.file);
        if bless {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&path, &page.text).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        if stored != page.text {
            stale.push(stale_page(&page.file, &stored, &page.text));
        }
        pages.insert(path.file_name().unwrap().to_owned());
    }
    assert!(
        stale.is_empty(),
        "out of date below docs/tests; run with ASSAY_BLESS=1:\n{}",
        stale.join("\n")
    );
    for entry in fs::read_dir(&dir).unwrap().flatten() {
        assert!(
            pages.contains(&entry.file_name()),
            "{:?} is no page of the tests",
            entry.file_name()
        );
    }
}

/// A page that is not as `text`, with the first line of that which it lacks.
fn stale_page(file: &str, stored: &str, text: &str) -> String {
    let lines = stored.lines().map(Some).chain(std::iter::repeat(None));
    match text.lines().zip(lines).find(|(line, stored)| Some(*line) != *stored) {
        Some((line, _)) => format!("{file}: {line:?}"),
        None => format!("{file}: it has more lines"),
    }
}

/// The first block of `kind` on a page below docs.
fn block(page: &str, kind: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once(&format!("```{kind}\n")).unwrap();
    rest.split("```").next().unwrap().to_string()
}

#[test]
fn the_plan_of_its_page_is_a_plan() {
    let place = Place::new();
    let images = place.dir("images");
    let plan = block("plan-file.md", "toml")
        .replace("/mnt/a", &place.dir("a").display().to_string())
        .replace("/mnt/nvme", &images.display().to_string());
    fs::write(place.path("plan.toml"), plan).unwrap();
    let output = place.assay(&["plan", "plan.toml"]);
    let (said, planned) = (text(&output.stderr), text(&output.stdout));
    assert!(output.status.success(), "{said}");
    // The name stands for its target, and each value of the sweep is a candidate.
    let first = planned.lines().find_map(|line| line.strip_prefix("block 1: ")).unwrap();
    let order: BTreeSet<&str> = first.split(" (").next().unwrap().split(", ").collect();
    for candidate in ["ext4", "xfs[noatime]", "a", "xfs[mkfs.d=agcount=64]"] {
        assert!(order.contains(candidate), "{candidate}: {first}");
    }
    assert!(planned.contains("suite columnar, metadata"), "{planned}");
}
