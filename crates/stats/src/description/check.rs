//! Checks of the campaign itself: what an A/A pair shows, and whether the machine drifted.

pub(crate) mod aa;
pub(crate) mod drift;
pub(crate) mod selfcheck;
pub(crate) mod step;
