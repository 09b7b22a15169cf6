//! Adds up what the work of a campaign needs of its backing: time, bytes and the size of an image.

use super::pilot::Pilot;
use crate::stages::{Amount, Placed};
use fs::ResolvedTarget;
use model::{
    text::Bytes,
    workload::{Group, Job},
};
use std::collections::BTreeMap;
use suites::{Estimate, Test, space_bytes};

/// Time that a case takes whatever its size: workers, snapshots, settling, now and then a remount.
const CASE_FIXED_S: f64 = 0.2;
/// Time of an operation on files, roughly: between a stat that is cached and a create.
const OP_S: f64 = 10e-6;
/// What a file system needs besides the files: its own metadata, a journal, and room in which
/// copy-on-write can replace a file that is still there.
const IMAGE_OVERHEAD: f64 = 1.35;
const IMAGE_SPARE_BYTES: u64 = 640 << 20;

/// What a target that keeps the deleted needs besides: a log, a first copy and two merged ones of all that
/// is written, and what small syncs write, whose number follows from the time and not from the bytes.
const KEPT_COPIES: u64 = 4;
const KEPT_SPARE_BYTES: u64 = 3 << 30;

/// What there is to be rebuilt in a file system that rebuilds what is in use alone.
const REBUILT_SHARE: f64 = 0.2;

/// Work of one target in one block at a scale.
#[derive(Clone, Copy, Debug, Default)]
pub struct TargetLoad {
    /// Bytes written by timed parts, all process counts.
    pub write_bytes: u64,
    /// Bytes read by timed parts, all process counts.
    pub read_bytes: u64,
    /// Bytes on the disk at the worst moment, over process counts.
    pub peak_bytes: u64,
    /// Operations that move no bulk data, all process counts.
    pub ops: u64,
    /// Time that passes whatever the disk does, seconds.
    pub fixed_s: f64,
    /// That part of it in which a test may write as much as the backing takes, seconds.
    pub open_write_s: f64,
    /// Number of cases.
    pub cases: u64,
    /// Bytes that a target may hold of what was deleted.
    pub kept_bytes: u64,
    /// Share of the image that is occupied before the first test, 0 to 1.
    pub occupied_share: f64,
}

impl TargetLoad {
    /// The load of `placed` where the tests do `amount`.
    pub fn of(placed: &Placed, amount: &Amount, memory: Bytes) -> TargetLoad {
        let occupied_share = placed.plan.occupied_share();
        let mut load = TargetLoad { occupied_share, ..TargetLoad::default() };
        for &count in &placed.counts {
            let mut tests = BTreeMap::<u32, Vec<(&dyn Test, Job)>>::new();
            for item in placed.items_at(count) {
                let (workers, _) = item.workers(count);
                let job = placed.job(item, count, amount, memory);
                load.add(&item.test.estimate(&job), workers, reads_only(item.test));
                tests.entry(workers).or_default().push((item.test, job));
            }
            let of_all = |(workers, of): (&u32, &Vec<_>)| {
                space_bytes(of).saturating_mul(u64::from(*workers))
            };
            let bytes = tests.iter().map(of_all).fold(0, u64::saturating_add);
            load.peak_bytes = load.peak_bytes.max(bytes);
        }
        let targets = || placed.available().map(|at| &placed.entrants[at].target);
        if targets().any(ResolvedTarget::is_rebuilt) {
            load.occupied_share = 1.0 - (1.0 - load.occupied_share) * (1.0 - REBUILT_SHARE);
        }
        if targets().any(ResolvedTarget::keeps_deleted) {
            let copies = load.write_bytes.saturating_mul(KEPT_COPIES);
            load.kept_bytes = copies.saturating_add(KEPT_SPARE_BYTES);
        }
        load
    }

    /// Adds a case of `workers`.
    pub fn add(&mut self, estimate: &Estimate, workers: u32, reads_only: bool) {
        if estimate.write_bytes == 0 && !reads_only {
            self.open_write_s += estimate.fixed_s;
        }
        // A user-supplied suite may require more than a number holds; an overflow must not look like little.
        let add = |sum: &mut u64, of_one: u64| {
            *sum = sum.saturating_add(of_one.saturating_mul(u64::from(workers)));
        };
        add(&mut self.write_bytes, estimate.write_bytes);
        add(&mut self.read_bytes, estimate.read_bytes);
        add(&mut self.ops, estimate.ops);
        self.fixed_s += estimate.fixed_s;
        self.cases += 1;
    }

    /// Seconds it takes on a backing with the rates of `pilot`.
    pub fn seconds(&self, pilot: &Pilot) -> f64 {
        self.work_seconds(pilot) + self.cases as f64 * CASE_FIXED_S
    }

    /// Of these, what the timed parts take.
    pub fn work_seconds(&self, pilot: &Pilot) -> f64 {
        self.write_bytes as f64 / pilot.write_bytes_per_s
            + self.read_bytes as f64 / pilot.read_bytes_per_s
            + self.ops as f64 * OP_S
            + self.fixed_s
    }

    /// Most bytes that tests write which run for a given time, at the rate of `pilot`.
    pub fn open_write_bytes(&self, pilot: &Pilot) -> u64 {
        (self.open_write_s * pilot.write_bytes_per_s) as u64
    }

    /// Size of the image that holds it.
    pub fn image_bytes(&self) -> Bytes {
        let free = self.peak_bytes as f64 * IMAGE_OVERHEAD;
        let bytes = ((free / (1.0 - self.occupied_share)) as u64)
            .saturating_add(IMAGE_SPARE_BYTES)
            .saturating_add(self.kept_bytes);
        Bytes(bytes.checked_next_multiple_of(1 << 20).unwrap_or(u64::MAX).max(1 << 30))
    }
}

/// True when every figure of `test` is about reading.
fn reads_only(test: &dyn Test) -> bool {
    let reads = [Group::ReadCold, Group::ReadHot, Group::SequentialRead, Group::RandomRead];
    test.infos().iter().all(|info| reads.contains(&info.group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use model::{plan::Plan, target::Target};

    fn load(targets: &[&str]) -> TargetLoad {
        let targets: Vec<Target> = targets.iter().map(|target| target.parse().unwrap()).collect();
        let suites = vec!["columnar".into()];
        let plan = Plan { targets, suites, procs: vec![1], ..Plan::default() };
        let placed = testing::placed(plan);
        TargetLoad::of(&placed, &Amount::scaled(0.1), Bytes(1 << 30))
    }

    #[test]
    fn more_than_numbers_hold_does_not_look_like_little() {
        let all = u64::MAX / 2;
        let estimate = Estimate {
            write_bytes: all,
            read_bytes: all,
            ops: all,
            disk_bytes: all,
            ..Estimate::default()
        };
        let mut load =
            TargetLoad { peak_bytes: u64::MAX, kept_bytes: u64::MAX, ..TargetLoad::default() };
        (0..3).for_each(|_| load.add(&estimate, 1024, false));
        assert_eq!((load.write_bytes, load.read_bytes, load.ops), (u64::MAX, u64::MAX, u64::MAX));
        assert_eq!(load.image_bytes(), Bytes(u64::MAX));
    }

    #[test]
    fn images_hold_what_a_candidate_keeps_of_the_deleted() {
        let (plain, keeps) = (load(&["ext4"]), load(&["ext4", "nfs(zerofs-9p)"]));
        assert_eq!((plain.kept_bytes, plain.write_bytes), (0, keeps.write_bytes));
        assert!(keeps.kept_bytes > 4 * keeps.write_bytes);
        assert!(keeps.image_bytes().0 > plain.image_bytes().0 + keeps.kept_bytes - (1 << 20));
    }
}
