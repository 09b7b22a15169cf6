//! `assay doctor`: what this machine can and cannot do.

use crate::{exit::Exit, terminal};
use anyhow::Result;
use lab::Finding;

/// Prints a line for each ability, with the fix where it is missing.
pub fn doctor() -> Result<Exit> {
    for line in lab::doctor() {
        let state = match line.finding {
            Finding::Ok => "yes",
            Finding::Limited => "no, less",
            Finding::Missing => "no",
        };
        let fix = if line.fix.is_empty() { String::new() } else { format!("; {}", line.fix) };
        terminal::out(&format!("{state:<9}{:<14}{}{fix}", line.what, line.detail));
    }
    Ok(Exit::Done)
}
