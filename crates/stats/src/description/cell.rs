//! Samples of one test by target, and what is missing of them.

pub(crate) mod data;
pub(crate) mod dropouts;
pub(crate) mod facts;
pub(crate) mod missing;
pub(crate) mod partial;
pub(crate) mod select;
pub(crate) mod turns;
pub(crate) mod versus;
