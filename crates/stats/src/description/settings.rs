//! Settings of a judgement: baseline, band, limit of other load, prices.

use model::plan::Price;
use std::collections::BTreeMap;

/// How to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Label of the target that the others are compared with; `None` takes the plan's, else the
    /// first target that has valid samples in most cells.
    pub baseline: Option<String>,
    /// Half-width of the practical band as a share: with 0.05 a ratio from 1/1.05 to 1.05 is too
    /// small to act on.
    pub band: f64,
    /// A sample is contended when others had more than this share of the machine's processor time, or of
    /// the disk below its devices, percent.
    pub contention_limit_pct: f64,
    /// What targets cost in a month, by label, in one currency: in the place of what the plan says.
    pub prices: BTreeMap<String, Price>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { baseline: None, band: 0.05, contention_limit_pct: 10.0, prices: BTreeMap::new() }
    }
}
