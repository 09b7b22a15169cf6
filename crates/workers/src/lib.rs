//! Who does it: worker processes released by one barrier, and what they report.
//!
//! `Crew::run` starts one process for each `Job`, this same program under a hidden verb, in which
//! `main` takes the job from stdin and answers one JSON line on stdout. Between the two stands the
//! barrier of `engine`. A crew that loses a worker, hangs or is stopped ends as an error that names
//! the worker; no process is left behind, not even when the coordinator is killed.

mod crew;
mod error;
mod meter;
mod processes;
mod surroundings;
mod worker;

pub use crew::{Crew, Observer};
pub use engine::progress::Moved;
pub use error::CrewError;
pub use worker::{Resolver, main};

/// The hidden verb: `PROGRAM __worker FD`.
pub const WORKER_VERB: &str = "__worker";
