//! The search for better options, as decisions only: screening looks at every variant briefly,
//! halving gives those that are left twice the blocks each time, confirmation judges the last few
//! against the default. The caller measures.
//!
//! Halving is after Karnin, Koren and Somekh (ICML 2013). What is picked from many looks better than it is,
//! so the ratios of screening and halving only select variants and are not reported; the confirmation
//! measures anew, and its blocks alone decide.

use super::{
    confirm::{self, Confirmation},
    stage::{self, Stage, StageKind},
    variants::with_board,
};
use crate::description::{Settings, StatsError};
use model::result::Dataset;

/// What the search needs of the world.
pub trait Bench {
    /// A candidate.
    type Variant: Clone;
    /// Why a stage could not be measured.
    type Error: From<StatsError>;

    /// How many turns the budget still allows; a turn is one candidate in one block.
    fn turns_left(&self) -> f64;

    /// Measures the default and `variants` in that order of targets, in `stage.blocks` blocks.
    ///
    /// # Errors
    /// It cannot be measured.
    fn measure(
        &mut self,
        stage: &Stage,
        variants: &[Self::Variant],
    ) -> Result<Dataset, Self::Error>;

    /// Several variants in one, where that is possible and is not one of them; best first.
    fn combine(&self, best: &[Self::Variant]) -> Option<Self::Variant>;
}

/// What the search found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOutcome<V> {
    /// Variants that no stage had the time for.
    pub untried: usize,
    /// The variants of the last stage.
    pub last: Vec<V>,
    /// How it ended.
    pub ending: Ending,
}

/// How a search ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The budget does not allow to screen one variant and to confirm it.
    NoTime {
        /// Turns that would do.
        turns: f64,
    },
    /// No variant scored above the default.
    NothingPromising,
    /// Some did, and no time was left to confirm one.
    NotConfirmed,
    /// The finalists were measured against the default.
    Confirmed(Confirmation),
}

/// Searches `field`, the most promising first, within what `bench` allows.
///
/// # Errors
/// A stage cannot be measured or judged.
pub fn search<B: Bench>(
    field: &[B::Variant],
    bench: &mut B,
    settings: &Settings,
) -> Result<SearchOutcome<B::Variant>, B::Error> {
    let Some(mut stage) = Stage::first(field.len(), bench.turns_left()) else {
        let ending = Ending::NoTime { turns: stage::LEAST_TURNS };
        return Ok(SearchOutcome { untried: field.len(), last: Vec::new(), ending });
    };
    let untried = field.len() - stage.variants;
    let mut last = field[..stage.variants].to_vec();
    let ending = loop {
        let dataset = bench.measure(&stage, &last)?;
        if stage.kind == StageKind::Confirmation {
            break Ending::Confirmed(confirm::confirm(&dataset, settings)?);
        }
        let promising = promising(&dataset, settings)?;
        let best: Vec<B::Variant> = promising.iter().map(|&i| last[i].clone()).collect();
        if best.is_empty() {
            break Ending::NothingPromising;
        }
        last = best[..stage.survivors(best.len())].to_vec();
        if stage.kind == StageKind::Screening {
            // First: where gains add up, it is the best of all.
            last.splice(..0, bench.combine(&last));
        }
        match stage.next(last.len(), bench.turns_left()) {
            Some(next) => stage = next,
            None => break Ending::NotConfirmed,
        }
        last.truncate(stage.variants);
    };
    Ok(SearchOutcome { untried, last, ending })
}

/// The variants that scored above the default, best first, as positions after it.
fn promising(dataset: &Dataset, settings: &Settings) -> Result<Vec<usize>, StatsError> {
    with_board(dataset, settings, |board| {
        let levels = board.columns.iter().copied().zip(board.means());
        let mut above: Vec<(usize, f64)> =
            levels.filter(|&(column, level)| column > 0 && level > 0.0).collect();
        above.sort_by(|a, b| b.1.total_cmp(&a.1));
        above.into_iter().map(|(column, _)| column - 1).collect()
    })
}
