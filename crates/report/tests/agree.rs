//! Tests that words, colours and intervals agree, and that a word that differs says why.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;
use model::result::{Dataset, known};
use report::{
    block::{Block, Cell, Forest, HeatMap},
    sections::SECTIONS,
};
use stats::{description::Settings, evaluation::findings};

/// All that a report is made of.
fn blocks(data: &Dataset) -> Vec<Block> {
    let found = findings(data, &Settings::default()).unwrap();
    SECTIONS.iter().filter_map(|section| section.build(data, &found)).flatten().collect()
}

fn cells(block: &Block) -> Vec<&Cell> {
    match block {
        Block::Table(table) | Block::Behind(table) => {
            table.rows.iter().flat_map(|row| &row.cells).collect()
        }
        Block::Drawer(drawer) => drawer.blocks.iter().flat_map(cells).collect(),
        _ => Vec::new(),
    }
}

/// Whether `interval`, `1.31-1.54`, lies on one side of 1; `None` of what is no interval.
fn excludes_1(interval: &str) -> Option<bool> {
    let (low, high) = interval.split_once('-')?;
    let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
    Some(low > 1.0 || high < 1.0)
}

/// One of three candidates shared the machine all the time.
fn contended() -> Dataset {
    let mut data = common::campaign(5);
    let own = data.samples.iter_mut().filter(|sample| sample.case.target == "xfs");
    own.for_each(|sample| sample.set(known::FOREIGN_CPU_PCT, 60.0));
    data
}

#[test]
fn unclear_with_an_interval_that_excludes_1_is_contended_in_every_table() {
    let all = blocks(&contended());
    let open = |cell: &&&Cell| cell.word.starts_with('?') && excludes_1(&cell.note) == Some(true);
    let cells: Vec<&Cell> = all.iter().flat_map(cells).collect();
    let found: Vec<&&Cell> = cells.iter().filter(open).collect();
    assert!(found.len() > 4, "the cells of xfs: {found:?}");
    for cell in found {
        assert_eq!(cell.word, "? contended", "{cell:?}");
    }
    let decided = ["better", "worse", "slightly"];
    let is_decided = |word: &str| decided.iter().any(|own| word.starts_with(own));
    for cell in cells.iter().filter(|cell| is_decided(&cell.word)) {
        assert_eq!(excludes_1(&cell.note), Some(true), "{cell:?}");
    }
}

#[test]
fn unclear_with_an_interval_that_excludes_1_is_contended_in_pictures_and_sentences() {
    let all = blocks(&contended());
    let forest = all.iter().find_map(|block| match block {
        Block::Forest(Forest { panels, .. }) => Some(panels),
        _ => None,
    });
    let rows = forest.unwrap().iter().skip(1).flat_map(|panel| &panel.rows);
    let words: Vec<&str> =
        rows.filter(|row| row.name == "xfs").map(|row| row.said.as_str()).collect();
    assert!(
        !words.is_empty() && words.iter().all(|said| said.ends_with(" contended")),
        "{words:?}"
    );
    let map = all.iter().find_map(|block| match block {
        Block::HeatMap(HeatMap { groups, .. }) => Some(groups),
        _ => None,
    });
    let cells = map.unwrap().iter().flat_map(|group| &group.rows).map(|row| &row.cells[0]);
    assert!(
        cells.clone().all(|cell| cell.word == "? contended"),
        "{:?}",
        cells.collect::<Vec<_>>()
    );
    let text: Vec<&str> = all.iter().flat_map(cells_of_words).collect();
    let open: Vec<&&str> = text.iter().filter(|text| text.contains("unclear")).collect();
    assert!(open.iter().all(|text| text.contains("unclear, contended")), "{open:?}");
}

/// The texts of the table of further questions.
fn cells_of_words(block: &Block) -> Vec<&str> {
    match block {
        Block::Table(table) if table.caption == "Other questions" => {
            cells(block).into_iter().map(|cell| cell.text.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// A score is filled by its rank among all, which asks for more than the interval of the pair.
#[test]
fn hollow_score_with_an_interval_that_excludes_1_is_explained() {
    let forest = |data: &Dataset| {
        blocks(data).into_iter().find_map(|block| match block {
            Block::Forest(forest) => Some(forest),
            _ => None,
        })
    };
    let open = forest(&contended()).unwrap();
    assert!(open.caption.contains("hollow: not judged, see the verdict"), "{}", open.caption);
    let decided = forest(&common::campaign(5)).unwrap();
    assert!(!decided.caption.contains("hollow"), "{}", decided.caption);
}
