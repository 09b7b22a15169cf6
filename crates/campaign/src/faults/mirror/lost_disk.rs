//! Has one leg of a mirror fail all requests while a program writes, and observes the errors that it gets, what it
//! finds afterwards, and what a returned or replaced leg holds once it was scrubbed or rebuilt.

use super::{
    Mirror, SeenMirror, failed, lost, open,
    reads::{READS, Written, in_new_thread, look_at},
};
use crate::faults::{FaultsError, mount::Mounted, recorded_target::LOG_BYTES};
use ::faults::{
    log::Log,
    mirror::{FILES, answered, content, leg, name},
};
use lab::recording::{RecordingDisk, btrfs};
use model::result::{Moment, ReadFrom};
use rustix::fs::syncfs;
use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::Path,
    time::{Duration, Instant},
};

/// What a program wrote, and what of it was acknowledged.
#[derive(Debug, Default)]
struct Acknowledged {
    files: Vec<Written>,
    is_refused: bool,
}

impl Mirror<'_> {
    /// Writes and syncs one file after the other, and loses a leg at a drawn request.
    ///
    /// # Errors
    /// It cannot be mounted, written or replaced without the fault.
    pub fn lost_disk(&mut self, seed: u64) -> Result<SeenMirror, FaultsError> {
        let requests = match self.requests {
            Some(requests) => requests,
            None => *self.requests.insert(self.count_requests(seed)?),
        };
        let number = leg(seed);
        self.begin()?;
        self.legs.iter().for_each(|leg| leg.record(LOG_BYTES));
        let mounted = self.mount()?;
        prepare(mounted.root(), seed).map_err(FaultsError::Prepare)?;
        self.legs[number].inject(vec![lost(answered(seed, requests))]);
        let acknowledged = write(mounted.root(), seed);
        let files = (seed, acknowledged.files.as_slice());
        let written = acknowledged.files.iter().filter(|(_, version)| *version == 1).count() as u64;
        let is_refused = acknowledged.is_refused;
        let mut seen = SeenMirror { written, is_refused, ..SeenMirror::default() };
        for turn in 0..READS {
            let look = in_new_thread(turn, || look_at(mounted.root(), seed, files.1));
            seen.note(Moment::Fault, ReadFrom::Mirror, look);
        }
        self.unmount(mounted)?;
        self.legs[number].inject(Vec::new());
        let logs = [self.legs[0].recorded()?, self.legs[1].recorded()?];
        let legs = [&self.legs[number], &self.legs[1 - number]];
        self.look_at_legs(Moment::Fault, legs, files, &mut seen)?;

        self.look_through(Moment::Read, &self.how, files, &mut seen)?;
        self.look_at_legs(Moment::Read, legs, files, &mut seen)?;

        self.show_again(&logs)?;
        self.scrub(legs, files, &mut seen)?;

        self.show_again(&logs)?;
        self.replace(number, files, &mut seen)?;
        Ok(seen)
    }

    /// Requests that a leg gets in the workload, where none fails.
    fn count_requests(&self, seed: u64) -> Result<u64, FaultsError> {
        self.begin()?;
        let mounted = self.mount()?;
        prepare(mounted.root(), seed).map_err(FaultsError::Prepare)?;
        let served = || {
            let counts = self.legs[0].served();
            counts.reads + counts.writes + counts.flushes + counts.discards
        };
        let before = served();
        write(mounted.root(), seed);
        let requests = served() - before;
        self.unmount(mounted)?;
        Ok(requests)
    }

    /// Shows the legs as they were when the lost one was there again.
    fn show_again(&self, logs: &[Log; 2]) -> Result<(), FaultsError> {
        self.forget()?;
        for (leg, log) in self.legs.iter().zip(logs) {
            leg.show(log.written(usize::MAX))?;
        }
        Ok(())
    }

    /// Replaces the leg with this `number`, which is lost, by an empty disk.
    fn replace(
        &self,
        number: usize,
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        let (gone, left) = (&self.legs[number], &self.legs[1 - number]);
        self.spare.show([])?;
        gone.inject(vec![lost(0)]);
        let degraded = self.how.alone(left.device()).mount()?;
        let degraded =
            degraded.map_err(|errno| FaultsError::Mount { target: self.name(), errno })?;
        let took = self.rebuilt(&degraded, number);
        self.unmount(degraded)?;
        gone.inject(Vec::new());
        seen.rebuild = Some(took?);
        self.look_at_legs(Moment::Replaced, [&self.spare, left], files, seen)?;
        let pair = [&self.spare, left].map(RecordingDisk::device);
        gone.inject(vec![lost(0)]);
        self.look_through(Moment::Replaced, &self.how.on(pair), files, seen)?;
        gone.inject(Vec::new());
        self.forget()
    }

    fn rebuilt(&self, degraded: &Mounted, number: usize) -> Result<Duration, FaultsError> {
        let root = open(degraded.root())?;
        let start = Instant::now();
        let replaced = btrfs::replace(&root, number as u64 + 1, self.spare.device());
        replaced.map_err(failed("replace a disk of", degraded.root()))?;
        // What was allocated while the leg was missing has one copy.
        btrfs::convert_to_raid1(&root).map_err(failed("balance", degraded.root()))?;
        Ok(start.elapsed())
    }
}

/// Writes every other file, and has them on both legs.
fn prepare(root: &Path, seed: u64) -> io::Result<()> {
    for file in (0..FILES).step_by(2) {
        fs::write(root.join(name(file)), content(seed, file, 0))?;
    }
    Ok(syncfs(File::open(root)?)?)
}

/// Overwrites those files, and makes the others, each with an fsync.
fn write(root: &Path, seed: u64) -> Acknowledged {
    let mut acknowledged = Acknowledged::default();
    for file in 0..FILES {
        let put = || -> io::Result<()> {
            let mut options = File::options();
            let open =
                options.write(true).create(true).truncate(false).open(root.join(name(file)))?;
            open.write_all_at(&content(seed, file, 1), 0)?;
            open.sync_all()
        };
        match put() {
            Ok(()) => acknowledged.files.push((file, 1)),
            // What became of this file is not known.
            Err(_) => acknowledged.is_refused = true,
        }
    }
    acknowledged
}
