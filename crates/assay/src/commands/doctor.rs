//! `assay doctor`: what this machine can and cannot do.

use crate::{cli::DoctorArgs, exit::Exit, install, terminal};
use anyhow::Result;
use lab::Finding;

/// Prints a line for each ability, with the fix where it is missing; or builds what `--install` names.
pub fn doctor(args: &DoctorArgs) -> Result<Exit> {
    if let Some(product) = &args.install {
        return install::install(product).map(|()| Exit::Done);
    }
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
