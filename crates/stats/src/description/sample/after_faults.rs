//! Adds up over the blocks of a campaign what was found after faults.

use model::result::{AfterFault, Dataset, FaultOnDisk, Found, Harm, Spread};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was found on one target after one kind of fault in one test, in all blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultCell {
    /// Stable test id.
    pub test: String,
    /// Display name of the test: what had to hold.
    pub name: String,
    /// Label.
    pub target: String,
    /// What was done to its disk.
    pub fault: FaultOnDisk,
    /// Distinct states that were tried, added up over the blocks.
    pub tried: u64,
    /// Those in which anything was wrong.
    pub harmed: u64,
    /// Whether these were all states that the disks could be left in.
    pub is_complete: bool,
    /// Recovery: the shortest and longest of all blocks, and the median of their medians.
    pub recovery: Option<Spread>,
    /// Harm of each kind, with the example of the first block that has it.
    pub found: BTreeMap<Harm, Found>,
}

impl FaultCell {
    /// Takes what was found in one more block.
    fn add(&mut self, more: &AfterFault) {
        self.tried += more.tried;
        self.harmed += more.harmed;
        self.is_complete &= more.is_complete;
        for (harm, found) in &more.found {
            let own =
                self.found.entry(*harm).or_insert_with(|| Found { states: 0, ..found.clone() });
            own.states += found.states;
        }
    }
}

/// Every cell with a sample of a fault, by test in the order of the suite, and target as in `targets`. A sample that is
/// not valid counts as well: where no state can be mounted there is no time of recovery, and that is the finding.
pub(crate) fn fault_cells(dataset: &Dataset, targets: &[String]) -> Vec<FaultCell> {
    let mut cells: BTreeMap<(usize, usize, FaultOnDisk), (FaultCell, Vec<Spread>)> =
        BTreeMap::new();
    for sample in &dataset.samples {
        let Some(found) = sample.evidence.after_fault.as_deref() else { continue };
        let case = &sample.case;
        let test = dataset.tests.iter().position(|t| t.id == case.test);
        let target = targets.iter().position(|label| *label == case.target);
        let Some((test, target)) = test.zip(target) else { continue };
        let new = || FaultCell {
            test: case.test.clone(),
            name: dataset.tests[test].name.clone(),
            target: case.target.clone(),
            fault: found.fault,
            tried: 0,
            harmed: 0,
            is_complete: true,
            recovery: None,
            found: BTreeMap::new(),
        };
        let key = (test, target, found.fault);
        let (cell, recoveries) = cells.entry(key).or_insert_with(|| (new(), Vec::new()));
        cell.add(found);
        recoveries.extend(found.recovery);
    }
    let whole = |(cell, recoveries): (FaultCell, Vec<Spread>)| FaultCell {
        recovery: of_blocks(&recoveries),
        ..cell
    };
    cells.into_values().map(whole).collect()
}

/// The extremes of all, and the median of the medians.
fn of_blocks(recoveries: &[Spread]) -> Option<Spread> {
    let medians = Spread::of(recoveries.iter().map(|own| own.median_ns).collect())?;
    Some(Spread {
        min_ns: recoveries.iter().map(|own| own.min_ns).min()?,
        median_ns: medians.median_ns,
        max_ns: recoveries.iter().map(|own| own.max_ns).max()?,
    })
}
