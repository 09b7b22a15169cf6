//! Puts together over the blocks of a campaign what was seen of full disks.

use super::injected::by_place;
use model::result::{AfterFault, Dataset, Fill, FullDisk, FullOperation, FullTry};
use serde::Serialize;

/// What was seen on one target of a disk that was filled, in all blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FullCell {
    /// Stable test id.
    pub test: String,
    /// Display name of the test.
    pub name: String,
    /// Label.
    pub target: String,
    /// What filled it.
    pub fill: Fill,
    /// Bytes of the disk.
    pub device_bytes: u64,
    /// Each try of each block.
    pub tries: Vec<FullTry>,
    /// Those in which acknowledged data was lost or the file system damaged.
    pub harmed: u64,
}

/// Smallest, middle and largest of some figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest.
    pub min: f64,
    /// The middle one; of an even number the lower of the two.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

impl Range {
    /// Of `figures`; `None` where there are none.
    pub(super) fn of(mut figures: Vec<f64>) -> Option<Range> {
        figures.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*figures.first()?, *figures.last()?);
        Some(Range { min, median: figures[(figures.len() - 1) / 2], max })
    }
}

impl FullCell {
    fn new(test: String, name: String, target: String, all: &[&FullDisk]) -> Option<FullCell> {
        let FullDisk { fill, device_bytes, .. } = **all.first()?;
        let tries = all.iter().flat_map(|own| own.tries.clone()).collect();
        let harmed = all.iter().map(|own| own.harmed()).sum();
        Some(FullCell { test, name, target, fill, device_bytes, tries, harmed })
    }

    /// The share of the disk that user data got, over the tries.
    pub fn share(&self) -> Option<Range> {
        let share = |one: &FullTry| one.user_bytes as f64 / self.device_bytes.max(1) as f64;
        Range::of(self.tries.iter().map(share).collect())
    }

    /// The time of `operation` at `percent`, relative to that at 50 % in the same try, over the tries; `None` where no
    /// try has both.
    pub fn ratio(&self, operation: FullOperation, percent: u64) -> Option<Range> {
        let ratios = self.tries.iter().filter_map(|one| one.ratio(operation, percent));
        Range::of(ratios.collect())
    }

    /// The error number of the first `operation` at `percent` that was refused; `None` where none was.
    pub fn refusal(&self, operation: FullOperation, percent: u64) -> Option<i32> {
        self.tries.iter().find_map(|one| one.speed(operation, percent)?.refused)
    }
}

/// Every cell with a sample of a full disk, by test in the order of the suite, and target as in `targets`.
pub(crate) fn full_cells(dataset: &Dataset, targets: &[String]) -> Vec<FullCell> {
    let all = by_place(dataset, targets, AfterFault::full);
    let cell = |(at, own): (super::injected::At, Vec<&FullDisk>)| {
        FullCell::new(at.test, at.name, at.target, &own)
    };
    all.into_iter().filter_map(cell).collect()
}

/// Acknowledged data that a target lost when its disk was full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FullLoss {
    /// Display name of the test.
    pub(crate) name: String,
    /// Tries that lost something.
    pub(crate) lost: u64,
    /// All tries.
    pub(crate) tries: u64,
}

/// What the samples of `dataset` say of the target called `label` when its disk was full; `None` if nothing was lost.
pub(crate) fn full_loss(dataset: &Dataset, label: &str) -> Option<FullLoss> {
    full_cells(dataset, &[label.into()]).into_iter().find_map(|cell| {
        let lost = cell.tries.iter().filter(|one| one.lost > 0).count() as u64;
        let tries = cell.tries.len() as u64;
        (lost > 0).then_some(FullLoss { name: cell.name, lost, tries })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_of_sorted_figures() {
        let range = Range { min: 0.5, median: 1.0, max: 4.0 };
        assert_eq!(Range::of(vec![4.0, 0.5, 1.0, 2.0]), Some(range));
        assert_eq!(Range::of(Vec::new()), None);
    }
}
