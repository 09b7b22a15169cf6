//! Says to the person at the terminal what happens: refusals, remarks and times.

mod causes;
mod duration;
pub(crate) mod refusal;
mod watch;

pub use causes::with_causes;
pub use duration::duration;
pub use refusal::Refusal;
pub use watch::{Notes, Watch};
