//! The sweeps of a campaign: what each variant of a file system's options does against its default.

use crate::{
    description::{Comparison, Settings, cell::data::CellData, score::board::Board},
    kernel::Ratio,
    tuning::{Affected, effect},
};
use model::{result::Dataset, target::LeftOut};
use serde::Serialize;

/// One sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepEffects {
    /// The sweep as written.
    pub sweep: String,
    /// Label of the default, which carries no option.
    pub default: String,
    /// The variants that have valid samples, the best first; none when the default has not.
    pub variants: Vec<VariantEffect>,
    /// Labels of the variants that are not compared, because they or the default have no valid sample.
    pub unmeasured: Vec<String>,
    /// Variants that cannot be, with the reason.
    pub left_out: Vec<LeftOut>,
    /// Blocks in which the default and all of `variants` were measured.
    pub blocks: usize,
    /// Cells in the scores: those valid for the default and all of `variants`.
    pub cells: usize,
    /// Cells of the campaign.
    pub of_cells: usize,
}

/// One variant against the default.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantEffect {
    /// Its label.
    pub target: String,
    /// Geometric mean of its ratios, each group of tests weighted equally, with the interval that the
    /// blocks give.
    pub ratio: Ratio,
    /// What that allows to say; unclear when the machine was busy with other work.
    #[serde(rename = "verdict")]
    pub comparison: Comparison,
    /// Holds among all variants of the sweep (Holm, 5 %).
    pub holm: bool,
    /// The test on which it gains most; `None` when it gains on none.
    pub gain: Option<Affected>,
    /// The test on which it loses most; `None` when it loses on none.
    pub loss: Option<Affected>,
}

/// Every sweep whose default is among `targets`, which are the labels of the columns of `cells`.
pub(crate) fn sweeps(
    dataset: &Dataset,
    targets: &[String],
    cells: &[CellData],
    settings: &Settings,
) -> Vec<SweepEffects> {
    let effects = |sweep| sweep_effects(sweep, dataset, targets, cells, settings);
    dataset.campaign.plan.sweeps.iter().filter_map(effects).collect()
}

fn sweep_effects(
    sweep: &model::target::Sweep,
    dataset: &Dataset,
    targets: &[String],
    cells: &[CellData],
    settings: &Settings,
) -> Option<SweepEffects> {
    let column = |label: &String| targets.iter().position(|target| target == label);
    let labels: Vec<String> = sweep.variants.iter().map(ToString::to_string).collect();
    let default = column(labels.first()?)?;
    let board = Board::of_columns(dataset, labels.iter().filter_map(column), cells);
    let comparable = board.columns.first() == Some(&default);
    let effects = if comparable { effect::effects(dataset, &board, settings) } else { Vec::new() };
    let variants: Vec<VariantEffect> = effects
        .into_iter()
        .map(|effect| VariantEffect {
            target: targets[effect.column].clone(),
            ratio: effect.ratio,
            comparison: effect.comparison,
            holm: effect.holm,
            gain: effect.gain.filter(|gain| gain.cell.ratio.point > 1.0),
            loss: effect.loss.filter(|loss| loss.cell.ratio.point < 1.0),
        })
        .collect();
    let is_here = |label: &String| dataset.targets.iter().any(|t| t.label == *label);
    let compared = |label: &String| variants.iter().any(|v| v.target == *label);
    Some(SweepEffects {
        sweep: sweep.on.to_string(),
        default: targets[default].clone(),
        // Those of other classes are reported there.
        unmeasured: labels[1..].iter().filter(|l| is_here(l) && !compared(l)).cloned().collect(),
        left_out: sweep.left_out.clone(),
        blocks: board.blocks(),
        cells: board.cells.len(),
        of_cells: cells.len(),
        variants,
    })
}
