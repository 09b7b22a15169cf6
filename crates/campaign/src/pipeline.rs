//! Leads from a plan to a campaign, stage by stage. Each stage is made from the previous one by value, by one
//! function, so that no campaign starts without a check and no stage goes back:
//!
//! - [`Asked`](crate::stages::Asked), of the command line, a file or a stored campaign: the plan, and who vouches for
//!   its targets;
//! - [`Resolved`](crate::stages::Resolved), by `Resolved::new`: targets, tests and process counts by name;
//! - [`Placed`](crate::stages::Placed), by `Placed::new`: where each target is made, after consent to wipe disks, room,
//!   labs and a rehearsal;
//! - [`Ordered`](crate::stages::Ordered), by `Ordered::new`: whether candidates run side by side or in turn;
//! - [`Stored`](crate::stages::Stored), by `Stored::new`: the campaign with its id, seed and facts, in the store;
//! - [`Sized`](crate::stages::Sized), by `Sized::new`: how much each test does.
//!
//! [`Schedule`](crate::scheduling::schedule::Schedule) runs a [`Sized`](crate::stages::Sized) campaign and nothing
//! else:
//!
//! ```compile_fail,E0308
//! fn run_unsized<'a>(
//!     stored: &'a campaign::stages::Stored,
//!     store: &'a mut store::Store,
//!     on: (&'a lab::setup::Lab, &'a dyn campaign::run::hosts::Hosts),
//!     progress: &'a dyn campaign::messages::Watch,
//!     end: (&'a std::sync::atomic::AtomicBool, std::time::Instant),
//! ) {
//!     let _ = campaign::scheduling::schedule::Schedule::new(stored, store, on, progress, end);
//! }
//! ```
//!
//! No stage can be written down without the one before:
//!
//! ```compile_fail,E0451
//! fn skip_checks(placed: campaign::stages::Placed) -> campaign::stages::Ordered {
//!     campaign::stages::Ordered { placed, shared_device: None }
//! }
//! ```
//!
//! ```compile_fail,E0451
//! fn run_target_unchecked<'a>(
//!     placed: &'a campaign::stages::Placed,
//!     amount: &'a campaign::stages::Amount,
//!     (lab, hosts): (&'a lab::setup::Lab, &'a dyn campaign::run::hosts::Hosts),
//!     stop: &'a std::sync::atomic::AtomicBool,
//! ) {
//!     use campaign::run::context::RunContext;
//!     let _ = RunContext { placed, amount, lab, hosts, seed: 1, stop };
//! }
//! ```

mod order;
mod place;
pub mod programs;
pub mod rehearsal;

pub use place::Site;
