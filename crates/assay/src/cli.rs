//! What a person types. Only types and their help; meaning is given in `commands`.

mod backing;
mod compare;
mod examples;
mod headings;
mod plan;
mod programs;
mod values;

pub use backing::{BackingArgs, Consent};
pub use compare::CompareArgs;
pub use plan::PlanArgs;
pub use programs::ProgramArgs;
pub use values::candidates;

use crate::terminal::Shown;
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser},
};
use headings::OUTPUT;
use model::{Bytes, Scale, Target};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use values::{more_blocks, tag};

/// Settles which file system, with which options, a workload should use on this machine.
#[derive(Debug, Parser)]
#[command(
    name = "assay",
    version = env!("ASSAY_VERSION"),
    after_help = "Exit status: 0 done, 1 failed, 2 wrong arguments, plan or disk, 3 the machine lacks root, a tool or \
                  space, 4 ended but a target or case failed, 5 a gate could not tell, 6 a gate found a regression, \
                  130 stopped by a signal."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
    /// Store with every campaign [default: /var/lib/assay/assay.db for root, else the XDG data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// Folder for journal, mount points and images, closed to other users [default: /var/lib/assay/state for
    /// root, else the XDG state folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub state: Option<PathBuf>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Measure: provision every target, run the suite on each, print the answer and write the report
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Print what `run` with the same arguments would do, after trying how fast the backing is;
    /// provision nothing, leave nothing
    #[command(after_help = examples::PLAN)]
    Plan(PlanArgs),
    /// Go on with a campaign: run the blocks that it lacks, and what failed in others; with --blocks +N
    /// further ones
    #[command(after_help = examples::RESUME)]
    Resume(ResumeArgs),
    /// Undo what a killed run left behind: mounts, loop devices, images, private directories
    #[command(after_help = examples::CLEANUP)]
    Cleanup(CleanupArgs),
    /// List campaigns
    #[command(after_help = examples::LIST)]
    List(ListArgs),
    /// Remove campaigns, with all their samples, from the store
    #[command(after_help = examples::RM)]
    Rm(RmArgs),
    /// Show one campaign: plan, environment, targets, counts
    #[command(after_help = examples::SHOW)]
    Show(IdArgs),
    /// Print the tables of a campaign, or write its report.html; with --summary the answer alone
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// Put campaigns side by side, some of A and some of B: what changed, what became better or worse
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArgs),
    /// Recommend a target for a workload, by its profile, with the sensitivity of the answer to the weights
    #[command(after_help = examples::ADVISE)]
    Advise(AdviseArgs),
    /// Search a file system's own options for the work of a campaign: screening, halving, confirmation
    #[command(after_help = examples::TUNE)]
    Tune(TuneArgs),
    /// Write the samples of a campaign in another format
    #[command(after_help = examples::EXPORT)]
    Export(ExportArgs),
    /// Read another tool's results, or an exported campaign, into the store
    #[command(after_help = examples::IMPORT)]
    Import(ImportArgs),
    /// Tell which targets this machine can make in which lab, and what to install for the others
    #[command(after_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
    /// Measure what is known beforehand (capped devices, known delays, a target entered twice) and tell
    /// how far off the figures are; exit status 4 when one is too far
    #[command(after_help = examples::SELFTEST)]
    Selftest(SelftestArgs),
    /// Explain a test: what it does on disk and how to read its figure
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    /// Write a plan file that has every setting, with what it means
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    /// Print what a shell needs to complete arguments
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
    pub end: EndArgs,
}

/// What `run` and `resume` end with.
#[derive(Args, Debug)]
pub struct EndArgs {
    /// Where to write the report: a page, or the tables in the format of .md, .csv and .json
    #[arg(
        long,
        short,
        alias = "html",
        value_name = "FILE",
        value_parser = values::path_to_write(),
        default_value = "report.html",
        help_heading = OUTPUT
    )]
    pub out: PathBuf,
    /// Format on stdout; another than table prints everything
    #[arg(long, value_enum, default_value_t, help_heading = OUTPUT)]
    pub format: Format,
    /// How progress is shown, on stderr
    #[arg(long, value_enum, default_value_t, value_name = "HOW", help_heading = OUTPUT)]
    pub progress: Shown,
    /// Show no progress, as --progress none
    #[arg(long, short, conflicts_with = "progress", help_heading = OUTPUT)]
    pub quiet: bool,
    /// Print all tables instead of the answer in 40 lines
    #[arg(long, help_heading = OUTPUT)]
    pub full: bool,
}

impl EndArgs {
    /// How progress is shown.
    pub fn progress(&self) -> Shown {
        if self.quiet { Shown::None } else { self.progress }
    }
}

/// Arguments of `resume`.
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// Campaign: its id, the start of it, its name, `last`, or `last~1` for the one before
    #[arg(default_value = "last")]
    pub id: String,
    /// Give the campaign so many further blocks, as +5, also when it is done: those that it has stay
    #[arg(long, value_name = "+N", value_parser = more_blocks, allow_negative_numbers = true)]
    pub blocks: Option<u32>,
    /// Go on although the hosts under mpirun are not those of the begin; the report says so
    #[arg(long)]
    pub hosts_changed: bool,
    #[command(flatten)]
    pub consent: Consent,
    #[command(flatten)]
    pub programs: ProgramArgs,
    #[command(flatten)]
    pub end: EndArgs,
}

/// Arguments of `list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    /// The published studies that ship with assay, instead of the store
    #[arg(long)]
    pub published: bool,
    /// Only campaigns that have this tag; repeat for those that have several
    #[arg(long, value_name = "KEY=VALUE", value_parser = tag)]
    pub tag: Vec<(String, String)>,
}

/// One campaign.
#[derive(Args, Debug)]
pub struct IdArgs {
    /// Campaign: its id, the start of it, its name, `last`, or `last~1` for the one before
    #[arg(default_value = "last")]
    pub id: String,
}

/// Arguments of `rm`.
#[derive(Args, Debug)]
pub struct RmArgs {
    /// Campaigns: each by its id, the start of it, its name, `last`, or `last~1` for the one before
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
}

/// How to print tables.
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
    /// The whole HTML page
    Html,
}

impl Format {
    /// The format that files with the ending of `path` have, where that says something.
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
    /// Campaign: its id, the start of it, its name, `last`, `last~1` before it, or a published one; several stand side
    /// by side, each judged by itself
    #[arg(value_name = "ID", default_value = "last")]
    pub ids: Vec<String>,
    /// Judge the campaigns, which are of equal machines and the same work, as one of which each is a block
    #[arg(long)]
    pub pool: bool,
    /// Format of the output [default: that of the ending of --out, else table]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Print the answer in 40 lines, as a run ends with it, instead of all tables
    #[arg(long, conflicts_with_all = ["format", "out"])]
    pub summary: bool,
    /// Target to compare the others with
    #[arg(long, value_name = "TARGET")]
    pub baseline: Option<String>,
    /// Rank by another metric of the samples: cache_rate, sync_s, sum_rate, or nano_rate, which is the
    /// original suite's own arithmetic, to stand beside published figures
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// What a target costs in a month, as gp3=0.08*500GB+0.005*3000IOPS+0.04*125MB/s: price times amount, of space,
    /// provisioned operations and throughput; repeat for each target
    #[arg(long, value_name = "TARGET=PRICE", value_parser = values::price)]
    pub price: Vec<(String, model::Price)>,
    /// File to write instead of stdout
    #[arg(long, short, value_name = "FILE", value_parser = values::path_to_write())]
    pub out: Option<PathBuf>,
}

/// Arguments of `tune`.
#[derive(Args, Debug)]
pub struct TuneArgs {
    /// Campaign whose work is done (its id, the start of it, or `last`), or a plan file, PLAN.toml
    /// [default: `last`, or none with --suite]
    #[arg(value_name = "ID|PLAN.toml")]
    pub work: Option<String>,
    /// File system to tune; options given here, as ext4[noatime], belong to the default
    #[arg(long, value_name = "TARGET")]
    pub on: Target,
    /// Time for the whole search, as 30m; a stage that has begun is finished
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = humantime::parse_duration, allow_hyphen_values = true)]
    pub budget: Duration,
    /// Suite to run instead of the campaign's; repeat or separate by commas
    #[arg(long, value_name = "SUITE", value_delimiter = ',')]
    pub suite: Vec<String>,
    /// Only this setting, as logbsize, mkfs.m or mkfs.m=reflink; may be repeated
    #[arg(long = "try", value_name = "SETTING")]
    pub only: Vec<String>,
    /// Also try options that give up safety: what a crash may then cost is printed
    #[arg(long)]
    pub allow_unsafe: bool,
    /// Only the tests whose id matches this glob; repeat or separate by commas
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub tests: Vec<String>,
    /// Numbers of worker processes
    #[arg(long, value_delimiter = ',')]
    pub procs: Vec<u32>,
    /// Factor on every size [default: the campaign's]
    #[arg(long)]
    pub scale: Option<Scale>,
    /// Seed of orders, offsets and data [default: drawn]
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub consent: Consent,
    #[command(flatten)]
    pub programs: ProgramArgs,
    /// Folder for loop images [default: the campaign's]
    #[arg(long, value_name = "DIR")]
    pub image_dir: Option<PathBuf>,
    /// Size of the loop image [default: from the scale]
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
    /// The whole HTML page
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
    /// Campaign: its id, the start of it, its name, `last`, `last~1` before it, or a published one
    #[arg(default_value = "last")]
    pub id: String,
    /// The workload: a profile that `--profiles` lists, or a file NAME.toml
    #[arg(long, value_name = "PROFILE", required_unless_present_any = ["tiers", "profiles"])]
    pub profile: Option<String>,
    /// What a target must have: snapshots, supported_on=rhel-10, max_file>=32TiB; may be repeated
    #[arg(long, value_name = "FEATURE")]
    pub require: Vec<String>,
    /// Operating system whose vendor must support a target: rhel-9, ubuntu-24.04, debian-12, also as rhel9 or rhel-9.4;
    /// what it does not support is ruled out with the reason; may be repeated
    #[arg(long, value_name = "SYSTEM")]
    pub os: Vec<String>,
    /// Advise for the hot, mid and cold tier of a tiered store
    #[arg(long, conflicts_with = "profile")]
    pub tiers: bool,
    /// List the profiles that ship, with their weights
    #[arg(long)]
    pub profiles: bool,
    /// Format of the output [default: that of the ending of --out, else table]
    #[arg(long, value_enum)]
    pub format: Option<AdviseFormat>,
    /// File to write instead of stdout
    #[arg(long, short, value_name = "FILE", value_parser = values::path_to_write())]
    pub out: Option<PathBuf>,
}

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Campaign: its id, the start of it, its name, `last`, `last~1` before it, or a published one
    #[arg(default_value = "last")]
    pub id: String,
    /// Format to write
    #[arg(long, value_parser = export_formats(), default_value = "csv")]
    pub format: String,
    /// Folder for the files
    #[arg(long, short, value_name = "DIR", value_parser = values::path_to_write(), default_value = ".")]
    pub out: PathBuf,
    /// Keep in a bundle what names the machine and its users: paths, hosts, addresses, serial numbers
    #[arg(long)]
    pub identify: bool,
}

/// What `export` writes: the formats of samples, and what is made of them here.
fn export_formats() -> PossibleValuesParser {
    let of_samples = formats::export::ALL.iter().map(|format| (format.name, format.help));
    let others = [
        ("md", "The tables in Markdown"),
        ("schema", "The JSON Schema of the format `json`; needs no campaign"),
    ];
    let value = |(name, help): (&'static str, &'static str)| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(of_samples.chain(others).map(value))
}

/// Arguments of `import`.
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// Files, or a folder that `assay export` wrote
    #[arg(required_unless_present = "target")]
    pub files: Vec<PathBuf>,
    /// Name of the target that the files are about, or a target and its files, e.g. alpha='a-*.json': may be
    /// repeated, and each further file of a target is a block
    #[arg(long, value_name = "NAME[=FILES]")]
    pub target: Vec<String>,
    /// Tool that wrote the files, when they do not show it: fio, mdtest, ior, sysbench, ...
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
}

/// Arguments of `cleanup`.
#[derive(Args, Debug)]
pub struct CleanupArgs {
    /// Print what would be torn down, and touch nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Look for private directories in this folder, too: one of --image-dir, or of a `dir:` target; may be
    /// repeated
    #[arg(long = "in", value_name = "DIR")]
    pub beside: Vec<PathBuf>,
}

/// Arguments of `selftest`.
#[derive(Args, Debug)]
pub struct SelftestArgs {
    /// 2 seconds instead of 10 for each check, with wider limits
    #[arg(long)]
    pub quick: bool,
    /// Only this check, as cap.read.500; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Build once what no package brings: zfs (modules for QEMU guests), zerofs or versitygw; from the network
    #[arg(long, value_name = "WHAT")]
    pub install: Option<String>,
}

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Test id, or name of a suite; without it, the list of suites
    pub name: Option<String>,
    /// Suite that the test is of, when it does not ship: NAME.toml, fio:JOB.fio, mdtest, ...
    #[arg(long, value_name = "SUITE")]
    pub suite: Option<String>,
    /// Print the declaration of a suite, to be copied, changed and run with `--suite FILE.toml`
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
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder for the pages, one for each verb
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
