//! Cells of all tests taken together: a score for each target, and how precise it is.

pub(crate) mod board;
pub(crate) mod precision;
