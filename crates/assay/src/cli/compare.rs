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
    /// The one side: campaigns separated by commas, A1,A2,A3, each by its id, the start of it, `last`, or a
    /// published one
    #[arg(value_name = "A1,A2,A3")]
    pub a: String,
    /// The other, whose ratios are over the first
    #[arg(value_name = "B1,B2,B3")]
    pub b: String,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Target to compare the others with in the tables: `A:xfs`, `B:xfs`, or `xfs`
    #[arg(long, value_name = "TARGET")]
    pub baseline: Option<String>,
    /// Rank by another metric of the samples, which both sides have: nano_rate to stand beside the original suite's
    /// tables, cache_rate, sync_s, sum_rate
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Only the tests whose id matches this glob, as 'columnar.write.*'; repeat or separate by commas: a gate
    /// finds smaller losses in fewer tests
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub tests: Vec<String>,
    /// End with status 6 when a target that both have became worse by more than this, as 5%, in a test or in
    /// the mean of all, and with status 5 when that would not have been found
    #[arg(long, alias = "fail-over", value_name = "PERCENT", value_parser = share, allow_hyphen_values = true)]
    pub fail_on_regression: Option<f64>,
    /// Measure what became worse once more on this machine, by itself and as often as there are campaigns of
    /// B, and call it a regression if it is so again
    #[arg(long, requires = "fail_on_regression")]
    pub rerun: bool,
    #[command(flatten)]
    pub consent: Consent,
    #[command(flatten)]
    pub programs: ProgramArgs,
    /// File for a page, or for the tables in the format of .md, .csv and .json, besides what is printed
    #[arg(long, short, alias = "html", value_name = "FILE", value_parser = values::path_to_write())]
    pub out: Option<PathBuf>,
}
