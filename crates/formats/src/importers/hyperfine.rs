//! Reads what `hyperfine --export-json` writes. A command is a test, each of its runs a sample.

use crate::documents::{Documents, Tests, case};
use crate::{FormatError, ImportOptions, NamedBytes, figure::Figure};
use model::{Better, Dataset, Group, Metric, Sample, TestInfo, Validity};
use serde::Deserialize;

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

impl crate::WholeImporter for Importer {
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
        let documents = Documents::new(self, files, options);
        let (mut tests, mut samples) = (Tests::default(), Vec::new());
        documents.read(|root: Root, position, label| {
            for command in &root.results {
                let test = tests.of("hyperfine", &command.command, |id| info(id, command));
                samples.extend(command.samples(test, position, label));
            }
            Ok(())
        })?;
        let missing = "holds no run of hyperfine; write it with --export-json";
        documents.dataset(tests, samples, missing, options, &NOTES)
    }
}

fn info(id: String, command: &Command) -> TestInfo {
    TestInfo {
        id,
        suite: "hyperfine".into(),
        // A command may have several lines.
        name: command.command.replace(['\n', '\r', '\t'], " "),
        testtype: "command".into(),
        group: Group::Applications,
        metric: "wall_s".into(),
        unit: "s".into(),
        better: Better::Lower,
        shape: None,
    }
}

impl Command {
    fn samples(&self, test: &TestInfo, position: u32, target: &str) -> Vec<Sample> {
        let case = case(test, target);
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
