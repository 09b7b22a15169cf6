//! The other questions of whoever opens a page, each with its answer in a line and the section that has the rest: for
//! which work, at what cost, measured how. Which, by how much and how sure stands in the verdict before it.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::{Section, by_group},
};
use model::{Bytes, CacheState, Dataset};
use stats::{Cost, Findings, Lead, list};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

pub(crate) struct InShort;

impl Section for InShort {
    fn title(&self) -> &'static str {
        "In short"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let is_asked = findings.is_of_campaign() && findings.is_ranked;
        if !is_asked || findings.verdict.candidates.len() < 2 {
            return None;
        }
        let answers = [
            ("For which work?", work(findings), "Best for each kind of work"),
            ("At what cost?", cost(findings), "Cost"),
            ("Measured how?", how(dataset, findings), "Method"),
        ];
        let answered = answers.into_iter().filter(|(_, answer, _)| !answer.is_empty());
        let row = |(question, answer, place): (&str, String, &str)| {
            Row::body([Cell::plain(question), Cell::plain(answer), Cell::plain(place)])
        };
        Some(vec![Block::Table(Table {
            caption: "What else is asked of the candidates".into(),
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
fn groups<'a>(tables: impl Iterator<Item = &'a stats::Table>) -> String {
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
    let last = stats::processes(last);
    let texts: Vec<String> = rest.iter().map(u32::to_string).chain([last]).collect();
    list(texts.iter().map(String::as_str))
}

/// What each candidate pays, those kinds of cost that were measured of any: over the baseline, then by itself.
fn cost(findings: &Findings) -> String {
    let base = &findings.baseline;
    let kinds: [(String, Figure); 3] = [
        (format!("Work for the same processor time, over {base}, more is better"), |cost| {
            cost.cpu.map(|work| work.point)
        }),
        ("Bytes written to the device for each byte of data, less is better".into(), |cost| {
            cost.written_per_byte
        }),
        ("Bytes of space for each byte of data, less is better".into(), |cost| cost.taken_per_byte),
    ];
    let said = |(what, figure): &(String, Figure)| {
        let own = |cost: &Cost| Some(format!("{} {}", cost.target, number::ratio(figure(cost)?)));
        let own: Vec<String> = findings.costs.iter().filter_map(own).collect();
        (!own.is_empty()).then(|| format!("{what}: {}.", own.join(", ")))
    };
    kinds.iter().filter_map(said).collect::<Vec<_>>().join(" ")
}

type Figure = fn(&Cost) -> Option<f64>;

/// How much was measured, and on what.
fn how(dataset: &Dataset, findings: &Findings) -> String {
    let tests: BTreeSet<&str> =
        dataset.samples.iter().map(|sample| sample.case.test.as_str()).collect();
    let procs: BTreeSet<u32> = dataset.samples.iter().map(|sample| sample.case.procs).collect();
    let procs: Vec<u32> = procs.into_iter().collect();
    let fact = |key: &str| dataset.campaign.environment.0.get(key);
    let memory = fact("memory.bytes").and_then(|bytes| bytes.parse().ok());
    let parts = [
        Some(format!("{} tests with {}", tests.len(), of_counts(&procs))),
        Some(names::blocks(findings.campaign.blocks)),
        Some(format!("scale {}", findings.campaign.scale)),
        sizes(findings),
        fact("cpu.count").map(|count| format!("{count} processors")),
        memory.map(|bytes| format!("{} of memory", Bytes(bytes))),
    ];
    let first = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let timed = findings.timed.as_ref().map(|timed| {
        format!(
            " {:.0} % of {} inside timed parts, the median one of {}.",
            100.0 * timed.share(),
            number::length(timed.wall_s),
            number::span(timed.median_s)
        )
    });
    first + "." + &timed.unwrap_or_default() + &caches(dataset) + &limiters(dataset)
}

/// `samples of 1.6 MB to 325 MB`: what the usual sample of a test moves, where it is about that.
fn sizes(findings: &Findings) -> Option<String> {
    let rows = findings.tables.iter().flat_map(|table| &table.rows);
    let of = |row: &stats::Row| row.amount.map(|amount| amount.bytes).filter(|bytes| *bytes > 0.0);
    let all: Vec<f64> = rows.filter_map(of).collect();
    let least = all.iter().copied().reduce(f64::min)?;
    let most = all.iter().copied().reduce(f64::max)?;
    Some(format!("samples of {} to {}", number::bytes(least), number::bytes(most)))
}

/// What a limiter is called in a sentence.
fn of_limiter(word: &str) -> &str {
    match word {
        "none" => "nothing found",
        "tool" => "start of the workers",
        known => known,
    }
}

/// ` Tests by the state of the page cache: 12 cold, 8 hot, 58 in any.` Empty where none asks for one.
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
        [(CacheState::Cold, "cold"), (CacheState::Hot, "hot"), (CacheState::Any, "in any state")];
    let said: Vec<String> = states.into_iter().filter_map(said).collect();
    format!(" Tests by the state of the page cache: {}.", said.join(", "))
}

/// ` Limited by: device 61 %, cpu 30 %, start of the workers 9 % of the valid samples.`
fn limiters(dataset: &Dataset) -> String {
    let valid: Vec<_> = dataset.samples.iter().filter(|own| own.validity.is_valid()).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in &valid {
        *counts.entry(sample.limiter.as_str()).or_default() += 1;
    }
    // A few of thousands would be printed as none.
    let is_some = |(_, count): &(&str, usize)| 200 * count >= valid.len();
    let mut counts: Vec<(&str, usize)> = counts.into_iter().filter(is_some).collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let said = |(what, count): &(&str, usize)| {
        format!("{} {:.0} %", of_limiter(what), 100.0 * *count as f64 / valid.len() as f64)
    };
    let said: Vec<String> = counts.iter().map(said).collect();
    if said.is_empty() {
        return String::new();
    }
    format!(" Limited by: {} of the valid samples.", said.join(", "))
}
