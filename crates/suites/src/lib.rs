//! Test suites: the work that is measured.
//!
//! A `Test` says what it measures and what it needs, fills what is missing, and starts a `Run`;
//! the run does its timed phases through a `Meter`, which waits at the barrier and holds the clock.
//! The tests of `columnar` are code, one file for each family. All others are declared in TOML, each
//! of one of the `kinds`, so that a user can copy, change and add to them.

pub mod applications;
pub mod book;
mod bounds;
pub mod columnar;
mod commits;
mod declare;
mod explain;
mod fault_work;
mod figures;
mod folders;
mod kind;
pub mod kinds;
mod lab_test;
pub mod null;
mod page;
mod placeholder;
pub mod program;
mod shipped;
mod states;
mod suite;
pub mod test;
#[cfg(test)]
mod testing;
pub mod traces;

pub use declare::DeclarationError;
pub use explain::explain;
pub use fault_work::{
    CrashWork, FailedWriteWork, FaultWork, FullWork, MirrorWork, SnapshotWork, TurnedBitWork,
};
pub use shipped::{find, from_text, of_job, suite, suites};
pub use suite::{Presets, Suite, space_bytes};
pub use test::{
    Application, CutOff, Estimate, Measured, Meter, Missing, Parts, RandomReads, Run, SentTree,
    Shift, Stretch, Test, TestError, Workers,
};
