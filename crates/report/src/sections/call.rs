//! The call in one sentence, how far it reaches, and the candidates behind it.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::Section,
};
use model::{Dataset, LabKind, Origin, Target};
use stats::{CallKind, Candidate, Findings};

/// Facts of the environment that name what was measured, with the word to print before them: of each line the
/// first that is known. Campaigns of before know the model of the disk alone.
const SCOPE: [&[(&str, &str)]; 3] = [
    &[("backing.disk", "disk"), ("backing.device.model", "device")],
    &[("backing.fstype", "backing")],
    &[(KERNEL, "kernel")],
];

/// Fact of the environment: the kernel of the host.
const KERNEL: &str = "kernel.release";

/// What stands for the date of a study that has none.
const UNKNOWN_DAY: &str = "1970-01-01";

pub(crate) struct Call;

impl Section for Call {
    fn title(&self) -> &'static str {
        "Call"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if findings.comparison.is_some() || findings.advice.is_some() {
            return None;
        }
        let call = &findings.call;
        let mut blocks =
            vec![Block::Callout(call.sentence.clone()), Block::Prose(scope(dataset, findings))];
        blocks.extend(dataset.campaign.notes.iter().chain(&call.notes).cloned().map(Block::Prose));
        if call.candidates.len() > 1 {
            blocks.push(Block::Table(candidates(findings)));
        }
        if call.kind != CallKind::Insufficient {
            blocks.push(Block::Prose(reach(dataset).into()));
        }
        Some(blocks)
    }
}

/// What was measured, where, how often and when.
pub(super) fn scope(dataset: &Dataset, findings: &Findings) -> String {
    let fact = |key: &str| fact(dataset, findings.lab, key);
    let say = |(key, word): &(&str, &str)| Some(format!("{word} {}", fact(key)?));
    let known = SCOPE.iter().filter_map(|keys| keys.iter().find_map(say));
    let blocks = findings.campaign.blocks;
    let mut parts: Vec<String> = known.collect();
    parts.push(names::blocks(blocks));
    parts.push(format!("scale {}", findings.campaign.scale));
    let day: String = findings.campaign.created.chars().take(10).collect();
    parts.extend((day != UNKNOWN_DAY).then_some(day));
    parts.extend(condition(dataset));
    if blocks > 1 && blocks < 5 {
        parts.push("quick look".into());
    }
    match findings.selfcheck.aa.as_ref().and_then(stats::AaCheck::passes) {
        Some(true) => parts.push("A/A pair passes".into()),
        Some(false) => parts.push("A/A pair fails".into()),
        None => {}
    }
    format!("Scope: {}, suite {}.", parts.join(", "), findings.campaign.suite)
}

/// A fact of the machine; the kernel is that of the lab, when its targets agree on it.
fn fact<'a>(dataset: &'a Dataset, lab: LabKind, key: &str) -> Option<&'a String> {
    if lab == LabKind::Host || key != KERNEL {
        return dataset.campaign.environment.0.get(key);
    }
    let mut all = dataset.targets.iter().filter_map(|t| t.facts.0.get("lab.kernel"));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// In which state the file systems were; the history of a directory is not known.
fn condition(dataset: &Dataset) -> Option<String> {
    let (campaign, plan) = (&dataset.campaign, &dataset.campaign.plan);
    let made = plan.targets.iter().any(|target| matches!(target, Target::Made { .. }));
    if campaign.origin != Origin::Run || !made {
        return None;
    }
    let fresh = plan.age.is_none() && plan.fullness.is_none();
    Some(if fresh { "fresh file systems only".into() } else { plan.condition() })
}

/// What a probability speaks of.
pub(super) fn reach(dataset: &Dataset) -> &'static str {
    match dataset.campaign.origin {
        Origin::Run => {
            "P is about repeat runs on this machine; it does not cover other devices, kernels or \
             workloads."
        }
        _ => "P is about repeat runs on the machine of the source; it does not cover others.",
    }
}

fn candidates(findings: &Findings) -> Table {
    let rows = findings.call.candidates.iter().map(|candidate| {
        let cells = cells(candidate, findings);
        Row::body(cells)
    });
    Table {
        caption: format!(
            "Candidates over {} of {} cells, each group of tests weighing the same",
            findings.call.cells, findings.call.of_cells
        ),
        columns: vec![
            Column::words("Target"),
            Column::numbers("", &format!("Score / {}", findings.baseline)),
            Column::numbers("", "95 % CI"),
            Column::numbers("", "P(best)"),
            Column::numbers("", "Rank"),
            Column::numbers("", "Costs at most"),
        ],
        rows: rows.collect(),
        footnotes: Vec::new(),
    }
}

fn cells(candidate: &Candidate, findings: &Findings) -> Vec<Cell> {
    let unknown = || "-".to_string();
    let is_baseline = candidate.target == findings.baseline;
    let score = if is_baseline { "1".into() } else { number::ratio(candidate.ratio.point) };
    vec![
        Cell::plain(&candidate.target),
        Cell::plain(score),
        Cell::plain(number::interval(&candidate.ratio)),
        Cell::plain(candidate.p_best.map_or_else(unknown, number::probability)),
        Cell::plain(candidate.ranks.map_or_else(unknown, number::rank)),
        Cell::plain(candidate.regret_95.map_or_else(unknown, number::at_most)),
    ]
}
