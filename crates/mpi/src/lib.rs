//! Runs a campaign on many hosts. Rank 0 of an MPI allocation runs the ordinary program, with every rank as a worker:
//! only rank 0 plans, stores and prints. The other ranks follow its orders.
//!
//! A rank does its job with a local pool of one worker process; MPI only keeps the pools of all ranks in step.
//! `placement` chooses the ranks that work, `clocks` synchronizes their hosts' clocks, `merge` merges their reports,
//! `orders` defines the messages of rank 0, `differences` compares hosts, `keeper` cleans up if rank 0 was killed,
//! `delivery` sends assets to hosts that lack them, `pulse` detects lost ranks, `rounds` is the barrier at which a
//! phase begins. The rest needs an MPI library: `world` sends messages, with the tags of `topic`; `heart` sends the
//! heartbeat of rank 0, `watchdog` ends the program if a call never returns, `rank` runs every other rank, `lead` keeps
//! them in step, `allocation` is rank 0's view of all.
//!
//! With `--each-host` (`each_host`) every host runs a campaign of its own instead, which `fleet` starts and gathers.

pub mod clocks;
pub mod delivery;
pub mod differences;
pub mod each_host;
pub mod keeper;
pub mod merge;
pub mod orders;
pub mod placement;
pub mod pulse;
pub mod rounds;

#[cfg(feature = "mpi")]
pub mod allocation;
#[cfg(feature = "mpi")]
pub mod fleet;
#[cfg(feature = "mpi")]
mod heart;
#[cfg(feature = "mpi")]
mod lead;
#[cfg(feature = "mpi")]
pub mod rank;
#[cfg(feature = "mpi")]
mod topic;
#[cfg(feature = "mpi")]
mod watchdog;
#[cfg(feature = "mpi")]
pub mod world;
