//! `assay completions`: generates shell completions from the same types as `--help`.

use crate::{
    cli::{Cli, CompletionsArgs},
    exit::Exit,
    terminal,
};
use anyhow::Result;
use clap::CommandFactory;

/// Prints it.
pub fn completions(args: &CompletionsArgs) -> Result<Exit> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "assay", &mut bytes);
    terminal::out(&String::from_utf8(bytes)?)?;
    Ok(Exit::Done)
}
