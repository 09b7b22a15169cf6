//! Shows the change since the last campaign of the same name: in a line of the short answer, and in tables. Where the
//! two did different work, what differs and how to repeat the work of the last.

use super::compare::{LOOK, changed};
use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::{Brief, Section, ratios},
    words,
};
use model::result::Dataset;
use stats::{
    comparison::{CampaignComparison, Changed, Difference, Pair},
    description::processes,
    evaluation::{Change, Findings, Since},
};

/// Differences printed; the rest is counted.
const MOST_DIFFERENCES: usize = 20;
/// Facts that the line names; the rest is counted.
const MOST_FACTS: usize = 3;

pub(crate) struct SinceLast;

impl Section for SinceLast {
    fn title(&self) -> &'static str {
        "Since the last run"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let since = findings.since.as_ref()?;
        let mut blocks = vec![Block::Prose(line(since))];
        if let Change::Compared(found) = &since.change {
            let command = format!("`assay compare {} {}`", since.id, findings.campaign.id);
            blocks.push(Block::Prose(format!("{LOOK} All of it: {command}")));
            blocks.extend(pairs(found));
            blocks.extend(differences(&found.differences));
            let facts = facts(found);
            let heads = ["What", "last run", "this run"];
            blocks.extend((!facts.is_empty()).then(|| Block::Table(changed(&facts, heads))));
        }
        Some(blocks)
    }

    fn brief(&self, _: &Dataset, findings: &Findings, _rows: Brief) -> Option<Vec<Block>> {
        Some(vec![Block::Prose(line(findings.since.as_ref()?))])
    }
}

/// The answer in a sentence or two.
fn line(since: &Since) -> String {
    let Since { name, id, created, change } = since;
    let day: String = created.chars().take(10).collect();
    let start = format!("Since the last run of {name} ({id}, {day})");
    match change {
        Change::Compared(found) => {
            let said = |pair: &Pair| match pair.ratio.as_ref() {
                Some(ratio) => {
                    let cell = ratios::worded(ratio, pair.comparison);
                    let word = pair.comparison.map_or("", words::open);
                    let interval =
                        number::span_of(ratio).map_or_else(String::new, |s| format!(", {s}"));
                    format!("{} {}x ({word}{interval})", label(&pair.b), cell.text)
                }
                None => format!("{} not in both", label(&pair.b)),
            };
            let pairs: Vec<String> = found.pairs.iter().map(said).collect();
            let pairs = match pairs.is_empty() {
                true => "no candidate is in both".into(),
                false => pairs.join(", "),
            };
            format!("{start}: {pairs}.{}", changes(found))
        }
        Change::OtherWork(what) => format!(
            "{start}: not compared, because the two did different work: {what}. To repeat the work of the last run: \
             `assay run --like {id} --name {name}`"
        ),
        Change::Incomparable(why) => format!("{start}: not compared: {why}."),
    }
}

/// How many cells moved, and which facts changed.
fn changes(found: &CampaignComparison) -> String {
    let sum = |of: fn(&Pair) -> usize| found.pairs.iter().map(of).sum::<usize>();
    let better = sum(|pair| pair.counts.better + pair.counts.slightly_better);
    let worse = sum(|pair| pair.counts.worse + pair.counts.slightly_worse);
    let all = sum(|pair| pair.cells);
    let cells = format!(" Of {all} ratios {better} became better and {worse} worse.");
    let facts: Vec<String> =
        facts(found).iter().map(|own| format!("{} {}", own.of, own.key)).collect();
    let more = match facts.len().saturating_sub(MOST_FACTS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = facts[..facts.len().min(MOST_FACTS)].join(", ");
    cells + &if facts.is_empty() { String::new() } else { format!(" Changed: {named}{more}.") }
}

/// What both know and is not the same.
fn facts(found: &CampaignComparison) -> Vec<&Changed> {
    let is_both = |own: &&Changed| own.of == "settings" || own.a.is_some() && own.b.is_some();
    found.changed.iter().filter(is_both).collect()
}

/// A label of a comparison without the letter of its side.
fn label(own: &str) -> &str {
    own.split_once(':').map_or(own, |(_, label)| label)
}

fn pairs(found: &CampaignComparison) -> Option<Block> {
    let row = |pair: &Pair| {
        let ratio = pair.ratio.as_ref().map(|ratio| ratios::worded(ratio, pair.comparison));
        let counts = [pair.cells.to_string(), ratios::counts(&pair.counts)].map(Cell::plain);
        let start = [Cell::plain(label(&pair.b)), ratio.unwrap_or_else(|| Cell::plain("-"))];
        Row::body(start.into_iter().chain(counts))
    };
    (!found.pairs.is_empty()).then(|| {
        Block::Table(Table {
            caption: format!(
                "This run over the last, {} and {}; above 1 is better",
                names::blocks(found.sides[1][0].blocks),
                names::blocks(found.sides[0][0].blocks)
            ),
            columns: vec![
                Column::words("Target"),
                Column::numbers("", "geometric mean ratio"),
                Column::numbers("", "cells"),
                Column::numbers("", "better/same/worse/unclear"),
            ],
            rows: found.pairs.iter().map(row).collect(),
            footnotes: Vec::new(),
        })
    })
}

fn differences(all: &[Difference]) -> Option<Block> {
    let row = |own: &Difference| {
        let value = |v: f64| Cell::plain(format!("{} {}", number::value(v), own.unit));
        let word = ratios::starred(own.comparison.to_string(), Some(own.comparison), own.holm);
        Row::body([
            Cell::plain(format!("{}, {}", own.name, processes(own.procs))),
            Cell::plain(label(&own.b)),
            value(own.value_a),
            value(own.value_b),
            ratios::judged(&own.ratio, Some(own.comparison), word),
        ])
    };
    let mut footnotes = vec![
        "* significant among all ratios between the two (Holm, 5 %); the others may be chance."
            .into(),
    ];
    if all.len() > MOST_DIFFERENCES {
        footnotes
            .push(format!("{} smaller differences are not shown.", all.len() - MOST_DIFFERENCES));
    }
    (!all.is_empty()).then(|| {
        Block::Table(Table {
            caption: "Decided differences, largest first".into(),
            columns: vec![
                Column::words("Test"),
                Column::words("Target"),
                Column::numbers("", "last run"),
                Column::numbers("", "this run"),
                Column::numbers("", "ratio"),
            ],
            rows: all.iter().take(MOST_DIFFERENCES).map(row).collect(),
            footnotes,
        })
    })
}
