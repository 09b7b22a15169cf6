//! The same campaign on many hosts. Rank 0 of an MPI allocation runs the ordinary program, with every rank as a
//! worker: it is the only one that plans, stores and prints. The others take orders.
//!
//! A rank does its job by a local pool of one worker process; that the pools of all ranks keep step is what MPI is for.
//! `placement` says which ranks work, `clocks` brings the times of their hosts together, `merge` makes one report of
//! theirs, `orders` is what rank 0 says, `differences` compares hosts, `keeper` cleans up after a rank 0 that was
//! killed, `delivery` sends assets to hosts that lack them, `pulse` knows when a rank is lost, `rounds` is the
//! barrier at which a phase begins. The rest needs an MPI:
//! `world` carries messages of the kinds of `topic`, `heart` those that say that rank 0 lives, `watchdog` ends what
//! waits for ever, `rank` is what every other rank does, `lead` keeps them in step, `allocation` is rank 0's view of
//! all.
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
