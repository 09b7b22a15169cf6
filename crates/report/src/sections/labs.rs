//! Says that a campaign was measured in several labs, and why each has its own tables.

use crate::{block::Block, names, sections::Section};
use model::{plan::LabKind, result::Dataset};
use stats::evaluation::Findings;

pub(crate) struct Labs;

impl Section for Labs {
    fn title(&self) -> &'static str {
        "Labs"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if !findings.has_labs() || findings.comparison.is_some() {
            return None;
        }
        let mut labs: Vec<(LabKind, Vec<&str>)> = Vec::new();
        for class in findings.classes() {
            let targets = names::measured(dataset, class).into_iter();
            match labs.iter_mut().find(|(lab, _)| *lab == class.lab) {
                Some((_, all)) => all.extend(targets),
                None => labs.push((class.lab, targets.collect())),
            }
        }
        let place = |(lab, targets): &(LabKind, Vec<&str>)| {
            format!("{}: {}", lab.place(), targets.join(", "))
        };
        let classes: Vec<String> = labs.iter().map(place).collect();
        Some(vec![Block::Prose(format!(
            "The targets were measured in {} kinds of lab ({}). A lab is a separate machine \
             between the work and the disk, so results of two labs are not comparable: each lab \
             has its own tables and baseline, and nothing is ranked across them.",
            classes.len(),
            classes.join("; ")
        ))])
    }

    fn of_whole(&self) -> bool {
        true
    }
}
