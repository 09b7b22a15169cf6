//! One side of a comparison: the letter before its labels, and a class of the joined dataset.

use crate::description::{Durability, cell::data::CellData};
use model::plan::LabKind;

/// The text before the labels of the targets of either campaign.
pub(crate) const PREFIXES: [&str; 2] = ["A:", "B:"];

/// A class of the joined dataset.
pub(crate) struct Columns<'a> {
    pub(crate) lab: LabKind,
    pub(crate) durability: &'a Durability,
    /// Labels, the baseline first.
    pub(crate) targets: &'a [String],
    pub(crate) cells: &'a [CellData],
}
