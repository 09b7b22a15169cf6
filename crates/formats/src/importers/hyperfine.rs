//! Reads what `hyperfine --export-json` writes. A command is a test, each of its runs a sample.

use super::{campaign, records};
use crate::{
    FormatError, ImportOptions, NamedBytes,
    figure::{Figure, json_error},
    head, naming,
};
use model::{Better, CacheState, Case, Dataset, Group, Metric, Sample, TestInfo, Validity};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

/// The importer.
pub(crate) struct Importer;

/// Below this, hyperfine warns that its results are not accurate.
const SHORTEST_S: f64 = 0.005;

const NOTES: [&str; 3] = [
    "Runs of a command are repeats on one instance, all in block 0: they are not replicates on fresh \
     file systems, and their spread is smaller than that of those.",
    "user_s and sys_s are means over all runs of the command; hyperfine does not tell those of each.",
    "hyperfine proves no cache state; every sample stands as `any`.",
];

#[derive(Deserialize)]
struct Root {
    results: Vec<Command>,
}

#[derive(Deserialize)]
struct Command {
    command: String,
    times: Vec<Figure>,
    user: Option<Figure>,
    system: Option<Figure>,
    #[serde(default)]
    memory_usage_byte: Vec<Option<u64>>,
    #[serde(default)]
    exit_codes: Vec<Option<i32>>,
}

impl crate::Importer for Importer {
    fn name(&self) -> &'static str {
        "hyperfine"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        head.trim_start().starts_with('{')
            && ["\"results\"", "\"command\"", "\"mean\"", "\"stddev\""]
                .iter()
                .all(|key| head.contains(key))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let own = files.iter().filter(|(name, bytes)| self.sniff(head(bytes), name));
        let own: Vec<&NamedBytes> = own.collect();
        let names: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
        let labels = naming::targets(&names, self.name(), options);
        let targets = records(labels.iter().map(String::as_str));
        let (mut tests, mut samples) = (Tests::default(), Vec::new());
        for ((name, bytes), label) in own.iter().zip(&labels) {
            let root: Root = serde_json::from_slice(bytes)
                .map_err(|e| json_error(name, 0, &e, "not the JSON of hyperfine"))?;
            let position = targets.iter().position(|t| t.label == *label).unwrap_or(0) as u32;
            for command in &root.results {
                let test = tests.of(&command.command);
                samples.extend(command.samples(test, position, label));
            }
        }
        if samples.is_empty() {
            let file = names.first().copied().unwrap_or("the files");
            let why = "holds no run of hyperfine; write it with --export-json";
            return Err(FormatError::file(file, why));
        }
        samples.sort_by_key(|sample| (sample.block, sample.position));
        let labels = targets.iter().map(|t| t.label.as_str()).collect::<Vec<_>>().join(", ");
        let id = format!("hyperfine-{}", crate::columnar::slug(&labels));
        let campaign = campaign(&id, &format!("hyperfine: {labels}"), &targets, options, &NOTES);
        Ok(Dataset { campaign, targets, tests: tests.list, samples })
    }
}

/// Commands in order of first appearance.
#[derive(Default)]
struct Tests {
    list: Vec<TestInfo>,
    places: HashMap<String, usize>,
    ids: BTreeSet<String>,
}

impl Tests {
    fn of(&mut self, command: &str) -> &TestInfo {
        let place = *self.places.entry(command.to_owned()).or_insert(self.list.len());
        if place == self.list.len() {
            self.list.push(TestInfo {
                id: naming::free_id(&mut self.ids, "hyperfine", command),
                suite: "hyperfine".into(),
                name: command.into(),
                testtype: "command".into(),
                group: Group::Applications,
                metric: "wall_s".into(),
                unit: "s".into(),
                better: Better::Lower,
            });
        }
        &self.list[place]
    }
}

impl Command {
    fn samples(&self, test: &TestInfo, position: u32, target: &str) -> Vec<Sample> {
        let case = Case {
            target: target.into(),
            suite: test.suite.clone(),
            test: test.id.clone(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let sample = |(run, &Figure(wall_s)): (usize, &Figure)| Sample {
            seconds: wall_s,
            validity: self.validity(run, wall_s),
            ..Sample::bare(0, position, case.clone(), self.metrics(run, wall_s))
        };
        self.times.iter().enumerate().map(sample).collect()
    }

    fn metrics(&self, run: usize, wall_s: f64) -> Vec<Metric> {
        let memory = self.memory_usage_byte.get(run).copied().flatten();
        let figures = [
            ("wall_s", Some(wall_s), "s"),
            ("user_s", self.user.map(|user| user.0), "s"),
            ("sys_s", self.system.map(|system| system.0), "s"),
            ("peak_memory", memory.map(|bytes| bytes as f64 / 1e6), "MB"),
        ];
        let metric = |(name, value, unit): (&str, Option<f64>, &str)| {
            Some(Metric::new(name, value?, unit, Better::Lower))
        };
        figures.into_iter().filter_map(metric).collect()
    }

    fn validity(&self, run: usize, wall_s: f64) -> Validity {
        match self.exit_codes.get(run) {
            Some(Some(code)) if *code != 0 => {
                Validity::Invalid(format!("the command failed with exit code {code}"))
            }
            Some(None) => Validity::Invalid("the command was killed by a signal".into()),
            _ if wall_s < SHORTEST_S => Validity::Invalid(format!(
                "took {:.1} ms; below 5 ms hyperfine itself calls its results inaccurate",
                wall_s * 1000.0
            )),
            _ => Validity::Valid,
        }
    }
}
