//! States what a reader must know about results that were not measured on the host.

use crate::{
    block::Block,
    names,
    sections::{Brief, Section},
};
use model::{plan::LabKind, result::Dataset};
use stats::{description::Durability, evaluation::Findings};

pub(crate) struct Lab;

impl Section for Lab {
    fn title(&self) -> &'static str {
        "Lab"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let why = why(findings.lab)?;
        let targets = names::measured(dataset, findings).join(", ");
        let mut text = format!(
            "Measured {}: {targets}. {why}: compare these targets with each other only.",
            findings.lab.place()
        );
        if matches!(findings.durability, Durability::NotProven(_)) {
            text.push_str(" Its fsync is not proven to be durable.");
        }
        Some(vec![Block::Callout(text)])
    }

    fn brief(&self, dataset: &Dataset, findings: &Findings, _: Brief) -> Option<Vec<Block>> {
        self.build(dataset, findings)
    }
}

/// What lies between the work and the disk; nothing on the host. The factors were measured, see
/// docs/METHODS.md.
fn why(lab: LabKind) -> Option<&'static str> {
    match lab {
        LabKind::Host => None,
        LabKind::Kvm => Some("Virtual disks backed by a file on the host"),
        LabKind::Uml => Some(
            "One CPU runs everything, and system calls take 150 to 300 times as long as natively",
        ),
        LabKind::Tcg => Some("The CPU is emulated and about ten times slower than the real one"),
    }
}
