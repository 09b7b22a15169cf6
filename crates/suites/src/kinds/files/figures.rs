//! Figures of an action on a set of files.

use super::settings::Action;
use crate::{
    Measured,
    figures::{self, Metrics},
};
use model::CrewReport;

/// Where something was changed, the rate that ranks is over the work and the sync behind it: a file
/// counts when it is durable.
pub(super) fn measure(id: &str, action: Action, crew: &CrewReport) -> Measured {
    let phases = if action.changes() { 0..2 } else { 0..1 };
    let (files, bytes) = (figures::ops(crew, 0..1), figures::bytes(crew, 0..1));
    let work_s = figures::time_s(crew, 0..1);
    let all_s = figures::time_s(crew, phases.clone());
    let mut metrics = Metrics::default();
    metrics.per_s(action.metric(), files, all_s, "1/s");
    if action.changes() {
        metrics.per_s("cache_files_rate", files, work_s, "1/s");
        metrics.lower("sync_s", all_s - work_s, "s");
    }
    metrics.rate("rate", bytes, all_s);
    metrics.cpu_per_op(crew, 0..1);
    metrics.latencies(crew, action.word());
    let measured = figures::measured(id, crew, phases, metrics.0);
    Measured { bytes, ops: files, ..measured }
}
