//! The campaign: from a plan to samples in the store, block by block.
//!
//! [`pipeline`] leads from a plan to a campaign that can run, by [`stages`]: each check is made in one place.
//! `programs` confines external programs, `room` refuses work that cannot fit, `reserve` keeps free space on a
//! directory's file system, `places` chooses the lab of each target, `rehearsal` makes each once before anything is
//! written. `images` names the disk, `sizing` measures the rates of the backing, `stretch`, `sizes` and `trial` choose
//! how much each test does, `hosts` provides workers, `schedule` walks blocks and targets, `history` decides when to
//! drop one, `target_run` makes one and runs its tests, `relay` has several share the machine,
//! `condition` ages and fills a fresh instance, `case` runs one case while `sampler` observes the machine,
//! `judge`, `durable`, `limiter` and `each_disk` turn observations into a sample, `numa` and `processors` place
//! workers, `upkeep` records the costs of the target itself.

pub mod assets;
pub mod case;
pub mod catalogue;
pub mod condition;
pub mod contention;
pub mod durable;
mod each_disk;
pub mod ended;
pub mod guest;
pub mod history;
pub mod hosts;
pub mod images;
pub mod input;
pub mod judge;
pub mod limiter;
pub mod machine;
pub mod numa;
pub mod pace;
pub mod pipeline;
pub mod place;
pub mod places;
pub mod processors;
pub mod programs;
pub mod protocol;
mod refusal;
pub mod rehearsal;
pub mod relay;
pub mod reports;
pub mod reserve;
pub mod retake;
pub mod room;
pub mod sampler;
pub mod schedule;
pub mod shared_device;
pub mod sizes;
pub mod sizing;
pub mod stages;
pub mod stretch;
pub mod sweeps;
pub mod target_run;
#[cfg(test)]
mod testing;
pub mod tools;
pub mod trial;
pub mod upkeep;
mod watch;

pub use refusal::Refusal;
pub use watch::{Notes, Watch};
