//! Lists samples that are excluded from the means, with the reason: they are shown, never dropped.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::Section,
    words,
};
use model::{
    result::{Dataset, Reason, Sample, Validity},
    workload::TestInfo,
};
use stats::evaluation::Findings;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rows printed; the rest is counted.
const MOST_ROWS: usize = 200;
/// Tests of a reason that are named; more are counted.
const MOST_NAMES: usize = 2;

pub(crate) struct Invalid;

/// Target, and what makes a reason another one.
pub(super) type Key<'a, K> = (&'a str, K);

#[derive(Default)]
pub(super) struct Entry {
    pub(super) count: usize,
    /// Indices of the tests.
    tests: BTreeSet<usize>,
    /// The reason of the first such sample, with its numbers.
    example: String,
}

impl Section for Invalid {
    fn title(&self) -> &'static str {
        "Invalid, lukewarm and disturbed samples"
    }

    fn build(&self, dataset: &Dataset, _: &Findings) -> Option<Vec<Block>> {
        let entries = collect(dataset);
        if entries.is_empty() {
            return None;
        }
        let count: usize = entries.values().map(|e| e.count).sum();
        let total = dataset.samples.len();
        let mut blocks = vec![
            Block::Prose(format!(
                "{count} of {total} samples are listed here and excluded from all means."
            )),
            Block::Table(table(dataset, &entries, "numbers are those of the first sample")),
        ];
        if entries.len() > MOST_ROWS {
            let more = entries.len() - MOST_ROWS;
            blocks.push(Block::Prose(format!(
                "{more} further kinds of reasons are in the CSV export."
            )));
        }
        Some(blocks)
    }

    fn of_whole(&self) -> bool {
        true
    }
}

fn collect(dataset: &Dataset) -> BTreeMap<Key<'_, Validity>, Entry> {
    let kept_out = dataset.samples.iter().filter(|s| !s.evidence.validity.is_valid());
    let said = kept_out.map(|sample| {
        let validity = &sample.evidence.validity;
        (sample, kind(validity), words::validity(validity))
    });
    by_reason(dataset, said)
}

/// Samples with their reasons, what of a reason makes it another, and its text.
pub(super) fn by_reason<'a, K: Ord>(
    dataset: &'a Dataset,
    said: impl Iterator<Item = (&'a Sample, K, String)>,
) -> BTreeMap<Key<'a, K>, Entry> {
    let tests: HashMap<&str, usize> =
        dataset.tests.iter().enumerate().map(|(i, t)| (t.id.as_str(), i)).collect();
    let mut entries = BTreeMap::new();
    for (sample, reason, text) in said {
        let entry: &mut Entry = entries.entry((sample.case.target.as_str(), reason)).or_default();
        if entry.count == 0 {
            entry.example = text;
        }
        entry.count += 1;
        entry.tests.insert(tests.get(sample.case.test.as_str()).copied().unwrap_or(usize::MAX));
    }
    entries
}

/// The validity with its reason by kind: reasons that differ only in a measured number are one reason.
pub(super) fn kind(validity: &Validity) -> Validity {
    let mut kind = validity.clone();
    if let Some(why) = kind.why_mut() {
        *why = match *why {
            Reason::Said(ref text) => Reason::Said(without_numbers(text)),
            ref known => known.kind(),
        };
    }
    kind
}

/// Words from elsewhere without their numbers.
fn without_numbers(text: &str) -> String {
    let mut kept: String = text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    for run in ["##", "#.#", "#,#"] {
        while kept.contains(run) {
            kept = kept.replace(run, "#");
        }
    }
    kept
}

/// The name of a test, after its suite where there are several.
fn name(dataset: &Dataset, test: &TestInfo) -> String {
    let alone = dataset.tests.iter().all(|t| t.suite == test.suite);
    if alone { test.name.clone() } else { format!("{}: {}", test.suite, test.name) }
}

/// The tests of a reason: by name where they are few.
fn names(dataset: &Dataset, tests: &BTreeSet<usize>) -> String {
    if tests.len() > MOST_NAMES {
        return format!("{} of {} tests", tests.len(), dataset.tests.len());
    }
    let name = |test: &usize| dataset.tests.get(*test).map_or("?".into(), |t| name(dataset, t));
    Vec::from_iter(tests.iter().map(name)).join("; ")
}

/// A row for each target and reason; `example` says whose numbers it shows.
pub(super) fn table<K>(
    dataset: &Dataset,
    entries: &BTreeMap<Key<'_, K>, Entry>,
    example: &str,
) -> Table {
    let row = |((target, _), entry): (&Key<'_, K>, &Entry)| {
        let cells = vec![
            Cell::plain(*target),
            Cell::plain(names(dataset, &entry.tests)),
            Cell::plain(entry.count.to_string()),
            Cell::plain(&entry.example),
        ];
        Row::body(cells)
    };
    Table {
        caption: format!("Reasons by target; {example}"),
        columns: vec![
            Column::words("Target"),
            Column::words("Tests"),
            Column::numbers("", "Samples"),
            Column::words("Reason"),
        ],
        rows: entries.iter().take(MOST_ROWS).map(row).collect(),
        footnotes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::CacheFault;

    #[test]
    fn reasons_that_differ_in_numbers_are_one() {
        let said = |text| kind(&Validity::Invalid(Reason::said(text)));
        assert_eq!(said("12.5 % of 1024 pages"), said("3 % of 77 pages"));
        assert_ne!(said("12 % resident"), said("12 % read"));
        let resident =
            |pct: f64| Reason::from(CacheFault::ResidentBefore { share_pct: pct.into() });
        let lukewarm = |pct| kind(&Validity::Lukewarm(resident(pct)));
        assert_eq!(lukewarm(12.5), lukewarm(3.0));
        assert_ne!(lukewarm(12.5), kind(&Validity::Invalid(resident(12.5))));
    }
}
