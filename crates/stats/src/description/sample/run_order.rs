//! Checks whether the difference of two candidates can be separated from their positions in the blocks. A candidate
//! that always runs first runs under other conditions: colder caches, a less full disk, less drift.

use model::{
    plan::Order,
    result::{Campaign, Dataset, Origin},
};
use std::collections::BTreeMap;

/// Whether one of `a` and `b` went before the other in every block that tells, of two or more: then nothing says
/// whether their difference is theirs or that of their places. Candidates that stood side by side took turns in
/// each test, and in what was imported places are those in a file.
pub(crate) fn same_in_all(dataset: &Dataset, a: &str, b: &str) -> bool {
    let Campaign { origin, plan, .. } = &dataset.campaign;
    if *origin != Origin::Run || plan.order == Some(Order::Interleaved) {
        return false;
    }
    let mut places: BTreeMap<u32, [Option<u32>; 2]> = BTreeMap::new();
    for sample in &dataset.samples {
        if let Some(at) = [a, b].iter().position(|label| *label == sample.case.target) {
            places.entry(sample.block).or_default()[at] = Some(sample.position);
        }
    }
    let pairs = places.values().filter_map(|[a, b]| Some((*a)?.cmp(&(*b)?)));
    let told: Vec<_> = pairs.filter(|order| order.is_ne()).collect();
    told.len() > 1 && told.windows(2).all(|pair| pair[0] == pair[1])
}
