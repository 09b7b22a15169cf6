//! Defines the command line: types and their help. `commands` implements each verb.

mod backing;
mod check;
mod compare;
mod examples;
mod headings;
mod import;
mod list;
mod plan;
mod programs;
mod quiet;
mod record;
mod remake;
mod values;

pub use backing::{BackingArgs, Consent};
pub use check::{CheckArgs, CheckFormat};
pub use compare::CompareArgs;
pub use import::ImportArgs;
pub use list::{ListArgs, ListFormat};
pub use plan::PlanArgs;
pub use programs::ProgramArgs;
use quiet::QuietArgs;
pub use record::{RecordArgs, RecordWith};
pub use remake::RemakeArgs;
pub use values::{candidates, not_utf8};

use crate::terminal::Shown;
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser},
};
use headings::OUTPUT;
use model::{plan::Scale, target::Target, text::Bytes};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use values::{more_blocks, whole};

/// Measures which file system, with which options, suits a workload on this machine.
#[derive(Debug, Parser)]
#[command(
    name = "assay",
    version = env!("ASSAY_VERSION"),
    after_help = "Exit status: 0 success, 1 failure, 2 wrong arguments, plan or disk, 3 root, a \
                  tool or space is missing, 4 a target or case failed, 5 regression or limit check \
                  inconclusive, 6 regression found or limit check failed, 130 stopped by a signal."
)]
pub struct Cli {
    /// The verb.
    #[command(subcommand)]
    pub verb: Verb,
    /// Database of all campaigns [default: /var/lib/assay/assay.db for root, else the XDG data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// Folder for the journal, mount points and images, not accessible to other users [default:
    /// /var/lib/assay/state for root, else the XDG state folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub state: Option<PathBuf>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Measure: create each target, run the suite on all of them, print the answer and write the report
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Print what `run` would do with the same arguments, after a short speed test of the disk; leaves nothing behind
    #[command(after_help = examples::PLAN)]
    Plan(PlanArgs),
    /// Continue a campaign: run missing blocks and retry failed targets; --blocks +N adds blocks
    #[command(after_help = examples::RESUME)]
    Resume(ResumeArgs),
    /// Remove what a killed run left behind: mounts, loop devices, images, private directories
    #[command(after_help = examples::CLEANUP)]
    Cleanup(CleanupArgs),
    /// List campaigns
    #[command(after_help = examples::LIST)]
    List(ListArgs),
    /// Delete campaigns and their samples from the store
    #[command(after_help = examples::RM)]
    Rm(RmArgs),
    /// Show the plan, environment, targets and sample counts of a campaign
    #[command(after_help = examples::SHOW)]
    Show(IdArgs),
    /// Print the tables of a campaign, its answer only (--summary), or write an HTML page
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// Compare two sets of campaigns, A and B: what changed, what got better or worse
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArgs),
    /// Check whether targets meet a latency limit, e.g. the one that etcd states: pass, fail or undecided
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Recommend a target for a workload profile, and show how the weights affect the answer
    #[command(after_help = examples::ADVISE)]
    Advise(AdviseArgs),
    /// Search for better mkfs and mount options of a file system: screen, halve, confirm
    #[command(after_help = examples::TUNE)]
    Tune(TuneArgs),
    /// Record an application's file-system calls into a trace, with little overhead
    #[command(after_help = examples::RECORD)]
    Record(RecordArgs),
    /// Write an image of the disk as a fault of `--suite faults` left it, for inspection
    #[command(after_help = examples::REMAKE)]
    Remake(RemakeArgs),
    /// Export the samples of a campaign to another format
    #[command(after_help = examples::EXPORT)]
    Export(ExportArgs),
    /// Import another tool's results, or an exported campaign
    #[command(after_help = examples::IMPORT)]
    Import(ImportArgs),
    /// Show which file systems this machine can test, and what to install for the others
    #[command(after_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
    /// Check assay against known answers: device caps, injected delays, A/A; exits with status 4 if a check fails
    #[command(after_help = examples::SELFTEST)]
    Selftest(SelftestArgs),
    /// Explain a test: what it does on disk and how to read its figures
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    /// Write a plan file with every setting, commented
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    /// Generate shell completions
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Write the manual pages
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub quiet: QuietArgs,
    #[command(flatten)]
    pub end: EndArgs,
}

/// Output of `run` and `resume`.
#[derive(Args, Debug)]
pub struct EndArgs {
    /// Write the report to FILE, replacing an earlier report: an HTML page, or tables if FILE ends in .md, .csv or
    /// .json [default: report.html; that of another campaign is kept as report.1.html]
    #[arg(long, short, alias = "html", value_name = "FILE", value_parser = values::path_to_write(), help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Format on stdout; formats other than table print all tables
    #[arg(long, value_enum, default_value_t, help_heading = OUTPUT)]
    pub format: Format,
    /// How to show progress on stderr
    #[arg(long, value_enum, default_value_t, value_name = "HOW", help_heading = OUTPUT)]
    pub progress: Shown,
    /// Show no progress; same as --progress none
    #[arg(long, short, conflicts_with = "progress", help_heading = OUTPUT)]
    pub quiet: bool,
    /// Print all tables instead of the 40-line answer
    #[arg(long, help_heading = OUTPUT)]
    pub full: bool,
}

/// The file of a report where none is named.
const REPORT: &str = "report.html";

impl EndArgs {
    /// Where the report is written.
    pub fn out(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new(REPORT))
    }

    /// How progress is shown.
    pub fn progress(&self) -> Shown {
        if self.quiet { Shown::None } else { self.progress }
    }
}

/// Arguments of `resume`.
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// Campaign: an id, an id prefix, a name, `last`, or `last~1` for the one before
    #[arg(default_value = "last")]
    pub id: String,
    /// Run N more blocks, even if the campaign is complete (e.g. +5)
    #[arg(long, value_name = "+N", value_parser = more_blocks, allow_negative_numbers = true)]
    pub blocks: Option<u32>,
    /// Resume even though the set of mpirun hosts has changed; the report says so
    #[arg(long)]
    pub hosts_changed: bool,
    #[command(flatten)]
    pub consent: Consent,
    #[command(flatten)]
    pub programs: ProgramArgs,
    #[command(flatten)]
    pub quiet: QuietArgs,
    #[command(flatten)]
    pub end: EndArgs,
}

/// One campaign.
#[derive(Args, Debug)]
pub struct IdArgs {
    /// Campaign: an id, an id prefix, a name, `last`, or `last~1` for the one before
    #[arg(default_value = "last")]
    pub id: String,
}

/// Arguments of `rm`.
#[derive(Args, Debug)]
pub struct RmArgs {
    /// Campaigns: ids, id prefixes, names, `last`, or `last~1` for the one before
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
}

/// Format of printed tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for the terminal
    #[default]
    Table,
    /// Markdown
    Md,
    /// Comma-separated values
    Csv,
    /// JSON
    Json,
    /// A complete HTML page
    Html,
}

impl Format {
    /// The format implied by the extension of `path`, if any.
    pub fn of_file(path: &Path) -> Option<Format> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("html" | "htm") => Some(Format::Html),
            Some("md") => Some(Format::Md),
            Some("csv") => Some(Format::Csv),
            Some("json") => Some(Format::Json),
            _ => None,
        }
    }
}

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Campaign: an id, an id prefix, a name, `last`, `last~1`, or a published study; several are shown
    /// together, each evaluated separately
    #[arg(value_name = "ID", default_value = "last")]
    pub ids: Vec<String>,
    /// Pool campaigns of the same work on identical machines; each becomes one block
    #[arg(long)]
    pub pool: bool,
    /// Output format [default: by the file extension of --out, else table]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Print the 40-line answer, as at the end of a run, instead of all tables
    #[arg(long, conflicts_with_all = ["format", "out"])]
    pub summary: bool,
    /// Target to compare the others to
    #[arg(long, value_name = "TARGET")]
    pub baseline: Option<String>,
    /// Rank by another metric: cache_rate, sync_s, sum_rate, or nano_rate (the original suite's arithmetic,
    /// for comparison with published figures)
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Monthly cost of a target: price times amount for capacity, provisioned IOPS and throughput, e.g.
    /// gp3=0.08*500GB+0.005*3000IOPS+0.04*125MB/s; repeat for each target
    #[arg(long, value_name = "TARGET=PRICE", value_parser = values::price)]
    pub price: Vec<(String, model::plan::Price)>,
    /// Write to FILE instead of stdout
    #[arg(long, short, value_name = "FILE", value_parser = values::path_to_write())]
    pub out: Option<PathBuf>,
}

/// Arguments of `tune`.
#[derive(Args, Debug)]
pub struct TuneArgs {
    /// Campaign whose work to repeat (an id, an id prefix, or `last`), or a plan file [default: `last`,
    /// unless --suite is given]
    #[arg(value_name = "ID|PLAN.toml")]
    pub work: Option<String>,
    /// File system to tune; options given here, e.g. ext4[noatime], count as its default
    #[arg(long, value_name = "TARGET")]
    pub on: Target,
    /// Time limit for the search, e.g. 30m; a stage in progress is completed
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = humantime::parse_duration, allow_hyphen_values = true)]
    pub budget: Duration,
    /// Suite to run instead of the campaign's; repeat or separate with commas
    #[arg(long, value_name = "SUITE", value_delimiter = ',')]
    pub suite: Vec<String>,
    /// Try only this setting, e.g. logbsize, mkfs.m or mkfs.m=reflink; may be repeated
    #[arg(long = "try", value_name = "SETTING")]
    pub only: Vec<String>,
    /// Also try options that weaken durability; prints what a crash may lose
    #[arg(long)]
    pub allow_unsafe: bool,
    /// Run only tests whose id matches GLOB; repeat or separate with commas
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub tests: Vec<String>,
    /// Numbers of worker processes
    #[arg(long, value_parser = whole::<u32>, value_delimiter = ',')]
    pub procs: Vec<u32>,
    /// Factor applied to all sizes [default: the campaign's]
    #[arg(long)]
    pub scale: Option<Scale>,
    /// Seed for order, offsets and data [default: random]
    #[arg(long, value_parser = whole::<u64>)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub consent: Consent,
    #[command(flatten)]
    pub programs: ProgramArgs,
    /// Folder for loop images [default: the campaign's]
    #[arg(long, value_name = "DIR")]
    pub image_dir: Option<PathBuf>,
    /// Size of each loop image [default: derived from the scale]
    #[arg(long, value_name = "SIZE")]
    pub image_size: Option<Bytes>,
}

/// Formats of `advise`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AdviseFormat {
    /// Tables for the terminal
    #[default]
    Table,
    /// Markdown
    Md,
    /// JSON
    Json,
    /// A complete HTML page
    Html,
}

impl AdviseFormat {
    /// As [`Format::of_file`].
    pub fn of_file(path: &Path) -> Option<AdviseFormat> {
        match Format::of_file(path)? {
            Format::Html => Some(AdviseFormat::Html),
            Format::Md => Some(AdviseFormat::Md),
            Format::Json => Some(AdviseFormat::Json),
            Format::Table | Format::Csv => None,
        }
    }
}

/// Arguments of `advise`.
#[derive(Args, Debug)]
pub struct AdviseArgs {
    /// Campaign: an id, an id prefix, a name, `last`, `last~1`, or a published study
    #[arg(default_value = "last")]
    pub id: String,
    /// Workload profile: a name listed by --profiles, or a file NAME.toml
    #[arg(long, value_name = "PROFILE", required_unless_present_any = ["tiers", "profiles"])]
    pub profile: Option<String>,
    /// Rule out targets without FEATURE, e.g. snapshots, supported_on=rhel-10, max_file>=32TiB; may be repeated
    #[arg(long, value_name = "FEATURE")]
    pub require: Vec<String>,
    /// Rule out targets not supported by this OS vendor, with the reason: rhel-9, ubuntu-24.04 or debian-12;
    /// rhel9 and rhel-9.4 work, too; may be repeated
    #[arg(long, value_name = "SYSTEM")]
    pub os: Vec<String>,
    /// Recommend for the hot, mid and cold tier of a tiered store
    #[arg(long, conflicts_with = "profile")]
    pub tiers: bool,
    /// List the built-in profiles with their weights
    #[arg(long)]
    pub profiles: bool,
    /// Output format [default: by the file extension of --out, else table]
    #[arg(long, value_enum)]
    pub format: Option<AdviseFormat>,
    /// Write to FILE instead of stdout
    #[arg(long, short, value_name = "FILE", value_parser = values::path_to_write())]
    pub out: Option<PathBuf>,
}

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Campaign: an id, an id prefix, a name, `last`, `last~1`, or a published study
    #[arg(default_value = "last")]
    pub id: String,
    /// Format to write
    #[arg(long, value_parser = export_formats(), default_value = "csv")]
    pub format: String,
    /// Folder for the files
    #[arg(long, short, value_name = "DIR", value_parser = values::path_to_write(), default_value = ".")]
    pub out: PathBuf,
    /// Keep paths, host names, addresses and serial numbers in a bundle
    #[arg(long)]
    pub identify: bool,
    /// Leave the files of assets out of a bundle; it then has their hashes only
    #[arg(long)]
    pub without_assets: bool,
}

/// Formats of `export`: those of samples, and those derived here.
fn export_formats() -> PossibleValuesParser {
    let of_samples = formats::export::ALL.iter().map(|format| (format.name, format.help));
    let others = [
        ("md", "All tables in Markdown"),
        ("schema", "JSON Schema of the `json` format; needs no campaign"),
    ];
    let value = |(name, help): (&'static str, &'static str)| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(of_samples.chain(others).map(value))
}

/// Arguments of `cleanup`.
#[derive(Args, Debug)]
pub struct CleanupArgs {
    /// Print what would be removed; change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also remove the loop images that are kept for later campaigns
    #[arg(long)]
    pub images: bool,
    /// Also search this folder (an --image-dir or a `dir:` target) for private directories; may be repeated
    #[arg(long = "in", value_name = "DIR")]
    pub folders: Vec<PathBuf>,
}

/// Arguments of `selftest`.
#[derive(Args, Debug)]
pub struct SelftestArgs {
    /// Spend 2 seconds on each check instead of 10, with wider limits
    #[arg(long)]
    pub quick: bool,
    /// Run only this check, e.g. cap.read.500; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Build and cache what no package provides: zfs (modules for QEMU guests), zerofs or versitygw; downloads sources
    #[arg(long, value_name = "WHAT")]
    pub install: Option<String>,
}

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Test id, name of a suite or check, or a recorded NAME.trace; lists all suites and checks if omitted
    pub name: Option<String>,
    /// Suite of the test, if not built in: NAME.toml, fio:JOB.fio, mdtest, ...
    #[arg(long, value_name = "SUITE")]
    pub suite: Option<String>,
    /// Print the suite's declaration, to edit and run with `--suite FILE.toml`
    #[arg(long, requires = "name")]
    pub toml: bool,
}

/// Arguments of `init`.
#[derive(Args, Debug)]
pub struct InitArgs {
    /// File to write
    #[arg(default_value = "plan.toml", value_name = "PLAN.toml")]
    pub file: PathBuf,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// Shell to generate completions for
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder for the pages, one per verb
    #[arg(long, short, value_name = "DIR", value_parser = values::path_to_write(), default_value = ".")]
    pub out: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
