//! The verdict in one sentence, what would settle it where it is open, how far it reaches, and the candidates behind
//! it.

mod lengths;
mod next;
mod trust;

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::{Brief, Section},
    words,
};
use model::{
    plan::{LabKind, Order},
    result::{Dataset, Origin},
    target::Target,
};
use stats::{
    evaluation::Findings,
    verdict::{Candidate, VerdictKind},
};

/// Facts of the environment that name what was measured, with the word to print before them: of each line the
/// first that is known. Campaigns of before know the model of the disk alone.
const SCOPE: [&[(&str, &str)]; 3] = [
    &[("backing.disk", "disk"), ("backing.device.model", "device")],
    &[("backing.fstype", "backing")],
    &[(KERNEL, "kernel")],
];

/// Fact of the environment: the kernel of the host.
const KERNEL: &str = "kernel.release";

/// Fact of a target: the kernel of its guest.
const LAB_KERNEL: &str = "lab.kernel";

/// What stands for the date of a study that has none.
const UNKNOWN_DAY: &str = "1970-01-01";

pub(crate) struct Verdict;

impl Section for Verdict {
    fn title(&self) -> &'static str {
        "Verdict"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if !findings.is_of_campaign() {
            return None;
        }
        let verdict = &findings.verdict;
        let mut blocks = head(dataset, findings);
        blocks.push(Block::Signs(trust::signs(dataset, findings)));
        blocks.extend(candidates(findings, usize::MAX).map(Block::Table));
        blocks.push(Block::Prose(scope(dataset, findings)));
        let notes = dataset.campaign.notes.iter().map(words::note);
        blocks.extend(notes.chain(own_notes(dataset, findings)).map(Block::Prose));
        if verdict.kind != VerdictKind::Insufficient {
            blocks.push(Block::Prose(reach(dataset).into()));
        }
        Some(blocks)
    }

    fn brief(&self, dataset: &Dataset, findings: &Findings, brief: Brief) -> Option<Vec<Block>> {
        if !findings.is_ranked {
            return Some(vec![Block::Callout(words::verdict(findings))]);
        }
        let own = own_notes(dataset, findings);
        let of_campaign = dataset.campaign.notes.iter().map(words::note);
        let notes: Vec<String> = of_campaign.chain(own).collect();
        let mut blocks = head(dataset, findings);
        blocks.push(Block::Prose(scope(dataset, findings)));
        let more = notes.len().saturating_sub(brief.notes);
        blocks.extend(notes.into_iter().take(brief.notes).map(Block::Prose));
        blocks.extend(
            (more > 0).then(|| Block::Prose(format!("{more} more notes are in the report."))),
        );
        blocks.extend(candidates(findings, brief.rows.max(LEAST_CANDIDATES)).map(Block::Table));
        Some(blocks)
    }
}

/// Candidates that the short form shows however little room there is: they are what was asked about.
const LEAST_CANDIDATES: usize = 10;

/// Notes on the verdict, in addition to those of the campaign.
fn own_notes(dataset: &Dataset, findings: &Findings) -> Vec<String> {
    let lengths = lengths::lengths(dataset, findings);
    lengths.into_iter().chain(words::verdict_notes(&findings.verdict)).collect()
}

/// The verdict, and what to do next.
fn head(dataset: &Dataset, findings: &Findings) -> Vec<Block> {
    let sentence = [Some(words::verdict(findings)), unproven(findings)];
    let mut blocks =
        vec![Block::Callout(sentence.into_iter().flatten().collect::<Vec<_>>().join(" "))];
    blocks.extend(next::next(dataset, findings).into_iter().map(Block::Prose));
    blocks
}

/// Of which targets a sync was not seen to reach the medium, as a sentence; `None` when of none, and where they are
/// not ranked, as the verdict says why.
fn unproven(findings: &Findings) -> Option<String> {
    if !findings.is_ranked {
        return None;
    }
    let all: Vec<String> = findings.doubts.iter().map(stats::description::Doubt::text).collect();
    (!all.is_empty()).then(|| format!("Durability not proven: {}.", all.join("; ")))
}

/// What was measured, where, how often and when.
pub(super) fn scope(dataset: &Dataset, findings: &Findings) -> String {
    let fact = |key: &str| fact(dataset, findings.lab, key);
    let say = |(key, word): &(&str, &str)| match fact(key) {
        Some(value) => Some(format!("{word} {value}")),
        None if *key == KERNEL => kernels(dataset, findings.lab),
        None => None,
    };
    let known = SCOPE.iter().filter_map(|keys| keys.iter().find_map(say));
    let blocks = findings.campaign.blocks;
    let mut parts: Vec<String> = known.collect();
    parts.push(names::blocks(blocks));
    parts.push(format!("scale {}", findings.campaign.scale));
    let day: String = findings.campaign.created.chars().take(10).collect();
    parts.extend((day != UNKNOWN_DAY).then_some(day));
    parts.extend(condition(dataset));
    parts.extend(dataset.campaign.plan.order.map(|order| match order {
        Order::Interleaved => "candidates side by side".to_string(),
        Order::InTurn => "candidates in turn".to_string(),
    }));
    if blocks > 1 && blocks < 5 {
        parts.push("quick look".into());
    }
    match findings.selfcheck.aa.as_ref().and_then(stats::description::AaCheck::passes) {
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
    let mut all = kernels_of(dataset, lab).map(|(_, kernel)| kernel);
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// The targets of `lab` with the kernels of their guests.
fn kernels_of(dataset: &Dataset, lab: LabKind) -> impl Iterator<Item = (&String, &String)> {
    let own = dataset.targets.iter().filter(move |target| target.lab == lab);
    own.filter_map(|target| Some((&target.label, target.facts.0.get(LAB_KERNEL)?)))
}

/// Each kernel of `lab` with its targets: `kernels 6.12.48 (xfs@6.12), 6.18.2 (xfs@6.18)`.
fn kernels(dataset: &Dataset, lab: LabKind) -> Option<String> {
    let mut all: Vec<(&String, Vec<&str>)> = Vec::new();
    for (label, kernel) in kernels_of(dataset, lab) {
        match all.iter_mut().find(|(known, _)| *known == kernel) {
            Some((_, labels)) => labels.push(label),
            None => all.push((kernel, vec![label])),
        }
    }
    let each = all.iter().map(|(kernel, labels)| format!("{kernel} ({})", labels.join(", ")));
    (!all.is_empty()).then(|| format!("kernels {}", each.collect::<Vec<_>>().join(", ")))
}

/// The state of the file systems; the history of a directory is unknown.
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
            "P covers the variation between runs on this machine, not other devices, kernels or \
             workloads."
        }
        _ => "P covers the variation between runs on the source's machine, not on others.",
    }
}

/// The first `most` candidates; `None` where there is nothing to compare, or no row.
fn candidates(findings: &Findings, most: usize) -> Option<Table> {
    let all = &findings.verdict.candidates;
    let shown = most.min(all.len());
    let rows = all.iter().take(most).map(|candidate| Row::body(cells(candidate)));
    let more = match all.len() - shown {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    (shown > 0 && all.len() > 1).then(|| Table {
        caption: format!(
            "Candidates over {} of {} cells, each group of tests weighted equally{more}",
            findings.verdict.cells, findings.verdict.of_cells
        ),
        columns: vec![
            Column::words("Target"),
            Column::numbers("", &format!("Score / {}", findings.verdict.scored_over)),
            Column::numbers("", "95 % CI"),
            Column::numbers("", "P(best)"),
            Column::numbers("", "Rank"),
            Column::numbers("", "Loss of score (95 %)"),
        ],
        rows: rows.collect(),
        footnotes: Vec::new(),
    })
}

fn cells(candidate: &Candidate) -> Vec<Cell> {
    let unknown = || "-".to_string();
    vec![
        Cell::plain(&candidate.target),
        Cell::plain(number::ratio(candidate.ratio.point)),
        Cell::plain(number::interval(&candidate.ratio)),
        Cell::plain(candidate.p_best.map_or_else(unknown, number::probability)),
        Cell::plain(candidate.ranks.map_or_else(unknown, number::rank)),
        Cell::plain(candidate.regret_95.map_or_else(unknown, number::at_most)),
    ]
}
