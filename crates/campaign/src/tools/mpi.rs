//! Starts the processes of a tool that is written for MPI.

use super::{Invocation, Request};
use std::env;
use suites::program::{self, Program};

/// Returns the command of `words` on `procs` processes of this machine: by `mpirun`, or directly for one process
/// without it.
///
/// # Errors
/// More than one process is requested and there is no `mpirun`.
pub(super) fn invocation(
    words: &[&str],
    request: &Request,
    procs: u32,
) -> Result<Invocation, String> {
    let procs_text = procs.to_string();
    let launcher: Vec<&str> = match program::missing(["mpirun"]) {
        Some(_) if procs == 1 => Vec::new(),
        Some(missing) => {
            return Err(format!("{procs} processes need {}; {}", missing.what, missing.fix));
        }
        None if is_open_mpi() => {
            vec!["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", &procs_text]
        }
        None => vec!["mpirun", "-np", &procs_text],
    };
    Ok(Invocation::new(launcher.into_iter().chain(words.iter().copied()), request))
}

/// Returns whether `mpirun` is Open MPI, which needs options to run as root and to start more processes than there are
/// processors; other launchers do not know these options.
fn is_open_mpi() -> bool {
    let version = Program::new(&["mpirun", "--version"], &env::temp_dir()).keep_output().run();
    version.is_ok_and(|ran| ran.output.contains("Open MPI"))
}
