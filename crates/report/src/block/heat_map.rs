//! Tests by candidates and process counts, coloured by ratio.

use super::Shade;

/// A table of ratios: a row for each test or size, under each candidate a column for each process or thread count.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// What it shows.
    pub caption: String,
    /// What the rows are, e.g. `Test`.
    pub head: String,
    /// Labels of the candidates.
    pub candidates: Vec<String>,
    /// Heads of the columns of each candidate.
    pub procs: Vec<String>,
    /// Rows under a heading each.
    pub groups: Vec<HeatGroup>,
    /// Whether the script of a page can compute what its cells are.
    pub is_computed: bool,
}

/// Rows of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatGroup {
    /// What they are of; empty where there is one group.
    pub title: String,
    /// The rows.
    pub rows: Vec<HeatRow>,
}

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatRow {
    /// Its name.
    pub name: String,
    /// For each candidate one for each process count.
    pub cells: Vec<HeatCell>,
}

/// One test on one candidate with one number of processes or threads.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatCell {
    /// The ratio, or the word for its absence.
    pub text: String,
    /// What the ratio means.
    pub word: String,
    /// What makes it less than the others, e.g. `noisy`; often empty.
    pub note: String,
    /// How it is filled.
    pub fill: Fill,
    /// Anchor of the drawer with its samples, where there is one.
    pub drawer: Option<String>,
    /// What it is: value, ratio with its interval, blocks; empty where nothing was measured.
    pub told: String,
}

impl HeatCell {
    /// One without a ratio, with the word for that.
    pub(crate) fn empty(text: &str) -> HeatCell {
        HeatCell {
            text: text.into(),
            word: String::new(),
            note: String::new(),
            fill: Fill::Empty,
            drawer: None,
            told: String::new(),
        }
    }
}

/// How a cell is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// By the step of its ratio: it is decided.
    Decided(Shade),
    /// Hatched: the data does not decide.
    Unclear,
    /// Not at all: there is no ratio, or it is in no score.
    Empty,
}
