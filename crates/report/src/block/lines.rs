//! Ratios over ordered places, e.g. process counts: a panel for each test, a line for each target.

use super::Span;

/// Lines with intervals, small multiples on the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// What they show.
    pub caption: String,
    /// What the places are, e.g. `processes`.
    pub across: String,
    /// Names of the places, in order.
    pub places: Vec<String>,
    /// Names of the lines, the same in all panels.
    pub names: Vec<String>,
    /// What would be there were nothing lost, for the first places, as far as that is possible.
    pub ideal: Vec<f64>,
    /// The panels.
    pub panels: Vec<LinePanel>,
}

/// One panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinePanel {
    /// What it is of.
    pub name: String,
    /// For each line and place a ratio, above 0; `None` where there is none.
    pub lines: Vec<Vec<Option<Span>>>,
    /// For each line and place what else is known of it, said when it is pointed at; may be shorter, or empty.
    pub details: Vec<Vec<String>>,
}
