//! The pages under docs/tests say what `assay explain` prints; `ASSAY_BLESS=1 cargo test -p assay
//! --test e2e docs::` writes them anew.

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn the_pages_of_the_tests_are_those_of_the_program() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tests");
    let bless = std::env::var_os("ASSAY_BLESS").is_some();
    let mut pages = BTreeSet::new();
    for page in suites::book::pages() {
        let path = dir.join(&page.file);
        if bless {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&path, &page.text).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(stored, page.text, "{} is out of date; run with ASSAY_BLESS=1", path.display());
        pages.insert(path.file_name().unwrap().to_owned());
    }
    for entry in fs::read_dir(&dir).unwrap().flatten() {
        assert!(
            pages.contains(&entry.file_name()),
            "{:?} is no page of the tests",
            entry.file_name()
        );
    }
}
