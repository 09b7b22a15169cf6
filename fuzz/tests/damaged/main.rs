//! Damaged inputs of every kind, given to every fuzz target: none may panic, hang, overflow the stack or take memory
//! without bound, nor break what its target asserts.
//!
//! `ASSAY_FUZZ_SECONDS` makes it longer (10 by default, for `import`, and for all others together); `ASSAY_FUZZ_SEED`
//! runs a single input again, and `ASSAY_FUZZ_TARGET` a single target. Each target is tried in a process of its own,
//! whose address space is limited. The ignored test `seeds` writes what is damaged to `ASSAY_FUZZ_CORPUS`, for
//! cargo-fuzz to start from.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

// What importers are tested with is damaged here.
#[path = "../../../crates/formats/tests/corpus.rs"]
mod corpus;
mod mutate;
mod seeds;
mod traces;

use corpus::Group;
use fuzz::{Run, TARGETS, pack};
use model::random::Rng;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::{
    fs::File,
    os::unix::fs::FileExt,
    panic::catch_unwind,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Which target the child tries, and where it notes what it is about to try: its parent tells what killed it.
const TARGET: &str = "ASSAY_FUZZ_TARGET";
const PROGRESS: &str = "ASSAY_FUZZ_PROGRESS";
/// The target with the most code behind it.
const IMPORT: &str = "import";

/// All that a child may map: many times what an input needs, far below what a machine has.
fn address_space_bytes(target: &str) -> u64 {
    if target == IMPORT { 1 << 30 } else { 2 << 30 }
}

/// More inputs than this in one second are not tried, so that the number is bounded too.
const INPUTS_PER_S: u64 = 2000;

/// An input that takes longer hangs.
const HANG_S: u64 = 120;

/// A target stops after this many faults.
const MOST_FAULTS: usize = 20;

fn env(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

#[test]
fn no_input_breaks_a_target() {
    let only = std::env::var(TARGET).ok();
    let faults: Vec<String> = TARGETS
        .iter()
        .filter(|(name, _)| only.as_ref().is_none_or(|only| only == name))
        .filter_map(|(name, _)| tried(name).err())
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Tries `target` in a child.
fn tried(target: &str) -> Result<(), String> {
    let progress = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(TARGET, target)
        .env(PROGRESS, progress.path())
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let out = text(&output.stdout);
    let counts = out.lines().find(|line| line.contains(" accepted, "));
    println!("{}", counts.unwrap_or_default());
    if output.status.success() && counts.is_some() {
        return Ok(());
    }
    let last = std::fs::read_to_string(progress.path()).unwrap();
    let err = text(&output.stderr[output.stderr.len().saturating_sub(8000)..]);
    Err(format!("{target}: {}; last tried {}\n{err}", output.status, last.trim_end()))
}

#[test]
#[ignore = "no_input_breaks_a_target runs it in a process of its own"]
fn child() {
    let name = std::env::var(TARGET).unwrap();
    let limit = Some(address_space_bytes(&name));
    setrlimit(Resource::As, Rlimit { current: limit, maximum: limit }).unwrap();
    let (name, run) = *TARGETS.iter().find(|(known, _)| *known == name).unwrap();
    // The message is reported with the seed; the default hook would print it for every input.
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::spawn(watch);
    let mut bench = Bench::new(run);
    let groups = seeds::groups(name);
    match env("ASSAY_FUZZ_SEED") {
        Some(seed) => bench.input(seed, &damaged(name, &groups, seed)),
        None => bench.all(name, &groups, env("ASSAY_FUZZ_SECONDS").unwrap_or(10)),
    }
    let Bench { tried, accepted, slowest_ms, .. } = bench;
    println!("{name:<8} {tried:>7} inputs, {accepted:>6} accepted, slowest {slowest_ms} ms");
    bench.faults.iter().for_each(|fault| eprintln!("{fault:.600}"));
    assert!(bench.faults.is_empty());
}

#[test]
fn every_file_to_start_from_is_accepted_by_who_recognises_it() {
    for group in corpus::groups().iter().filter(|group| !group.refused) {
        let read = formats::import(&group.files, Some(group.importer), &Default::default());
        assert!(read.is_ok(), "{}: {:?}", group.files[0].0, read.err());
    }
}

#[test]
#[ignore = "writes the corpus for cargo-fuzz to the folder ASSAY_FUZZ_CORPUS"]
fn seeds() {
    let folder = std::env::var("ASSAY_FUZZ_CORPUS").unwrap();
    for (name, _) in TARGETS {
        let folder = std::path::Path::new(&folder).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for (number, group) in seeds::groups(name).iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), whole(name, &group.files))
                .unwrap();
        }
    }
}

/// The input of the target `name` that `files` make.
fn whole(name: &str, files: &[formats::NamedBytes]) -> Vec<u8> {
    if [IMPORT, "dataset"].contains(&name) { pack(files) } else { files[0].1.clone() }
}

fn damaged(name: &str, groups: &[Group], seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    // Most damage to its bytes leaves no database; damage to its rows does.
    if name == "store" && !seed.is_multiple_of(4) {
        return seeds::damaged_rows(&mut rng, &groups[0].files[0].1);
    }
    // Nor does it leave a part of a trace that its checksum fits.
    if name == "trace" && !seed.is_multiple_of(4) {
        let group = &groups[rng.below(groups.len() as u64) as usize];
        return traces::damaged_part(&mut rng, &group.files[0].1);
    }
    whole(name, &mutate::files(&mut rng, groups))
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
        if now.saturating_sub(BEGAN_MS.load(Ordering::Relaxed)) > HANG_S * 1000 {
            eprintln!("input {seed} hangs; ASSAY_FUZZ_SEED={seed} runs it again");
            std::process::abort();
        }
    }
}

/// Tries inputs of one target and counts.
struct Bench {
    run: Run,
    start: Instant,
    progress: Option<File>,
    tried: u64,
    accepted: u64,
    slowest_ms: u128,
    faults: Vec<String>,
}

impl Bench {
    fn new(run: Run) -> Bench {
        let open = |path| File::options().write(true).open(path).unwrap();
        let progress = std::env::var_os(PROGRESS).map(open);
        let (start, faults) = (Instant::now(), Vec::new());
        Bench { run, start, progress, tried: 0, accepted: 0, slowest_ms: 0, faults }
    }

    /// The corpus as it is, then damaged, until its share of the time or the number is reached.
    fn all(&mut self, name: &str, groups: &[Group], seconds: u64) {
        for group in groups {
            let before = self.accepted;
            self.input(0, &whole(name, &group.files));
            if self.accepted == before && !group.refused {
                let head = String::from_utf8_lossy(&group.files[0].1).into_owned();
                self.faults.push(format!("{name}: {head:.300} is not accepted"));
            }
        }
        self.start = Instant::now();
        let others = TARGETS.len() as u64 - 1;
        let share = Duration::from_secs(seconds) / if name == IMPORT { 1 } else { others as u32 };
        for seed in 1..=seconds * INPUTS_PER_S {
            if self.start.elapsed() >= share || self.faults.len() >= MOST_FAULTS {
                break;
            }
            self.input(seed, &damaged(name, groups, seed));
        }
    }

    fn input(&mut self, seed: u64, bytes: &[u8]) {
        SEED.store(seed, Ordering::Relaxed);
        BEGAN_MS.store(self.start.elapsed().as_millis() as u64, Ordering::Relaxed);
        if let Some(progress) = &self.progress {
            progress.write_all_at(format!("ASSAY_FUZZ_SEED={seed:<20}\n").as_bytes(), 0).unwrap();
        }
        let (began, run) = (Instant::now(), self.run);
        let tried = catch_unwind(|| run(bytes));
        self.tried += 1;
        self.slowest_ms = self.slowest_ms.max(began.elapsed().as_millis());
        match tried {
            Ok(accepted) => self.accepted += u64::from(accepted),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?");
                self.faults.push(format!("seed {seed}: panic: {text}"));
            }
        }
    }
}
