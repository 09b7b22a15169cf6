//! Sizes of the folios in which the page cache held the files of hot tests: candidates with different folio sizes did
//! not read the same kind of memory.

use model::{
    result::{Sample, known},
    workload::CacheState,
};
use std::collections::BTreeMap;

/// Sizes that differ by less are taken for equal: a median lies between two of them.
const DIFFER: f64 = 2.0;

/// A hot test whose files were in folios of different sizes on different targets.
#[derive(Clone, Debug, PartialEq)]
pub struct UnequalFolios {
    /// The test.
    pub test: String,
    /// Its processes.
    pub procs: u32,
    /// Each target in the order of the campaign, with the median over its samples, bytes.
    pub targets: Vec<(String, f64)>,
}

/// The hot tests among `samples` with folios of different sizes on the targets `labels`, in the order of their names.
pub fn unequal_folios(labels: &[&str], samples: &[Sample]) -> Vec<UnequalFolios> {
    let mut cases: BTreeMap<(&str, u32), BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| is_hot(sample)) {
        let Some(bytes) = sample.get(known::FOLIO_BYTES) else { continue };
        let case = &sample.case;
        let targets = cases.entry((&case.test, case.procs)).or_default();
        targets.entry(&case.target).or_default().push(bytes as f64);
    }
    let case = |((test, procs), mut sizes): ((&str, u32), BTreeMap<&str, Vec<f64>>)| {
        let of = |label: &&str| Some(((*label).into(), median(sizes.remove(*label)?)?));
        let targets: Vec<(String, f64)> = labels.iter().filter_map(of).collect();
        let most = targets.iter().map(|target| target.1).reduce(f64::max)?;
        let least = targets.iter().map(|target| target.1).reduce(f64::min)?;
        (most >= DIFFER * least).then(|| UnequalFolios { test: test.into(), procs, targets })
    };
    cases.into_iter().filter_map(case).collect()
}

fn is_hot(sample: &Sample) -> bool {
    sample.case.cache == CacheState::Hot && sample.evidence.validity.is_valid()
}

/// The upper one of two in the middle, as sizes between folios do not exist.
fn median(mut sizes: Vec<f64>) -> Option<f64> {
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::workload::Case;

    fn samples(sizes: &[(&str, &str, CacheState, u64)]) -> Vec<Sample> {
        let sample = |(target, test, cache, bytes): &(&str, &str, CacheState, u64)| {
            let case = Case {
                target: (*target).into(),
                suite: "s".into(),
                test: (*test).into(),
                procs: 1,
                threads: 1,
                cache: *cache,
            };
            let mut sample = Sample::bare(0, 0, case, Vec::new());
            sample.set(known::FOLIO_BYTES, *bytes);
            sample
        };
        sizes.iter().map(sample).collect()
    }

    #[test]
    fn only_hot_tests_with_folios_of_different_sizes_are_named() {
        let (hot, cold) = (CacheState::Hot, CacheState::Cold);
        let found = unequal_folios(
            &["xfs", "btrfs"],
            &samples(&[
                ("btrfs", "s.a", hot, 4096),
                ("xfs", "s.a", hot, 4096),
                ("xfs", "s.a", hot, 1 << 20),
                ("xfs", "s.a", hot, 2 << 20),
                ("btrfs", "s.b", hot, 4096),
                ("xfs", "s.b", hot, 4096),
                ("btrfs", "s.c", cold, 4096),
                ("xfs", "s.c", cold, 1 << 20),
                ("xfs", "s.d", hot, 1 << 20),
            ]),
        );
        let targets = vec![("xfs".into(), f64::from(1 << 20)), ("btrfs".into(), 4096.0)];
        assert_eq!(found, [UnequalFolios { test: "s.a".into(), procs: 1, targets }]);
    }
}
