//! Compares two sets of campaigns: first what changed between them, then what became better or worse.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::{Section, ratios},
    words,
};
use model::{result::Dataset, text::counted};
use stats::{
    comparison::{
        CampaignComparison, Changed, Difference, Incomparable, IncomparableRow, Pair, Placed,
        Unmatched,
    },
    description::CampaignFacts,
    evaluation::Findings,
};

/// Differences printed; the rest is counted.
const MOST_DIFFERENCES: usize = 50;
/// Names of tests without a counterpart printed; the rest is counted.
const MOST_NAMES: usize = 8;

pub(crate) struct Compare;

impl Section for Compare {
    fn title(&self) -> &'static str {
        "Comparison"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let comparison = findings.comparison.as_ref()?;
        let mut blocks: Vec<Block> = ["A", "B"]
            .iter()
            .zip(&comparison.sides)
            .flat_map(|(letter, side)| side.iter().map(move |campaign| (letter, campaign)))
            .map(|(letter, campaign)| Block::Prose(side(letter, campaign)))
            .collect();
        blocks.extend(changes(comparison));
        blocks.push(Block::Callout(words::verdict(findings)));
        if !comparison.pairs.is_empty() {
            blocks.push(Block::Prose(what_varies(comparison)));
        }
        blocks.push(Block::Prose(UNPAIRED.into()));
        blocks.extend(dataset.campaign.notes.iter().map(words::note).map(Block::Prose));
        if !comparison.pairs.is_empty() {
            blocks.push(Block::Table(pairs(&comparison.pairs)));
        }
        blocks.extend(
            comparison
                .incomparable
                .as_ref()
                .map(|incomparable| Block::Table(side_by_side(incomparable))),
        );
        if !comparison.differences.is_empty() {
            blocks.push(Block::Table(differences(&comparison.differences)));
        }
        for (own, other, cells) in
            [("A", "B", &comparison.unmatched[0]), ("B", "A", &comparison.unmatched[1])]
        {
            blocks.extend(left_out(own, other, cells).map(Block::Prose));
        }
        Some(blocks)
    }

    fn of_whole(&self) -> bool {
        true
    }
}

const UNPAIRED: &str = "The campaigns share no blocks, so their ratios are not paired (Welch's \
                        interval), and anything else that changed between them is part of each \
                        ratio. Ratios within a campaign stay paired.";

/// What the intervals know, and what they would have found.
fn what_varies(comparison: &CampaignComparison) -> String {
    let known = match comparison.is_look() {
        true => LOOK.to_string(),
        false => format!(
            "{} of A against {} of B: each is one value, and the intervals cover the variation \
             between them.",
            campaigns(comparison.sides[0].len()),
            campaigns(comparison.sides[1].len())
        ),
    };
    let power = comparison.power().filter(|_| !comparison.is_look());
    known
        + &power
            .map_or_else(String::new, |found| format!(" Sensitivity: {}.", words::power(&found)))
}

fn campaigns(count: usize) -> String {
    counted(count, "campaign", "campaigns")
}

/// What one campaign on each side is worth.
pub(super) const LOOK: &str = "One campaign per side is only a first look: the intervals cover the variation \
                    between blocks, not between runs. Use three per side: \
                    `assay compare A1,A2,A3 B1,B2,B3`.";

fn side(letter: &str, facts: &CampaignFacts) -> String {
    let title = if facts.title.is_empty() { "" } else { &format!(" ({})", facts.title) };
    let day: String = facts.created.chars().take(10).collect();
    format!(
        "{letter} is {}{title}: {}, suite {}, {}, scale {}, {day}.",
        facts.id,
        facts.origin,
        facts.suite,
        names::blocks(facts.blocks),
        facts.scale
    )
}

fn changes(comparison: &CampaignComparison) -> Vec<Block> {
    let (both, one): (Vec<&Changed>, Vec<&Changed>) =
        // A setting that one side was not given has its default there.
        comparison.changed.iter().partition(|c| c.of == "settings" || c.a.is_some() && c.b.is_some());
    let mut blocks = Vec::new();
    if both.is_empty() {
        blocks.push(Block::Prose("Nothing recorded by both campaigns has changed.".into()));
    } else {
        blocks.push(Block::Table(changed(&both, ["What", "A", "B"])));
    }
    for (letter, of_a) in [("A", true), ("B", false)] {
        let keys: Vec<String> = one
            .iter()
            .filter(|c| c.a.is_some() == of_a)
            .map(|c| format!("{} {}", c.of, c.key))
            .collect();
        if !keys.is_empty() {
            blocks.push(Block::Prose(format!("Recorded by {letter} only: {}.", keys.join(", "))));
        }
    }
    blocks
}

/// A row for each, under `heads`.
pub(super) fn changed(all: &[&Changed], heads: [&str; 3]) -> Table {
    let shown = |value: &Option<String>| Cell::plain(value.as_deref().unwrap_or("its default"));
    let row = |c: &&Changed| {
        Row::body([Cell::plain(format!("{}: {}", c.of, c.key)), shown(&c.a), shown(&c.b)])
    };
    Table {
        caption: "What changed besides the samples".into(),
        columns: heads.map(Column::words).into(),
        rows: all.iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

fn pairs(pairs: &[Pair]) -> Table {
    let row = |pair: &Pair| {
        let ratio = pair
            .ratio
            .as_ref()
            .map_or_else(|| Cell::plain("-"), |r| ratios::worded(r, pair.comparison));
        let names = [Cell::plain(&pair.b), Cell::plain(&pair.a), ratio];
        let counts = [pair.cells.to_string(), ratios::counts(&pair.counts)].map(Cell::plain);
        Row::body(names.into_iter().chain(counts))
    };
    Table {
        caption: "Targets over the cells that both have".into(),
        columns: vec![
            Column::words("Target"),
            Column::words("over"),
            Column::numbers("", "geometric mean ratio"),
            Column::numbers("", "cells"),
            Column::numbers("", "better/same/worse/unclear"),
        ],
        rows: pairs.iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

/// Values without ratios.
fn side_by_side(incomparable: &Incomparable) -> Table {
    let value = |v: &Option<f64>| Cell::plain(v.map_or_else(|| "-".into(), number::value));
    let row = |row: &IncomparableRow| {
        let test =
            Cell::plain(format!("{}, {}", row.name, stats::description::processes(row.procs)));
        let cells = [test, Cell::plain(&row.unit)].into_iter().chain(row.values.iter().map(value));
        Row::body(cells)
    };
    let (caption, by_lab) = match incomparable.is_of_one_lab() {
        true => ("Different durability guarantees: shown side by side, not comparable", false),
        false => ("Measured in different labs: shown side by side, not comparable", true),
    };
    let column = |placed: &Placed| match by_lab {
        true => Column::numbers(&placed.target, placed.lab.as_str()),
        false => Column::numbers(&placed.target, placed.durability.words().unwrap_or("durable")),
    };
    let words = ["Test", "Unit"].map(Column::words).into_iter();
    Table {
        caption: caption.into(),
        columns: words.chain(incomparable.columns.iter().map(column)).collect(),
        rows: incomparable.rows.iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

fn differences(all: &[Difference]) -> Table {
    let mut footnotes = vec![
        "* significant among all ratios of B over A (Holm, 5 %); the others may be \
              chance."
            .into(),
    ];
    if all.len() > MOST_DIFFERENCES {
        let more = all.len() - MOST_DIFFERENCES;
        footnotes.push(format!("{more} smaller differences are in the JSON."));
    }
    Table {
        caption: "Decided differences of B over A, largest first".into(),
        columns: vec![
            Column::words("Test"),
            Column::words("Target"),
            Column::words("over"),
            Column::numbers("", "A"),
            Column::numbers("", "B"),
            Column::numbers("", "ratio"),
        ],
        rows: all.iter().take(MOST_DIFFERENCES).map(difference).collect(),
        footnotes,
    }
}

fn difference(d: &Difference) -> Row {
    let value = |v: f64| Cell::plain(format!("{} {}", number::value(v), d.unit));
    let word = ratios::starred(d.comparison.to_string(), Some(d.comparison), d.holm);
    Row::body([
        Cell::plain(format!("{}, {}", d.name, stats::description::processes(d.procs))),
        Cell::plain(&d.b),
        Cell::plain(&d.a),
        value(d.value_a),
        value(d.value_b),
        ratios::judged(&d.ratio, Some(d.comparison), word),
    ])
}

/// How many cells have no counterpart, with the first of them; `None` without any.
fn left_out(own: &str, other: &str, cells: &[Unmatched]) -> Option<String> {
    let first = cells.first()?;
    let name = |u: &Unmatched| format!("{} ({})", u.name, stats::description::processes(u.procs));
    let shown: Vec<String> = cells.iter().take(MOST_NAMES).map(name).collect();
    let more = cells.len().saturating_sub(MOST_NAMES);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    let alike = cells.iter().all(|u| u.why == first.why);
    let why = if alike { format!(": {}", first.why) } else { String::new() };
    Some(format!(
        "{} of {own} {} no counterpart in {other}{why}. {}{rest}.",
        counted(cells.len(), "cell", "cells"),
        if cells.len() == 1 { "has" } else { "have" },
        shown.join(", ")
    ))
}
