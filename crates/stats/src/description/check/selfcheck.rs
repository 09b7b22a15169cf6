//! Checks a campaign's internal consistency: the A/A pair, the drift over its blocks, the effect of the place in a
//! block. No figure of a candidate depends on it.

use crate::{
    description::{
        Comparison, Settings, StatsError,
        cell::{data::CellData, select::select},
        check::{
            aa::{self, AaCheck},
            drift::{self, Drift},
        },
        equivalence::judge,
    },
    kernel::Ratio,
};
use model::result::Dataset;
use serde::Serialize;
use std::collections::BTreeSet;

/// The self-checks of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SelfCheck {
    /// The A/A pair, where the campaign has one.
    pub aa: Option<AaCheck>,
    /// What time and place did; `None` below two blocks.
    pub drift: Option<Drift>,
    /// What to know of the figures because of it, a sentence each.
    pub notes: Vec<String>,
}

/// Checks the campaign whose candidates are the columns `targets` of `cells`. The twin has cells of
/// its own here, so that it decides nothing about theirs.
pub(crate) fn selfcheck(
    dataset: &Dataset,
    targets: &[String],
    cells: &[CellData],
    settings: &Settings,
) -> Result<SelfCheck, StatsError> {
    let mut check = SelfCheck::default();
    if let Some(twin) = dataset.twin() {
        let labels = [targets, std::slice::from_ref(&twin.label)].concat();
        let cells = select(dataset, &labels, settings.contention_limit_pct)?;
        check.drift = drift::drift(dataset, &labels, &cells);
        let of = targets.iter().position(|label| *label == twin.of);
        check.aa = of.map(|of| {
            aa::check(twin, (of, targets.len()), &cells, dataset.campaign.seed, settings)
        });
    } else {
        check.drift = drift::drift(dataset, targets, cells);
    }
    check.notes.extend(check.aa.as_ref().and_then(failed));
    check.notes.extend(check.drift.iter().flat_map(|drift| moved(drift, settings.band)));
    check.notes.extend(targets.iter().filter_map(|target| run_again(dataset, target)));
    Ok(check)
}

fn failed(pair: &AaCheck) -> Option<String> {
    (pair.passes() == Some(false)).then(|| {
        let found = match (pair.is_telling(), pair.ratio) {
            (false, Some(ratio)) => format!(
                "over all cells {} differs from itself by {:+.0} %",
                pair.of,
                100.0 * (ratio.point - 1.0)
            ),
            _ => format!(
                "{} of {} cells differ between {} and itself, which {} of {} patterns of signs explain",
                pair.marked, pair.cells, pair.of, pair.as_far, pair.patterns
            ),
        };
        format!(
            "The A/A check failed: {found}. The noise does not match the assumptions of the \
             intervals, so differences of this size prove nothing."
        )
    })
}

/// How often `target` was run again after its block, where it was.
fn run_again(dataset: &Dataset, target: &str) -> Option<String> {
    let own = dataset.samples.iter().filter(|sample| sample.case.target == target);
    let again = own.filter(|sample| dataset.is_run_again(sample));
    let blocks = again.map(|sample| sample.block).collect::<BTreeSet<_>>().len();
    let (its, n) = match blocks {
        0 => return None,
        1 => ("its block", "1 block".into()),
        n => ("each of them", format!("{n} blocks")),
    };
    Some(format!(
        "{target} failed in {n} at first and was run again after {its}: its figures there were \
         measured later than those of the other targets."
    ))
}

fn moved(drift: &Drift, band: f64) -> Vec<String> {
    let beyond =
        |ratio: &Ratio| matches!(judge(ratio, band), Comparison::Better | Comparison::Worse);
    let percent = |ratio: &Ratio| format!("{:+.0} %", 100.0 * (ratio.point - 1.0));
    let time = beyond(&drift.trend).then(|| {
        format!(
            "The figures of all targets drifted by {} from the first block to the last. Ratios \
             are computed within blocks and are not affected; values are.",
            percent(&drift.trend)
        )
    });
    let place = drift.position.as_ref().filter(|ratio| beyond(ratio)).map(|ratio| {
        format!(
            "Targets that ran last in a block differed by {} from those that ran first. Orders \
             are balanced over the blocks, so this favours no target.",
            percent(ratio)
        )
    });
    time.into_iter().chain(place).collect()
}
