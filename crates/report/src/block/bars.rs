//! Figures of one unit as bars from zero, a group for each kind of figure, a bar for each candidate.

/// Figures of one unit, all on one scale that begins at zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What it shows, with the unit.
    pub caption: String,
    /// A figure that is drawn as a line down all bars.
    pub mark: f64,
    /// Bars under a heading each.
    pub groups: Vec<BarGroup>,
}

/// Bars of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// What they are of.
    pub title: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// One candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Label of the candidate.
    pub name: String,
    /// Its figure, 0 or more; `None` where it was not measured.
    pub value: Option<f64>,
}
