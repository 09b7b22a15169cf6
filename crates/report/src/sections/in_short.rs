//! Answers further questions in a line each, with a link to the section: for which work is it best, where does it lose,
//! at what cost, and how was that measured? The verdict above says which is best, by how much and how surely.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::{Section, by_group},
    words,
};
use model::{
    result::Dataset,
    text::Bytes,
    workload::{CacheState, TestInfo},
};
use stats::{
    description::{Lead, list},
    evaluation::Findings,
    verdict::{Contrast, Cost, Lost},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Cells that are named in which the first loses.
const MOST_LOSSES: usize = 3;

/// Bytes written for each byte below which a test wrote over its own data, or was held in memory.
const LEAST_WRITTEN: f64 = 0.5;
/// Bytes written that differ by less than this factor count as equal.
const MOST_ALIKE: f64 = 1.1;

pub(crate) struct InShort;

impl Section for InShort {
    fn title(&self) -> &'static str {
        "In short"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let is_asked = findings.is_of_campaign() && findings.is_ranked;
        if !is_asked || findings.verdict.candidates.len() < 2 {
            return None;
        }
        let answers = [
            ("For which work?", work(findings), "Best for each kind of work"),
            ("Where does it lose?", losses(findings), "Where the leaders differ"),
            ("At what cost?", cost(findings), "Cost"),
            ("Measured how?", how(dataset, findings), "Method"),
        ];
        let answered = answers.into_iter().filter(|(_, answer, _)| !answer.is_empty());
        let row = |(question, answer, place): (&str, String, &str)| {
            Row::body([Cell::plain(question), Cell::plain(answer), Cell::plain(place)])
        };
        Some(vec![Block::Table(Table {
            caption: "Other questions".into(),
            columns: ["Question", "Answer", "More in"].map(Column::words).into(),
            rows: answered.map(row).collect(),
            footnotes: Vec::new(),
        })])
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// `xfs is ahead in Read, cold (1 and 8 processes); Metadata (8 processes). None is clearly ahead in ...`.
fn work(findings: &Findings) -> String {
    let where_one = |is_meant: &dyn Fn(&Lead) -> bool| {
        groups(by_group::leads(findings).filter(|(_, lead)| is_meant(lead)).map(|(table, _)| table))
    };
    let said = |who: &str, groups: String| {
        (!groups.is_empty()).then(|| format!("{who} ahead in {groups}."))
    };
    let of_target = |target: &String| {
        let own = |lead: &Lead| lead.comparison.is_difference() && lead.target == *target;
        said(&format!("{target} is"), where_one(&own))
    };
    let candidates = findings.verdict.candidates.iter().map(|candidate| &candidate.target);
    let open = said("None is clearly", where_one(&|lead| !lead.comparison.is_difference()));
    candidates.filter_map(of_target).chain(open).collect::<Vec<_>>().join(" ")
}

/// `Read, cold (1 and 8 processes); Metadata (8 processes)`: groups once, with their process counts.
fn groups<'a>(tables: impl Iterator<Item = &'a stats::description::Table>) -> String {
    let mut all: Vec<(&str, Vec<u32>)> = Vec::new();
    for table in tables {
        match all.iter_mut().find(|(title, _)| *title == table.group.title()) {
            Some((_, procs)) => procs.push(table.procs),
            None => all.push((table.group.title(), vec![table.procs])),
        }
    }
    let said = |(title, procs): &(&str, Vec<u32>)| format!("{title} ({})", of_counts(procs));
    all.iter().map(said).collect::<Vec<_>>().join("; ")
}

/// `1 and 8 processes`.
fn of_counts(procs: &[u32]) -> String {
    let (last, rest) = procs.split_last().map_or((0, [].as_slice()), |(last, rest)| (*last, rest));
    let last = stats::description::processes(last);
    let texts: Vec<String> = rest.iter().map(u32::to_string).chain([last]).collect();
    list(texts.iter().map(String::as_str))
}

/// `xfs is worse than another candidate in 3 of 42 cells: Read, cold: random read 1M, 8 processes (0.64x btrfs,
/// 0.57-0.72).` Those that are decided, or else the first that is not.
fn losses(findings: &Findings) -> String {
    let Some(leaders) = &findings.leaders else { return String::new() };
    let (first, all) = (&leaders.first, findings.verdict.cells);
    let one = |lost: &Lost| {
        let Contrast { group, name, procs, ratio, comparison, .. } = &lost.contrast;
        let open = comparison.is_open().then(|| words::open(*comparison).to_string());
        let factor = format!("{}x {}", number::end(ratio.point), lost.over);
        let said = [Some(factor), number::span_of(ratio), open];
        let said: Vec<String> = said.into_iter().flatten().collect();
        format!(
            "{}: {name}, {} ({})",
            group.title(),
            stats::description::processes(*procs),
            said.join(", ")
        )
    };
    let shown = leaders.lost.iter().take(leaders.lost_in.clamp(1, MOST_LOSSES)).map(one);
    let shown = shown.collect::<Vec<_>>().join("; ");
    match (leaders.lost_in, shown.is_empty()) {
        (_, true) => format!("{first} is behind no other candidate in any of {all} cells."),
        (0, false) => format!(
            "{first} is not worse than another candidate in any of {all} cells. Furthest behind: \
             {shown}."
        ),
        (some, false) => format!(
            "{first} is worse than another candidate in {some} of {all} cells{}: {shown}.",
            if some > MOST_LOSSES { ", most in" } else { "" }
        ),
    }
}

/// What each candidate pays, those kinds of cost that were measured of any: over the baseline, then as an amount.
fn cost(findings: &Findings) -> String {
    let base = &findings.baseline;
    let kinds: [(String, Figure); 3] = [
        (format!("CPU efficiency relative to {base} (higher is better)"), |cost| {
            cost.cpu.map(|work| work.point)
        }),
        ("Bytes written to the device per byte of data (lower is better)".into(), |cost| {
            cost.written_per_byte
        }),
        ("Bytes of space per byte of data (lower is better)".into(), |cost| cost.taken_per_byte),
    ];
    let said = |(what, figure): &(String, Figure)| {
        let own = |cost: &Cost| Some(format!("{} {}", cost.target, number::ratio(figure(cost)?)));
        let own: Vec<String> = findings.costs.iter().filter_map(own).collect();
        (!own.is_empty()).then(|| format!("{what}: {}.", own.join(", ")))
    };
    kinds.iter().filter_map(said).chain(written_apart(findings)).collect::<Vec<_>>().join(" ")
}

/// The scored test in which the devices of the candidates wrote the most unlike amounts, of those of which they wrote
/// what they were given; `None` where they are alike in all.
fn written_apart(findings: &Findings) -> Option<String> {
    let scored = findings.tables.iter().filter(|table| table.group.is_scored());
    let rows = scored.flat_map(|table| table.rows.iter().map(move |row| (table, row)));
    let apart = |(table, row): (&stats::description::Table, &stats::description::Row)| {
        let own = row.cells.iter().map(|cell| cell.moved.written_per_byte);
        let own: Vec<f64> = own.collect::<Option<_>>()?;
        let (least, most) =
            (own.iter().copied().reduce(f64::min)?, own.iter().copied().reduce(f64::max)?);
        let of = |(cell, bytes): (&stats::description::Cell, &f64)| {
            format!("{} {}", cell.target, number::ratio(*bytes))
        };
        let all: Vec<String> = row.cells.iter().zip(&own).map(of).collect();
        let test = format!(
            "{}, {}",
            names::of_row(row, table),
            stats::description::processes(table.procs)
        );
        (least >= LEAST_WRITTEN && most > MOST_ALIKE * least).then(|| {
            (most / least, format!("Bytes written differ most in {test}: {}.", all.join(", ")))
        })
    };
    let most = rows.filter_map(apart).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(most.1)
}

type Figure = fn(&Cost) -> Option<f64>;

/// How much was measured, and on what.
fn how(dataset: &Dataset, findings: &Findings) -> String {
    let procs: BTreeSet<u32> = dataset.samples.iter().map(|sample| sample.case.procs).collect();
    let procs: Vec<u32> = procs.into_iter().collect();
    let fact = |key: &str| dataset.campaign.environment.0.get(key);
    let memory = fact("memory.bytes").and_then(|bytes| bytes.parse().ok());
    let parts = [
        Some(format!("{} with {}", tests(dataset), of_counts(&procs))),
        Some(names::blocks(findings.campaign.blocks)),
        Some(scale(findings.campaign.scale)),
        sizes(findings),
        fact("cpu.count").map(|count| format!("{count} processors")),
        memory.map(|bytes| format!("{} of memory", Bytes(bytes))),
    ];
    let first = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let timed = findings.timed.as_ref().map(|timed| {
        format!(
            " {:.0} % of the {} of its blocks inside timed parts, the median one of {}.",
            100.0 * timed.share(),
            number::length(timed.wall_s),
            number::span(timed.median_s)
        )
    });
    first + "." + &timed.unwrap_or_default() + &caches(dataset) + &limiters(dataset)
}

/// `26 tests, 5 of them in no score`.
fn tests(dataset: &Dataset) -> String {
    let all: BTreeSet<&str> =
        dataset.samples.iter().map(|sample| sample.case.test.as_str()).collect();
    let is_unscored = |test: &&TestInfo| all.contains(test.id.as_str()) && !test.group.is_scored();
    match dataset.tests.iter().filter(is_unscored).count() {
        0 => format!("{} tests", all.len()),
        some => format!("{} tests, {some} of them not scored,", all.len()),
    }
}

/// `scale 0.03125 (1/32 of the full sizes)`.
fn scale(scale: f64) -> String {
    let parts = 1.0 / scale;
    match scale < 1.0 && (parts - parts.round()).abs() < 1e-9 {
        true => format!("scale {scale} (1/{parts:.0} of the full sizes)"),
        false => format!("scale {scale}"),
    }
}

/// `samples of 1.6 MB to 325 MB`: what the usual sample of a test moves, where it is about that.
fn sizes(findings: &Findings) -> Option<String> {
    let rows = findings.tables.iter().flat_map(|table| &table.rows);
    let of = |row: &stats::description::Row| {
        row.amount.map(|amount| amount.bytes).filter(|bytes| *bytes > 0.0)
    };
    let all: Vec<f64> = rows.filter_map(of).collect();
    let least = all.iter().copied().reduce(f64::min)?;
    let most = all.iter().copied().reduce(f64::max)?;
    Some(format!("samples of {} to {}", number::bytes(least), number::bytes(most)))
}

/// ` Tests by the state of the page cache: 12 cold, 8 hot, 58 with neither.` Empty where none asks for one.
fn caches(dataset: &Dataset) -> String {
    if dataset.samples.iter().all(|sample| sample.case.cache == CacheState::Any) {
        return String::new();
    }
    let said = |(state, name): (CacheState, &str)| {
        let own = dataset.samples.iter().filter(|sample| sample.case.cache == state);
        let tests: BTreeSet<&str> = own.map(|sample| sample.case.test.as_str()).collect();
        (!tests.is_empty()).then(|| format!("{} {name}", tests.len()))
    };
    let states =
        [(CacheState::Cold, "cold"), (CacheState::Hot, "hot"), (CacheState::Any, "with neither")];
    let said: Vec<String> = states.into_iter().filter_map(said).collect();
    format!(" Tests by the state of the page cache: {}.", said.join(", "))
}

/// ` Limiters of the valid samples: device 61 %, processor 30 %, none found 9 %.`
fn limiters(dataset: &Dataset) -> String {
    let valid: Vec<_> =
        dataset.samples.iter().filter(|own| own.evidence.validity.is_valid()).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in &valid {
        *counts.entry(words::limiter(sample.evidence.limiter)).or_default() += 1;
    }
    // A few of thousands would be printed as none.
    let is_some = |(_, count): &(&str, usize)| 200 * count >= valid.len();
    let mut counts: Vec<(&str, usize)> = counts.into_iter().filter(is_some).collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let said = |(what, count): &(&str, usize)| {
        format!("{what} {:.0} %", 100.0 * *count as f64 / valid.len() as f64)
    };
    let said: Vec<String> = counts.iter().map(said).collect();
    if said.is_empty() {
        return String::new();
    }
    format!(" Limiters of the valid samples: {}.", said.join(", "))
}
