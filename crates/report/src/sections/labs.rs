//! That a campaign was measured in several labs, and why each has tables of its own.

use crate::{block::Block, sections::Section};
use model::Dataset;
use stats::Findings;

pub(crate) struct Labs;

impl Section for Labs {
    fn title(&self) -> &'static str {
        "Labs"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if findings.others.is_empty() || findings.comparison.is_some() {
            return None;
        }
        let class = |f: &Findings| format!("{}: {}", f.lab.place(), f.targets.join(", "));
        let classes: Vec<String> = findings.classes().map(class).collect();
        Some(vec![Block::Prose(format!(
            "The targets were measured in {} kinds of lab ({}). A lab is a machine of its own between \
             the work and the disk, so figures of two labs are not comparable: each has tables of its \
             own, with its own baseline, and nothing is ranked across them.",
            classes.len(),
            classes.join("; ")
        ))])
    }

    fn of_whole(&self) -> bool {
        true
    }
}
