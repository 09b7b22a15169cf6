//! Bounds a ratio if the source printed one of its values only as a bound.

use serde::Serialize;

/// The bound on the ratio of a cell.
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

/// A value, an oriented logarithm: its level, and the least that it may be where no more of it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) level: f64,
    pub(crate) least: Option<f64>,
}

impl Bound {
    /// What is known of `own` over `base`; `None` where neither is a bound.
    pub(crate) fn of(own: Value, base: Value) -> Option<Bound> {
        match (own.least, base.least) {
            (None, None) => None,
            (Some(_), Some(_)) => Some(Bound::Unknown),
            (Some(least), None) => Some(Bound::AtLeast((least - base.level).exp())),
            (None, Some(least)) => Some(Bound::AtMost((own.level - least).exp())),
        }
    }
}
