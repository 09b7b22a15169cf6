//! Combines files of one tool into one campaign: assigns files to targets, and figures to cases. A case may come again
//! on the same target, but only when the same work was done: figures of different work are never set side by side.
//! Nothing tells whether it ran on a fresh instance, so all runs are repeats in one block: they give a mean, and no
//! interval.

use crate::{
    FormatError, ImportOptions, Importer, NamedBytes, base_name,
    campaign::{of_tool, records, remarks},
    gate::{AGAIN, ELSEWHERE, Novelty, Print, Runs},
    head,
    table::short,
};
use model::{
    figure::{Histogram, Metric, Series},
    result::{Dataset, Environment, Imported, Note, Reason, Sample, Validity},
    workload::{CacheState, Case, TestInfo},
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// One measurement as a tool printed it.
pub(crate) struct Reading {
    pub(crate) test: TestInfo,
    pub(crate) procs: u32,
    pub(crate) threads: u32,
    /// The figures, the ranking one first; or why there are none.
    pub(crate) outcome: Result<Vec<Metric>, Reason>,
    /// Figures that were measured although the ranking one was not.
    pub(crate) besides: Vec<Metric>,
    pub(crate) histograms: Vec<Histogram>,
    /// Its course, where the source has intervals.
    pub(crate) series: Option<Series>,
    /// 0 where it is not known.
    pub(crate) seconds: f64,
    /// 0 where it is not known.
    pub(crate) ops: u64,
    /// 0 where it is not known.
    pub(crate) bytes: u64,
    /// Processor time in user mode and in the kernel, seconds, where the source tells it.
    pub(crate) cpu_s: Option<(f64, f64)>,
    /// What was done, as far as the source tells; must be the same wherever the test stands.
    pub(crate) work: String,
    /// Directory or machine; must be the same for one target in one file. Empty: not known.
    pub(crate) place: String,
    /// The target, where the file itself names it.
    pub(crate) label: Option<String>,
}

impl Reading {
    /// A measurement of which only the figures are known.
    pub(crate) fn new(test: TestInfo, outcome: Result<Vec<Metric>, Reason>) -> Reading {
        Reading {
            test,
            procs: 1,
            threads: 1,
            outcome,
            besides: Vec::new(),
            histograms: Vec::new(),
            series: None,
            seconds: 0.0,
            ops: 0,
            bytes: 0,
            cpu_s: None,
            work: String::new(),
            place: String::new(),
            label: None,
        }
    }
}

/// What names a case within a target.
type Key<'s> = (&'s str, &'s str, (u32, u32));

/// The campaign as it grows.
pub(crate) struct Gather<'a> {
    tool: &'static str,
    options: &'a ImportOptions,
    /// The first file that is read.
    first: &'a str,
    /// Files that the importer was given and did not read.
    left_out: Vec<&'a str>,
    several_dirs: bool,
    labels: Vec<String>,
    positions: HashMap<String, u32>,
    tests: Vec<TestInfo>,
    known: HashSet<String>,
    samples: Vec<Sample>,
    runs: Runs,
    notes: BTreeSet<&'static str>,
    works: HashMap<String, (String, u64, String)>,
    places: HashMap<(String, String), (u64, String)>,
    versions: BTreeSet<String>,
    facts: HashMap<String, Environment>,
}

/// The files that `importer` recognises; all of them when it was named for files that it does not.
fn own<'a>(importer: &dyn Importer, files: &'a [NamedBytes]) -> Vec<&'a NamedBytes> {
    let known = |file: &&NamedBytes| importer.sniff(head(&file.1), base_name(&file.0));
    let own: Vec<_> = files.iter().filter(known).collect();
    if own.is_empty() { files.iter().collect() } else { own }
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

impl<'a> Gather<'a> {
    /// An empty campaign of `importer`'s tool, and the files to read, of which none is a copy.
    pub(crate) fn new(
        importer: &dyn Importer,
        files: &'a [NamedBytes],
        options: &'a ImportOptions,
    ) -> (Gather<'a>, Vec<&'a NamedBytes>) {
        let (mut gather, own) = Gather::with_copies(importer, files, options);
        // A run may be all that is in a file, and is noted, too.
        let is_new = |file: &&NamedBytes| gather.see(&file.0, Print::of(&file.1).then(b"file"));
        let own = own.into_iter().filter(is_new).collect();
        (gather, own)
    }

    /// The same with all files, where equal ones may be of several workers.
    pub(crate) fn with_copies(
        importer: &dyn Importer,
        files: &'a [NamedBytes],
        options: &'a ImportOptions,
    ) -> (Gather<'a>, Vec<&'a NamedBytes>) {
        let own = own(importer, files);
        let read: HashSet<&str> = own.iter().map(|file| file.0.as_str()).collect();
        let all = files.iter().map(|file| file.0.as_str());
        let gather = Gather {
            first: own.first().map_or("the files", |file| file.0.as_str()),
            left_out: all.filter(|name| !read.contains(name)).collect(),
            several_dirs: own.iter().any(|file| directory(&file.0) != directory(&own[0].0)),
            ..Gather::of(importer.name(), options)
        };
        (gather, own)
    }

    /// Notes a run that is in `file`; false when it was there before for the same target.
    fn see(&mut self, file: &str, print: Print) -> bool {
        self.see_as(file, None, print)
    }

    /// The same of a run whose target may have a name in the source.
    pub(crate) fn see_as(&mut self, file: &str, label: Option<&str>, print: Print) -> bool {
        let target = self.target(file, label);
        match self.runs.see(&target, print) {
            Novelty::New => true,
            Novelty::Again => {
                self.note(AGAIN);
                false
            }
            Novelty::Elsewhere => {
                self.note(ELSEWHERE);
                true
            }
        }
    }

    /// Where the measurements of a run begin.
    pub(crate) fn run_start(&self) -> usize {
        self.samples.len()
    }

    /// Ends a run that began at `run_start`: a copy of one that was read is taken back.
    pub(crate) fn end_run(&mut self, file: &str, run_start: usize, print: Print) {
        if run_start < self.samples.len() && !self.see(file, print) {
            self.samples.truncate(run_start);
        }
    }

    /// Takes the measurements from `run_start` on for none, as the tool itself says.
    pub(crate) fn disown(&mut self, run_start: usize, why: &Reason) {
        for sample in self.samples.iter_mut().skip(run_start) {
            if sample.evidence.validity.is_valid() {
                sample.figures.metrics.clear();
                sample.evidence.validity = Validity::Invalid(why.clone()).into();
            }
        }
    }

    /// Tells readers what they have to know.
    pub(crate) fn note(&mut self, note: &'static str) {
        self.notes.insert(note);
    }

    /// Whether a case occurs more than once.
    fn is_repeated(&self) -> bool {
        let mut cases: HashSet<Key<'_>> = HashSet::new();
        let key = |case: &'_ Case| (case.procs, case.threads);
        let mut all = self.samples.iter().map(|sample| &sample.case);
        !all.all(|case| cases.insert((&case.target, &case.test, key(case))))
    }

    /// An empty campaign of `tool`.
    pub(crate) fn of(tool: &'static str, options: &'a ImportOptions) -> Gather<'a> {
        Gather {
            tool,
            options,
            first: "the files",
            left_out: Vec::new(),
            several_dirs: false,
            labels: Vec::new(),
            positions: HashMap::new(),
            tests: Vec::new(),
            known: HashSet::new(),
            samples: Vec::new(),
            runs: Runs::default(),
            notes: BTreeSet::new(),
            works: HashMap::new(),
            places: HashMap::new(),
            versions: BTreeSet::new(),
            facts: HashMap::new(),
        }
    }

    /// Adds a measurement that is at `line` of `file`.
    pub(crate) fn add(
        &mut self,
        file: &str,
        line: u64,
        reading: Reading,
    ) -> Result<(), FormatError> {
        check_numbers(file, line, &reading)?;
        let target = self.target(file, reading.label.as_deref());
        self.check_place(file, line, &target, &reading)?;
        self.check_work(file, line, &reading)?;
        if self.known.insert(reading.test.id.clone()) {
            self.tests.push(reading.test.clone());
        }
        let position = self.position(&target);
        self.samples.push(sample(position, target, reading));
        Ok(())
    }

    /// A version of the tool that wrote one of the files.
    pub(crate) fn version(&mut self, version: &str) {
        self.versions.insert(version.into());
    }

    /// A fact on the target of `file`; the first of its name is kept.
    pub(crate) fn fact(&mut self, file: &str, label: Option<&str>, name: &str, value: &str) {
        let facts = self.facts.entry(self.target(file, label)).or_default();
        facts.0.entry(name.into()).or_insert_with(|| value.into());
    }

    /// Whether there is any measurement.
    pub(crate) fn any(&self) -> bool {
        !self.samples.is_empty()
    }

    /// Whether any measurement may be used.
    pub(crate) fn any_valid(&self) -> bool {
        self.samples.iter().any(|sample| sample.evidence.validity.is_valid())
    }

    /// The campaign; `notes` say what the source does not tell.
    pub(crate) fn finish(self, notes: &[&str]) -> Result<Dataset, FormatError> {
        if self.samples.is_empty() {
            let why =
                format!("contains no result of {}; import the output of a finished run", self.tool);
            return Err(FormatError::file(self.first, why));
        }
        let mut targets = records(self.labels.iter().map(String::as_str));
        for record in &mut targets {
            record.facts = self.facts.get(&record.label).cloned().unwrap_or_default();
        }
        let mut campaign =
            of_tool(self.tool, &targets, self.options, remarks(notes.iter().copied()));
        if self.is_repeated() {
            campaign.notes.push(Note::CaseRepeats {});
        }
        campaign.notes.extend(remarks(self.notes.iter().copied()));
        if !self.left_out.is_empty() {
            let files = self.left_out.iter().map(|name| name.to_string()).collect();
            campaign.notes.push(Note::NotRead { tool: self.tool.into(), files });
        }
        if !self.versions.is_empty() {
            let versions = self.versions.into_iter().collect::<Vec<_>>().join(", ");
            campaign.environment.0.insert(format!("tool.{}", self.tool), versions);
        }
        let mut samples = self.samples;
        samples.sort_by_key(|sample| (sample.block, sample.position));
        Ok(Dataset { campaign, targets, tests: self.tests, samples })
    }

    /// The target of a file: as asked, as the file says, or as it or its directory is called.
    fn target(&self, file: &str, label: Option<&str>) -> String {
        if let Some(target) = self.options.target_of(file).or(label) {
            return target.into();
        }
        let directory = base_name(directory(file));
        if self.several_dirs && !directory.is_empty() {
            return directory.into();
        }
        let stem = base_name(file);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let tool = self.tool.trim_end_matches('+');
        let rest =
            stem.strip_prefix(tool).map_or(stem, |rest| rest.trim_start_matches(['+', '-', '_']));
        let named = [rest, directory].into_iter().find(|name| !name.is_empty());
        named.unwrap_or(self.tool).into()
    }

    fn position(&mut self, target: &str) -> u32 {
        if let Some(&position) = self.positions.get(target) {
            return position;
        }
        let position = self.labels.len() as u32;
        self.labels.push(target.into());
        self.positions.insert(target.into(), position);
        position
    }

    /// One target in one file is one place.
    fn check_place(
        &mut self,
        file: &str,
        line: u64,
        target: &str,
        reading: &Reading,
    ) -> Result<(), FormatError> {
        let key = (target.to_owned(), file.to_owned());
        let (first, place) = self.places.entry(key).or_insert((line, reading.place.clone()));
        if *place == reading.place {
            return Ok(());
        }
        let why = format!(
            "was measured in `{}`, line {first} in `{}`; put each target into a separate file",
            short(&reading.place),
            short(place)
        );
        Err(FormatError::line(file, line, why))
    }

    /// A test is the same work wherever it stands.
    fn check_work(&mut self, file: &str, line: u64, reading: &Reading) -> Result<(), FormatError> {
        let first = (file.to_owned(), line, reading.work.clone());
        let (file0, line0, work) = self.works.entry(reading.test.id.clone()).or_insert(first);
        if *work == reading.work {
            return Ok(());
        }
        let (here, there) = difference(&reading.work, work);
        let why = format!(
            "`{}` did different work here than in {file0}, line {line0}: {here} versus {there}; \
             import each kind of work separately",
            reading.test.id,
        );
        Err(FormatError::line(file, line, why))
    }
}

/// The first parts in which two descriptions of work differ. Parts end at semicolons, or where there
/// are none, as in commands, nowhere.
fn difference(one: &str, other: &str) -> (String, String) {
    let equal = one.char_indices().zip(other.chars()).take_while(|((_, a), b)| a == b);
    let same = equal.last().map_or(0, |((at, c), _)| at + c.len_utf8());
    let start = one[..same].rfind("; ").map(|at| at + 2);
    let start = start.or(one[..same].rfind(' ').map(|at| at + 1)).unwrap_or(0);
    let part = |text: &str| match text[start..].split("; ").next().unwrap_or_default() {
        "" => "nothing".into(),
        part => format!("`{}`", excerpt(part)),
    };
    (part(one), part(other))
}

fn excerpt(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

fn check_numbers(file: &str, line: u64, reading: &Reading) -> Result<(), FormatError> {
    let metrics = reading.outcome.as_deref().unwrap_or_default();
    let metrics = metrics.iter().chain(&reading.besides);
    let mut values = metrics.map(|metric| metric.value).chain([reading.seconds]);
    if values.all(|value| value.is_finite() && value >= 0.0) {
        return Ok(());
    }
    let why = format!("a figure of `{}` is negative or too large", reading.test.id);
    Err(FormatError::line(file, line, why))
}

/// A ranking figure of 0 is one that the tool's digits could not hold, or nothing done: no number.
fn sample(position: u32, target: String, reading: Reading) -> Sample {
    let case = Case {
        target,
        suite: reading.test.suite,
        test: reading.test.id,
        procs: reading.procs,
        threads: reading.threads,
        cache: CacheState::Any,
    };
    let zero = |metrics: &Vec<Metric>| metrics.first().is_none_or(|metric| metric.value == 0.0);
    let (metrics, validity) = match reading.outcome {
        Ok(metrics) if zero(&metrics) => {
            (Vec::new(), Validity::Invalid(Imported::PrintedAsZero {}.into()))
        }
        Ok(metrics) => (metrics, Validity::Valid),
        Err(why) => (reading.besides, Validity::Invalid(why)),
    };
    let (cpu_user_s, cpu_sys_s) = reading.cpu_s.unwrap_or_default();
    let mut sample = Sample::bare(0, position, case, metrics)
        .timed(reading.bytes, reading.ops, reading.seconds)
        .judged(validity);
    (sample.covariates.cpu_user_s, sample.covariates.cpu_sys_s) = (cpu_user_s, cpu_sys_s);
    sample.figures.histograms = reading.histograms.into();
    sample.figures.series = reading.series.map(Box::new);
    sample
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_first_difference_is_named() {
        let of = |one, other| difference(one, other);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let (a, b) = ("files; block 16; end", "files; block 4; end");
        assert_eq!(of(a, b), pair("`block 16`", "`block 4`"));
        assert_eq!(of("-n 9 -w 1", "-n 9"), pair("`9 -w 1`", "`9`"));
        assert_eq!(of("", "-n"), pair("nothing", "`-n`"));
        assert_eq!(of("é; è", "é; ê"), pair("`è`", "`ê`"));
    }
}
