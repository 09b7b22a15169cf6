//! Lists targets that do not keep synced data, whatever their rates.

use crate::{
    block::Block,
    sections::{Brief, Section},
    words,
};
use model::result::Dataset;
use stats::{
    description::{doubtful, durability},
    evaluation::Findings,
};

pub(crate) struct Durability;

impl Section for Durability {
    fn title(&self) -> &'static str {
        "Durability"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, _findings: &Findings) -> Option<Vec<Block>> {
        warning(dataset).map(|text| vec![Block::Callout(text)])
    }

    fn brief(&self, dataset: &Dataset, findings: &Findings, _: Brief) -> Option<Vec<Block>> {
        self.build(dataset, findings)
    }

    fn of_whole(&self) -> bool {
        true
    }
}

/// Names the targets that may lose what they synced, with the reason; `None` when none does. What is not proven
/// its class says.
fn warning(dataset: &Dataset) -> Option<String> {
    let loses = |label: &&str| {
        matches!(durability(dataset, label), stats::description::Durability::Loses(_))
    };
    let losers = dataset.targets.iter().map(|target| target.label.as_str()).filter(loses);
    let losers = words::doubtful(&doubtful(dataset, losers))?;
    Some(format!(
        "{losers}. Compare such a target only with others like it: it is not ranked against \
         targets with durable fsync."
    ))
}
