//! Reads what bonnie++ prints: its CSV lines, of 27 fields in version 1.03, 48 in 1.9x and 50 in 1.98 and 2.00, or its
//! text tables if the file has no CSV line. `+++++` hides a phase that ended within half a second: it is no number, and
//! never 0.

mod csv;
mod listing;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gather::{Gather, Reading},
    known::{Known, OPS_RATE, RATE},
    text::lines,
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Imported},
    workload::Group,
};

/// The importer.
pub(crate) struct Importer;

pub(crate) const SUITE: &str = "bonnie";

macro_rules! known {
    ($($key:literal $name:literal $testtype:literal $group:ident $ranked:ident)*) => {
        [$(Known {
            key: $key, name: $name, testtype: $testtype, group: Group::$group, ranked: &$ranked,
        }),*]
    };
}

/// The phases in the order of every format. A seek reads a block at random, and every tenth is
/// written back.
pub(crate) const TESTS: [Known; PHASES] = known! {
    "putc" "write per character" "sequential write" SequentialWrite RATE
    "put_block" "write blocks" "sequential write" SequentialWrite RATE
    "rewrite" "rewrite blocks" "sequential write" SequentialWrite RATE
    "getc" "read per character" "sequential read" SequentialRead RATE
    "get_block" "read blocks" "sequential read" SequentialRead RATE
    "seeks" "random seeks" "random read/write" Mixed OPS_RATE
    "seq_create" "sequential create" "files" Files OPS_RATE
    "seq_stat" "sequential stat" "files" Files OPS_RATE
    "seq_delete" "sequential delete" "files" Files OPS_RATE
    "random_create" "random create" "files" Files OPS_RATE
    "random_stat" "random stat" "files" Files OPS_RATE
    "random_delete" "random delete" "files" Files OPS_RATE
};

/// Number of phases; the first [`IO_PHASES`] move data, the last of these being the seeks.
const PHASES: usize = 12;
const IO_PHASES: usize = 6;

const NOTES: [&str; 3] = [
    "Cache states are not in the source; bonnie++ asks for files of twice the memory. One run gives no \
     spread.",
    "latency_max_ms is the longest single operation. cpu_pct is of the whole run of a phase, in whole \
     percent.",
    "Bytes and times are not in the source.",
];

const LISTING_NOTE: &str = "bonnie++ since 1.98 prints rates in its text to two or three digits, and the number of \
     files in place of their rate; its CSV line has both.";

/// What stands for a figure that is hidden.
const HIDDEN_MARK: &str = "+++";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "bonnie++"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        head.lines().any(|line| csv::fields(line).is_some() || listing::title(line))
            || listing::refusal(&head)
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        let mut notes = NOTES.to_vec();
        for (file, bytes) in files {
            let is_csv = |text: &str| csv::fields(text).is_some() || csv::is_cut(text);
            if lines(file, bytes).any(|line| is_csv(&line.text)) {
                csv::read(file, bytes, &mut gather)?;
            } else {
                notes.push(LISTING_NOTE);
                listing::read(file, bytes, &mut gather)?;
            }
        }
        notes.dedup();
        gather.finish(&notes)
    }
}

/// The figure of a phase.
#[derive(Clone, Copy, Default)]
enum Figure {
    /// The phase was not run.
    #[default]
    Absent,
    /// `+++++`.
    Hidden,
    /// The number of files in place of their rate.
    Count,
    /// MB/s, or operations in a second.
    Given(f64),
}

/// One phase of one run.
#[derive(Clone, Copy, Default)]
struct Phase {
    figure: Figure,
    cpu_percent: Option<f64>,
    latency_ms: Option<f64>,
}

/// One run.
#[derive(Default)]
struct Run {
    /// Name of the machine, or what `-m` gave.
    name: String,
    concurrency: u32,
    /// File size and chunk size as printed.
    size: String,
    /// Number and sizes of files as printed.
    files: String,
    phases: [Phase; PHASES],
}

impl Run {
    /// Adds every phase that was run; `named` when the runs of a file go by their own names.
    fn add(
        self,
        file: &str,
        line: u64,
        named: bool,
        gather: &mut Gather<'_>,
    ) -> Result<(), FormatError> {
        for (i, (phase, test)) in self.phases.iter().zip(&TESTS).enumerate() {
            let (outcome, besides) = match phase.figure {
                Figure::Absent => continue,
                Figure::Hidden => (Err(Imported::BonnieHidPhase {}.into()), Vec::new()),
                Figure::Count => (Err(Imported::BonniePrintedCount {}.into()), costs(phase)),
                Figure::Given(value) => (Ok(metrics(value, phase, test)), Vec::new()),
            };
            let reading = Reading {
                procs: self.concurrency.max(1),
                work: if i < IO_PHASES { self.size.clone() } else { self.files.clone() },
                label: named.then(|| self.name.clone()),
                besides,
                ..Reading::new(test.info(SUITE), outcome)
            };
            gather.add(file, line, reading)?;
        }
        Ok(())
    }
}

fn metrics(value: f64, phase: &Phase, test: &Known) -> Vec<Metric> {
    let ranked = test.ranked;
    let mut metrics = vec![Metric::new(ranked.name, value, ranked.unit, ranked.better)];
    metrics.extend(costs(phase));
    metrics
}

/// What a phase has besides its rate.
fn costs(phase: &Phase) -> Vec<Metric> {
    let lower = |name, value, unit| Metric::new(name, value, unit, Better::Lower);
    let cpu = phase.cpu_percent.map(|percent| lower("cpu_pct", percent, "%"));
    let latency = phase.latency_ms.map(|ms| lower("latency_max_ms", ms, "ms"));
    cpu.into_iter().chain(latency).collect()
}
