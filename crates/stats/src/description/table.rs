//! Tables of ratios: rows, and footers that sum them up.

pub(crate) mod footer;
mod lead;
pub(crate) mod row;
pub(crate) mod sync_means;
pub(crate) mod tables;
