//! One target as advised: whether it may be chosen, what it scores.

use super::objection::Objection;
use crate::kernel::Ratio;
use serde::Serialize;

/// Whether a target may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Eligibility {
    /// It may.
    Eligible,
    /// It may, but a floor may be broken or a requirement could not be looked up.
    AtRisk,
    /// It may not.
    RuledOut,
    /// It was measured in another lab than the candidates, or does not keep what was synced as they do.
    NotComparable,
}

impl Eligibility {
    /// In words, for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Eligibility::Eligible => "eligible",
            Eligibility::AtRisk => "at risk",
            Eligibility::RuledOut => "ruled out",
            Eligibility::NotComparable => "not comparable",
        }
    }
}

/// One target.
#[derive(Clone, Debug, PartialEq)]
pub struct Advised {
    /// Label.
    pub target: String,
    /// Whether it may be chosen.
    pub standing: Eligibility,
    /// Why not, or what is doubtful.
    pub objections: Vec<Objection>,
    /// Its score over [`Advice::scored_over`](super::Advice::scored_over);
    /// of what is ruled out over the cells that both have.
    pub ratio: Option<Ratio>,
    /// Probability of being the best of the candidates in repeated runs; `None` with one block.
    pub p_best: Option<f64>,
    /// Best and worst rank that Holm's procedure leaves open.
    pub ranks: Option<(usize, usize)>,
    /// Share by which it is expected to be worse than the best.
    pub expected_regret: Option<f64>,
    /// Share by which it is at most worse than the best, with 95 % probability by the model of P(best): a one-sided
    /// bound, of this target alone.
    pub regret_95: Option<f64>,
    /// Time for the operations that the profile counts, geometric mean over the blocks, seconds.
    pub mix_s: Option<f64>,
    /// Preferred features that it has.
    pub preferred: Vec<String>,
}

impl Advised {
    /// Drops what the posterior said of it.
    pub(crate) fn forget(&mut self) {
        (self.p_best, self.ranks) = (None, None);
        (self.expected_regret, self.regret_95) = (None, None);
    }
}
