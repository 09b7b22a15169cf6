//! A sample is one measurement of one case in one block: raw, never averaged.

mod covariates;
mod evidence;
mod figures;
mod flat;
pub mod known;
mod named;
mod rare;

pub use covariates::{Covariates, DiskUse, HostUse};
pub use evidence::{Evidence, Limiter, Validity};
pub use figures::Figures;
pub use known::{Known, Numbers};
pub use named::MetricSlot;
pub use rare::Rare;

use crate::{
    figure::{Metric, Shared},
    plan::LabKind,
    result::evidence::READ_AHEAD_PCT,
    workload::Case,
};
use known::Number;
use serde::Deserialize;
use std::borrow::Cow;

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
    pub case: Shared<Case>,
    /// Where it was measured; samples of two labs are never ranked against each other.
    pub lab: LabKind,
    /// What the test measured.
    pub figures: Figures,
    /// What may explain the figures.
    pub covariates: Covariates,
    /// What tells whether the figures are of what was asked.
    pub evidence: Evidence,
    /// Covariates and evidence that are a number each, of which a sample has some.
    pub numbers: Numbers,
}

impl Sample {
    /// A valid sample of which only the metrics are known; all else is 0 or unknown.
    pub fn bare(
        block: u32,
        position: u32,
        case: impl Into<Shared<Case>>,
        metrics: Vec<Metric>,
    ) -> Sample {
        let mut sample = Sample {
            block,
            position,
            case: case.into(),
            lab: LabKind::Host,
            figures: Figures::default(),
            covariates: Covariates::default(),
            evidence: Evidence::default(),
            numbers: Numbers::default(),
        };
        sample.extend(metrics);
        sample
    }

    /// Takes `metric` into the field that it stands for; into the figures where it stands for none. The first of a
    /// sample that is not invalid is what its table ranks by, and always a figure.
    pub fn push(&mut self, metric: Metric) {
        if self.lacks_rank() || !named::set(self, &metric) {
            self.figures.metrics.push(metric);
        }
    }

    /// Takes a number of the kind of `slot` as [`Sample::push`] does.
    pub fn push_in(&mut self, slot: &MetricSlot, value: f64) {
        if self.lacks_rank() || !slot.set(self, value) {
            self.figures.metrics.push(slot.with(value));
        }
    }

    /// Whether the next metric is what its table ranks by.
    fn lacks_rank(&self) -> bool {
        self.figures.metrics.is_empty() && !matches!(*self.evidence.validity, Validity::Invalid(_))
    }

    /// Takes each of `metrics` as [`Sample::push`] does.
    pub fn extend(&mut self, metrics: Vec<Metric>) {
        metrics.into_iter().for_each(|metric| self.push(metric));
        self.shrink();
    }

    /// Gives back memory for numbers that do not come.
    pub fn shrink(&mut self) {
        self.figures.metrics.shrink_to_fit();
        self.numbers.shrink();
    }

    /// A covariate or piece of evidence.
    pub fn get<T: Number>(&self, known: Known<T>) -> Option<T> {
        self.numbers.get(known)
    }

    /// Rates of operations in each fifth of a sustained run, 1/s, in order.
    pub fn round_rates(&self) -> Option<[f64; known::ROUNDS]> {
        let mut rates = [0.0; known::ROUNDS];
        for (rate, round) in rates.iter_mut().zip(known::ROUND_RATES) {
            *rate = self.get(round)?;
        }
        Some(rates)
    }

    /// Sets them.
    pub fn set_round_rates(&mut self, rates: [f64; known::ROUNDS]) {
        known::ROUND_RATES.into_iter().zip(rates).for_each(|(round, rate)| self.set(round, rate));
    }

    /// Sets a covariate or piece of evidence.
    pub fn set<T: Number>(&mut self, known: Known<T>, value: impl Into<Option<T>>) {
        self.numbers.set(known, value);
    }

    /// Every number with a name: the figures of the test, then covariates and evidence.
    pub fn all_metrics(&self) -> Cow<'_, [Metric]> {
        let own = &self.figures.metrics;
        match named::metrics(self) {
            known if known.is_empty() => Cow::Borrowed(own),
            known => Cow::Owned(own.iter().cloned().chain(known).collect()),
        }
    }

    /// Whether it has any number with a name.
    pub fn has_metrics(&self) -> bool {
        !self.all_metrics().is_empty()
    }

    /// Whether a covariate or a piece of evidence has this name and is known.
    pub(super) fn is_known(&self, name: &str) -> bool {
        named::value(self, name).is_some()
    }

    /// The metric that a user calls `name`: a figure of the test, a covariate or a piece of evidence.
    pub fn find(&self, name: &str) -> Option<Cow<'_, Metric>> {
        let own = self.figures.metrics.iter().find(|own| own.name == name);
        own.map(Cow::Borrowed).or_else(|| named::find(self, name).map(Cow::Owned))
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
        self.evidence.validity = validity.into();
        self
    }

    /// The value of the metric `name`, when the sample has it.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let own = self.figures.metrics.iter().find(|m| m.name == name).map(|m| m.value);
        own.or_else(|| named::value(self, name))
    }

    /// Share of the operations, percent, that found in memory what others had made the kernel read, of a sample
    /// that is "cold, read ahead"; `None` of all others.
    pub fn read_ahead_pct(&self) -> Option<f64> {
        self.get(known::READ_AHEAD_HIT_PCT).filter(|pct| *pct > READ_AHEAD_PCT)
    }
}
