//! A sample is one measurement of one case in one block: raw, never averaged.

mod covariates;
mod evidence;
mod figures;
mod flat;

pub use covariates::Covariates;
pub use evidence::{Evidence, Limiter, Validity};
pub use figures::Figures;

use crate::{figure::Metric, plan::LabKind, result::evidence as names, workload::Case};
use serde::Deserialize;

/// One measurement of one case in one block.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "flat::FlatSample<'static>")]
pub struct Sample {
    /// Block number, from 0.
    pub block: u32,
    /// Position of the target in its block, from 0. One that is not below the number of targets says that
    /// it was run again after its block.
    pub position: u32,
    /// What was measured.
    pub case: Case,
    /// Where it was measured; samples of two labs are never ranked against each other.
    pub lab: LabKind,
    /// What the test measured.
    pub figures: Figures,
    /// What may explain the figures.
    pub covariates: Covariates,
    /// What tells whether the figures are of what was asked.
    pub evidence: Evidence,
}

impl Sample {
    /// A valid sample of which only the metrics are known; all else is 0 or unknown.
    pub fn bare(block: u32, position: u32, case: Case, metrics: Vec<Metric>) -> Sample {
        Sample {
            block,
            position,
            case,
            lab: LabKind::Host,
            figures: Figures { metrics, ..Figures::default() },
            covariates: Covariates::default(),
            evidence: Evidence::default(),
        }
    }

    /// The same with its timed part: bytes, operations and seconds.
    #[must_use]
    pub fn timed(mut self, bytes: u64, ops: u64, seconds: f64) -> Sample {
        (self.figures.bytes, self.figures.ops, self.figures.seconds) = (bytes, ops, seconds);
        self
    }

    /// The same with a timed part of `seconds`.
    #[must_use]
    pub fn lasting(mut self, seconds: f64) -> Sample {
        self.figures.seconds = seconds;
        self
    }

    /// The same with this validity.
    #[must_use]
    pub fn judged(mut self, validity: Validity) -> Sample {
        self.evidence.validity = validity;
        self
    }

    /// The value of the metric `name`, when the sample has it.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.figures.metrics.iter().find(|m| m.name == name).map(|m| m.value)
    }

    /// Share of the operations, percent, that found in memory what others had made the kernel read, of a sample
    /// that is "cold, read ahead"; `None` of all others.
    pub fn read_ahead_pct(&self) -> Option<f64> {
        self.metric(names::READ_AHEAD_HITS).filter(|pct| *pct > names::READ_AHEAD_PCT)
    }
}
