//! Snapshots of the machine at the edges of each phase and once a second in between, and what is computed from them:
//! usage of a timed part, of each of its seconds, and the rates of its rounds.

mod series;

use lab::{
    error::LabError,
    instance::{Persisted, Persistence},
    observe::{Census, Others, Snapshot, Usage, Watched, are_writing, await_reads},
};
use model::result::known::ROUNDS;
use std::{ops::Range, time::Duration};
use workers::{Moved, Observer, Settled};

/// An interval shorter than this is the rest of a second, too coarse to be judged alone.
const SHORTEST_S: f64 = 0.5;

/// Longest wait for read-ahead, which takes a hundredth of this; longer reads are of others.
const LONGEST_SETTLING: Duration = Duration::from_millis(100);

/// Least length of a round, so that counters read once a second distinguish rounds.
const SHORTEST_ROUND_S: f64 = 2.0;

/// Operations below which rounds would differ by chance alone.
const LEAST_OPS: u64 = 1000;

/// Activity of a device while the workers of its target were paused.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Length of the pauses.
    pub seconds: f64,
}

impl Held {
    /// Bytes moved.
    pub fn bytes(self) -> u64 {
        self.read_bytes + self.write_bytes
    }
}

/// Reads the watched counters, and the clock.
type ReadCounters = Box<dyn FnMut(&Watched) -> Result<Snapshot, LabError>>;

/// Takes and keeps the snapshots of one run. The time in which its workers are paused is excluded from all of
/// them.
pub struct Sampler {
    watched: Watched,
    read_counters: ReadCounters,
    persistence: Option<Persistence>,
    /// Processes on the machine before the first release, and their activity until the workers had reported.
    before: Option<Census>,
    others: Option<Others>,
    phases: Vec<Phase>,
    /// Edges of the pauses of the workers.
    away: Vec<(Snapshot, Snapshot)>,
    held: Option<Snapshot>,
    failure: Option<LabError>,
}

/// Observations of one phase.
#[derive(Default)]
struct Phase {
    /// Bytes that the devices had written when it began and when it ended, pauses included.
    persisted: [Option<Persisted>; 2],
    released: Option<Snapshot>,
    seconds: Vec<(Snapshot, Moved)>,
    ended: Option<Snapshot>,
}

impl Phase {
    fn snapshots(&self) -> impl Iterator<Item = &Snapshot> {
        let seconds = self.seconds.iter().map(|(snapshot, _)| snapshot);
        self.released.iter().chain(seconds).chain(&self.ended)
    }
}

impl Sampler {
    /// Samples the machine, and what is `watched`; its servers include all processes that they started.
    pub fn of(watched: Watched) -> Sampler {
        Sampler::reading(watched, Box::new(Snapshot::of))
    }

    /// The same, with counters and a clock read by `read_counters`.
    fn reading(watched: Watched, read_counters: ReadCounters) -> Sampler {
        Sampler {
            watched,
            read_counters,
            persistence: None,
            before: None,
            others: None,
            phases: Vec::new(),
            away: Vec::new(),
            held: None,
            failure: None,
        }
    }

    /// Records the activity of other processes. To be called when all workers have reported.
    /// Descendants of the process `own` are not counted as others.
    pub fn count_others(&mut self, own: u32) {
        let now = self.before.as_ref().map(|before| (before, Census::take()));
        self.others = now.map(|(before, now)| now.others_since(before, own));
    }

    /// Returns the activity of other processes around the timed parts; `None` before they were counted.
    pub fn others(&self) -> Option<Others> {
        self.others
    }

    /// The same, and also reads the counters that prove that a sync reached the medium.
    pub fn proving(self, persistence: Option<&Persistence>) -> Sampler {
        Sampler { persistence: persistence.cloned(), ..self }
    }

    /// Returns the bytes that the devices had written, and their flushes, when `phase` began and when it ended.
    pub fn persisted(&self, phase: usize) -> Option<[Persisted; 2]> {
        let [began, ended] = self.phases.get(phase)?.persisted;
        Some([began?, ended?])
    }

    fn look(&mut self) -> Option<Persisted> {
        let looked = self.persistence.as_ref()?.look();
        looked.map_err(|error| self.failure.get_or_insert(error)).ok()
    }

    /// The first snapshot that could not be taken.
    pub fn take_failure(&mut self) -> Option<LabError> {
        self.failure.take()
    }

    /// Phases that were seen.
    pub fn phases(&self) -> usize {
        self.phases.len()
    }

    /// Returns the activity of the device during pauses; `None` without pauses, or without a device.
    pub fn while_held(&self) -> Option<Held> {
        let each = self.away.iter().map(|(held, goes_on)| {
            let usage = goes_on.since(held);
            let (read_bytes, write_bytes) = (usage.device_read_bytes?, usage.device_write_bytes?);
            Some(Held { read_bytes, write_bytes, seconds: usage.seconds })
        });
        let all = each.collect::<Option<Vec<Held>>>()?;
        all.into_iter().reduce(|sum, one| Held {
            read_bytes: sum.read_bytes + one.read_bytes,
            write_bytes: sum.write_bytes + one.write_bytes,
            seconds: sum.seconds + one.seconds,
        })
    }

    /// Returns the counters without the pauses of the workers.
    fn snapshot(&mut self) -> Option<Snapshot> {
        let cut =
            |now: Snapshot, (held, goes_on): &(Snapshot, Snapshot)| now.without(held, goes_on);
        self.full_snapshot().map(|now| self.away.iter().fold(now, cut))
    }

    fn full_snapshot(&mut self) -> Option<Snapshot> {
        match (self.read_counters)(&self.watched) {
            Ok(snapshot) => Some(snapshot),
            Err(error) => {
                self.failure.get_or_insert(error);
                None
            }
        }
    }

    /// Counters from the release of the first to the end of the last of `phases`.
    pub fn usage(&self, phases: &Range<usize>) -> Usage {
        let first = self.phases.get(phases.start).and_then(|phase| phase.released.as_ref());
        let last = phases.end.checked_sub(1).and_then(|last| self.phases.get(last)?.ended.as_ref());
        first.zip(last).map_or_else(Usage::default, |(first, last)| last.since(first))
    }

    /// Counters of each second of `phases`; of a phase below half a second there is none.
    pub fn seconds(&self, phases: &Range<usize>) -> Vec<Usage> {
        let phases = self.phases.get(phases.clone()).unwrap_or_default();
        let intervals = phases.iter().flat_map(|phase| {
            let snapshots: Vec<&Snapshot> = phase.snapshots().collect();
            snapshots.windows(2).map(|pair| pair[1].since(pair[0])).collect::<Vec<_>>()
        });
        intervals.filter(|usage| usage.seconds >= SHORTEST_S).collect()
    }

    /// Returns the operations per second in each fifth of the window in which `phase` did `ops` operations.
    pub fn round_rates(&self, phase: usize, window: Window, ops: u64) -> Option<[f64; ROUNDS]> {
        let seen = self.phases.get(phase)?.seconds.iter();
        let points: Vec<(u64, u64)> = seen.map(|(s, moved)| (s.now_ns, moved.ops)).collect();
        round_rates(&points, window, ops)
    }

    /// Returns the bytes that the device wrote since the last phase ended.
    pub fn written_since_end(&mut self) -> Option<u64> {
        let now = self.snapshot()?;
        now.since(self.phases.last()?.ended.as_ref()?).device_write_bytes
    }
}

impl Observer for Sampler {
    fn started(&mut self, pids: &[u32]) {
        self.watched.workers = pids.into();
    }

    fn releasing(&mut self, _phase: usize) {
        let persisted = [self.look(), None];
        // Between phases it would give the kernel time to write back.
        if self.before.is_none() {
            let census = Census::take();
            self.watched.servers = census.trees(&self.watched.servers);
            self.before = Some(census);
        }
        let released = self.snapshot();
        self.phases.push(Phase { persisted, released, ..Phase::default() });
    }

    fn working(&mut self, phase: usize, moved: Moved) {
        let snapshot = self.snapshot();
        if let Some((phase, snapshot)) = self.phases.get_mut(phase).zip(snapshot) {
            phase.seconds.push((snapshot, moved));
        }
    }

    fn ended(&mut self, phase: usize) {
        // Before anything else, as more is written all the time.
        let persisted = self.look();
        let ended = self.snapshot();
        if let Some(phase) = self.phases.get_mut(phase) {
            phase.persisted[1] = persisted;
            phase.ended = ended;
        }
    }

    fn settles(&mut self) -> Settled {
        let devices = &self.watched.devices;
        // Writes first: a candidate that is not held must not be delayed.
        if are_writing(devices) {
            return Settled::Writes;
        }
        if await_reads(devices, LONGEST_SETTLING) { Settled::Waited } else { Settled::AtOnce }
    }

    fn held(&mut self) {
        self.held = self.full_snapshot();
    }

    fn goes_on(&mut self) {
        let edges = self.held.take().zip(self.full_snapshot());
        self.away.extend(edges);
    }
}

/// From the first start to the last end of a phase, nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First start.
    pub from_ns: u64,
    /// Last end.
    pub to_ns: u64,
}

/// Rates in equal parts of `window`, from counts at some times in it, interpolated linearly. `None` when
/// the window is too short, too little was done in it, or the counter was not kept up to date: a test that
/// counts at its end has no rounds.
fn round_rates(seen: &[(u64, u64)], window: Window, ops: u64) -> Option<[f64; ROUNDS]> {
    let round_s = window.to_ns.saturating_sub(window.from_ns) as f64 / 1e9 / ROUNDS as f64;
    let inside = |&(time, count): &(u64, u64)| {
        (window.from_ns..window.to_ns).contains(&time) && count <= ops
    };
    let inner: Vec<(u64, u64)> = seen.iter().copied().filter(inside).collect();
    let counted = ops >= LEAST_OPS && inner.iter().any(|(_, count)| *count > 0);
    if round_s < SHORTEST_ROUND_S || inner.len() < 2 * ROUNDS - 1 || !counted {
        return None;
    }
    let ends = [(window.from_ns, 0), (window.to_ns, ops)];
    let points: Vec<(u64, u64)> =
        ends[..1].iter().chain(&inner).chain(&ends[1..]).copied().collect();
    let count_at = |round: usize| {
        let time = window.from_ns as f64 + round as f64 * round_s * 1e9;
        interpolate(&points, time)
    };
    Some(std::array::from_fn(|i| (count_at(i + 1) - count_at(i)) / round_s))
}

fn interpolate(points: &[(u64, u64)], time: f64) -> f64 {
    let after = points.iter().position(|p| p.0 as f64 >= time).unwrap_or(points.len() - 1).max(1);
    let ((t0, c0), (t1, c1)) = (points[after - 1], points[after]);
    let share = (time - t0 as f64) / ((t1 - t0) as f64).max(1.0);
    c0 as f64 + share.clamp(0.0, 1.0) * (c1 as f64 - c0 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn rounds_are_equal_parts_of_the_window() {
        // 1000 a second for four seconds, then 500; counters read 0.3 s after each full second.
        let count = |tenth: u64| if tenth <= 40 { 100 * tenth } else { 4000 + 50 * (tenth - 40) };
        let seen: Vec<(u64, u64)> =
            (0..10).map(|s| (7 * S + s * S + S * 3 / 10, count(10 * s + 3))).collect();
        let window = Window { from_ns: 7 * S, to_ns: 17 * S };
        let rates = round_rates(&seen, window, count(100)).unwrap();
        for (rate, truth) in rates.iter().zip([1000.0, 1000.0, 500.0, 500.0, 500.0]) {
            // The knee lies between two readings.
            assert!((rate - truth).abs() < 60.0, "{rates:?}");
        }
        assert!((rates.iter().sum::<f64>() * 2.0 - 7000.0).abs() < 1e-6, "nothing is lost");
    }

    #[test]
    fn short_windows_and_idle_counters_have_no_rounds() {
        let seen: Vec<(u64, u64)> = (1..10).map(|s| (s * S, s * 100)).collect();
        let full = Window { from_ns: 0, to_ns: 10 * S };
        assert!(round_rates(&seen, full, 1000).is_some());
        assert_eq!(round_rates(&seen, Window { to_ns: 9 * S, ..full }, 1000), None);
        assert_eq!(round_rates(&seen, full, 999), None);
        let idle: Vec<(u64, u64)> = (1..10).map(|s| (s * S, 0)).collect();
        assert_eq!(round_rates(&idle, full, 1000), None);
    }

    /// A sampler whose clock returns `seconds`, one at each snapshot.
    fn at<const N: usize>(seconds: [f64; N]) -> Sampler {
        let mut seconds = seconds.into_iter();
        let read = move |_: &Watched| {
            let mut snapshot = Snapshot::default();
            snapshot.now_ns = (seconds.next().unwrap() * 1e9) as u64;
            Ok(snapshot)
        };
        Sampler::reading(Watched::default(), Box::new(read))
    }

    #[test]
    fn pauses_are_excluded_from_counters() {
        // Released at 10 s; paused from 11 to 14 s; second at 15 s; paused from 16 to 17 s; ends at 18 s.
        let mut sampler = at([10.0, 11.0, 14.0, 15.0, 16.0, 17.0, 18.0]);
        sampler.releasing(0);
        sampler.held();
        sampler.goes_on();
        sampler.working(0, Moved::default());
        sampler.held();
        sampler.goes_on();
        sampler.ended(0);
        let seconds: Vec<f64> = sampler.seconds(&(0..1)).iter().map(|u| u.seconds).collect();
        assert_eq!(seconds, [2.0, 2.0]);
        assert_eq!(sampler.usage(&(0..1)).seconds, 4.0);
        assert_eq!(sampler.while_held(), None, "there is no device");
        assert_eq!(sampler.settles(), Settled::AtOnce);
    }

    #[test]
    fn rest_below_half_a_second_is_dropped() {
        let mut sampler = at([3.0, 4.0, 5.0, 5.25]);
        sampler.releasing(0);
        sampler.working(0, Moved::default());
        sampler.working(0, Moved::default());
        sampler.ended(0);
        let seconds: Vec<f64> = sampler.seconds(&(0..1)).iter().map(|u| u.seconds).collect();
        assert_eq!(seconds, [1.0, 1.0]);
        assert_eq!(sampler.usage(&(0..1)).seconds, 2.25);
        assert_eq!(sampler.usage(&(0..2)), Usage::default());
    }

    #[test]
    fn first_failure_to_read_counters_is_kept() {
        let fail = |_: &Watched| {
            let no_file = std::io::Error::from(std::io::ErrorKind::NotFound);
            Err(LabError::io("read", std::path::Path::new("/proc/stat"))(no_file))
        };
        let mut sampler = Sampler::reading(Watched::default(), Box::new(fail));
        sampler.releasing(0);
        sampler.ended(0);
        assert!(sampler.take_failure().unwrap().to_string().contains("/proc/stat"));
        assert_eq!(sampler.usage(&(0..1)), Usage::default());
    }
}
