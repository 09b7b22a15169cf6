//! One report of a pool from those of ranks on different hosts.

use crate::clocks::Clock;
use model::workload::{PhaseOverlap, PoolReport, WorkerReport};

/// What one rank brought back.
#[derive(Clone, Debug)]
pub struct Part {
    /// Of its worker, by the clock of its host.
    pub report: WorkerReport,
    /// That clock.
    pub clock: Clock,
    /// The name of the host.
    pub host: String,
}

/// The report of all of `parts`, in the order of their workers, by the clock of the first.
pub fn merge(parts: Vec<Part>) -> PoolReport {
    let clock_bound_ns = parts.iter().map(|part| part.clock.bound_ns()).max().unwrap_or(0);
    let hosts = parts.iter().map(|part| part.host.clone()).collect();
    let workers: Vec<WorkerReport> = parts.into_iter().map(corrected).collect();
    let phases = workers.iter().map(|worker| worker.phases.len()).min().unwrap_or(0);
    let overlaps = (0..phases).map(|phase| overlap(&workers, phase)).collect();
    PoolReport { workers, overlaps, hosts, clock_bound_ns }
}

fn corrected(part: Part) -> WorkerReport {
    let mut report = part.report;
    for phase in &mut report.phases {
        phase.start_ns = part.clock.here_ns(phase.start_ns);
        phase.end_ns = part.clock.here_ns(phase.end_ns).max(phase.start_ns);
    }
    report
}

/// What was moved while all were in `phase`. No counter is shared by hosts: each worker is taken to have moved its
/// bytes evenly over its own time.
fn overlap(workers: &[WorkerReport], phase: usize) -> PhaseOverlap {
    let own = || workers.iter().filter_map(|worker| worker.phases.get(phase));
    let from_ns = own().map(|p| p.start_ns).max().unwrap_or(0);
    let to_ns = own().map(|p| p.end_ns).min().unwrap_or(0);
    let Some(window_ns) = to_ns.checked_sub(from_ns).filter(|window_ns| *window_ns > 0) else {
        return PhaseOverlap::default();
    };
    let share = |of: u64, start_ns: u64, end_ns: u64| {
        let inside = u128::from(of) * u128::from(window_ns);
        (inside / u128::from((end_ns - start_ns).max(1))) as u64
    };
    PhaseOverlap {
        window_ns,
        bytes: own().map(|p| share(p.bytes, p.start_ns, p.end_ns)).sum(),
        ops: own().map(|p| share(p.ops, p.start_ns, p.end_ns)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clocks::Offset;
    use model::workload::{PhaseKind, PhaseReport};

    fn part(worker: u32, (start_ns, end_ns): (u64, u64), ahead_ns: i64) -> Part {
        let phase = PhaseReport {
            kind: PhaseKind::Write,
            start_ns,
            end_ns,
            bytes: 1_000,
            ops: 100,
            cpu_user_s: 0.0,
            cpu_sys_s: 0.0,
        };
        let look =
            Offset { at_ns: 0, offset_ns: ahead_ns, bound_ns: ahead_ns.unsigned_abs() / 100 };
        Part {
            report: WorkerReport { worker, phases: vec![phase], ..WorkerReport::default() },
            clock: Clock::of(look, look),
            host: format!("h{worker}"),
        }
    }

    #[test]
    fn times_are_of_one_clock_and_the_window_is_that_of_all() {
        let report = merge(vec![part(0, (1_000, 2_000), 0), part(1, (6_500, 8_500), 5_000)]);
        let times: Vec<_> =
            report.workers.iter().map(|w| (w.phases[0].start_ns, w.phases[0].end_ns)).collect();
        assert_eq!(times, [(1_000, 2_000), (1_500, 3_500)]);
        assert_eq!(report.overlaps, [PhaseOverlap { window_ns: 500, bytes: 750, ops: 75 }]);
        assert_eq!((report.hosts.join(" ").as_str(), report.clock_bound_ns), ("h0 h1", 50));
    }

    #[test]
    fn workers_that_never_ran_together_have_no_window() {
        let report = merge(vec![part(0, (1_000, 2_000), 0), part(1, (2_000, 3_000), 0)]);
        assert_eq!(report.overlaps, [PhaseOverlap::default()]);
    }
}
