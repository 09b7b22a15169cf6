//! The end of a campaign before or after what its plan asks for.

use serde::{Deserialize, Serialize};

/// The end of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// Number of its blocks.
    pub after_blocks: u32,
    /// Why no further block was run.
    pub cause: EndCause,
    /// What the last look showed.
    pub seen: LastLook,
    /// Change of a ratio that does not matter, per cent.
    pub band_pct: f64,
}

/// Why no further block is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// At a look, nothing was open.
    Enough,
    /// It was the last look.
    Most,
    /// Another block would not end within the budget.
    Budget {
        /// The budget, seconds.
        budget_s: u64,
        /// What the campaign used, seconds.
        used_s: u64,
        /// What a block is expected to take, seconds.
        block_s: u64,
    },
}

/// What a look at a campaign shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LastLook {
    /// How many ratios are resolved.
    Ratios {
        /// How many.
        ratios: Ratios,
        /// The widest of the others.
        widest: Option<WideRatio>,
    },
    /// What the verdicts have come to; none where more blocks would decide nothing.
    Verdicts {
        /// Of each lab with candidates that can be compared.
        verdicts: Vec<Standing>,
        /// How many ratios are resolved.
        ratios: Ratios,
    },
}

/// How many ratios over the baseline are resolved: decided, or precise to the band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ratios {
    /// Those that are.
    pub resolved: usize,
    /// All.
    pub all: usize,
}

/// A ratio that is not resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WideRatio {
    /// Display name of its test.
    pub test: String,
    /// Worker processes.
    pub procs: u32,
    /// Label of the candidate.
    pub target: String,
    /// Half-width of its 95 % interval, per cent; `None` without an interval.
    pub half_width_pct: Option<f64>,
}

/// What a verdict has come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// This candidate is the best.
    Decided(String),
    /// These are the same within the band.
    Same(Vec<String>),
    /// Neither.
    Open,
}
