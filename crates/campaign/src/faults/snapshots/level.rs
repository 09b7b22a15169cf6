//! One number of snapshots: they are made between changes, operations are timed, half of the snapshots are deleted, and
//! then the rest.

use super::{
    super::clock::{timed, whole_ns},
    LEVELS, SnapshotsAsked,
    check::Checked,
    kept::{Kept, make},
    times::Times,
    volume::Volume,
};
use ::faults::snapshots::Change;
use model::{
    random::Rng,
    result::{SnapshotMoment, SnapshotOperation},
};
use std::{
    io,
    time::{Duration, Instant},
};

/// Steps of changes, whatever the number of snapshots: the live files and their past are the same.
const STEPS: u64 = LEVELS[LEVELS.len() - 1];
/// Between two looks for space that has to come back.
const PAUSE: Duration = Duration::from_millis(1);
/// Most looks: about a minute.
const LOOKS_MAX: u64 = 60_000;
/// Looks after which it is asked again to clean up.
const LOOKS: u64 = 1000;

/// What is done with one number of snapshots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    pub(super) asked: SnapshotsAsked,
    /// How many.
    pub(super) snapshots: u64,
}

impl Drawn {
    /// Makes all changes and snapshots, then replaces the oldest snapshot by a new one as often as operations are
    /// timed, each once after each new snapshot, in a drawn order.
    pub(super) fn build(
        &self,
        volume: &impl Volume,
        kept: &mut Kept<'_>,
        times: &mut Times,
        checked: &mut Checked,
    ) -> io::Result<()> {
        // The same draws for each number of snapshots.
        let mut rng = Rng::new(self.asked.seed ^ 0x7368_6f74);
        kept.fill(volume, self.asked.files)?;
        for step in 1..=STEPS {
            let is_due = self.snapshots > 0 && step % (STEPS / self.snapshots) == 0;
            change(volume, kept, times, (is_due, rng.below(2) == 1))?;
        }
        for _ in 0..self.asked.times {
            if let Some(oldest) = kept.taken.keys().next().copied() {
                let start = Instant::now();
                times.drop.push(kept.drop_one(volume, oldest)?);
                match settle(volume)? {
                    true => times.back.push(whole_ns(start.elapsed())),
                    false => times.late += 1,
                }
            }
            change(volume, kept, times, (self.snapshots > 0, rng.below(2) == 1))?;
            let mut order = SnapshotOperation::ALL;
            rng.shuffle(&mut order);
            for operation in order {
                let time = operate(volume, kept, operation)?;
                times.operations.extend(time.map(|time| (operation, time)));
            }
        }
        volume.sync()?;
        checked.check(SnapshotMoment::Changed, kept, volume);
        Ok(())
    }

    /// Reads all after a mount, and drops a drawn half of the snapshots. Returns the bytes in use before that.
    pub(super) fn halve(
        &self,
        volume: &impl Volume,
        kept: &mut Kept<'_>,
        times: &mut Times,
        checked: &mut Checked,
    ) -> io::Result<u64> {
        let used_bytes = volume.used_bytes()?;
        checked.check(SnapshotMoment::Mounted, kept, volume);
        let mut numbers: Vec<u64> = kept.taken.keys().copied().collect();
        Rng::new(self.asked.seed ^ 0x6861_6c66).shuffle(&mut numbers);
        numbers.truncate(numbers.len() / 2);
        if numbers.is_empty() {
            return Ok(used_bytes);
        }
        let start = Instant::now();
        drop_all(volume, kept, times, &numbers)?;
        match settle(volume)? {
            true => times.back_half = Some(whole_ns(start.elapsed())),
            false => times.late += 1,
        }
        Ok(used_bytes)
    }

    /// Reads the other half after a mount, and drops it. Returns the bytes that are still in use then.
    pub(super) fn clear(
        &self,
        volume: &impl Volume,
        kept: &mut Kept<'_>,
        times: &mut Times,
        checked: &mut Checked,
    ) -> io::Result<u64> {
        checked.check(SnapshotMoment::Dropped, kept, volume);
        let numbers: Vec<u64> = kept.taken.keys().copied().collect();
        drop_all(volume, kept, times, &numbers)?;
        if !settle(volume)? {
            times.late += 1;
        }
        volume.used_bytes()
    }
}

/// Makes the changes of one step, and a snapshot if it is due: before they are synced where the draw says so.
fn change(
    volume: &impl Volume,
    kept: &mut Kept<'_>,
    times: &mut Times,
    (is_due, is_unsynced): (bool, bool),
) -> io::Result<()> {
    kept.step(volume)?;
    if !is_due {
        return volume.sync();
    }
    if !is_unsynced {
        volume.sync()?;
    }
    let made = kept.take(volume)?;
    if is_unsynced { &mut times.make_unsynced } else { &mut times.make }.push(made);
    times.sync.push(timed(|| volume.sync())?);
    Ok(())
}

fn drop_all(
    volume: &impl Volume,
    kept: &mut Kept<'_>,
    times: &mut Times,
    numbers: &[u64],
) -> io::Result<()> {
    for number in numbers {
        times.drop.push(kept.drop_one(volume, *number)?);
    }
    Ok(())
}

/// Waits until all that was dropped is cleaned up and its space free; `false` where it is not in time.
fn settle(volume: &impl Volume) -> io::Result<bool> {
    for look in 0..LOOKS_MAX {
        if look % LOOKS == 0 {
            volume.clean()?;
        }
        if !volume.is_cleaning()? {
            // What was freed can be used after the next commit.
            return volume.sync().map(|()| true);
        }
        volume.pause(PAUSE);
    }
    Ok(false)
}

/// Does one operation on the live files. Returns how long it took, nanoseconds; `None` where there is no file for it.
fn operate(
    volume: &impl Volume,
    kept: &mut Kept<'_>,
    operation: SnapshotOperation,
) -> io::Result<Option<u64>> {
    let drawn: Option<Change> = match operation {
        SnapshotOperation::Overwrite => kept.author.overwrite(&kept.live, 1),
        SnapshotOperation::Create => Some(kept.author.create()),
        SnapshotOperation::Delete => kept.author.delete(&kept.live),
        SnapshotOperation::Read => {
            let Some(file) = kept.author.file(&kept.live) else { return Ok(None) };
            // A read that fails is found when all is compared.
            return Ok(timed(|| volume.read(None, file).map(drop)).ok());
        }
    };
    let Some(change) = drawn else { return Ok(None) };
    kept.live.apply(&change);
    // The data is drawn before the clock starts.
    match change.data(kept.content) {
        Some((at, data)) => timed(|| volume.write(change.file(), at, &data, true)).map(Some),
        None => timed(|| make(volume, kept.content, &change, true)).map(Some),
    }
}
