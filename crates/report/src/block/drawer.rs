//! Drawer of a cell, opened on demand.

use super::Block;

/// Blocks that are shown when they are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawer {
    /// Where links to it lead, unique in a report: letters, digits and `-`.
    pub anchor: String,
    /// What is in it.
    pub title: String,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Commands to be given to a shell, with what each does.
    pub commands: Vec<(String, String)>,
}

/// Samples in order of time, a panel for each candidate; each over the mean of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// What it shows.
    pub caption: String,
    /// The panels, all of the same axes.
    pub panels: Vec<DotPanel>,
}

/// The samples of one candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct DotPanel {
    /// Label of the candidate.
    pub name: String,
    /// The samples in order of time.
    pub dots: Vec<Dot>,
}

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Time, in blocks from the start of the campaign.
    pub block: f64,
    /// Value over the mean of the valid samples, above 0; `None` without a value.
    pub over_mean: Option<f64>,
    /// Whether it is in the mean; else it is drawn as a cross.
    pub is_valid: bool,
}
