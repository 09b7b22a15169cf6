//! Times an algorithm in a worker, apart from its I/O.

use engine::clock::{now_ns, thread_cpu_ns};
use model::figure::{Better, Metric};

/// Metrics of a worker, which the figures of the test are computed from.
pub(super) const WALL_NS: &str = "codec_wall_ns";
pub(super) const CPU_NS: &str = "codec_cpu_ns";

/// Time in the algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// On the clock of the wall, nanoseconds.
    wall_ns: u64,
    /// On a processor, nanoseconds.
    cpu_ns: u64,
}

impl Cost {
    /// Does `work` and adds its time.
    pub(super) fn of<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (wall, cpu) = (now_ns(), thread_cpu_ns());
        let done = work();
        self.cpu_ns += thread_cpu_ns() - cpu;
        self.wall_ns += now_ns() - wall;
        done
    }

    pub(super) fn metrics(self) -> [Metric; 2] {
        [(WALL_NS, self.wall_ns), (CPU_NS, self.cpu_ns)]
            .map(|(name, ns)| Metric::new(name, ns as f64, "ns", Better::Lower))
    }
}
