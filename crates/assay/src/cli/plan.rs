//! Arguments of `run` and `plan` that choose what to measure.

use super::{
    BackingArgs, ProgramArgs,
    headings::{COMPARED, LENGTH, OUTPUT, PLACE, WORK},
    values::{duration_s, price, tag, whole},
};
use crate::like::DataSource;
use clap::Args;
use model::{
    plan::{LabChoice, Order, Preset, Price, Scale},
    target::{SweepMode, Swept},
    workload::Numa,
};
use std::path::{Path, PathBuf};

/// Paces of a replay.
const PACES: [&str; 4] = ["full", "think", "recorded", "2x"];

/// What to measure; each argument overrides the plan file.
#[derive(Args, Clone, Debug, Default)]
pub struct PlanArgs {
    /// Plan file, or candidates as with --on, e.g. ext4 xfs
    #[arg(value_name = "PLAN.toml|TARGET")]
    pub words: Vec<String>,
    /// Repeat the work of this campaign at the same sizes: an id, an id prefix, or `last`. Narrow it with
    /// --on, --tests and --procs; change its length with --blocks and --budget
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["suite", "scale", "data", "threads", "preset", "sweep", "age", "fullness"]
    )]
    pub like: Option<String>,
    /// Candidate, e.g. ext4, xfs[mkfs.d=agcount=4], btrfs[compress=zstd:3], tmpfs, dir:PATH; NAME=TARGET
    /// names it in tables, e.g. fast=dir:/mnt/a; TARGET@VERSION measures it in a guest with that installed
    /// kernel, e.g. xfs@6.12; repeat or separate with commas [default: every supported file system]
    #[arg(long, value_name = "TARGET", help_heading = COMPARED)]
    pub on: Vec<String>,
    /// Name of the campaign, usable instead of its id; refers to the newest campaign of that name
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    pub name: Option<String>,
    /// Attach a label to the campaign, e.g. firmware=1.4, for `assay list --tag`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = tag, help_heading = OUTPUT)]
    pub tag: Vec<(String, String)>,
    /// Compare option values, e.g. xfs[agcount=4,16,64] or ext4[commit=5,60;data=ordered,journal]; the
    /// default and each variant become candidates; may be repeated
    #[arg(long, value_name = "SWEEP", help_heading = COMPARED)]
    pub sweep: Vec<Swept>,
    /// How to combine swept options: grid (every combination) or one-at-a-time [default: grid]
    #[arg(long, value_name = "MODE", help_heading = COMPARED)]
    pub sweep_mode: Option<SweepMode>,
    /// Run the tests relevant to a workload profile, as far as the preset allows, and print a recommendation: a
    /// name listed by `assay advise --profiles`, or a file NAME.toml
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["suite", "tests", "like"], help_heading = WORK)]
    pub profile: Option<String>,
    /// Suite to run: a name listed by `assay explain`, or a file NAME.toml; repeat or separate with commas
    /// [default: columnar]
    #[arg(long, value_name = "SUITE", value_delimiter = ',', help_heading = WORK)]
    pub suite: Vec<String>,
    /// Run only tests whose id matches GLOB, e.g. 'columnar.write.*'; repeat or separate with commas
    #[arg(long, value_name = "GLOB", value_delimiter = ',', help_heading = WORK)]
    pub tests: Vec<String>,
    /// Numbers of worker processes [default: the suite's, else 1 and four per CPU, at most 64]
    #[arg(long, value_parser = whole::<u32>, value_delimiter = ',', allow_negative_numbers = true, help_heading = WORK)]
    pub procs: Vec<u32>,
    /// Threads per worker in parallel parts [default: 1]
    #[arg(long, value_parser = whole::<u32>, allow_negative_numbers = true, help_heading = WORK)]
    pub threads: Option<u32>,
    /// Measurement effort: smoke (1 block), quick (3 to 20 blocks, at most 10 minutes), standard (5 to 20 blocks)
    /// or publish (12 or 20); docs/size-and-time.md has the stopping rules [default: quick]
    #[arg(long, help_heading = LENGTH)]
    pub preset: Option<Preset>,
    /// Run exactly NUM blocks, regardless of precision
    #[arg(long, value_parser = whole::<u32>, value_name = "NUM", allow_negative_numbers = true, help_heading = LENGTH)]
    pub blocks: Option<u32>,
    /// Time limit for all blocks, e.g. 2h or 90m; blocks that would exceed it are not started [default: 10m with quick]
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration_s,
        conflicts_with = "blocks",
        allow_hyphen_values = true,
        help_heading = LENGTH
    )]
    pub budget: Option<u64>,
    /// Measure the baseline twice (A/A check) [default: with the presets standard and publish]
    #[arg(long, help_heading = COMPARED)]
    pub aa: bool,
    /// Skip the A/A check
    #[arg(long, conflicts_with = "aa", help_heading = COMPARED)]
    pub no_aa: bool,
    /// Factor applied to all sizes of the original suite: full (1), small, tiny, smoke or a number; auto:
    /// calibrate each test's size with a trial run [default: auto]
    #[arg(long, allow_negative_numbers = true, help_heading = WORK)]
    pub scale: Option<Scale>,
    /// Seed for order, offsets and data [default: random]
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true, help_heading = WORK)]
    pub seed: Option<u64>,
    /// Data to write: random, compressible, zeros, ancestor, or like:PATH, which compresses and deduplicates
    /// like a sample of the files there [default: random]
    #[arg(long, value_name = "KIND", help_heading = WORK)]
    pub data: Option<DataSource>,
    /// Age every fresh file system with this many churn cycles before its tests, e.g. 100, 300 or 1000; 0
    /// creates the same files without churn
    #[arg(long, value_parser = whole::<u32>, value_name = "CYCLES", allow_negative_numbers = true, help_heading = WORK)]
    pub age: Option<u32>,
    /// Fill every fresh file system to this percentage before its tests, e.g. 50, 80 or 95
    #[arg(long, value_parser = whole::<u32>, value_name = "PERCENT", allow_negative_numbers = true, help_heading = WORK)]
    pub fullness: Option<u32>,
    /// Target to compare the others to [default: the first]
    #[arg(long, value_name = "TARGET", help_heading = COMPARED)]
    pub baseline: Option<String>,
    /// Monthly cost of a target: price times amount for capacity, provisioned IOPS and throughput, e.g.
    /// gp3=0.08*500GB+0.005*3000IOPS+0.04*125MB/s; stored with the campaign; may be repeated
    #[arg(long, value_name = "TARGET=PRICE", value_parser = price, help_heading = COMPARED)]
    pub price: Vec<(String, Price)>,
    #[command(flatten)]
    pub backing: BackingArgs,
    /// in-turn: run all tests of a candidate, then the next candidate; interleaved: run each test on all
    /// candidates, each on its own image or partition [default: interleaved if disk and memory can hold all
    /// candidates; whole disks take turns]
    #[arg(long, value_name = "ORDER", help_heading = LENGTH)]
    pub order: Option<Order>,
    /// Pin workers to NUMA nodes: none, or round-robin (worker i on the CPUs and memory of node i modulo the
    /// number of nodes) [default: none]
    #[arg(long, value_name = "BINDING", help_heading = WORK)]
    pub numa: Option<Numa>,
    #[command(flatten)]
    pub programs: ProgramArgs,
    /// Where to run: host, uml or qemu (a guest); auto uses, for each target, the first of host,
    /// QEMU with KVM, User-Mode Linux and QEMU without KVM that supports it [default: auto]
    #[arg(long, value_name = "LAB", help_heading = PLACE)]
    pub lab: Option<LabChoice>,
    /// Kernel for QEMU to boot; --lab auto then runs all targets in QEMU; its modules must be installed
    /// [default: the newest in /boot]
    #[arg(long, value_name = "IMAGE", help_heading = PLACE)]
    pub kernel: Option<PathBuf>,
    /// Setting of the suite, e.g. set_mode=trunc; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = WORK)]
    pub knob: Vec<String>,
    /// Replay pace: full (as fast as possible), think (keep the recorded pauses), recorded (at the recorded times)
    /// or 2x (twice as fast as recorded); same as --knob pace=PACE
    #[arg(long, value_parser = PACES, value_name = "PACE", help_heading = WORK)]
    pub pace: Option<String>,
    /// Time window of the recording to measure, e.g. 60s..120s; same as --knob window=FROM..TO
    #[arg(long, value_name = "FROM..TO", help_heading = WORK)]
    pub window: Option<String>,
    /// Time limit for one case, seconds [default: 3600]
    #[arg(long, value_parser = whole::<u64>, value_name = "SECONDS", allow_negative_numbers = true, help_heading = LENGTH)]
    pub case_timeout: Option<u64>,
}

impl PlanArgs {
    /// The plan file among its words; `None` if all are candidates.
    ///
    /// # Errors
    /// There are two, or one besides --like.
    pub fn plan_file(&self) -> Result<Option<&Path>, String> {
        let mut files = self.words.iter().filter(|word| is_plan_file(word)).map(Path::new);
        let file = files.next();
        match (file, files.next(), &self.like) {
            (Some(one), Some(two), _) => {
                let (one, two) = (one.display(), two.display());
                Err(format!("two plan files, {one} and {two}; run one, then the other"))
            }
            (Some(file), None, Some(_)) => Err(format!(
                "--like cannot be used with a plan file; omit --like or {}",
                file.display()
            )),
            (file, ..) => Ok(file),
        }
    }

    /// The candidates that the command line names, as words or by --on.
    pub fn candidates(&self) -> Vec<String> {
        let words = self.words.iter().filter(|word| !is_plan_file(word));
        words.chain(&self.on).cloned().collect()
    }
}

/// Returns true if `word` is the path of a plan: it begins as a path does, or it is a name, with folders, with `.toml`
/// or of a file, and not a candidate. A folder is none: it is meant as `dir:`.
fn is_plan_file(word: &str) -> bool {
    let path = Path::new(word);
    let begins_as_path = ["/", "./", "../"].iter().any(|start| word.starts_with(start));
    let is_name = !word.contains([':', '[', '(', '=', ',']);
    let is_file = || path.is_file() && fs::find(word).is_err();
    let may_be =
        begins_as_path || (is_name && (word.ends_with(".toml") || word.contains('/') || is_file()));
    may_be && !path.is_dir()
}
