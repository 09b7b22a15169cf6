//! Has one leg of a mirror fail all requests while a program writes, and observes the errors that it gets, what it
//! finds afterwards, and what a returned or replaced leg holds once it was scrubbed or rebuilt.

use super::{
    Mirror, SeenMirror, lost,
    reads::{Written, look_at},
};
use crate::faults::FaultsError;
use ::faults::mirror::{FILES, answered, content, drawn, name};
use ::fs::Part;
use lab::recording::{Layers, Present, RecordingDisk};
use model::result::{Moment, ReadFrom};
use rustix::fs::syncfs;
use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::Path,
    time::Instant,
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
        let counted = match self.requests.take() {
            Some(requests) => requests,
            None => self.count_requests(seed)?,
        };
        let all = counted.iter().copied().enumerate().collect();
        let (number, requests) = drawn(seed, all).unwrap_or_default();
        self.requests = Some(counted);
        self.begin_recorded()?;
        let mut seen = SeenMirror::default();
        let acknowledged = self.up(|up| {
            prepare(up.root(), seed).map_err(FaultsError::Prepare)?;
            self.legs[number].inject(vec![lost(answered(seed, requests))]);
            let acknowledged = write(up.root(), seed);
            let root = up.root();
            for turn in 0..self.reads() {
                let look = || look_at(root, seed, &acknowledged.files);
                seen.note(Moment::Fault, ReadFrom::Mirror, self.in_new_thread(turn, look));
            }
            Ok(acknowledged)
        });
        self.legs[number].inject(Vec::new());
        let acknowledged = acknowledged?;
        let files = (seed, acknowledged.files.as_slice());
        seen.written =
            acknowledged.files.iter().filter(|(_, version)| *version == 1).count() as u64;
        seen.is_refused = acknowledged.is_refused;
        let logs = self.logs()?;
        let legs = &self.with_fault_of(number);
        self.look_at_legs(Moment::Fault, legs, files, &mut seen)?;

        self.look_through(Moment::Read, &self.whole()?, files, &mut seen)?;
        self.look_at_legs(Moment::Read, legs, files, &mut seen)?;

        // As they were when the lost one was there again.
        let show_again = || self.show(logs.iter().map(|log| log.written(usize::MAX)));
        show_again()?;
        self.scrub(legs, true, files, &mut seen)?;

        show_again()?;
        self.replace(number, files, &mut seen)?;
        Ok(seen)
    }

    /// Requests that each leg gets in the workload, where none fails.
    fn count_requests(&self, seed: u64) -> Result<Vec<u64>, FaultsError> {
        self.begin()?;
        let served = |leg: &RecordingDisk| {
            let counts = leg.served();
            counts.reads + counts.writes + counts.flushes + counts.discards
        };
        self.up(|up| {
            prepare(up.root(), seed).map_err(FaultsError::Prepare)?;
            let before: Vec<u64> = self.legs.iter().map(served).collect();
            write(up.root(), seed);
            let requests = self.legs.iter().zip(before).map(|(leg, before)| served(leg) - before);
            Ok(requests.collect())
        })
    }

    /// Replaces the leg with this `number`, which is lost, by an empty disk.
    fn replace(
        &self,
        number: usize,
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        let (gone, now) = (&self.legs[number], self.with_spare_for(number));
        let left: Vec<&Path> = now.others().iter().map(|leg| leg.device()).collect();
        self.spare.show([])?;
        let spare = [self.spare.device()];
        let on = (&spare[..], self.bytes, Present::All);
        let below = &self.target.parts()[..self.number];
        let layers = Layers::new(self.lab, below, &self.spare_places, on, below.len());
        layers.make()?;
        let new = layers.offers().unwrap_or(self.spare.device().into());
        gone.inject(vec![lost(0)]);
        let Part { fs, options, .. } = self.part();
        let took = self.up_on(&self.degraded(&left)?, |up| {
            let start = Instant::now();
            self.repair(&fs.replace(up.site(), options, number, &new), up)?;
            Ok(start.elapsed())
        });
        layers.take_down()?;
        gone.inject(Vec::new());
        let took = took?;
        seen.rebuild = Some(took);
        self.look_at_legs(Moment::Replaced, &now, files, seen)?;
        gone.inject(vec![lost(0)]);
        self.look_through(Moment::Replaced, &self.on(&now.all)?, files, seen)?;
        gone.inject(Vec::new());
        self.forget()
    }
}

/// Writes every other file, and has them on all legs.
pub(super) fn prepare(root: &Path, seed: u64) -> io::Result<()> {
    for file in (0..FILES).step_by(2) {
        fs::write(root.join(name(file)), content(seed, file, 0))?;
    }
    Ok(syncfs(File::open(root)?)?)
}

/// Overwrites those files, and makes the others, each with an fsync.
fn write(root: &Path, seed: u64) -> Acknowledged {
    let mut acknowledged = Acknowledged::default();
    for file in 0..FILES {
        match put(root, seed, file) {
            Ok(()) => acknowledged.files.push((file, 1)),
            // What became of this file is not known.
            Err(_) => acknowledged.is_refused = true,
        }
    }
    acknowledged
}

/// Overwrites or makes one file, and syncs it; a new one with its name.
pub(super) fn put(root: &Path, seed: u64, file: u64) -> io::Result<()> {
    let mut options = File::options();
    let open = options.write(true).create(true).truncate(false).open(root.join(name(file)))?;
    open.write_all_at(&content(seed, file, 1), 0)?;
    open.sync_all()?;
    if file % 2 == 1 { File::open(root)?.sync_all() } else { Ok(()) }
}
