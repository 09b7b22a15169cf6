//! Errors of a pool.

use engine::barrier::BarrierError;
use std::{io, path::PathBuf, time::Duration};

/// Why a pool brought nothing back.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The shared memory could not be made.
    #[error(transparent)]
    Barrier(#[from] BarrierError),
    /// The program that is to be the worker is not known.
    #[error("cannot start workers: the path of this program is unknown: {0}")]
    Program(io::Error),
    /// A worker could not be started.
    #[error(
        "cannot start worker {worker} from {exe}: {source}; check the limits of processes and \
             open files"
    )]
    Spawn {
        /// Its number.
        worker: u32,
        /// The program.
        exe: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A worker ended without an answer.
    #[error("worker {worker} died ({how}); see its stderr output and the kernel log")]
    WorkerDied {
        /// Its number.
        worker: u32,
        /// Exit status or signal, and the last line it wrote to stderr.
        how: String,
    },
    /// A worker said that it failed.
    #[error("worker {worker}: {message}")]
    Failed {
        /// Its number.
        worker: u32,
        /// Its message: one line.
        message: String,
    },
    /// The target does not support the way of I/O that a test asks for.
    #[error("worker {worker}: {what} is not supported on this target")]
    NotSupported {
        /// Its number.
        worker: u32,
        /// The way, by its name in the manual pages.
        what: String,
    },
    /// A worker on another host said that it failed.
    #[error("worker {worker} on {host}: {message}")]
    Elsewhere {
        /// Its number.
        worker: u32,
        /// The host it is on.
        host: String,
        /// Its message: one line.
        message: String,
    },
    /// A host cannot work any more, and the campaign not without it.
    #[error("{why}")]
    Lost {
        /// Which, and what was seen of it: one line.
        why: String,
    },
    /// The pool took too long.
    #[error("timed out after {} s: {} had not arrived; raise --case-timeout, or find out why the \
             file system hangs", after.as_secs_f64(), list(missing))]
    TimedOut {
        /// The limit.
        after: Duration,
        /// Numbers of the workers that were not at the barrier.
        missing: Vec<u32>,
    },
    /// Workers went through different phases: a defect of the test.
    #[error("the workers of {test} ran different phases; this is a bug in the test")]
    Divided {
        /// The test.
        test: String,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

/// The first numbers of `workers`, and how many more there are.
fn list(workers: &[u32]) -> String {
    const SHOWN: usize = 8;
    let numbers: Vec<_> = workers.iter().take(SHOWN).map(u32::to_string).collect();
    let more = workers.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let noun = if workers.len() == 1 { "worker" } else { "workers" };
    format!("{noun} {}{rest}", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_missing_workers_stay_one_line() {
        let error = |n| PoolError::TimedOut {
            after: Duration::from_millis(300),
            missing: (0..n).collect(),
        };
        assert!(
            error(1).to_string().starts_with("timed out after 0.3 s: worker 0 had not arrived;")
        );
        let many = error(1000).to_string();
        assert!(many.contains("workers 0, 1, 2, 3, 4, 5, 6, 7 and 992 more had"), "{many}");
    }
}
