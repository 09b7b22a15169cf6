//! Runs of fio as a dataset: jobs become tests, runs become samples, what readers have to know
//! becomes notes.

use super::{
    Source,
    join::{Shape, Sums},
    metrics,
    run::{Direction, Job},
    work::Work,
};
use crate::{
    FormatError, ImportOptions,
    campaign::{of_tool, records, remarks},
    gate::{self, AGAIN, ELSEWHERE, Novelty, Runs},
    naming,
    source::Take,
};
use model::{
    figure::Better,
    result::{Environment, Head, Imported, Note, Sample, Validity},
    workload::{CacheState, Case, Group, TestInfo},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    rc::Rc,
};

/// fio counts run time in whole milliseconds: below this, that alone is more than 1 %.
const SHORTEST_MS: f64 = 100.0;

const NOTES: [&str; 3] = [
    "iops is the sum of all directions; rates are decimal MB/s over fio's run time of each \
     direction, and rates of several jobs are summed although their overlap is unknown.",
    "Latencies are fio's completion latencies, from submission: service times of a closed loop, \
     which are not ranked.",
    "fio does not verify cache states; every sample is recorded as `any`.",
];
const PACED: &str = "Some jobs ran at a fixed rate; fio measures from the issue of an operation, \
                     not from its scheduled start, so their latencies are also service times.";
const REPEATED: &str =
    "If fio printed a run in several formats into one file, the most detailed was read.";
const UNCOUNTED: &str = "Some outputs do not report the number of processes of a job; each counts \
                         as one.";
const TERSE: &str = "Percentiles of terse output are of completion or of total latency, depending \
                     on the job's options, which it does not report. Its version 3, the default, leaves \
                     out trims: iops of a job that trims too lacks them.";
const NO_PATTERN: &str = "Some outputs do not report whether blocks were sequential or random; \
                          those tests are grouped with the sequential ones and named only `read` \
                          or `write`.";
pub(super) const IN_PARTS: &str = "If fio printed a run several times in progress, the last \
                                   output was read: each is cumulative.";
const NO_BINS: &str = "Percentiles of several jobs cannot be merged without json+ bins and are \
                       omitted for summed jobs.";

/// Gives the samples of all sources to `take`; `without` are files in which fio printed no run.
pub(super) fn assemble(
    sources: &[Source<'_>],
    without: &[FormatError],
    options: &ImportOptions,
    take: &mut Take<'_>,
) -> Result<Head, FormatError> {
    let targets = records(sources.iter().map(|source| source.target.as_str()));
    let mut made = Made::new(take);
    for source in sources {
        made.notes.extend(source.repeated.then_some(REPEATED));
        made.notes.extend(source.is_terse().then_some(TERSE));
        let position = targets.iter().position(|t| t.label == source.target).unwrap_or(0) as u32;
        (made.position, made.target) = (position, &source.target);
        source.runs(&mut made)?;
    }
    let mut notes = remarks(NOTES);
    notes.extend(made.repeated.then_some(Note::JobRepeats {}));
    notes.extend(remarks(made.notes));
    notes.extend(without.iter().map(|error| Note::LeftOut { why: error.to_string() }));
    let mut campaign = of_tool("fio", &targets, options, notes);
    campaign.environment = environment(made.versions);
    let tests = made.tests.into_iter().map(|test| test.info).collect();
    Ok(Head { campaign, targets, tests })
}

fn environment(versions: BTreeSet<String>) -> Environment {
    let versions = versions.into_iter().collect::<Vec<_>>().join(", ");
    let known = (!versions.is_empty()).then(|| ("fio.version".to_owned(), versions));
    Environment(known.into_iter().collect::<BTreeMap<_, _>>())
}

/// What has been made of the runs so far, but for the samples.
pub(super) struct Made<'m, 't> {
    take: &'m mut Take<'t>,
    /// Of the source that is read.
    position: u32,
    target: &'m str,
    /// The run that is read.
    shape: Shape,
    sums: Sums,
    tests: Vec<Test>,
    /// Places in `tests` by name of the job.
    named: HashMap<String, Vec<usize>>,
    /// Different works, of which most tests share a few.
    works: HashSet<Rc<Work>>,
    ids: BTreeSet<String>,
    /// Position, test and processes of each sample.
    cases: HashSet<(u32, usize, u32)>,
    repeated: bool,
    versions: BTreeSet<String>,
    notes: BTreeSet<&'static str>,
    runs: Runs,
}

struct Test {
    info: TestInfo,
    work: Rc<Work>,
}

impl<'m, 't> Made<'m, 't> {
    fn new(take: &'m mut Take<'t>) -> Made<'m, 't> {
        Made {
            take,
            position: 0,
            target: "",
            shape: Shape::default(),
            sums: Sums::default(),
            tests: Vec::new(),
            named: HashMap::new(),
            works: HashSet::new(),
            ids: BTreeSet::new(),
            cases: HashSet::new(),
            repeated: false,
            versions: BTreeSet::new(),
            notes: BTreeSet::new(),
            runs: Runs::default(),
        }
    }

    /// Begins a run; false when it was there before, and is not to be read again.
    pub(super) fn begin(&mut self, shape: Shape) -> bool {
        let seen = self.runs.see(self.target, shape.print);
        match seen {
            Novelty::New => {}
            Novelty::Again => self.note(Some(AGAIN)),
            Novelty::Elsewhere => self.note(Some(ELSEWHERE)),
        }
        if seen != Novelty::Again {
            self.versions.extend(shape.version.clone());
            (self.shape, self.sums) = (shape, Sums::default());
        }
        seen != Novelty::Again
    }

    /// Tells readers what they have to know.
    pub(super) fn note(&mut self, note: Option<&'static str>) {
        self.notes.extend(note);
    }

    /// Adds a job of the run.
    pub(super) fn job(&mut self, mut job: Job) -> Result<(), FormatError> {
        let note = job.settle();
        self.note(note);
        self.notes.extend(job.members.is_none().then_some(UNCOUNTED));
        let lost = self.sums.add(job, &self.shape.names);
        self.notes.extend(lost.then_some(NO_BINS));
        self.give(false)
    }

    /// Ends a run.
    pub(super) fn end(&mut self) -> Result<(), FormatError> {
        self.give(true)
    }

    /// Gives away the samples that are whole.
    fn give(&mut self, is_end: bool) -> Result<(), FormatError> {
        let device_bytes = self.shape.device_bytes.filter(|_| self.shape.names.distinct == 1);
        while let Some(job) = self.sums.next(is_end) {
            self.notes.extend(job.work.paced().then_some(PACED));
            let test = self.test(&job);
            let case = (self.position, test, job.processes());
            self.repeated |= !self.cases.insert(case);
            let mut sample = sample(&job, &self.tests[test].info, self.position, self.target);
            sample.covariates.device_read_bytes = device_bytes.map(|bytes| bytes.0);
            sample.covariates.device_write_bytes = device_bytes.map(|bytes| bytes.1);
            (self.take)(gate::pass(sample, Some(&self.tests[test].info)))?;
        }
        Ok(())
    }

    /// The place of the test of a job. Jobs of one name that did different work are different tests.
    fn test(&mut self, job: &Job) -> usize {
        let (group, testtype) = job.work.kind().unwrap_or_else(|| {
            self.notes.insert(NO_PATTERN);
            kind(job)
        });
        let places = self.named.entry(job.name.clone()).or_default();
        let same = |test: &Test| test.info.testtype == testtype && test.work.agrees(&job.work);
        let found = places.iter().copied().find(|&place| same(&self.tests[place]));
        let place = found.unwrap_or(self.tests.len());
        if found.is_none() {
            let id = naming::free_id(&mut self.ids, "fio", &job.name);
            let first = places.first().map(|&place| &*self.tests[place].work);
            let name = first.map_or_else(|| job.name.clone(), |first| described(job, &id, first));
            let info = TestInfo {
                id,
                suite: "fio".into(),
                name,
                testtype: testtype.into(),
                group,
                metric: "iops".into(),
                unit: "IOPS".into(),
                better: Better::Higher,
                shape: None,
            };
            places.push(place);
            let work = self.works.get(&job.work).cloned().unwrap_or_else(|| {
                let work = Rc::new(job.work.clone());
                self.works.insert(Rc::clone(&work));
                work
            });
            self.tests.push(Test { info, work });
        }
        place
    }
}

/// Options besides the pattern that a name tells.
const TOLD: usize = 3;

/// A name that tells the test from the `first` of the same job name.
fn described(job: &Job, id: &str, first: &Work) -> String {
    let number = id.rsplit('-').next().unwrap_or_default();
    let always = ["rw", "bs", "iodepth"];
    let parts = always.into_iter().filter_map(|key| Some((key, job.work.get(key)?)));
    let others = job.work.differences(first).into_iter().filter(|(key, _)| !always.contains(key));
    let part = |(key, value): (&str, &str)| format!("{key}={value:.40}");
    let parts: Vec<String> = parts.chain(others.take(TOLD)).map(part).collect();
    format!("{} #{number} {}", job.name, parts.join(" ")).trim_end().to_owned()
}

/// The table and type by what was done, when the pattern is not known.
fn kind(job: &Job) -> (Group, &'static str) {
    let directions: Vec<Direction> = job.flows.iter().map(|(direction, _)| *direction).collect();
    match directions[..] {
        [Direction::Read] => (Group::SequentialRead, "read"),
        [Direction::Write] => (Group::SequentialWrite, "write"),
        [Direction::Trim] => (Group::SequentialWrite, "trim"),
        _ => (Group::Mixed, "read/write"),
    }
}

fn sample(job: &Job, test: &TestInfo, position: u32, target: &str) -> Sample {
    let case = Case {
        target: target.into(),
        suite: test.suite.clone(),
        test: test.id.clone(),
        procs: job.processes(),
        threads: 1,
        cache: CacheState::Any,
    };
    let sum = |of: fn(&super::run::Flow) -> f64| job.flows.iter().map(|(_, f)| of(f)).sum::<f64>();
    let (bytes, ops) = (sum(|flow| flow.bytes) as u64, sum(|flow| flow.ops).round() as u64);
    let mut sample = Sample::bare(0, position, case, metrics::metrics(job))
        .timed(bytes, ops, job.runtime_ms() / 1000.0)
        .judged(validity(job));
    (sample.covariates.cpu_user_s, sample.covariates.cpu_sys_s) = job.cpu_s;
    sample.figures.histograms = metrics::histograms(job).into();
    sample
}

fn validity(job: &Job) -> Validity {
    if let Some(error) = &job.error {
        Validity::Invalid(error.clone().into())
    } else if job.flows.iter().all(|(_, flow)| flow.iops <= 0.0) {
        Validity::Invalid(Imported::FioCountedNothing {}.into())
    } else if job.runtime_ms() < SHORTEST_MS {
        let (ms, least_ms) = (job.runtime_ms().into(), SHORTEST_MS.into());
        Validity::Invalid(Imported::FioTooShort { ms, least_ms }.into())
    } else if let Some(why) = &job.contradiction {
        Validity::Invalid(why.clone())
    } else {
        Validity::Valid
    }
}
