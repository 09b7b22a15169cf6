//! The pages under docs/tests are what `assay explain` prints; `ASSAY_BLESS=1 cargo test -p assay
//! --test docs` writes them anew.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_test_has_its_page() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tests");
    let bless = std::env::var_os("ASSAY_BLESS").is_some();
    let mut pages = BTreeSet::new();
    for info in suites::SUITES.iter().flat_map(|s| s.tests).flat_map(|test| test.infos()) {
        let path = dir.join(format!("{}.md", info.id));
        let page = suites::find(&info.id).unwrap().explain(&info.id);
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
