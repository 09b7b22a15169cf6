//! Worker processes, released by one barrier, and their reports.
//!
//! A `Pool` has one worker do each `Job`. The workers of a `LocalPool` are processes of this machine: this same program
//! under a hidden verb, in which `main` takes jobs from stdin and answers each by one JSON line on stdout. They
//! synchronize at the barrier of `engine`. Workers stay for further jobs, each of which runs in a forked copy of the
//! worker, so that nothing is left of it; workers that run external programs have only one job. If a worker dies or
//! hangs, or the pool is stopped, the result is an error that names the worker; no process is left behind, even if the
//! coordinator is killed.

mod error;
mod held;
mod meter;
mod pool;
mod processes;
mod surroundings;
mod worker;

use model::{
    plan::User,
    workload::{Job, Programs},
};

pub use engine::progress::Moved;
pub use error::PoolError;
pub use pool::{LocalPool, Observer, Pool, Settled, TimeSharing};
pub use worker::{Resolver, main};

/// The hidden verb: `PROGRAM __worker FD SLOT [USER]`, its slot being its place in the pool, from 0.
pub const WORKER_VERB: &str = "__worker";

/// Returns true if a worker that works in the name of `user` stays for further jobs after `job`. One that runs programs
/// of others does not, and neither does one that opens assets with rights that it then gives up.
fn stays_after(job: &Job, user: Option<User>) -> bool {
    job.programs == Programs::None && (user.is_none() || job.assets.is_empty())
}
