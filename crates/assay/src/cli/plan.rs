//! The arguments that say what is measured, of `run` and `plan`.

use super::{
    BackingArgs, ProgramArgs,
    headings::{COMPARED, LENGTH, OUTPUT, PLACE, WORK},
    values::{duration_s, price, tag},
};
use crate::like::DataSource;
use clap::Args;
use model::{LabChoice, Numa, Order, Preset, Price, Scale, SweepMode, Swept};
use std::path::PathBuf;

/// What to measure; each argument overrides the plan file.
#[derive(Args, Clone, Debug, Default)]
pub struct PlanArgs {
    /// Plan file, TOML
    #[arg(value_name = "PLAN.toml")]
    pub plan: Option<PathBuf>,
    /// Do what this campaign did, with the sizes that it found, so that both can be compared: its id, the start
    /// of it, or `last`. --on, --tests and --procs take a part of it, --blocks and --budget another length
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["plan", "suite", "scale", "data", "threads", "preset", "sweep", "age", "fullness"]
    )]
    pub like: Option<String>,
    /// Candidate: ext4, xfs[mkfs.d=agcount=4], btrfs[compress=zstd:3], tmpfs, dir:PATH; NAME=TARGET gives it a name,
    /// which tables show, as fast=dir:/mnt/a; repeat or separate by commas [default: every file system this machine
    /// supports]
    #[arg(long, value_name = "TARGET", help_heading = COMPARED)]
    pub on: Vec<String>,
    /// What to call the campaign: a name that stands for its id, and for the newest one that has it
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    pub name: Option<String>,
    /// What else to find the campaign by, as firmware=1.4: `assay list --tag` shows those that have it; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = tag, help_heading = OUTPUT)]
    pub tag: Vec<(String, String)>,
    /// Compare values of options, as xfs[agcount=4,16,64] or ext4[commit=5,60;data=ordered,journal]:
    /// the default and each variant become candidates; may be repeated
    #[arg(long, value_name = "SWEEP", help_heading = COMPARED)]
    pub sweep: Vec<Swept>,
    /// grid: every value of an option with every value of the others; one-at-a-time: each value alone
    /// [default: grid]
    #[arg(long, value_name = "MODE", help_heading = COMPARED)]
    pub sweep_mode: Option<SweepMode>,
    /// Run the tests that this workload needs, of those that the preset has time for, and end with its advice: a
    /// profile that `assay advise --profiles` lists, or a file NAME.toml
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["suite", "tests", "like"], help_heading = WORK)]
    pub profile: Option<String>,
    /// Suite to run: a name that `assay explain` lists, or a file of declarations, NAME.toml; repeat
    /// or separate by commas [default: columnar]
    #[arg(long, value_name = "SUITE", value_delimiter = ',', help_heading = WORK)]
    pub suite: Vec<String>,
    /// Only the tests whose id matches this glob, as 'columnar.write.*'; repeat or separate by commas
    #[arg(long, value_name = "GLOB", value_delimiter = ',', help_heading = WORK)]
    pub tests: Vec<String>,
    /// Numbers of worker processes [default: the suite's, else 1 and four times the processors, at
    /// most 64]
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true, help_heading = WORK)]
    pub procs: Vec<u32>,
    /// Threads in each worker for the parallel parts [default: 1]
    #[arg(long, allow_negative_numbers = true, help_heading = WORK)]
    pub threads: Option<u32>,
    /// How much to measure: smoke 1 block; quick 3 or more, until its verdict is decided, or the leaders are the
    /// same within 5 %, and seven in ten ratios are resolved, or ten minutes are over; standard 5, 8, 12 or 20
    /// and publish 12 or 20, until every ratio is decided or known to 5 % [default: quick]
    #[arg(long, help_heading = LENGTH)]
    pub preset: Option<Preset>,
    /// Exact number of blocks, whatever their precision
    #[arg(long, allow_negative_numbers = true, help_heading = LENGTH)]
    pub blocks: Option<u32>,
    /// Longest time for all blocks, as 2h or 90m: no block is begun that would not end within it [default:
    /// 10m with quick]
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration_s,
        conflicts_with = "blocks",
        allow_hyphen_values = true,
        help_heading = LENGTH
    )]
    pub budget: Option<u64>,
    /// Enter the baseline twice, as an A/A pair: a check of the method by itself, which is no
    /// candidate [default: with the presets standard and publish]
    #[arg(long, help_heading = COMPARED)]
    pub aa: bool,
    /// Leave the A/A pair out
    #[arg(long, conflicts_with = "aa", help_heading = COMPARED)]
    pub no_aa: bool,
    /// One factor on every size, with the original suite's proportions: full (1), small, tiny, smoke or a number;
    /// auto makes each test long enough by itself, after a trial [default: auto]
    #[arg(long, allow_negative_numbers = true, help_heading = WORK)]
    pub scale: Option<Scale>,
    /// Seed of order, offsets and data [default: drawn]
    #[arg(long, allow_negative_numbers = true, help_heading = WORK)]
    pub seed: Option<u64>,
    /// Data to write: random, compressible, zeros, ancestor, or like:PATH, as compressible and as
    /// repetitive as a sample of the files there [default: random]
    #[arg(long, value_name = "KIND", help_heading = WORK)]
    pub data: Option<DataSource>,
    /// Age every fresh file system by this many cycles of churn before its tests, as 0, 100, 300 or
    /// 1000; 0 makes the files of the others without churning them
    #[arg(long, value_name = "CYCLES", allow_negative_numbers = true, help_heading = WORK)]
    pub age: Option<u32>,
    /// Fill every fresh file system to this share of its space before its tests, as 50, 80 or 95
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, help_heading = WORK)]
    pub fullness: Option<u32>,
    /// Target to compare the others with [default: the first]
    #[arg(long, value_name = "TARGET", help_heading = COMPARED)]
    pub baseline: Option<String>,
    /// What a target costs in a month, as gp3=0.08*500GB+0.005*3000IOPS+0.04*125MB/s: price times amount, of space,
    /// provisioned operations and throughput; kept with the campaign; may be repeated
    #[arg(long, value_name = "TARGET=PRICE", value_parser = price, help_heading = COMPARED)]
    pub price: Vec<(String, Price)>,
    #[command(flatten)]
    pub backing: BackingArgs,
    /// in-turn: all tests of a candidate, then all of the next; interleaved: each test on all candidates,
    /// side by side, each on an image or a part of a disk of its own [default: interleaved where disk and
    /// memory hold them all; whole disks take turns]
    #[arg(long, value_name = "ORDER", help_heading = LENGTH)]
    pub order: Option<Order>,
    /// Keep workers on NUMA nodes: none, or round-robin, worker i on the processors and the memory of node i modulo
    /// the number of nodes [default: none]
    #[arg(long, value_name = "BINDING", help_heading = WORK)]
    pub numa: Option<Numa>,
    #[command(flatten)]
    pub programs: ProgramArgs,
    /// Where file systems are made: host, this machine; uml or qemu, a guest of it; auto, for each
    /// target the first of this machine, QEMU with KVM, User-Mode Linux and QEMU with an emulated
    /// processor that can [default: auto]
    #[arg(long, value_name = "LAB", help_heading = PLACE)]
    pub lab: Option<LabChoice>,
    /// Kernel that QEMU boots for every target, which --lab auto then means; its modules must be
    /// installed [default: the newest in /boot]
    #[arg(long, value_name = "IMAGE", help_heading = PLACE)]
    pub kernel: Option<PathBuf>,
    /// Setting of the suite, as set_mode=trunc; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = WORK)]
    pub knob: Vec<String>,
    /// Longest time that one case may take, seconds [default: 3600]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = LENGTH)]
    pub case_timeout: Option<u64>,
}
