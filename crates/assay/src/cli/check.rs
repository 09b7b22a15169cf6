//! The arguments of `check`.

use super::{
    BackingArgs, ProgramArgs,
    headings::{COMPARED, LENGTH, OUTPUT, WORK},
    quiet::QuietArgs,
    values::{tag, whole},
};
use crate::terminal::Shown;
use clap::{Args, ValueEnum};
use model::plan::Scale;

/// Options that say how to measure.
const MEASURING: [&str; 13] = [
    "on",
    "blocks",
    "procs",
    "name",
    "tag",
    "seed",
    "knob",
    "scale",
    "device",
    "image_dir",
    "s3_endpoint",
    "unconfined",
    "wait_quiet",
];

/// Formats of `check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// A line and a sentence for each limit and target
    #[default]
    Table,
    /// JSON
    Json,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Check to run: a name listed by `assay explain`, e.g. etcd, or a file NAME.toml; may be omitted with
    /// --require
    #[arg(value_name = "CHECK")]
    pub check: Option<String>,
    /// Target, e.g. dir:/var/lib, ext4, xfs[noatime]; NAME=TARGET names it; repeat or separate with commas
    #[arg(long, value_name = "TARGET", help_heading = COMPARED)]
    pub on: Vec<String>,
    /// Your own limit on a built-in test, e.g. 'oltp.log.4k.fsync p99 < 10ms' (p50, p99, p99.9 or max; < or <=; us,
    /// ms or s); with a check, 'p99 < 5ms' applies to all its tests, in addition to stated limits; may be repeated
    #[arg(long, value_name = "TEST LIMIT", help_heading = WORK)]
    pub require: Vec<String>,
    /// Judge this campaign instead of measuring: an id, an id prefix, a name, or `last`
    #[arg(long, value_name = "ID", conflicts_with_all = MEASURING)]
    pub of: Option<String>,
    /// Number of blocks, each of which is one run on every target [default: the check's, else 5]
    #[arg(long, value_parser = whole::<u32>, value_name = "NUM", allow_negative_numbers = true, help_heading = LENGTH)]
    pub blocks: Option<u32>,
    /// Numbers of worker processes [default: the suite's]
    #[arg(long, value_parser = whole::<u32>, value_delimiter = ',', allow_negative_numbers = true, help_heading = WORK)]
    pub procs: Vec<u32>,
    /// Factor applied to the size or duration of the tests: full (1), a number, or auto [default: full]
    #[arg(long, allow_negative_numbers = true, help_heading = WORK)]
    pub scale: Option<Scale>,
    /// Setting of the suite, e.g. runtime_s=60; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = WORK)]
    pub knob: Vec<String>,
    /// Seed for order, offsets and data [default: random]
    #[arg(long, value_parser = whole::<u64>, allow_negative_numbers = true, help_heading = WORK)]
    pub seed: Option<u64>,
    /// Name of the campaign
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    pub name: Option<String>,
    /// Attach a label to the campaign, e.g. firmware=1.4; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = tag, help_heading = OUTPUT)]
    pub tag: Vec<(String, String)>,
    #[command(flatten)]
    pub backing: BackingArgs,
    #[command(flatten)]
    pub programs: ProgramArgs,
    #[command(flatten)]
    pub wait: QuietArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = OUTPUT)]
    pub format: CheckFormat,
    /// How to show progress on stderr
    #[arg(long, value_enum, default_value_t, value_name = "HOW", help_heading = OUTPUT)]
    pub progress: Shown,
    /// Show no progress; same as --progress none
    #[arg(long, short, conflicts_with = "progress", help_heading = OUTPUT)]
    pub quiet: bool,
}

impl CheckArgs {
    /// How progress is shown.
    pub fn progress(&self) -> Shown {
        if self.quiet { Shown::None } else { self.progress }
    }
}
