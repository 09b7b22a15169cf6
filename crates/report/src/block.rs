//! Blocks of a section, independent of the output. A renderer that matches on [`Block`] supports every section.

mod bars;
mod drawer;
mod forest;
mod heat_map;
mod lines;
mod signs;
mod timeline;

pub use bars::{Bar, BarGroup, Bars};
pub use drawer::{Dot, DotPanel, Dots, Drawer};
pub use forest::{Forest, ForestPanel, ForestRow, Span};
pub use heat_map::{Fill, HeatCell, HeatGroup, HeatMap, HeatRow};
pub use lines::{LinePanel, Lines};
pub use signs::{NOT_KNOWN, Sign, Signs};
pub use timeline::{TimePanel, TimePiece, Timeline};

/// One piece of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading inside a section.
    Heading(String),
    /// A paragraph.
    Prose(String),
    /// A table.
    Table(Table),
    /// The figures of the picture before it, which a page opens when asked for.
    Behind(Table),
    /// A paragraph that must not be missed.
    Callout(String),
    /// Checks, in a line where there is colour.
    Signs(Signs),
    /// Curves, where they can be drawn; the numbers are in a table next to them.
    Chart(Chart),
    /// Points, where they can be drawn; the numbers are in a table next to them.
    Scatter(Scatter),
    /// Figures from zero, where they can be drawn; the numbers are in a table next to them.
    Bars(Bars),
    /// Rates over time, where they can be drawn; the numbers are in a table next to them.
    TimeSeries(TimeSeries),
    /// What the machine did over a campaign, where that can be drawn; an export has the numbers.
    Timeline(Timeline),
    /// Ratios over ordered places, where they can be drawn; the numbers are in a table next to them.
    Lines(Lines),
    /// Ratios with their intervals, where they can be drawn; the numbers are in tables next to them.
    Forest(Forest),
    /// Every test at a glance, where it can be coloured; the numbers are in tables next to it.
    HeatMap(HeatMap),
    /// Samples as points, where they can be drawn; the numbers are in a table next to them.
    Dots(Dots),
    /// What is opened when it is asked for, where that can be done; an export has all of it.
    Drawer(Drawer),
}

impl Block {
    /// Whether it is for a page alone: it shows to the eye what tables or an export have in numbers.
    pub fn is_drawing(&self) -> bool {
        use Block::{Behind, Callout, Heading, Prose, Signs, Table};
        !matches!(self, Heading(_) | Prose(_) | Table(_) | Behind(_) | Callout(_) | Signs(_))
    }
}

/// Rates over time, a panel for each target, all with the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSeries {
    /// What it shows, with the unit.
    pub caption: String,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// The runs of one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it is of.
    pub name: String,
    /// For each run seconds since its begin, ascending, and rate, 0 or more.
    pub lines: Vec<Vec<(f64, f64)>>,
}

/// Points on two ratios, of both of which more is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// What it shows.
    pub caption: String,
    /// What lies across.
    pub x: String,
    /// What goes up.
    pub y: String,
    /// The points.
    pub spots: Vec<Spot>,
}

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// What it is of.
    pub name: String,
    /// Ratio across, above 0.
    pub x: f64,
    /// Ratio upwards, above 0.
    pub y: f64,
    /// Drawn hollow: another is better.
    pub hollow: bool,
}

/// Curves of latency over the share of operations that did not exceed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows, with the unit.
    pub caption: String,
    /// The curves, told apart by name.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is of.
    pub name: String,
    /// Share of operations, above 0 and below 1, and latency, above 0; ascending.
    pub points: Vec<(f64, f64)>,
}

/// A table. Columns of the same `group` stand side by side and stay together when a narrow screen
/// splits the table; the first column is repeated in every piece.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows; a body row has one cell for each column.
    pub rows: Vec<Row>,
    /// Sentences that belong under the table.
    pub footnotes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Heading over several columns, a target; empty for none.
    pub group: String,
    /// Its own heading.
    pub head: String,
    /// Aligned to the right.
    pub numeric: bool,
    /// Beside the point: shown with less weight, and left out first where there is no room.
    pub aside: bool,
}

impl Column {
    /// A column of words.
    pub fn words(head: &str) -> Column {
        Column { head: head.into(), ..Column::default() }
    }

    /// A column of numbers under `group`.
    pub fn numbers(group: &str, head: &str) -> Column {
        Column { group: group.into(), head: head.into(), numeric: true, aside: false }
    }

    /// A column of numbers next to the point.
    pub fn aside(head: &str) -> Column {
        Column { aside: true, ..Column::numbers("", head) }
    }
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A heading inside the table; only its first cell is used.
    Title,
    /// Data.
    Body,
    /// A summary of the rows above.
    Footer,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is.
    pub kind: RowKind,
    /// Its cells.
    pub cells: Vec<Cell>,
}

impl Row {
    /// A row of data.
    pub fn body(cells: impl IntoIterator<Item = Cell>) -> Row {
        Row { kind: RowKind::Body, cells: cells.into_iter().collect() }
    }

    /// A heading inside the table.
    pub fn title(text: impl Into<String>) -> Row {
        Row { kind: RowKind::Title, cells: vec![Cell::plain(text)] }
    }
}

/// A cell: `1.42 better`, with the interval as a small note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The number or the word.
    pub text: String,
    /// What the number means, so that no meaning is in colour alone.
    pub word: String,
    /// Detail that a narrow screen leaves out.
    pub note: String,
    /// Detail for a page alone, and there only where it has room.
    pub aside: String,
    /// Background.
    pub shade: Option<Shade>,
}

impl Cell {
    /// A cell with text only.
    pub fn plain(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }
}

/// A step on the scale from worse (orange) to better (blue), -3 to 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shade(i8);

impl Shade {
    /// Worse or better by the ratio: steps at 0.95, 0.8, 0.5 and 1.05, 1.25, 2.
    pub fn of_ratio(ratio: f64) -> Shade {
        let steps = |edges: [f64; 3], past: fn(f64, f64) -> bool| {
            edges.iter().filter(|edge| past(ratio, **edge)).count() as i8
        };
        let better = steps([1.05, 1.25, 2.0], |r, edge| r >= edge);
        let worse = steps([0.95, 0.8, 0.5], |r, edge| r <= edge);
        Shade(better - worse)
    }

    /// At least `step`: what is decided is never neutral.
    pub(crate) fn at_least(self, step: i8) -> Shade {
        Shade(self.0.max(step))
    }

    /// At most `step`.
    pub(crate) fn at_most(self, step: i8) -> Shade {
        Shade(self.0.min(step))
    }

    /// The step, -3 to 3.
    pub fn step(self) -> i8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_are_symmetric_for_logarithms() {
        for (ratio, step) in [(1.0, 0), (1.04, 0), (1.1, 1), (1.3, 2), (2.5, 3)] {
            assert_eq!(Shade::of_ratio(ratio).step(), step);
            assert_eq!(Shade::of_ratio(1.0 / ratio).step(), -step, "{ratio}");
        }
    }
}
