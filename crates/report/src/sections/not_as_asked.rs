//! Lists mount options that are not in effect as requested, because then a label does not describe what was measured.

use crate::{
    block::Block,
    sections::{Brief, Section},
};
use model::result::{Dataset, NOT_AS_ASKED, TargetRecord};
use stats::evaluation::Findings;

pub(crate) struct NotAsAsked;

impl Section for NotAsAsked {
    fn title(&self) -> &'static str {
        "Options not in effect as requested"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, _: &Findings) -> Option<Vec<Block>> {
        let said = |record: &TargetRecord| {
            let what = record.facts.0.get(NOT_AS_ASKED)?;
            Some(Block::Prose(format!("{}: {what}.", record.label)))
        };
        let all: Vec<Block> = dataset.targets.iter().filter_map(said).collect();
        (!all.is_empty()).then_some(all)
    }

    /// There no heading says what it is about.
    fn brief(&self, dataset: &Dataset, findings: &Findings, _: Brief) -> Option<Vec<Block>> {
        let mut blocks = self.build(dataset, findings)?;
        blocks.iter_mut().for_each(|block| {
            if let Block::Prose(text) = block {
                *text = format!("Not as requested: {text}");
            }
        });
        Some(blocks)
    }

    fn of_whole(&self) -> bool {
        true
    }
}
