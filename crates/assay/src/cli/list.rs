//! Arguments of `list`.

use super::values::tag;
use clap::{Args, ValueEnum};

/// Arguments of `list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    /// List the built-in published studies instead of the store
    #[arg(long)]
    pub published: bool,
    /// List only campaigns with this tag; repeat to require several
    #[arg(long, value_name = "KEY=VALUE", value_parser = tag)]
    pub tag: Vec<(String, String)>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
}

/// Formats of `list`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// A line for each campaign
    #[default]
    Table,
    /// JSON
    Json,
}
