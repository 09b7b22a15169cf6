//! Computes how much the hosts of a campaign, and their ranks, differ: which host is slow, and where.

use crate::kernel::point::mean;
use model::result::{Dataset, Sample, known};
use serde::Serialize;
use std::collections::BTreeMap;

/// One test on one target at one process count, where ranks of two hosts or more worked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostCell {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Ranks of all hosts.
    pub procs: u32,
    /// Label.
    pub target: String,
    /// Valid samples that have the rates of their hosts.
    pub samples: usize,
    /// Every host, by name.
    pub hosts: Vec<HostRate>,
    /// The rate of the slowest rank over that of the fastest, geometric mean over the samples; `None` where none has
    /// both.
    pub slowest_rank: Option<f64>,
}

/// One host in a [`HostCell`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostRate {
    /// Its name.
    pub host: String,
    /// Ranks that worked on it.
    pub ranks: u32,
    /// Operations of all of them in a second, geometric mean over the samples.
    pub ops_per_s: f64,
}

impl HostRate {
    /// Operations of one of its ranks in a second: hosts may have unequal numbers of them.
    pub fn of_rank(&self) -> f64 {
        self.ops_per_s / f64::from(self.ranks.max(1))
    }
}

impl HostCell {
    /// The hosts with the least and with the most operations of a rank.
    pub fn ends(&self) -> Option<(&HostRate, &HostRate)> {
        let order = |a: &&HostRate, b: &&HostRate| a.of_rank().total_cmp(&b.of_rank());
        Some((self.hosts.iter().min_by(order)?, self.hosts.iter().max_by(order)?))
    }

    /// Operations of one rank of `host` over the geometric mean of those of all hosts.
    fn over_mean(&self, host: &HostRate) -> f64 {
        host.of_rank() / geometric_mean(self.hosts.iter().map(HostRate::of_rank))
    }
}

/// One host over all tests.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTotal<'a> {
    /// Its name.
    pub host: &'a str,
    /// In how many cells it worked.
    pub cells: usize,
    /// In how many of them no host had fewer operations of a rank.
    pub slowest_in: usize,
    /// Operations of one of its ranks over the geometric mean of all hosts, geometric mean over the cells.
    pub over_mean: f64,
    /// Where that is least, with the figure.
    pub least: (&'a HostCell, f64),
}

/// Each host over all of `cells`, the slowest first.
pub fn host_totals(cells: &[HostCell]) -> Vec<HostTotal<'_>> {
    let mut seen = BTreeMap::<&str, Vec<(&HostCell, f64)>>::new();
    for cell in cells {
        for host in &cell.hosts {
            seen.entry(&host.host).or_default().push((cell, cell.over_mean(host)));
        }
    }
    let mut totals: Vec<_> = seen.iter().filter_map(|(host, seen)| total(host, seen)).collect();
    totals.sort_by(|a, b| a.over_mean.total_cmp(&b.over_mean));
    totals
}

/// `host` in the cells in which it worked, each with its rate over the mean host there; `None` without any.
fn total<'a>(host: &'a str, seen: &[(&'a HostCell, f64)]) -> Option<HostTotal<'a>> {
    let is_slowest = |cell: &HostCell| cell.ends().is_some_and(|(slowest, _)| slowest.host == host);
    Some(HostTotal {
        host,
        cells: seen.len(),
        slowest_in: seen.iter().filter(|(cell, _)| is_slowest(cell)).count(),
        over_mean: geometric_mean(seen.iter().map(|(_, over)| *over)),
        least: seen.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?,
    })
}

/// Every cell with a valid sample that has the rates of two hosts, by test in the order of the suite, processes, and
/// target as in `targets`.
pub(crate) fn host_cells(dataset: &Dataset, targets: &[String]) -> Vec<HostCell> {
    let mut cells = BTreeMap::<(usize, u32, usize), Vec<&Sample>>::new();
    for sample in dataset.samples.iter().filter(|s| s.evidence.validity.is_valid()) {
        if rates(sample).count() < 2 {
            continue;
        }
        let test = dataset.tests.iter().position(|t| t.id == sample.case.test);
        let target = targets.iter().position(|label| *label == sample.case.target);
        if let Some((test, target)) = test.zip(target) {
            cells.entry((test, sample.case.procs, target)).or_default().push(sample);
        }
    }
    let cell = |((test, procs, target), samples): ((usize, u32, usize), Vec<&Sample>)| HostCell {
        test: dataset.tests[test].id.clone(),
        name: dataset.tests[test].name.clone(),
        procs,
        target: targets[target].clone(),
        samples: samples.len(),
        hosts: hosts(&samples),
        slowest_rank: slowest_rank(&samples),
    };
    cells.into_iter().map(cell).collect()
}

/// Hosts of `sample`, each with its ranks and the operations of all of them in a second.
fn rates(sample: &Sample) -> impl Iterator<Item = (&str, u32, f64)> {
    sample.covariates.hosts.iter().filter_map(|seen| {
        let (ranks, ops_per_s) = seen.ranks.zip(seen.ops_per_s)?;
        (ranks >= 1 && ops_per_s > 0.0).then_some((seen.host.as_str(), ranks, ops_per_s))
    })
}

fn hosts(samples: &[&Sample]) -> Vec<HostRate> {
    let mut seen = BTreeMap::<&str, (u32, Vec<f64>)>::new();
    for (host, ranks, ops_per_s) in samples.iter().flat_map(|sample| rates(sample)) {
        let (most, all) = seen.entry(host).or_default();
        *most = ranks.max(*most);
        all.push(ops_per_s);
    }
    let rate = |(host, (ranks, all)): (&str, (u32, Vec<f64>))| HostRate {
        host: host.into(),
        ranks,
        ops_per_s: geometric_mean(all),
    };
    seen.into_iter().map(rate).collect()
}

fn slowest_rank(samples: &[&Sample]) -> Option<f64> {
    let share = |sample: &&Sample| {
        let least = sample.get(known::SLOWEST_RANK_OPS_PER_S)?;
        let most = sample.get(known::FASTEST_RANK_OPS_PER_S)?;
        (least > 0.0 && most > 0.0).then(|| least / most)
    };
    let shares: Vec<f64> = samples.iter().filter_map(share).collect();
    (!shares.is_empty()).then(|| geometric_mean(shares))
}

/// Of figures above 0, of which there is at least one.
fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.into_iter().map(f64::ln).collect();
    mean(&logs).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(name: &str, hosts: &[(&str, u32, f64)]) -> HostCell {
        let rate = |&(host, ranks, ops_per_s): &(&str, u32, f64)| HostRate {
            host: host.into(),
            ranks,
            ops_per_s,
        };
        HostCell {
            test: name.into(),
            name: name.into(),
            procs: hosts.iter().map(|(_, ranks, _)| ranks).sum(),
            target: "a".into(),
            samples: 1,
            hosts: hosts.iter().map(rate).collect(),
            slowest_rank: None,
        }
    }

    #[test]
    fn a_host_with_fewer_ranks_is_not_slower_for_it() {
        let cell = cell("r", &[("n1", 3, 30.0), ("n2", 2, 24.0), ("n3", 3, 24.0)]);
        let (slowest, fastest) = cell.ends().unwrap();
        assert_eq!((slowest.host.as_str(), fastest.host.as_str()), ("n3", "n2"));
    }

    #[test]
    fn the_slowest_host_over_all_comes_first_with_where_it_is_furthest_behind() {
        let cells = [
            cell("w", &[("n1", 1, 4.0), ("n2", 1, 1.0)]),
            cell("r", &[("n1", 1, 4.0), ("n2", 1, 4.0)]),
            cell("s", &[("n1", 1, 1.0), ("n2", 1, 1.0), ("n3", 1, 1.0)]),
        ];
        let totals = host_totals(&cells);
        let seen: Vec<_> = totals
            .iter()
            .map(|t| (t.host, t.cells, t.over_mean, t.least.0.name.as_str()))
            .collect();
        let [slowest, third, fastest] = seen.as_slice() else { panic!("{seen:?}") };
        assert_eq!((slowest.0, slowest.1, slowest.3), ("n2", 3, "w"));
        // 1 over the mean of 4 and 1, which is 2, and twice 1.
        assert!((slowest.2 - 0.5f64.powf(1.0 / 3.0)).abs() < 1e-12, "{slowest:?}");
        assert_eq!((third.0, third.1, third.2), ("n3", 1, 1.0));
        assert!((fastest.2 - 2f64.powf(1.0 / 3.0)).abs() < 1e-12, "{fastest:?}");
        assert_eq!(totals.iter().map(|t| t.slowest_in).collect::<Vec<_>>(), [1, 0, 2]);
    }
}
