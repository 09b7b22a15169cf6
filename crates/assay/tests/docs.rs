//! The pages under docs/tests are what `assay explain` prints; `ASSAY_BLESS=1 cargo test -p assay
//! --test e2e docs::` writes them anew.

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_test_has_its_page() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tests");
    let bless = std::env::var_os("ASSAY_BLESS").is_some();
    let mut pages = BTreeSet::new();
    for id in suites::suites().iter().flat_map(ids) {
        let path = dir.join(format!("{id}.md"));
        let page = suites::find(&id).unwrap().explain(&id);
        if bless {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&path, &page).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(stored, page, "{} is out of date; run with ASSAY_BLESS=1", path.display());
        pages.insert(path.file_name().unwrap().to_owned());
    }
    for entry in fs::read_dir(&dir).unwrap().flatten() {
        assert!(pages.contains(&entry.file_name()), "{:?} is about no test", entry.file_name());
    }
}

/// The tests of a suite that have pages of their own.
fn ids(suite: &suites::Suite) -> Vec<String> {
    match suite.pages.is_empty() {
        true => suite.tests.iter().flat_map(|test| test.infos()).map(|info| info.id).collect(),
        false => suite.pages.clone(),
    }
}
