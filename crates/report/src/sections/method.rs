//! How the numbers were made, short enough to be read, and how to make them again.

use crate::{block::Block, names, number, sections::Section};
use model::{Dataset, Origin, Plan, printable};
use sha2::{Digest, Sha256};
use stats::{Findings, Timed};
use std::collections::BTreeMap;

/// Samples above which their hash is left to an export: a page of 100 000 is made within two seconds.
const MOST_HASHED: usize = 20_000;

/// Blocks whose order is told.
const MOST_ORDERS: usize = 12;

pub(crate) struct Method;

impl Section for Method {
    fn title(&self) -> &'static str {
        "Method"
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
        "Measured: {} of the {} that {} took, {:.0} %, lie inside timed parts; the median of the {parts} timed \
         parts took {}.",
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
    let is_said = dataset.campaign.notes.iter().any(|note| note.starts_with("Ended after"));
    let blocks = dataset.samples.iter().map(|sample| sample.block + 1).max()?;
    let asked = dataset.campaign.plan.block_count() == blocks && !is_said;
    asked.then(|| {
        format!("Ended after {}: as many as were planned.", names::blocks(blocks as usize))
    })
}

/// `block 1 ext4, xfs; block 2 xfs, ext4`. A candidate that was run again stands twice.
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
        "Value: geometric mean over blocks. A block runs every target once, each on a fresh instance, \
         in balanced order; several samples of one block are averaged first. A test during which others used \
         the machine is measured again by all, at once, on the instances of its block."
            .into(),
        "Ratio: exp(mean over blocks of ln target - ln baseline), negated where lower is better. Its \
         95 % interval is a paired t; Welch's where fewer than two blocks are shared. One block gives no \
         interval. From ten cells and three blocks on, a cell that is quieter than cells of its length \
         usually are has a part of their variance (a moderated t), because three blocks alone say little \
         about noise; a noisier one keeps its own. The JSON has the plain t's interval beside it."
            .into(),
        format!(
            "Band: 1/(1+{band}) to 1+{band}. A cell is contended, and so unclear, when others had more \
             than {} % of the processors or of the disk below in more than a fifth of its samples.",
            findings.contention_limit_pct
        ),
        "GEOMETRIC MEAN: of the values, and of the ratios, over the tests valid on all targets. The \
         interval comes from the mean log ratio of each block, because a block shares its noise among \
         its tests. MIN and MAX RATIO are picked from many, so they exaggerate. In \
         better/same/worse/unclear, slight differences count on their side."
            .into(),
        "Latency: the histograms of all valid samples of a cell put together, so a percentile is over \
         operations, not over blocks. It has no interval and ranks nothing."
            .into(),
        "Score: mean over groups of the mean over tests and process counts of the log ratio. Its interval is \
         wider than that of a fixed number of blocks where the campaign ends at one of several looks, so that it \
         holds the truth in 95 % of campaigns at their end. P(best): \
         share of 20 000 seeded draws from the t posterior with one variance pooled over targets and \
         blocks, and no more than the pairs allow. Rank: what Holm's procedure over all pairs leaves open. Loss of score (95 %): the \
         loss against the best that is not exceeded in 95 % of the same draws: one-sided, of each target by itself, \
         not adjusted for looks. A verdict is clear when the first is better \
         than every other by Holm's procedure, at 5 % where the number of blocks was fixed, at 1 to 2.5 % where \
         it hung on what the first blocks said, and leads by 3 %."
            .into(),
    ]
}
