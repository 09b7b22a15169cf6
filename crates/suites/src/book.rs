//! The pages under docs/tests: an index, one page for each suite, and one for what several suites share.
//!
//! They consist of the texts that `assay explain TEST` prints. A paragraph shared by several tests appears once, and
//! the tests link to it: on the page of their suite, or on the common page if they are of several suites. Below a test
//! only its own text remains.

mod blocks;

use crate::{
    Suite, explain,
    kinds::{KINDS, Kind},
    page, suites,
};
use blocks::{Block, blocks};
use model::workload::TestInfo;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// The page of what several suites share.
const COMMON: &str = "common.md";

/// A file of the book.
pub struct Page {
    /// Its name, e.g. `columnar.md`.
    pub file: String,
    /// Markdown.
    pub text: String,
}

/// The text of one test about itself.
struct Entry {
    info: TestInfo,
    blocks: Vec<Block>,
}

/// The place of a shared paragraph, and the text of a link to it.
struct Note {
    file: String,
    anchor: String,
    title: String,
}

/// Every page, the index first.
pub fn pages() -> Vec<Page> {
    let suites: Vec<(&Suite, Vec<Entry>)> = suites().iter().map(|s| (s, entries(s))).collect();
    let notes = notes(&suites);
    let of_suite = |(suite, entries): &(&Suite, Vec<Entry>)| Page {
        file: file(suite),
        text: chapter(suite, entries, &notes),
    };
    let index = Page { file: "README.md".into(), text: index(&suites) };
    let common = Page { file: COMMON.into(), text: common(&notes) };
    [index, common].into_iter().chain(suites.iter().map(of_suite)).collect()
}

fn file(suite: &Suite) -> String {
    format!("{}.md", suite.name)
}

/// The tests of a suite that have pages; those that differ in a value of `for` alone have one together.
fn entries(suite: &Suite) -> Vec<Entry> {
    let has_page = |info: &TestInfo| suite.pages.is_empty() || suite.pages.contains(&info.id);
    let of_test = |test: &&'static dyn crate::Test| {
        let test = *test;
        let infos = test.infos().into_iter().filter(has_page);
        infos
            .map(|info| Entry { blocks: blocks(&explain(test, &info.id)), info })
            .collect::<Vec<_>>()
    };
    suite.tests.iter().flat_map(of_test).collect()
}

/// Every text that more than one test has, and where it stands.
fn notes(suites: &[(&Suite, Vec<Entry>)]) -> BTreeMap<String, Note> {
    let mut users = BTreeMap::<&str, (usize, BTreeSet<String>)>::new();
    for (suite, entry) in suites.iter().flat_map(|(s, entries)| entries.iter().map(move |e| (s, e)))
    {
        for text in entry.blocks.iter().filter_map(Block::text_to_share) {
            let (count, files) = users.entry(text).or_default();
            *count += 1;
            files.insert(file(suite));
        }
    }
    let mut notes = kind_notes();
    let mut taken = BTreeSet::new();
    for (text, (count, files)) in users {
        if count > 1 && !notes.contains_key(text) {
            let file = if files.len() > 1 { COMMON.into() } else { files.into_iter().collect() };
            let title = blocks::title(text);
            let first = blocks::anchor(text);
            let others = (2..).map(|n| format!("{first}-{n}"));
            let mut anchors = std::iter::once(first.clone()).chain(others);
            let anchor = anchors.find(|anchor| taken.insert(anchor.clone())).unwrap_or(first);
            notes.insert(text.into(), Note { file, anchor, title });
        }
    }
    notes
}

/// The texts about a kind, which are under its heading on the common page.
fn kind_notes() -> BTreeMap<String, Note> {
    let note = |kind: &Kind| {
        let title = format!("kind `{}`", kind.name);
        Note { file: COMMON.into(), anchor: format!("kind-{}", kind.name), title }
    };
    let of_kind = |kind: &'static Kind| {
        [page::kind_line(kind), page::settings(kind).trim().to_string()]
            .map(|text| (text, note(kind)))
    };
    KINDS.iter().copied().flat_map(of_kind).collect()
}

fn index(suites: &[(&Suite, Vec<Entry>)]) -> String {
    let mut text = String::from(
        "# Tests\n\nWhat each test does on disk and how to read its figures. `assay explain TEST` \
         prints everything about one test; these pages state once what several tests share. \
         Written by `ASSAY_BLESS=1 cargo test -p \
         assay --test e2e docs::`.\n\n",
    );
    let _ = writeln!(
        text,
        "What suites share, with the settings of every kind: [{COMMON}]({COMMON}).\n"
    );
    for (suite, entries) in suites {
        let file = file(suite);
        let _ = writeln!(text, "## [{}]({file})\n", suite.name);
        for Entry { info, .. } in entries {
            let _ = writeln!(text, "- [`{}`]({file}#{}) {}", info.id, info.id, info.name);
        }
        text.push('\n');
    }
    text
}

fn common(notes: &BTreeMap<String, Note>) -> String {
    let mut text = String::from(
        "# What tests of several suites share\n\n[All tests](README.md)\n\n## Settings of the kinds\n",
    );
    for kind in KINDS {
        let _ = writeln!(
            text,
            "\n<a id=\"kind-{0}\"></a>\n\n### Kind `{0}`\n\n{1}\n\n{2}",
            kind.name,
            page::kind_line(kind),
            page::settings(kind).trim_end()
        );
    }
    text.push_str("\n## Paragraphs\n");
    text + &shared(COMMON, notes)
}

/// The shared paragraphs that are on the page `file`.
fn shared(file: &str, notes: &BTreeMap<String, Note>) -> String {
    let here = notes.iter().filter(|(_, n)| n.file == file && !n.anchor.starts_with("kind-"));
    here.map(|(text, note)| format!("\n<a id=\"{}\"></a>\n\n{text}\n", note.anchor)).collect()
}

fn chapter(suite: &Suite, entries: &[Entry], notes: &BTreeMap<String, Note>) -> String {
    let file = file(suite);
    let mut text = format!("# Suite {}\n\n{}\n\n[All tests](README.md)\n", suite.name, suite.about);
    for Entry { info, blocks } in entries {
        let _ = write!(text, "\n<a id=\"{0}\"></a>\n\n## {1} (`{0}`)\n", info.id, info.name);
        text.push_str(&particular(blocks, &file, notes));
    }
    let shared = shared(&file, notes);
    if !shared.is_empty() {
        let _ = write!(text, "\n# What several of these tests share\n{shared}");
    }
    text
}

/// Returns the paragraphs specific to a test, under the headings of its page, followed by links to shared ones.
fn particular(blocks: &[Block], file: &str, notes: &BTreeMap<String, Note>) -> String {
    let (mut text, mut links, mut heading, mut is_list) = (String::new(), Vec::new(), None, false);
    for block in blocks {
        if let Some(note) = block.text_to_share().and_then(|shared| notes.get(shared)) {
            let file = if note.file == file { "" } else { &note.file };
            let link = format!("[{}]({file}#{})", note.title, note.anchor);
            if !links.contains(&link) {
                links.push(link);
            }
            continue;
        }
        let (own, is_item) = match block {
            Block::Title(_) => continue,
            Block::Heading(title) => {
                heading = Some(title);
                continue;
            }
            Block::Item(item) => (item, true),
            Block::Text(own) => (own, false),
        };
        if let Some(title) = heading.take() {
            text.push_str(&format!("\n**{title}**\n"));
            is_list = false;
        }
        let gap = if is_item && is_list { "" } else { "\n" };
        text.push_str(&format!("{gap}{own}\n"));
        is_list = is_item;
    }
    match links.is_empty() {
        true => text,
        false => format!("{text}\nAs in other tests: {}\n", links.join(" · ")),
    }
}

#[cfg(test)]
mod tests;
