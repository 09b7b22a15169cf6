//! Matches cells of two campaigns.

use model::{figure::Better, workload::TestInfo};
use std::collections::BTreeMap;

/// Index of a test in its campaign, and worker processes.
pub(super) type Key = (usize, u32);

/// For each cell that a campaign shares with the first of A, the cell there.
pub(super) type Shared = BTreeMap<Key, Key>;

/// What a value is: two tests with the same name but another figure cannot be compared.
pub(super) fn figure(test: &TestInfo) -> (&str, &str, Better) {
    (&test.metric, &test.unit, test.better)
}
