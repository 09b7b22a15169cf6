//! The renderers, and the order in which all of them show a report.

mod chart;
pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
mod scatter;
pub(crate) mod terminal;
mod terminal_table;

use crate::{
    block::Block,
    sections::{SECTIONS, Section},
};
use model::Dataset;
use stats::Findings;

/// Sections that have something to say, with their blocks.
fn built(
    dataset: &Dataset,
    findings: &Findings,
    keep: fn(&dyn Section) -> bool,
) -> Vec<(&'static str, Vec<Block>)> {
    let kept = SECTIONS.iter().filter(|section| keep(**section));
    kept.filter_map(|s| Some((s.title(), s.build(dataset, findings)?))).collect()
}

/// The heading of the whole report.
fn title(dataset: &Dataset) -> &str {
    let campaign = &dataset.campaign;
    if campaign.title.is_empty() { &campaign.id } else { &campaign.title }
}
