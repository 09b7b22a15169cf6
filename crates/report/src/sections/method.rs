//! Summarizes how the numbers were made, and how to repeat them.

use crate::{block::Block, names, number, sections::Section};
use model::{
    plan::Plan,
    result::{Dataset, Note, Origin},
    text::printable,
};
use sha2::{Digest, Sha256};
use stats::{description::Timed, evaluation::Findings};
use std::collections::BTreeMap;

/// Samples above which their hash is left to an export: a page of 100 000 is made within two seconds.
const MOST_HASHED: usize = 20_000;

/// Blocks whose order is listed.
const MOST_ORDERS: usize = 12;

pub(crate) struct Method;

impl Section for Method {
    fn title(&self) -> &'static str {
        "Method"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let own = if findings.comparison.is_none() { again(dataset) } else { Vec::new() };
        let time = findings.timed.iter().map(measured);
        Some(own.into_iter().chain(time).chain(notes(findings)).map(Block::Prose).collect())
    }

    fn in_terminal(&self) -> bool {
        false
    }

    fn of_whole(&self) -> bool {
        true
    }
}

/// How much of the time of a campaign was measured.
pub fn measured(timed: &Timed) -> String {
    let Timed { blocks, wall_s, timed_s, parts, median_s } = *timed;
    format!(
        "Measured: {} of the {} that {} took ({:.0} %) were timed; the median of the {parts} \
         timed parts was {}.",
        number::length(timed_s),
        number::length(wall_s),
        names::blocks(blocks),
        100.0 * timed.share(),
        number::span(median_s)
    )
}

/// What it takes to do the same again, and to tell whether these are the same samples.
fn again(dataset: &Dataset) -> Vec<String> {
    let campaign = &dataset.campaign;
    let mut said = Vec::new();
    if campaign.origin == Origin::Run {
        let plan = Plan { seed: Some(campaign.seed), ..campaign.plan.clone() };
        said.push(format!("To run it again: `{}`", plan.command()));
        said.extend(ended(dataset));
        said.push(format!("Order of the candidates: {}.", orders(dataset)));
    }
    let is_hashed = dataset.samples.len() <= MOST_HASHED;
    said.extend(is_hashed.then(|| format!("SHA-256 of the samples: {}", digest(dataset))));
    said
}

/// Why no block came after the last, where no note says it.
fn ended(dataset: &Dataset) -> Option<String> {
    let says_it = |note: &Note| match note {
        Note::Ended(_) => true,
        // Assay kept notes as text before.
        Note::Said(text) => text.starts_with("Ended after"),
        _ => false,
    };
    let is_said = dataset.campaign.notes.iter().any(says_it);
    let blocks = dataset.samples.iter().map(|sample| sample.block + 1).max()?;
    let asked = dataset.campaign.plan.block_count() == blocks && !is_said;
    asked.then(|| format!("Ended after {}, as planned.", names::blocks(blocks as usize)))
}

/// `block 1 ext4, xfs; block 2 xfs, ext4`. A candidate that was run again is listed twice.
fn orders(dataset: &Dataset) -> String {
    let mut blocks: BTreeMap<u32, BTreeMap<u32, &str>> = BTreeMap::new();
    for sample in &dataset.samples {
        let own = blocks.entry(sample.block).or_default();
        own.insert(sample.position, &sample.case.target);
    }
    let order = |(block, places): (&u32, &BTreeMap<u32, &str>)| {
        format!("block {} {}", block + 1, places.values().copied().collect::<Vec<_>>().join(", "))
    };
    let shown: Vec<String> = blocks.iter().take(MOST_ORDERS).map(order).collect();
    let more = match blocks.len() - shown.len() {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    shown.join("; ") + &more
}

/// Hexadecimal hash of the samples as the lines of a bundle have them, where it keeps all names.
fn digest(dataset: &Dataset) -> String {
    let mut hash = Sha256::new();
    for sample in &dataset.samples {
        let line = serde_json::to_string(sample).unwrap_or_default();
        hash.update(printable(&line).as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn notes(findings: &Findings) -> Vec<String> {
    let band = findings.band;
    vec![
        "Value: geometric mean over blocks. A block runs every target once, each on a fresh \
         instance, in balanced order; several samples of one block are averaged first. If other \
         processes used the machine during a test, all targets repeat it at once, on the \
         instances of the block."
            .into(),
        "Ratio: exp(mean over blocks of ln target - ln baseline), negated where lower is better. Its \
         95 % interval is a paired t; Welch's where fewer than two blocks are shared. One block gives no \
         interval. From ten cells and three blocks on, a cell that is quieter than usual for its \
         length borrows variance from the others (a moderated t), because three blocks say little \
         about noise; a noisier cell keeps its own variance. The JSON also has the plain t \
         interval."
            .into(),
        format!(
            "Band: 1/(1+{band}) to 1+{band}. A cell is contended, and so unclear, if other \
             processes used more than {} % of the CPU or of the disk below in more than 20 % of \
             its samples.",
            findings.contention_limit_pct
        ),
        "GEOMETRIC MEAN: of the values, and of the ratios, over the tests valid on all targets. \
         The interval is computed from the mean log ratio of each block, because the tests of a \
         block share noise. MIN and MAX RATIO are picked from many, so they exaggerate. In \
         better/same/worse/unclear, slight differences count as better or worse."
            .into(),
        "Latency: merged histograms of all valid samples of a cell, so percentiles are over \
         operations, not over blocks. They have no interval and are not ranked."
            .into(),
        "Score: mean over groups of the mean over tests and process counts of the log ratio. If \
         the campaign may end at one of several looks, the interval is wider than for a fixed \
         number of blocks, so that it still covers the truth in 95 % of finished campaigns. \
         P(best): \
         share of 20 000 seeded draws from the t posterior with one variance pooled over targets and \
         blocks, and no more than the pairs allow. Rank: the ranks that Holm's procedure over all \
         pairs does not exclude. Loss of score (95 %): the loss against the best that 95 % of the \
         same draws do not exceed: one-sided, per target, not adjusted for looks. A verdict is \
         clear if the first is better than every other by Holm's procedure, at 5 % if the number \
         of blocks was fixed, at 1-2.5 % if the stopping rule was adaptive, and leads by 3 %. The \
         interval of the lead in the verdict reaches higher than that of the same pair in a table, \
         if there are three targets or more: the second was selected because it is close."
            .into(),
    ]
}
