//! The book holds all that the tests say, once.

use super::*;

/// Every paragraph that a test shows by `assay explain` is in the book, and no long one twice.
#[test]
fn every_paragraph_is_in_the_book_once() {
    let pages = pages();
    let held: Vec<Block> = pages.iter().flat_map(|page| blocks(&page.text)).collect();
    let long = || held.iter().filter_map(Block::text_to_share);
    let links = |text: &str| text.contains("](");
    let mut seen = BTreeSet::new();
    for text in long().filter(|text| !links(text)) {
        assert!(seen.insert(text), "twice: {text}");
    }
    for suite in suites() {
        for entry in entries(suite) {
            for text in entry.blocks.iter().filter_map(Block::text_to_share) {
                assert!(seen.contains(text) || links(text), "{}: {text}", entry.info.id);
            }
        }
    }
}

#[test]
fn every_link_leads_to_a_place() {
    let pages = pages();
    let anchors: BTreeSet<String> = pages
        .iter()
        .flat_map(|page| {
            let ids = page.text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
            ids.map(|id| format!("{}#{id}", page.file)).chain([page.file.clone()])
        })
        .collect();
    let mut links = 0;
    for page in &pages {
        for rest in page.text.split("](").skip(1) {
            let link = rest.split(')').next().unwrap();
            let whole =
                if link.starts_with('#') { format!("{}{link}", page.file) } else { link.into() };
            assert!(anchors.contains(&whole), "{}: {link}", page.file);
            links += 1;
        }
    }
    assert!(links > 200, "{links}");
}
