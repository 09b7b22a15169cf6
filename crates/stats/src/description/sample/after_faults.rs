//! Adds up over the blocks of a campaign what was found after faults.

use model::result::{AfterFault, CrashStates, Dataset, FaultOnDisk, Found, Harm, Spread};
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
    fn add(&mut self, more: &CrashStates) {
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

/// Acknowledged data that a target lost when the power went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CrashLoss {
    /// Display name of the test in which most states lost it.
    pub(crate) name: String,
    /// States that lost it in the way in which most did.
    pub(crate) states: u64,
    /// States that were tried.
    pub(crate) tried: u64,
}

/// What was seen of the promise of a target to keep what it acknowledged, when the power went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AfterCrash {
    /// No state was tried.
    NotTried,
    /// Nothing was lost.
    Kept,
    /// This was lost.
    Lost(CrashLoss),
}

/// What the samples of `dataset` say of the target called `label` after a crash of an honest disk.
pub(crate) fn after_crash(dataset: &Dataset, label: &str) -> AfterCrash {
    let mut cells = fault_cells(dataset, &[label.into()]);
    cells.retain(|cell| cell.fault == FaultOnDisk::Crash && cell.tried > 0);
    let loss = |cell: &FaultCell| {
        let lost = cell.found.iter().filter(|(harm, _)| harm.loses_acknowledged());
        let states = lost.map(|(_, found)| found.states).max()?;
        Some(CrashLoss { name: cell.name.clone(), states, tried: cell.tried })
    };
    match cells.iter().filter_map(loss).max_by_key(|loss| loss.states) {
        Some(loss) => AfterCrash::Lost(loss),
        None if cells.is_empty() => AfterCrash::NotTried,
        None => AfterCrash::Kept,
    }
}

/// Every cell with a sample of a fault, by test in the order of the suite, and target as in `targets`. A sample that is
/// not valid counts as well: where no state can be mounted there is no time of recovery, and that is the finding.
pub(crate) fn fault_cells(dataset: &Dataset, targets: &[String]) -> Vec<FaultCell> {
    let mut cells: BTreeMap<(usize, usize, FaultOnDisk), (FaultCell, Vec<Spread>)> =
        BTreeMap::new();
    for sample in &dataset.samples {
        let after = sample.evidence.after_fault.as_deref();
        let Some(found) = after.and_then(AfterFault::crash) else { continue };
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
        recovery: Spread::of_blocks(&recoveries),
        ..cell
    };
    cells.into_values().map(whole).collect()
}
