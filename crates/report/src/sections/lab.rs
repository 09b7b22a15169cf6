//! What a reader must know of figures that were not measured on the host.

use crate::{block::Block, sections::Section};
use model::{Dataset, LabKind};
use stats::Findings;

/// Fact of a target: whether its lab was shown to write through to the disk.
const DURABLE: &str = "lab.durable";

pub(crate) struct Lab;

impl Section for Lab {
    fn title(&self) -> &'static str {
        "Lab"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let why = why(findings.lab)?;
        let targets = findings.targets.join(", ");
        let mut text = format!(
            "Measured {}: {targets}. {why}: compare these targets with each other only.",
            findings.lab.place()
        );
        if !is_durable(dataset, findings.lab) {
            text.push_str(" Its fsync is not shown to be durable.");
        }
        Some(vec![Block::Callout(text)])
    }

    fn brief(&self, dataset: &Dataset, findings: &Findings, _: usize) -> Option<Vec<Block>> {
        self.build(dataset, findings)
    }
}

/// What lies between the work and the disk; nothing on the host. The factors were measured, see
/// docs/METHODS.md.
fn why(lab: LabKind) -> Option<&'static str> {
    match lab {
        LabKind::Host => None,
        LabKind::Kvm => Some("The disks are virtual, behind a file of the host"),
        LabKind::Uml => Some(
            "One processor runs everything, and a system call takes 150 to 300 times as long as \
             natively",
        ),
        LabKind::Tcg => {
            Some("The processor is emulated and about ten times slower than the real one")
        }
    }
}

/// User-Mode Linux is not, unless a fact says so; the others are, unless a fact denies it.
fn is_durable(dataset: &Dataset, lab: LabKind) -> bool {
    let facts = || dataset.targets.iter().filter_map(|t| t.facts.0.get(DURABLE));
    match lab {
        LabKind::Uml => facts().next().is_some() && facts().all(|fact| fact == "shown"),
        _ => facts().all(|fact| fact == "shown"),
    }
}
