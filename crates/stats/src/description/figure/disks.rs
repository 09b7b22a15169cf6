//! Computes the I/O of each disk of a target with several: it reveals a mirror that reads from, or writes to, one disk
//! only. Not ranked.

use model::result::{Dataset, Sample};
use serde::Serialize;
use std::collections::BTreeMap;

/// One test on one target with several disks, at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiskCell {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// Label.
    pub target: String,
    /// Valid samples that have the figures of their disks.
    pub samples: usize,
    /// Each disk, in the order of the target's.
    pub disks: Vec<DiskRate>,
}

/// One disk in a [`DiskCell`]: means over the samples, each of one timed part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DiskRate {
    /// Its number among the target's, from 1.
    pub disk: u32,
    /// Read requests completed.
    pub reads: f64,
    /// Bytes read.
    pub read_bytes: f64,
    /// Write requests completed, flushes that were asked for among them.
    pub writes: f64,
    /// Bytes written.
    pub write_bytes: f64,
    /// Share of the timed part in which it had work, percent.
    pub busy_pct: f64,
}

/// One target over all tests.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskTotal<'a> {
    /// Label.
    pub target: &'a str,
    /// Cells it is over.
    pub cells: usize,
    /// Each disk; requests and bytes are sums over the cells, the busy share is their mean.
    pub disks: Vec<DiskRate>,
}

/// Every target of `cells` over all of its tests, in the order in which they first occur.
pub fn disk_totals(cells: &[DiskCell]) -> Vec<DiskTotal<'_>> {
    let mut totals = Vec::<DiskTotal<'_>>::new();
    for cell in cells {
        let found = totals.iter().position(|total| total.target == cell.target);
        let place = found.unwrap_or(totals.len());
        if found.is_none() {
            totals.push(DiskTotal { target: &cell.target, cells: 0, disks: Vec::new() });
        }
        totals[place].cells += 1;
        cell.disks.iter().for_each(|disk| add(&mut totals[place].disks, disk));
    }
    for total in &mut totals {
        let cells = total.cells as f64;
        total.disks.iter_mut().for_each(|disk| disk.busy_pct /= cells);
    }
    totals
}

/// Adds `more` to the disk of its number.
fn add(disks: &mut Vec<DiskRate>, more: &DiskRate) {
    match disks.iter_mut().find(|disk| disk.disk == more.disk) {
        None => disks.push(*more),
        Some(disk) => {
            disk.reads += more.reads;
            disk.read_bytes += more.read_bytes;
            disk.writes += more.writes;
            disk.write_bytes += more.write_bytes;
            disk.busy_pct += more.busy_pct;
        }
    }
}

/// Every cell with a valid sample that has the figures of two disks, by test in the order of the suite, processes, and
/// target as in `targets`.
pub(crate) fn disk_cells(dataset: &Dataset, targets: &[String]) -> Vec<DiskCell> {
    let mut cells = BTreeMap::<(usize, u32, usize), Vec<Vec<DiskRate>>>::new();
    for sample in dataset.samples.iter().filter(|s| s.evidence.validity.is_valid()) {
        let disks = of_sample(sample);
        if disks.len() < 2 {
            continue;
        }
        let test = dataset.tests.iter().position(|t| t.id == sample.case.test);
        let target = targets.iter().position(|label| *label == sample.case.target);
        if let Some((test, target)) = test.zip(target) {
            cells.entry((test, sample.case.procs, target)).or_default().push(disks);
        }
    }
    let cell =
        |((test, procs, target), samples): ((usize, u32, usize), Vec<Vec<DiskRate>>)| DiskCell {
            test: dataset.tests[test].id.clone(),
            name: dataset.tests[test].name.clone(),
            procs,
            target: targets[target].clone(),
            samples: samples.len(),
            disks: means(&samples),
        };
    cells.into_iter().map(cell).collect()
}

/// The disks of `sample`, by number, up to the first of which a figure is unknown.
fn of_sample(sample: &Sample) -> Vec<DiskRate> {
    let disk = |disk: u32| {
        let seen = sample.covariates.disks.iter().find(|seen| seen.disk == disk)?;
        Some(DiskRate {
            disk,
            reads: seen.reads? as f64,
            read_bytes: seen.read_bytes? as f64,
            writes: seen.writes? as f64,
            write_bytes: seen.write_bytes? as f64,
            busy_pct: seen.busy_pct?,
        })
    };
    (1..).map_while(disk).collect()
}

fn means(samples: &[Vec<DiskRate>]) -> Vec<DiskRate> {
    let mut sums = Vec::new();
    samples.iter().flatten().for_each(|disk| add(&mut sums, disk));
    let mean = |sum: DiskRate| {
        let count = samples.iter().flatten().filter(|disk| disk.disk == sum.disk).count() as f64;
        DiskRate {
            disk: sum.disk,
            reads: sum.reads / count,
            read_bytes: sum.read_bytes / count,
            writes: sum.writes / count,
            write_bytes: sum.write_bytes / count,
            busy_pct: sum.busy_pct / count,
        }
    };
    sums.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(target: &str, reads: [f64; 2]) -> DiskCell {
        let rate = |(disk, reads)| DiskRate {
            disk,
            reads,
            read_bytes: 4096.0 * reads,
            writes: 5.0,
            write_bytes: 8192.0,
            busy_pct: 10.0 * reads,
        };
        DiskCell {
            test: "t".into(),
            name: "t".into(),
            procs: 1,
            target: target.into(),
            samples: 1,
            disks: (1..).zip(reads).map(rate).collect(),
        }
    }

    #[test]
    fn totals_add_requests_and_average_the_busy_share() {
        let cells = [cell("a", [2.0, 0.0]), cell("b", [1.0, 1.0]), cell("a", [4.0, 1.0])];
        let totals = disk_totals(&cells);
        let seen: Vec<_> = totals.iter().map(|total| (total.target, total.cells)).collect();
        assert_eq!(seen, [("a", 2), ("b", 1)]);
        let first = totals[0].disks[0];
        assert_eq!((first.reads, first.read_bytes, first.busy_pct), (6.0, 24576.0, 30.0));
        assert_eq!((totals[0].disks[1].disk, totals[0].disks[1].writes), (2, 10.0));
    }

    #[test]
    fn a_cell_has_the_means_of_its_samples() {
        let of = |reads| cell("a", reads).disks;
        let mean = means(&[of([2.0, 0.0]), of([4.0, 1.0])]);
        assert_eq!((mean[0].reads, mean[1].reads, mean[1].busy_pct), (3.0, 0.5, 5.0));
    }
}
