//! The snapshots of a timed part as a series: raw changes in each interval.

use super::{Phase, Sampler};
use lab::observe::{Snapshot, Usage};
use model::figure::{Series, series};
use std::ops::Range;
use workers::Moved;

/// A part of fewer whole seconds has no time series worth keeping.
const LEAST_SECONDS: usize = 2;

impl Sampler {
    /// Returns the series of `phases`, in which all workers moved `totals`, one for each phase. `None` when they
    /// were short.
    pub fn series(&self, phases: &Range<usize>, totals: &[Moved]) -> Option<Series> {
        if self.seconds(phases).len() < LEAST_SECONDS {
            return None;
        }
        let parts = self.phases.get(phases.clone())?;
        let begin_ns = parts.first()?.released.as_ref()?.now_ns;
        // A test that counts at its end has no figures of its seconds.
        let counted = parts.iter().flat_map(|part| &part.seconds).any(|(_, m)| m.ops + m.bytes > 0);
        let mut series = Series::default();
        for (part, total) in parts.iter().zip(totals) {
            let mut before = (part.released.as_ref()?, Moved::default());
            for (snapshot, moved) in part.readings(*total) {
                let end_ms = snapshot.now_ns.saturating_sub(begin_ns) / 1_000_000;
                // Less than a millisecond is counted with the next interval.
                if series.end_ms.last().is_some_and(|last| *last >= end_ms) {
                    continue;
                }
                series.end_ms.push(end_ms);
                add(&mut series, &snapshot.since(before.0));
                if counted {
                    let ops = moved.ops.saturating_sub(before.1.ops);
                    let bytes = moved.bytes.saturating_sub(before.1.bytes);
                    push(&mut series, series::OPS, Some(ops));
                    push(&mut series, series::BYTES, Some(bytes));
                }
                before = (snapshot, moved);
            }
        }
        // A counter that vanished half-way is dropped too.
        let intervals = series.end_ms.len();
        series.columns.retain(|_, column| column.len() == intervals);
        Some(series)
    }
}

impl Phase {
    /// The ends of its intervals with the counts by then; `total` at the end.
    fn readings(&self, total: Moved) -> impl Iterator<Item = (&Snapshot, Moved)> {
        let seconds = self.seconds.iter().map(|(snapshot, moved)| (snapshot, *moved));
        seconds.chain(self.ended.iter().map(move |snapshot| (snapshot, total)))
    }
}

fn push(series: &mut Series, name: &str, value: Option<u64>) {
    if let Some(value) = value {
        series.columns.entry(name.into()).or_default().push(value);
    }
}

/// Adds the counters of an interval.
fn add(series: &mut Series, usage: &Usage) {
    let ms = |seconds: f64| Some((1e3 * seconds).round() as u64);
    let stalled_ms = |pct: Option<f64>| pct.and_then(|pct| ms(pct / 100.0 * usage.seconds));
    let columns = [
        ("device_read_bytes", usage.device_read_bytes),
        ("device_write_bytes", usage.device_write_bytes),
        ("device_busy_ms", usage.device_busy_s.and_then(ms)),
        ("worker_cpu_ms", ms(usage.worker_cpu_s.iter().sum())),
        ("own_cpu_ms", ms(usage.own_cpu_s)),
        ("machine_user_ms", ms(usage.machine_user_s)),
        ("machine_sys_ms", ms(usage.machine_sys_s)),
        ("machine_iowait_ms", ms(usage.machine_iowait_s)),
        ("steal_ms", ms(usage.steal_s)),
        ("psi_cpu_some_ms", stalled_ms(usage.psi_cpu_some_pct)),
        ("psi_io_some_ms", stalled_ms(usage.psi_io_some_pct)),
        ("psi_memory_some_ms", stalled_ms(usage.psi_memory_some_pct)),
        ("dirty_bytes", Some(usage.dirty_bytes)),
        ("page_cache_bytes", Some(usage.page_cache_bytes)),
        ("cpu_mhz", usage.frequency_mhz.map(|mhz| mhz as u64)),
        ("throttle_events", usage.throttle_events),
        ("held_back_ms", usage.held_back_s.and_then(ms)),
    ];
    for (name, value) in columns {
        push(series, name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::observe::Watched;

    fn moved(ops: u64) -> Moved {
        Moved { ops, bytes: 10 * ops }
    }

    /// A phase with readings of these operations at these seconds after `first`.
    fn phase(first: &Snapshot, released_s: f64, seen: &[(f64, u64)], ended_s: f64) -> Phase {
        let at = |seconds: f64| {
            let mut snapshot = first.clone();
            snapshot.now_ns += (seconds * 1e9) as u64;
            snapshot
        };
        Phase {
            persisted: [None; 2],
            released: Some(at(released_s)),
            seconds: seen.iter().map(|&(s, ops)| (at(s), moved(ops))).collect(),
            ended: Some(at(ended_s)),
        }
    }

    #[test]
    fn intervals_hold_their_changes_and_include_the_sync() {
        let first = Snapshot::take(&[]).unwrap();
        let mut sampler = Sampler::of(Watched::default());
        sampler.phases = vec![
            phase(&first, 0.0, &[(1.0, 100), (2.0, 250), (2.0002, 251)], 2.5),
            phase(&first, 2.6, &[], 3.1),
        ];
        let series = sampler.series(&(0..2), &[moved(300), moved(0)]).unwrap();
        assert_eq!(series.end_ms, [1000, 2000, 2500, 3100]);
        assert_eq!(series.columns[series::OPS], [100, 150, 50, 0]);
        assert_eq!(series.columns[series::BYTES], [1000, 1500, 500, 0]);
        assert_eq!(series.columns["worker_cpu_ms"], [0; 4]);
        assert!(!series.columns.contains_key("device_read_bytes") && series.is_whole());
    }

    #[test]
    fn short_parts_have_no_series_and_late_counters_no_ops() {
        let first = Snapshot::take(&[]).unwrap();
        let mut sampler = Sampler::of(Watched::default());
        sampler.phases = vec![phase(&first, 0.0, &[(1.0, 5)], 1.3)];
        assert_eq!(sampler.series(&(0..1), &[moved(9)]), None);
        sampler.phases = vec![phase(&first, 0.0, &[(1.0, 0), (2.0, 0)], 3.0)];
        let series = sampler.series(&(0..1), &[moved(9)]).unwrap();
        assert!(!series.columns.contains_key(series::OPS) && series.end_ms.len() == 3);
    }
}
