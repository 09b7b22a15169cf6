//! Reads what `hyperfine --export-json` writes, versions 1 and 2. A benchmark is a test, each of its runs a
//! sample. Of `--export-csv` and of what version 1 prints, which have no runs, the mean of a command is.

mod csv;
mod listing;
mod names;

use crate::documents::{Documents, Tests, case};
use crate::{
    FormatError, ImportOptions, NamedBytes,
    figure::{Figure, json_error},
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Imported, Sample, Validity},
    workload::{Group, TestInfo},
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The importer.
pub(crate) struct Importer;

/// Below this, hyperfine warns that its results are not accurate.
const SHORTEST_S: f64 = 0.005;

const NOTES: [&str; 3] = [
    "Runs of a command are repeats on one instance, all in block 0: they are not replicates on \
     fresh file systems, and their spread is smaller.",
    "user_s and sys_s are means over all runs of the command; hyperfine does not report them per \
     run.",
    "hyperfine does not verify cache states; every sample is recorded as `any`.",
];

/// Said of CSV.
const CSV_NOTE: &str = "hyperfine's CSV has no individual runs: wall_s is the mean over all runs \
                        of a command; --export-json has them.";

/// Said of what is printed.
const LISTING_NOTE: &str = "What hyperfine prints has no individual runs, and three or four digits: wall_s is the mean \
                            over all runs of a command; --export-json has them.";

/// Said where nothing but the position tells benchmarks apart.
const NUMBERED_NOTE: &str = "Several benchmarks of one file have the same command, name and parameters: they are \
                             numbered by their order (`#2` is the second). hyperfine -n names them.";

#[derive(Deserialize)]
struct Root {
    results: Vec<Command>,
}

#[derive(Default, Deserialize)]
struct Command {
    /// The name that the user gave, if any, in version 1.
    command: String,
    /// The name that the user gave, in version 2.
    name: Option<String>,
    /// Values of `--parameter-list` and `--parameter-scan` by their names.
    parameters: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    times: Vec<Figure>,
    /// The runs, as version 2 has them.
    #[serde(default)]
    measurements: Vec<Measurement>,
    user: Option<Figure>,
    system: Option<Figure>,
    #[serde(default)]
    memory_usage_byte: Vec<Option<u64>>,
    #[serde(default)]
    exit_codes: Vec<Option<i32>>,
}

/// One run, as version 2 has it.
#[derive(Deserialize)]
struct Measurement {
    time_wall_clock: Quantity,
    time_user: Option<Quantity>,
    time_system: Option<Quantity>,
    memory_peak_resident: Option<Quantity>,
    exit_code: Option<i32>,
}

#[derive(Deserialize)]
struct Quantity {
    value: Figure,
    unit: String,
}

impl Quantity {
    fn of(&self, unit: &str) -> Result<f64, String> {
        let why = || format!("a figure is in `{}`, not in `{unit}`", self.unit);
        (self.unit == unit).then_some(self.value.0).ok_or_else(why)
    }
}

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "hyperfine"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let has = |keys: &[&str]| keys.iter().all(|key| head.contains(key));
        let first = has(&["\"results\"", "\"command\"", "\"mean\"", "\"stddev\""]);
        let second = has(&["\"schema_version\"", "\"primary_metric\"", "\"results\""]);
        csv::sniff(&head)
            || listing::sniff(&head)
            || (head.trim_start().starts_with('{') && (first || second))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let documents = Documents::new(self, files, options);
        let (mut tests, mut samples) = (Tests::default(), Vec::new());
        let mut notes = NOTES.to_vec();
        documents.read(|(name, bytes), position, label| {
            let head = String::from_utf8_lossy(crate::head(bytes));
            let (is_csv, is_listing) = (csv::sniff(&head), listing::sniff(&head));
            if is_csv || is_listing {
                notes.push(if is_csv { CSV_NOTE } else { LISTING_NOTE });
                let read = if is_csv { csv::read } else { listing::read };
                let (commands, means): (Vec<_>, Vec<_>) = read(name, bytes)?.into_iter().unzip();
                let names = names::of(&commands);
                notes.extend(names.numbered.then_some(NUMBERED_NOTE));
                for (called, mean) in names.names.iter().zip(means) {
                    let test = tests.of("hyperfine", called, |id| info(id, called));
                    samples.push(mean.of(test, position, label));
                }
                return Ok(());
            }
            let root: Root = serde_json::from_slice(bytes)
                .map_err(|error| json_error(name, 0, &error, "not the JSON of hyperfine"))?;
            let names = names::of(&root.results);
            notes.extend(names.numbered.then_some(NUMBERED_NOTE));
            for (command, called) in root.results.iter().zip(&names.names) {
                let test = tests.of("hyperfine", called, |id| info(id, called));
                let own = command.samples(test, position, label);
                samples.extend(own.map_err(|why| FormatError::file(name, why))?);
            }
            Ok(())
        })?;
        let mut said = BTreeSet::new();
        notes.retain(|note| said.insert(*note));
        let missing = "contains no run of hyperfine; write it with --export-json";
        documents.dataset(tests, samples, missing, options, &notes)
    }
}

fn info(id: String, called: &str) -> TestInfo {
    TestInfo {
        id,
        suite: "hyperfine".into(),
        // A command may have several lines.
        name: called.replace(['\n', '\r', '\t'], " "),
        testtype: "command".into(),
        group: Group::Applications,
        metric: "wall_s".into(),
        unit: "s".into(),
        better: Better::Lower,
        shape: None,
    }
}

impl Command {
    fn samples(&self, test: &TestInfo, position: u32, target: &str) -> Result<Vec<Sample>, String> {
        let case = case(test, target);
        let sample = |(run, &Figure(wall_s)): (usize, &Figure)| {
            let bare = Sample::bare(0, position, case.clone(), self.metrics(run, wall_s));
            Ok(bare.lasting(wall_s).judged(self.validity(run, wall_s)))
        };
        let of_times = self.times.iter().enumerate().map(sample);
        let of_runs = self.measurements.iter().map(|run| {
            let wall_s = run.time_wall_clock.of("second")?;
            let bare = Sample::bare(0, position, case.clone(), run.metrics(wall_s)?);
            Ok(bare.lasting(wall_s).judged(validity(Some(run.exit_code), wall_s)))
        });
        of_times.chain(of_runs).collect()
    }

    fn metrics(&self, run: usize, wall_s: f64) -> Vec<Metric> {
        let memory = self.memory_usage_byte.get(run).copied().flatten();
        metrics([
            Some(wall_s),
            self.user.map(|user| user.0),
            self.system.map(|system| system.0),
            memory.map(|bytes| bytes as f64),
        ])
    }

    fn validity(&self, run: usize, wall_s: f64) -> Validity {
        validity(self.exit_codes.get(run).copied(), wall_s)
    }
}

impl Measurement {
    fn metrics(&self, wall_s: f64) -> Result<Vec<Metric>, String> {
        let of = |quantity: &Option<Quantity>, unit| {
            quantity.as_ref().map(|quantity| quantity.of(unit)).transpose()
        };
        Ok(metrics([
            Some(wall_s),
            of(&self.time_user, "second")?,
            of(&self.time_system, "second")?,
            of(&self.memory_peak_resident, "byte")?,
        ]))
    }
}

/// Wall time, times in user mode and in the kernel, bytes of memory.
fn metrics([wall_s, user_s, sys_s, memory]: [Option<f64>; 4]) -> Vec<Metric> {
    let figures = [
        ("wall_s", wall_s, "s"),
        ("user_s", user_s, "s"),
        ("sys_s", sys_s, "s"),
        ("peak_memory", memory.map(|bytes| bytes / 1e6), "MB"),
    ];
    let metric = |(name, value, unit): (&str, Option<f64>, &str)| {
        Some(Metric::new(name, value?, unit, Better::Lower))
    };
    figures.into_iter().filter_map(metric).collect()
}

fn validity(exit_code: Option<Option<i32>>, wall_s: f64) -> Validity {
    match exit_code {
        Some(Some(code)) if code != 0 => {
            Validity::Invalid(Imported::CommandFailed { exit_code: code }.into())
        }
        Some(None) => Validity::Invalid(Imported::CommandKilled {}.into()),
        _ if wall_s < SHORTEST_S => {
            let (seconds, least_s) = (wall_s.into(), SHORTEST_S.into());
            Validity::Invalid(Imported::HyperfineTooShort { seconds, least_s }.into())
        }
        _ => Validity::Valid,
    }
}
