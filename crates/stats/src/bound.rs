//! What is known of a value whose source printed no more of it than a bound.

use crate::cell::{CellData, orient};
use serde::Serialize;

/// What bounds say of the ratio of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is", content = "ratio")]
pub enum Bound {
    /// It is this or more.
    AtLeast(f64),
    /// It is this or less.
    AtMost(f64),
    /// Both values are bounds from the same side: nothing.
    Unknown,
}

/// What the bounds of column `candidate` and column `base` say of their ratio; `None` where neither is a bound.
pub(crate) fn of_ratio(data: &CellData, candidate: usize, base: usize) -> Option<Bound> {
    let least = |column: usize| data.series[column].least;
    match (least(candidate), least(base)) {
        (None, None) => None,
        (Some(_), Some(_)) if candidate != base => Some(Bound::Unknown),
        (Some(_), Some(_)) => None,
        (Some(least), None) if data.valid_for([base]) => {
            Some(Bound::AtLeast((least - data.level(base)).exp()))
        }
        (None, Some(least)) if data.valid_for([candidate]) => {
            Some(Bound::AtMost((data.level(candidate) - least).exp()))
        }
        _ => None,
    }
}

/// The least that the value of a column is, in the unit of the cell.
pub(crate) fn of_value(data: &CellData, column: usize) -> Option<f64> {
    data.series[column].least.map(|log| orient(log, data.better).exp())
}
