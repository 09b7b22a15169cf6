//! Shows the machine and the targets.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::Section,
};
use model::{
    plan::LabKind,
    result::{Campaign, Dataset, Environment as Facts, Origin, TargetRecord, TargetState, is_cost},
    text::Bytes,
};
use stats::evaluation::Findings;

/// Amounts of bytes from here on have their unit; sizes of blocks and inodes are read as they are.
const LARGE_BYTES: u64 = 1 << 20;

pub(crate) struct Environment;

impl Section for Environment {
    fn title(&self) -> &'static str {
        "Environment"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let first = match findings.comparison {
            Some(_) => facts("What both campaigns have in common", &dataset.campaign.environment),
            None => facts("Machine and campaign", &of_campaign(&dataset.campaign)),
        };
        let tables = std::iter::once(first);
        Some(tables.chain(dataset.targets.iter().map(target)).map(Block::Table).collect())
    }

    fn in_terminal(&self) -> bool {
        false
    }

    fn of_whole(&self) -> bool {
        true
    }
}

fn of_campaign(campaign: &Campaign) -> Facts {
    let mut machine = campaign.environment.clone();
    let own = [
        ("campaign", campaign.id.clone()),
        ("assay", campaign.assay_version.clone()),
        ("seed", campaign.seed.to_string()),
        ("data", campaign.plan.data.to_string()),
    ];
    machine.0.extend(own.map(|(key, value)| (key.to_string(), value)));
    if campaign.origin == Origin::Run {
        machine.0.insert("condition".into(), campaign.plan.condition());
    }
    machine
}

fn target(record: &TargetRecord) -> Table {
    let mut known = record.facts.clone();
    // Costs are in tables of their own.
    known.0.retain(|key, _| !is_cost(key));
    if record.target != record.label {
        known.0.insert("target".into(), record.target.clone());
    }
    if record.lab != LabKind::Host {
        known.0.insert("lab".into(), record.lab.to_string());
    }
    if let TargetState::Failed(why) = &record.state {
        known.0.insert("not measured".into(), why.clone());
    }
    facts(&format!("Target {}", record.label), &known)
}

fn facts(caption: &str, facts: &Facts) -> Table {
    let row = |(key, value): (&String, &String)| {
        Row::body([Cell::plain(key), Cell::plain(readable(key, value))])
    };
    Table {
        caption: caption.into(),
        columns: vec![Column::words("Fact"), Column::words("Value")],
        rows: facts.0.iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

/// Large amounts of bytes have their unit before all digits: `23.5 GiB (25276502016)`.
fn readable(key: &str, value: &str) -> String {
    let is_amount = key.ends_with(".bytes") || key.ends_with("_bytes");
    match value.parse() {
        Ok(bytes) if is_amount && bytes >= LARGE_BYTES => format!("{} ({value})", Bytes(bytes)),
        _ => value.to_string(),
    }
}
