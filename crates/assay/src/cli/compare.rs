//! The arguments of `compare`.

use super::{
    Consent, Format, ProgramArgs,
    values::{self, share},
};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// First set: campaigns separated by commas, each an id, an id prefix, a name, `last`, or a published study
    #[arg(value_name = "A1,A2,A3")]
    pub a: String,
    /// Second set; ratios are B over A
    #[arg(value_name = "B1,B2,B3")]
    pub b: String,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Target to compare the others to in the tables: `A:xfs`, `B:xfs`, or `xfs`
    #[arg(long, value_name = "TARGET")]
    pub baseline: Option<String>,
    /// Rank by another metric that both sets have: cache_rate, sync_s, sum_rate, or nano_rate (the original
    /// suite's arithmetic)
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Compare only tests whose id matches GLOB, e.g. 'columnar.write.*'; repeat or separate with commas.
    /// With fewer tests, smaller regressions are found
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub tests: Vec<String>,
    /// Exit with status 6 if a target in both sets regressed by more than PERCENT, e.g. 5%, in a test or in
    /// the mean of all; with status 5 if there is too little data to tell
    #[arg(long, alias = "fail-over", value_name = "PERCENT", value_parser = share, allow_hyphen_values = true)]
    pub fail_on_regression: Option<f64>,
    /// Measure each regression again on this machine, alone, as often as B has campaigns; it counts only if confirmed
    #[arg(long, requires = "fail_on_regression")]
    pub rerun: bool,
    #[command(flatten)]
    pub consent: Consent,
    #[command(flatten)]
    pub programs: ProgramArgs,
    /// Also write FILE: an HTML page, or tables if FILE ends in .md, .csv or .json
    #[arg(long, short, alias = "html", value_name = "FILE", value_parser = values::path_to_write())]
    pub out: Option<PathBuf>,
}
