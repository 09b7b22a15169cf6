//! Panels of the machine over a campaign: one per figure, all on the same time axis.

/// Figures over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// What it shows.
    pub caption: String,
    /// Length of the axis, seconds, above 0.
    pub seconds: f64,
    /// Where blocks begin, seconds, with their numbers.
    pub blocks: Vec<(f64, u32)>,
    /// The panels.
    pub panels: Vec<TimePanel>,
}

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct TimePanel {
    /// What it is, with the unit.
    pub name: String,
    /// Pieces of the time, ascending, none without a value.
    pub pieces: Vec<TimePiece>,
}

/// What was seen of a figure in a piece of the time; all 0 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimePiece {
    /// The middle of the piece, seconds.
    pub at_s: f64,
    /// The least value.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub most: f64,
}
