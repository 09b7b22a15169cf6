//! Damaged files of every kind, given to every importer: none may panic, hang or take memory without
//! bound, and what one accepts must keep the promises of a dataset.
//!
//! `ASSAY_FUZZ_SECONDS` makes it longer (10 by default); `ASSAY_FUZZ_SEED` runs a single input again.
//! The inputs are tried in a process of their own, whose address space is limited.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod corpus;
mod mutate;

use corpus::Group;
use formats::{ImportOptions, NamedBytes, export, import, importer_names};
use model::{Dataset, Rng, is_unprintable};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::{
    collections::{BTreeMap, HashSet},
    fs::File,
    os::unix::fs::FileExt,
    panic::{AssertUnwindSafe, catch_unwind},
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Where the child notes what it is about to try, so that its parent can tell what killed it.
const PROGRESS: &str = "ASSAY_FUZZ_PROGRESS";

/// All that the child may map: many times the largest input, far below what a machine has.
const ADDRESS_SPACE_BYTES: u64 = 1 << 30;

/// More inputs than this in one second are not tried, so that the number is bounded too.
const INPUTS_PER_S: u64 = 1000;

/// Larger datasets are not written and read again.
const MOST_READ_BACK: usize = 100;

/// An input that takes longer hangs.
const HANG_S: u64 = 120;

fn env(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

#[test]
fn no_input_breaks_an_importer() {
    let progress = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PROGRESS, progress.path())
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let last = std::fs::read_to_string(progress.path()).unwrap();
    let tail = &err[err.floor_char_boundary(err.len().saturating_sub(4000))..];
    assert!(output.status.success(), "{}; last tried: {last}\n{tail}", output.status);
    let tried = out.lines().filter(|line| line.contains(" accepted, ")).count();
    assert_eq!(tried, importer_names().len(), "{out}\n{tail}");
    println!("{out}");
}

#[test]
#[ignore = "no_input_breaks_an_importer runs it in a process of its own"]
fn child() {
    let limit = Some(ADDRESS_SPACE_BYTES);
    setrlimit(Resource::As, Rlimit { current: limit, maximum: limit }).unwrap();
    let groups = corpus::groups();
    // The message is reported with the seed; the default hook would print it for every input.
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::spawn(watch);
    let mut bench = Bench::new();
    match env("ASSAY_FUZZ_SEED") {
        Some(seed) => bench.seed(&groups, seed),
        None => bench.all(&groups, env("ASSAY_FUZZ_SECONDS").unwrap_or(10)),
    }
    for (importer, [tried, sniffed, accepted, slowest_ms]) in &bench.counts {
        let counts = format!("{tried:>6} inputs, {sniffed:>5} recognised, {accepted:>5} accepted");
        println!("{importer:<12} {counts}, slowest {slowest_ms} ms");
    }
    bench.faults.iter().for_each(|fault| eprintln!("{fault:.400}"));
    assert!(bench.faults.is_empty());
}

/// The seed being tried, and the milliseconds since the start at which it began.
static SEED: AtomicU64 = AtomicU64::new(0);
static BEGAN_MS: AtomicU64 = AtomicU64::new(0);

/// Ends the process when one input hangs.
fn watch() {
    let start = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let (now, seed) = (start.elapsed().as_millis() as u64, SEED.load(Ordering::Relaxed));
        let began = BEGAN_MS.load(Ordering::Relaxed);
        if now.saturating_sub(began) > HANG_S * 1000 {
            eprintln!("input {seed} hangs; ASSAY_FUZZ_SEED={seed} runs it again");
            std::process::abort();
        }
    }
}

/// Tries inputs and counts.
struct Bench {
    start: Instant,
    progress: Option<File>,
    /// Inputs tried, recognised and accepted, and the longest time in milliseconds, by importer.
    counts: BTreeMap<&'static str, [u64; 4]>,
    faults: Vec<String>,
}

impl Bench {
    fn new() -> Bench {
        let open = |path| File::options().write(true).open(path).unwrap();
        Bench {
            start: Instant::now(),
            progress: std::env::var_os(PROGRESS).map(open),
            counts: importer_names().into_iter().map(|name| (name, [0; 4])).collect(),
            faults: Vec::new(),
        }
    }

    /// The corpus as it is, then damaged, until the time or the number is reached.
    fn all(&mut self, groups: &[Group], seconds: u64) {
        for group in groups {
            let before = self.counts[group.importer][2];
            self.input(0, &group.files);
            if self.counts[group.importer][2] == before && !group.refused {
                self.faults.push(format!("{} is not accepted", group.files[0].0));
            }
        }
        for seed in 1..=seconds * INPUTS_PER_S {
            if self.start.elapsed().as_secs() >= seconds || self.faults.len() >= 20 {
                break;
            }
            self.seed(groups, seed);
        }
    }

    fn seed(&mut self, groups: &[Group], seed: u64) {
        self.input(seed, &mutate::files(&mut Rng::new(seed), groups));
    }

    /// One input, given to every importer whether it knows it or not.
    fn input(&mut self, seed: u64, files: &[NamedBytes]) {
        SEED.store(seed, Ordering::Relaxed);
        BEGAN_MS.store(self.start.elapsed().as_millis() as u64, Ordering::Relaxed);
        let recognised = formats::recognised(files);
        for name in importer_names() {
            if let Some(progress) = &self.progress {
                let note = format!("ASSAY_FUZZ_SEED={seed}, importer {name:<20}\n");
                progress.write_all_at(note.as_bytes(), 0).unwrap();
            }
            let options = ImportOptions {
                target: None,
                created: "2026-01-02T03:04:05Z".into(),
                ..Default::default()
            };
            let began = Instant::now();
            let tried = catch_unwind(AssertUnwindSafe(|| {
                verdict(name, import(files, Some(name), &options))
            }));
            let counts = self.counts.get_mut(name).unwrap();
            counts[0] += 1;
            counts[3] = counts[3].max(began.elapsed().as_millis() as u64);
            match tried {
                Ok(Ok(accepted)) => {
                    counts[1] += u64::from(recognised == Some(name));
                    counts[2] += u64::from(accepted);
                }
                Ok(Err(why)) => self.faults.push(format!("seed {seed}, {name}: {why}")),
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or(panic.downcast_ref::<&str>().copied());
                    self.faults
                        .push(format!("seed {seed}, {name}: panic: {}", text.unwrap_or("?")));
                }
            }
        }
    }
}

/// Whether the input was accepted; what is wrong with how it was accepted or refused.
fn verdict(importer: &str, read: Result<Dataset, formats::FormatError>) -> Result<bool, String> {
    match read {
        Ok(data) => {
            promises(importer, &data)?;
            for export in [export::json, export::csv, export::psv, export::fio_json] {
                let files = export(&data).map_err(|why| format!("cannot be exported: {why}"))?;
                files.iter().try_for_each(stays_put)?;
            }
            if data.samples.len() <= MOST_READ_BACK {
                comes_back(&data)?;
            }
            Ok(true)
        }
        Err(error) => {
            let text = error.to_string();
            let one_line = !text.contains(is_unprintable) && text.len() < 4096;
            if one_line { Ok(false) } else { Err(format!("the error is no line: {text:?}")) }
        }
    }
}

/// Whether a file that is written has a name that leads nowhere, and no text that commands a terminal.
fn stays_put((name, bytes): &NamedBytes) -> Result<(), String> {
    let part =
        |part: &str| part.len() < 250 && part.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !name.split('/').all(part) {
        return Err(format!("a file is called {name:?}"));
    }
    let text = String::from_utf8_lossy(bytes);
    match text.chars().find(|&c| is_unprintable(c) && c != '\n' && c != '\t') {
        Some(c) => Err(format!("{name} holds {c:?}")),
        None => Ok(()),
    }
}

/// What was accepted is accepted again as our own formats write it, and is the same.
fn comes_back(data: &Dataset) -> Result<(), String> {
    for export in [export::json, export::csv] {
        let files = export(data).map_err(|why| why.to_string())?;
        let back = import(&files, None, &ImportOptions::default());
        match back {
            Ok(back) if back == *data => {}
            Ok(_) => return Err(format!("{} gives another dataset back", files[0].0)),
            Err(why) => return Err(format!("{} is not read back: {why}", files[0].0)),
        }
    }
    Ok(())
}

/// What every dataset promises.
fn promises(importer: &str, data: &Dataset) -> Result<(), String> {
    // Our own formats give back what was exported, whatever it was.
    let own = ["csv", "json"].contains(&importer);
    let targets: HashSet<_> = data.targets.iter().map(|t| &t.label).collect();
    let tests: HashSet<_> = data.tests.iter().map(|t| &t.id).collect();
    if targets.len() < data.targets.len() || tests.len() < data.tests.len() {
        return Err("a target or a test is listed twice".into());
    }
    for sample in &data.samples {
        if !targets.contains(&sample.case.target) || !tests.contains(&sample.case.test) {
            return Err(format!("{:?} names what is not listed", sample.case));
        }
        let names: HashSet<_> = sample.metrics.iter().map(|m| &m.name).collect();
        if names.len() < sample.metrics.len() {
            return Err(format!("{:?} has a metric twice", sample.case));
        }
        if !own && sample.metrics.is_empty() && sample.validity.is_valid() {
            return Err(format!("{:?} is valid without a metric", sample.case));
        }
        let times = [sample.seconds, sample.skew_ms, sample.overlap];
        let values = sample.metrics.iter().map(|m| m.value).chain(times);
        if !values.into_iter().all(f64::is_finite) {
            return Err(format!("{:?} has a figure that is not finite", sample.case));
        }
        for histogram in &sample.histograms {
            let ascending = histogram.bins.windows(2).all(|pair| pair[0].0 < pair[1].0);
            if !ascending || histogram.bins.iter().any(|bin| bin.1 == 0) {
                return Err(format!("{:?} has a histogram out of order", sample.case));
            }
        }
    }
    Ok(())
}
