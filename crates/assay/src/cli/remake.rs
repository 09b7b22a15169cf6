//! The arguments of `remake`.

use clap::Args;
use std::path::PathBuf;

/// Arguments of `remake`.
#[derive(Args, Debug)]
pub struct RemakeArgs {
    /// Campaign: an id, an id prefix, a name, `last`, or `last~1` for the one before
    #[arg(default_value = "last")]
    pub id: String,
    /// Test that found the damage [default: list all]
    #[arg(requires = "target")]
    pub test: Option<String>,
    /// Target that was damaged
    #[arg(requires = "number")]
    pub target: Option<String>,
    /// Number of the state, as shown in the report
    #[arg(value_name = "STATE")]
    pub number: Option<u64>,
    /// Image to write [default: state-NUMBER.img]
    #[arg(long, short, value_name = "FILE", requires = "number")]
    pub out: Option<PathBuf>,
}
