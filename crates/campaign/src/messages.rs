//! Messages to the user at the terminal: refusals, notes and times.

mod causes;
mod duration;
pub(crate) mod refusal;
mod watch;

pub use causes::with_causes;
pub use duration::duration;
pub use refusal::Refusal;
pub use watch::{Ahead, Notes, Watch};
