//! Figures of an action on a set of files.

use super::settings::Action;
use crate::{
    Measured,
    figures::{self, Metrics},
};
use model::workload::PoolReport;

/// If something was changed, the ranking rate covers the work and the sync after it: a file
/// counts when it is durable.
pub(super) fn measure(id: &str, action: Action, pool: &PoolReport) -> Measured {
    let phases = if action.changes() { 0..2 } else { 0..1 };
    let (files, bytes) = (figures::ops(pool, 0..1), figures::bytes(pool, 0..1));
    let work_s = figures::time_s(pool, 0..1);
    let all_s = figures::time_s(pool, phases.clone());
    let mut metrics = Metrics::default();
    metrics.per_s(action.metric(), files, all_s, "1/s");
    if action.changes() {
        metrics.per_s("cache_files_rate", files, work_s, "1/s");
        metrics.lower("sync_s", all_s - work_s, "s");
    }
    metrics.rate("rate", bytes, all_s);
    metrics.cpu_per_op(pool, 0..1);
    metrics.latencies(pool, action.word());
    let measured = figures::measured(id, pool, phases, metrics.0);
    Measured { bytes, ops: files, ..measured }
}
