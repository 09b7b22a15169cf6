//! Measures the rates of a backing in a short trial, and computes what the work of a campaign needs of it: time,
//! bytes and space.

use crate::{
    machine::reserve,
    messages::refusal,
    stages::{Amount, Placed},
};
use anyhow::{Context, Result};
use fs::ResolvedTarget;
use model::{Bytes, Group, Job};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::Path,
    time::Instant,
};
use suites::{Estimate, Test, space_bytes};

/// Bytes that the pilot writes and reads.
const PILOT_BYTES: usize = 192 << 20;
/// Least bytes of a pilot: less says nothing.
const PILOT_LEAST_BYTES: usize = 8 << 20;
/// Fixed time of a case, whatever its size: workers, snapshots, settling, now and then a remount.
const CASE_FIXED_S: f64 = 0.2;
/// Time of an operation on files, roughly: between a stat that is cached and a create.
const OP_S: f64 = 10e-6;
/// Space that a file system needs in addition to the files: its own metadata, a journal, and room for
/// copy-on-write to replace a file that still exists.
const IMAGE_OVERHEAD: f64 = 1.35;
const IMAGE_SPARE_BYTES: u64 = 640 << 20;

/// Additional space of a target that retains deleted data: a log, a first copy and two merged ones of all writes,
/// and the writes of small syncs, whose number follows from the time and not from the bytes.
const KEPT_COPIES: u64 = 4;
const KEPT_SPARE_BYTES: u64 = 3 << 30;

/// Bytes to be rebuilt in a file system that only rebuilds used space.
const REBUILT_SHARE: f64 = 0.2;

/// Rates of the backing, bytes per second.
#[derive(Clone, Copy, Debug)]
pub struct Pilot {
    /// Durable sequential write.
    pub write_bytes_per_s: f64,
    /// Sequential read after the cache was dropped for the file.
    pub read_bytes_per_s: f64,
}

/// Writes, syncs, drops and reads a file in `dir` that has no name, so that nothing is left of it
/// however the program ends.
///
/// A disk is only read, because consent is not given yet: its read rate is used for both.
pub fn pilot(dir: &Path) -> Result<Pilot> {
    if dir.metadata().is_ok_and(|meta| meta.file_type().is_block_device()) {
        let read = File::open(dir).and_then(|mut disk| read_rate(&mut disk));
        let rate = read.with_context(|| format!("cannot read {}", dir.display()))?;
        return Ok(Pilot { write_bytes_per_s: rate, read_bytes_per_s: rate });
    }
    let bytes = pilot_bytes(dir);
    let tried = tempfile::tempfile_in(dir).and_then(|file| try_out(file, bytes));
    match tried {
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(refusal::lacking(format!(
            "{} has no space for the speed test ({}); free some, or choose another folder",
            dir.display(),
            Bytes(PILOT_LEAST_BYTES as u64)
        ))),
        tried => tried.with_context(|| format!("cannot measure the speed of {}", dir.display())),
    }
}

/// Bytes that the pilot may write in `dir`: at most half of the free space beyond the reserve.
fn pilot_bytes(dir: &Path) -> usize {
    let stat = rustix::fs::statvfs(dir).ok().filter(|stat| stat.f_blocks > 0);
    // An unknown free space has to be tried.
    let Some(stat) = stat else { return PILOT_BYTES };
    let reserve = reserve::of(Bytes(stat.f_blocks.saturating_mul(stat.f_frsize)));
    let own = (stat.f_bavail * stat.f_frsize).saturating_sub(reserve.0);
    usize::try_from(own / 2).unwrap_or(usize::MAX).min(PILOT_BYTES)
}

fn try_out(mut file: File, bytes: usize) -> io::Result<Pilot> {
    if bytes < PILOT_LEAST_BYTES {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let mut rng = model::Rng::new(1);
    let chunk: Vec<u8> = (0..1 << 20 >> 3).flat_map(|_| rng.next_u64().to_le_bytes()).collect();
    let start = Instant::now();
    let chunks = bytes / chunk.len();
    for _ in 0..chunks {
        file.write_all(&chunk)?;
    }
    file.sync_all()?;
    let write_s = start.elapsed().as_secs_f64();
    Ok(Pilot {
        write_bytes_per_s: (chunks * chunk.len()) as f64 / write_s.max(1e-6),
        read_bytes_per_s: read_rate(&mut file)?,
    })
}

/// Reads the bytes of the pilot from the start of `file`, after it is dropped from the cache. Returns bytes per
/// second.
fn read_rate(file: &mut File) -> io::Result<f64> {
    rustix::fs::fadvise(&*file, 0, None, rustix::fs::Advice::DontNeed)?;
    file.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; 1 << 20];
    let (start, mut done) = (Instant::now(), 0);
    while done < PILOT_BYTES {
        match file.read(&mut buffer)? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done as f64 / start.elapsed().as_secs_f64().max(1e-6))
}

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
    /// Time that does not depend on the disk, seconds.
    pub fixed_s: f64,
    /// Part of it in which a test may write as fast as the backing, seconds.
    pub open_write_s: f64,
    /// Number of cases.
    pub cases: u64,
    /// Bytes of deleted data that a target may retain.
    pub kept_bytes: u64,
    /// Share of the image that is occupied before the first test, 0 to 1.
    pub occupied_share: f64,
}

impl TargetLoad {
    /// Returns the load of `placed` if the tests do `amount`.
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

    /// Returns the seconds it takes on a backing with the rates of `pilot`.
    pub fn seconds(&self, pilot: &Pilot) -> f64 {
        self.work_seconds(pilot) + self.cases as f64 * CASE_FIXED_S
    }

    /// Returns the seconds of its timed parts.
    pub fn work_seconds(&self, pilot: &Pilot) -> f64 {
        self.write_bytes as f64 / pilot.write_bytes_per_s
            + self.read_bytes as f64 / pilot.read_bytes_per_s
            + self.ops as f64 * OP_S
            + self.fixed_s
    }

    /// Returns the most bytes written by tests that run for a given time, at the rate of `pilot`.
    pub fn open_write_bytes(&self, pilot: &Pilot) -> u64 {
        (self.open_write_s * pilot.write_bytes_per_s) as u64
    }

    /// Returns the size of an image that holds it.
    pub fn image_bytes(&self) -> Bytes {
        let free = self.peak_bytes as f64 * IMAGE_OVERHEAD;
        let bytes = ((free / (1.0 - self.occupied_share)) as u64)
            .saturating_add(IMAGE_SPARE_BYTES)
            .saturating_add(self.kept_bytes);
        Bytes(bytes.checked_next_multiple_of(1 << 20).unwrap_or(u64::MAX).max(1 << 30))
    }
}

/// Returns whether every figure of `test` is about reading.
fn reads_only(test: &dyn Test) -> bool {
    let reads = [Group::ReadCold, Group::ReadHot, Group::SequentialRead, Group::RandomRead];
    test.infos().iter().all(|info| reads.contains(&info.group))
}

/// Returns the bytes that each target of `placed` has for itself under `work`: its partition of a split disk, or its
/// share of a file system on which sets of images and directories of several candidates exist at the same time, minus
/// the reserve of the file system of a directory.
///
/// # Errors
/// The free space of `work`, or of a directory of a candidate, cannot be determined.
pub fn room(placed: &Placed, work: &Path) -> Result<Bytes> {
    let kept = reserve::kept(&placed.plan.targets, work)?;
    let free = Bytes(free_bytes(work)?.saturating_sub(kept.0));
    let sharers = u64::from(placed.image_sets()).max(directories_beside(placed, work)?);
    let own = Bytes(free.0 / sharers.max(1));
    Ok(placed.parts().map_or(own, |parts| disk::part_size(free, parts)))
}

/// Counts the candidates that have their directories on the file system of `work` at the same time.
fn directories_beside(placed: &Placed, work: &Path) -> Result<u64> {
    let device = |path: &Path| {
        let found = path.metadata().with_context(|| format!("cannot inspect {}", path.display()));
        found.map(|found| found.dev())
    };
    if !placed.is_interleaved() {
        return Ok(1);
    }
    let own = device(work)?;
    let directories = placed.entrants.iter().filter_map(|entrant| entrant.target.directory());
    let devices = directories.map(device).collect::<Result<Vec<u64>>>()?;
    Ok(devices.into_iter().filter(|device| *device == own).count() as u64)
}

/// Returns the free bytes for an unprivileged user under `dir`; for a disk, its size.
fn free_bytes(dir: &Path) -> Result<u64> {
    if dir.metadata().is_ok_and(|meta| meta.file_type().is_block_device()) {
        let size = File::open(dir).and_then(|mut disk| disk.seek(SeekFrom::End(0)));
        return size.with_context(|| format!("cannot read the size of {}", dir.display()));
    }
    let stat = rustix::fs::statvfs(dir)
        .with_context(|| format!("cannot read the free space of {}", dir.display()))?;
    Ok(stat.f_bavail * stat.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use model::{Plan, Target};

    fn load(targets: &[&str]) -> TargetLoad {
        let targets: Vec<Target> = targets.iter().map(|target| target.parse().unwrap()).collect();
        let suites = vec!["columnar".into()];
        let plan = Plan { targets, suites, procs: vec![1], ..Plan::default() };
        let placed = testing::placed(plan);
        TargetLoad::of(&placed, &Amount::scaled(0.1), Bytes(1 << 30))
    }

    #[test]
    fn sums_saturate_instead_of_overflowing() {
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
    fn images_have_space_for_retained_deleted_data() {
        let (plain, keeps) = (load(&["ext4"]), load(&["ext4", "nfs(zerofs-9p)"]));
        assert_eq!((plain.kept_bytes, plain.write_bytes), (0, keeps.write_bytes));
        assert!(keeps.kept_bytes > 4 * keeps.write_bytes);
        assert!(keeps.image_bytes().0 > plain.image_bytes().0 + keeps.kept_bytes - (1 << 20));
    }
}
