//! Determines what limited a timed part, from the counters at its edges and in its seconds and from the reports of
//! its workers. Pure, so that each rule is tested with numbers.

use super::contention::worker_cpu;
use lab::observe::Usage;
use model::{result::Limiter, workload::WorkerReport};
use suites::Measured;

/// Spread of worker starts, as a share of a timed part, above which the start dominates the measurement.
const LATE_SHARE: f64 = 0.1;
/// Share of a timed part, of one processor, for which a quota held threads back, above which it set the speed.
const HELD_BACK_SHARE: f64 = 0.1;
/// A coordinator that uses more than this share of a processor takes part in the work.
const COORDINATOR_SHARE: f64 = 0.1;

/// The workers' own account of a timed part.
pub struct WorkerLoad {
    /// Logical bytes, all workers.
    pub bytes: u64,
    /// Share used of the processors that all workers together could use.
    pub pool_busy: f64,
    /// The same for the busiest worker.
    pub busiest: f64,
    /// Processors that one worker could use.
    pub each: u32,
    /// Share of the part in which some workers had not started.
    pub late: f64,
}

impl WorkerLoad {
    /// Computes the load from `reports`, where each worker can use `threads` processors of the machine's `cpus`;
    /// `workers` processes worked, which may be more than reported.
    pub fn of(
        measured: &Measured,
        reports: &[WorkerReport],
        threads: u32,
        usage: &Usage,
        workers: u32,
    ) -> WorkerLoad {
        let cpus = usage.cpus.max(1);
        let busy =
            |cpu_s: f64, possible: u32| cpu_s / (usage.seconds.max(1e-9) * f64::from(possible));
        let used = |reports: &[WorkerReport]| {
            let (user_s, sys_s) = worker_cpu(reports, &measured.phases);
            user_s + sys_s
        };
        let each = (workers.div_ceil(reports.len().max(1) as u32) * threads.max(1)).min(cpus);
        let busiest = reports.chunks(1).map(|one| busy(used(one), each));
        WorkerLoad {
            bytes: measured.bytes,
            pool_busy: busy(used(reports), workers.max(1).min(cpus)),
            busiest: busiest.fold(0.0, f64::max),
            each,
            late: measured.skew_ms / 1e3 / measured.seconds.max(1e-9),
        }
    }
}

/// Determines what limited a timed part, by Gregg's active benchmarking: the device when it was busy, a
/// processor when a worker never left it, the cache when the device had little to do. Also returns the
/// share of the seconds with that label, where there are three or more; then the label is that of most
/// seconds, because an average does not describe a part that waits for the device half of the time.
pub fn limiter(whole: &Usage, seconds: &[Usage], load: &WorkerLoad) -> (Limiter, Option<f64>) {
    let over_all = busy(whole, load.pool_busy.max(load.busiest), load.late);
    let settled = |label: Option<Limiter>| label.unwrap_or_else(|| idle(whole, load));
    if seconds.len() < 3 {
        return (settled(over_all), None);
    }
    let labels: Vec<Option<Limiter>> =
        seconds.iter().map(|one| of_second(one, load.each)).collect();
    let votes = |label: Option<Limiter>| labels.iter().filter(|other| **other == label).count();
    // On a tie, the label of the whole part.
    let most = labels.iter().copied().max_by_key(|l| (votes(*l), *l == over_all)).flatten();
    // Visible only in the whole part: late starts, the time of children.
    let label = if most.is_none() { over_all } else { most };
    let share = votes(label) as f64 / seconds.len() as f64;
    (settled(label), (share > 0.0).then_some(share))
}

/// Returns what was busy in one second; the processes' own counters cover their threads, not their children.
fn of_second(usage: &Usage, each: u32) -> Option<Limiter> {
    let busiest_s = usage.worker_cpu_s.iter().copied().fold(0.0, f64::max);
    busy(usage, busiest_s / (usage.seconds.max(1e-9) * f64::from(each.max(1))), 0.0)
}

fn busy(usage: &Usage, worker_busy: f64, late: f64) -> Option<Limiter> {
    let seconds = usage.seconds.max(1e-9);
    let device_busy = usage.device_busy_s.map_or(0.0, |busy| busy / seconds);
    let stolen = usage.steal_s > 0.1 * seconds * f64::from(usage.cpus.max(1));
    let held_back = usage.held_back_s.is_some_and(|held| held > HELD_BACK_SHARE * seconds);
    if stolen || held_back || usage.throttle_events.is_some_and(|events| events > 0) {
        Some(Limiter::Throttled)
    } else if late > LATE_SHARE || usage.own_cpu_s > COORDINATOR_SHARE * seconds {
        Some(Limiter::Tool)
    } else if device_busy > 0.9 {
        Some(Limiter::Device)
    } else if worker_busy > 0.95 && device_busy < 0.6 {
        Some(Limiter::Cpu)
    } else {
        None
    }
}

/// Returns the limiter of a part in which nothing was busy.
fn idle(usage: &Usage, load: &WorkerLoad) -> Limiter {
    match usage.device_read_bytes.zip(usage.device_write_bytes) {
        None => Limiter::Unknown,
        Some((read, written)) if load.bytes > 0 && (read + written) * 10 < load.bytes => {
            Limiter::Cache
        }
        Some(_) => Limiter::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MB, measured, usage};
    use model::workload::{PhaseKind, PhaseReport};

    fn load(bytes: u64, busy: f64) -> WorkerLoad {
        WorkerLoad { bytes, pool_busy: busy, busiest: busy, each: 1, late: 0.0 }
    }

    #[test]
    fn limiter_is_the_busy_resource() {
        let label = |read, busy_s, cpu| {
            let (label, share) = limiter(&usage(read, 1.0, busy_s), &[], &load(100 * MB, cpu));
            assert_eq!(share, None);
            label
        };
        assert_eq!(label(100 * MB, 0.95, 0.1), Limiter::Device);
        assert_eq!(label(0, 0.1, 0.99), Limiter::Cpu);
        assert_eq!(label(9 * MB, 0.1, 0.5), Limiter::Cache);
        assert_eq!(label(50 * MB, 0.5, 0.5), Limiter::None);
        assert_eq!(label(50 * MB, 0.7, 0.99), Limiter::None);
        let nowhere = Usage { seconds: 1.0, cpus: 2, ..Usage::default() };
        assert_eq!(limiter(&nowhere, &[], &load(MB, 0.5)).0, Limiter::Unknown);
    }

    #[test]
    fn throttling_and_tool_take_precedence() {
        let whole = usage(100 * MB, 1.0, 0.95);
        let label = |whole: &Usage, late| {
            limiter(whole, &[], &WorkerLoad { late, ..load(100 * MB, 0.1) }).0
        };
        assert_eq!(label(&Usage { steal_s: 0.3, ..whole.clone() }, 0.0), Limiter::Throttled);
        let hot = Usage { throttle_events: Some(1), ..whole.clone() };
        assert_eq!(label(&hot, 0.0), Limiter::Throttled);
        let held = |held_back_s| Usage { held_back_s, ..whole.clone() };
        assert_eq!(label(&held(Some(0.2)), 0.0), Limiter::Throttled);
        assert_eq!(label(&held(Some(0.05)), 0.0), Limiter::Device);
        assert_eq!(label(&whole, 0.2), Limiter::Tool);
        assert_eq!(label(&Usage { own_cpu_s: 0.2, ..whole.clone() }, 0.0), Limiter::Tool);
        let cool = Usage { throttle_events: Some(0), own_cpu_s: 0.01, ..whole };
        assert_eq!(label(&cool, 0.01), Limiter::Device);
    }

    #[test]
    fn majority_of_seconds_decides() {
        let second = |busy_s: f64, worker_s: f64| Usage {
            worker_cpu_s: vec![0.1, worker_s],
            ..usage(10 * MB, 1.0, busy_s)
        };
        let whole = usage(40 * MB, 4.0, 2.6);
        let busy = [second(0.99, 0.2), second(0.95, 0.2), second(0.96, 0.2), second(0.0, 0.98)];
        // 65 % on average, although it waited for the device.
        assert_eq!(limiter(&whole, &busy, &load(100 * MB, 0.4)), (Limiter::Device, Some(0.75)));
        let halves = [second(0.99, 0.2), second(0.0, 0.99), second(0.99, 0.2), second(0.0, 0.99)];
        let whole = usage(40 * MB, 4.0, 2.0);
        assert_eq!(limiter(&whole, &halves, &load(100 * MB, 0.97)), (Limiter::Cpu, Some(0.5)));
        let rest = [second(0.5, 0.5), second(0.5, 0.5), second(0.99, 0.5)];
        assert_eq!(limiter(&whole, &rest, &load(100 * MB, 0.4)).0, Limiter::None);
        assert_eq!(limiter(&usage(MB, 3.0, 0.1), &rest, &load(100 * MB, 0.4)).0, Limiter::Cache);
        // Children of a worker are reported at its end only.
        assert_eq!(limiter(&whole, &rest, &load(100 * MB, 0.99)), (Limiter::Cpu, None));
    }

    #[test]
    fn busiest_worker_counts() {
        let report = |worker: u32, cpu_user_s: f64| WorkerReport {
            worker,
            phases: vec![PhaseReport {
                kind: PhaseKind::Read,
                start_ns: 0,
                end_ns: 1,
                bytes: 0,
                ops: 0,
                cpu_user_s,
                cpu_sys_s: 0.0,
            }],
            ..WorkerReport::default()
        };
        let (m, u) = (Measured { skew_ms: 50.0, ..measured(MB, 1.0) }, usage(0, 1.0, 0.0));
        let two = WorkerLoad::of(&m, &[report(0, 0.98), report(1, 0.1)], 1, &u, 2);
        assert!((two.busiest - 0.98).abs() < 1e-9 && (two.pool_busy - 0.54).abs() < 1e-9);
        assert!((two.late - 0.05).abs() < 1e-9);
        // One program with eight processes, on two processors.
        let program = WorkerLoad::of(&m, &[report(0, 1.9)], 1, &u, 8);
        assert!((program.busiest - 0.95).abs() < 1e-9);
    }
}
