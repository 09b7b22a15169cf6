//! The score of IO500, of the phases of the suite `io500`: as Kunkel, Bent, Lofstead and Markomanolis, "Establishing
//! the IO-500 Benchmark" (2016), defines it. It is not an official score: the phases end after a given amount of work,
//! not after 300 seconds.

use crate::description::cell::data::CellData;
use model::result::Dataset;
use serde::Serialize;
use std::collections::BTreeMap;

/// The phases that move data.
const DATA: [&str; 4] =
    ["io500.ior.easy.write", "io500.ior.easy.read", "io500.ior.hard.write", "io500.ior.hard.read"];

/// The phases on names.
const NAMES: [&str; 8] = [
    "io500.mdtest.easy.file.create",
    "io500.mdtest.hard.file.create",
    "io500.find",
    "io500.mdtest.easy.file.stat",
    "io500.mdtest.hard.file.stat",
    "io500.mdtest.easy.file.remove",
    "io500.mdtest.hard.file.read",
    "io500.mdtest.hard.file.remove",
];

/// Bytes of a GiB, in MB.
const GIB_MB: f64 = (1_u64 << 30) as f64 / 1e6;

/// The scores at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Io500 {
    /// Worker processes.
    pub procs: u32,
    /// One for each target, in the order of the columns.
    pub targets: Vec<Io500Score>,
}

/// The score of a target. A part is `None` where one of its phases has no valid sample.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Io500Score {
    /// Label of the target.
    pub target: String,
    /// Geometric mean of the phases that move data, GiB/s.
    pub bandwidth_gib_per_s: Option<f64>,
    /// Geometric mean of the phases on names, thousands of operations per second.
    pub kiops: Option<f64>,
    /// Root of the product of both.
    pub score: Option<f64>,
    /// Phases without a valid sample.
    pub missing: Vec<String>,
}

/// The scores of `cells`; nothing where no phase of IO500 was run.
pub(crate) fn scores(dataset: &Dataset, targets: &[String], cells: &[CellData]) -> Vec<Io500> {
    let mut by_procs = BTreeMap::<u32, BTreeMap<&str, &CellData>>::new();
    for cell in cells {
        let id = dataset.tests[cell.test].id.as_str();
        if DATA.contains(&id) || NAMES.contains(&id) {
            by_procs.entry(cell.procs).or_default().insert(id, cell);
        }
    }
    let of_count = |(procs, phases): (u32, BTreeMap<&str, &CellData>)| Io500 {
        procs,
        targets: (0..)
            .zip(targets)
            .map(|(column, target)| score(target, column, &phases))
            .collect(),
    };
    by_procs.into_iter().map(of_count).collect()
}

fn score(target: &str, column: usize, phases: &BTreeMap<&str, &CellData>) -> Io500Score {
    let value = |id: &&str| phases.get(*id).and_then(|cell| cell.mean_value(column));
    let mean = |ids: &[&str], unit: f64| {
        let logs: Option<Vec<f64>> = ids.iter().map(|id| Some((value(id)? / unit).ln())).collect();
        logs.map(|logs| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    };
    let (bandwidth, kiops) = (mean(&DATA, GIB_MB), mean(&NAMES, 1e3));
    let missing = DATA.iter().chain(&NAMES).filter(|id| value(id).is_none());
    Io500Score {
        target: target.into(),
        bandwidth_gib_per_s: bandwidth,
        kiops,
        score: bandwidth.zip(kiops).map(|(bandwidth, kiops)| (bandwidth * kiops).sqrt()),
        missing: missing.map(ToString::to_string).collect(),
    }
}
