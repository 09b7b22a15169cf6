//! The stages of a campaign. Each is made from the one before by value, by one function, so that no campaign starts
//! without a check and no stage goes back:
//!
//! | stage | made by | settles |
//! |---|---|---|
//! | [`Asked`] | the command line, a file, a stored campaign | the plan, and who vouches for its targets |
//! | [`Resolved`] | [`Resolved::new`] | targets, tests and process counts by name |
//! | [`Placed`] | [`Placed::new`] | where each target is made: consent to wipe disks, room, labs, a rehearsal |
//! | [`Ordered`] | [`Ordered::new`] | whether candidates run side by side or in turn |
//! | [`Stored`] | [`Stored::new`] | the campaign: its id, seed and facts, in the store |
//! | [`Sized`] | [`Sized::new`] | how much each test does |
//!
//! [`Schedule`](crate::schedule::Schedule) runs a [`Sized`] campaign and nothing else:
//!
//! ```compile_fail,E0308
//! fn run_unsized<'a>(
//!     stored: &'a campaign::stages::Stored,
//!     store: &'a mut store::Store,
//!     on: (&'a lab::Lab, &'a dyn campaign::hosts::Hosts),
//!     progress: &'a dyn campaign::Watch,
//!     end: (&'a std::sync::atomic::AtomicBool, std::time::Instant),
//! ) {
//!     let _ = campaign::schedule::Schedule::new(stored, store, on, progress, end);
//! }
//! ```
//!
//! No stage can be written down without the one before:
//!
//! ```compile_fail,E0451
//! fn skip_checks(resolved: campaign::stages::Resolved) -> campaign::stages::Ordered {
//!     campaign::stages::Ordered { placed: todo!(), shared_device: None }
//! }
//! ```
//!
//! ```compile_fail,E0451
//! fn run_target_unchecked<'a>(
//!     placed: &'a campaign::stages::Placed,
//!     amount: &'a campaign::stages::Amount,
//!     (lab, hosts): (&'a lab::Lab, &'a dyn campaign::hosts::Hosts),
//!     stop: &'a std::sync::atomic::AtomicBool,
//! ) {
//!     use campaign::target_run::RunContext;
//!     let _ = RunContext { placed, amount, lab, hosts, seed: 1, stop };
//! }
//! ```

mod asked;
mod layout;
mod ordered;
mod placed;
mod resolved;
mod sized;
mod stored;
mod tests_of_plan;

pub use asked::Asked;
pub use ordered::Ordered;
pub use placed::{Entrant, Placed, Site};
pub use resolved::{Amount, Resolved};
pub use sized::Sized;
pub use stored::Stored;
pub use tests_of_plan::Item;
