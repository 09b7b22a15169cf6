//! Ratios with their intervals on one axis, a row for each candidate.

use super::Shade;

/// Ratios with their intervals, over one baseline, of all of which more is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    /// What it shows.
    pub caption: String,
    /// Half-width of the practical band, a share.
    pub band: f64,
    /// Rows under a heading each.
    pub panels: Vec<ForestPanel>,
}

/// Rows of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ForestPanel {
    /// What they are of.
    pub title: String,
    /// The rows.
    pub rows: Vec<ForestRow>,
}

/// One candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct ForestRow {
    /// Label of the candidate.
    pub name: String,
    /// What is drawn; `None` where nothing was measured.
    pub span: Option<Span>,
    /// The text next to it: the ratio and its word, or why there is none.
    pub said: String,
    /// What is added for those who cannot see the bar: the interval.
    pub note: String,
    /// The side on which it was decided; `None` where it is unclear, which is drawn hollow.
    pub shade: Option<Shade>,
}

/// A ratio and the ends of its 95 % interval, all above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Best estimate.
    pub point: f64,
    /// Lower and upper end; `None` without replication.
    pub ends: Option<(f64, f64)>,
}
