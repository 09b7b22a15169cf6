//! The loop images of a campaign: how large they are, whether they are kept for the next one, and how they are made.
//!
//! Images are as large as the work needs, and removed with the campaign. Where a candidate behaves differently on such
//! a small volume, they are as large as it needs, if the disk has room and the budget time to write them in full.
//! These are kept: the next campaign writes only what they lack.

use crate::{opened, terminal};
use anyhow::{Context, Result};
use campaign::{
    messages::duration,
    sizes::space,
    stages::{
        Amount, Placed, Stored,
        images::{IMAGES, image_dir},
    },
};
use lab::{backing::kept_lengths, error::LabError, setup::Lab};
use model::text::Bytes;
use std::{fs, path::Path, sync::atomic::AtomicBool};

/// Share of the budget in which kept images are written, and of the free space that they may take.
const BUDGET_SHARE: f64 = 1.0 / 3.0;
const SPACE_SHARE: f64 = 0.5;

/// The images of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Size of each.
    pub size: Bytes,
    /// How many.
    pub count: usize,
    /// Whether they are kept.
    pub is_kept: bool,
    /// What has to be written.
    pub missing: Bytes,
    /// Why they are not as large as a candidate needs.
    pub why_small: Option<String>,
}

impl Choice {
    /// The images of `placed`, whose work needs them to be of `size`, on a backing that writes at `rate` bytes per
    /// second; without it they are not enlarged.
    ///
    /// # Errors
    /// The free space cannot be determined.
    pub fn of(placed: &Placed, size: Bytes, rate: Option<f64>, state: &Path) -> Result<Choice> {
        let dir = image_dir(placed, state);
        let count = placed.sets_of(false) as usize * placed.disks_of(false);
        let kept = kept_lengths(&dir, state);
        let small = Choice::kept_or_new(size, count, &kept);
        let Some((large, rate)) = space::large(placed, size).zip(rate) else { return Ok(small) };
        let wanted =
            Choice { is_kept: true, missing: missing(large, count, &kept), ..small.clone() };
        let wanted = Choice { size: large, ..wanted };
        let room = Room { free: free_bytes(&dir)?, rate, budget_s: placed.plan.budget() };
        Ok(match room.lacks(wanted.missing) {
            None => wanted,
            Some(why) => {
                let why = format!("images of {large} are not made in {}: {why}", dir.display());
                Choice { why_small: Some(why), ..small }
            }
        })
    }

    /// Kept ones where there are enough that need no more than to be checked, else new ones.
    fn kept_or_new(size: Bytes, count: usize, kept: &[u64]) -> Choice {
        let missing = missing(size, count, kept);
        let is_kept = count > 0 && missing.0 == 0;
        let missing = if is_kept { missing } else { Bytes(size.0 * count as u64) };
        Choice { size, count, is_kept, missing, why_small: None }
    }
}

/// What `count` images of which these are `kept` lack to be of `size`.
fn missing(size: Bytes, count: usize, kept: &[u64]) -> Bytes {
    let lengths = kept.iter().copied().chain(std::iter::repeat(0)).take(count);
    Bytes(lengths.map(|len| size.0.saturating_sub(len)).sum())
}

/// Room and time for images that are kept.
struct Room {
    free: u64,
    rate: f64,
    budget_s: Option<u64>,
}

impl Room {
    /// Returns why `missing` bytes are too many.
    fn lacks(&self, missing: Bytes) -> Option<String> {
        let seconds = missing.0 as f64 / self.rate;
        if self.free as f64 * SPACE_SHARE < missing.0 as f64 {
            let free = Bytes(self.free);
            return Some(format!(
                "they take {missing}, which is more than half of the {free} that are free"
            ));
        }
        let budget_s = self.budget_s.map(|seconds| seconds as f64)?;
        (seconds > budget_s * BUDGET_SHARE).then(|| {
            let enough = duration((seconds / BUDGET_SHARE).ceil()).replace(' ', "");
            format!(
                "to write them once takes about {} of the budget of {}; use --budget {enough}",
                duration(seconds),
                duration(budget_s)
            )
        })
    }
}

/// Free bytes of the file system of `dir`, or of the folder above it that is there.
fn free_bytes(dir: &Path) -> Result<u64> {
    let there = dir.ancestors().find(|above| above.exists()).unwrap_or(Path::new("/"));
    let stat = rustix::fs::statvfs(there)
        .with_context(|| format!("cannot read the free space of {}", there.display()))?;
    Ok(stat.f_bavail * stat.f_frsize)
}

/// Makes the images that the targets need, of this machine and of guests, for tests that do at most `most`, on a
/// backing that writes at `rate` if that is known. Those for which there is no room are given up, and the others are
/// measured, as long as there is one, or two where several are compared.
pub fn make(
    mut stored: Stored,
    (most, rate): (&Amount, Option<f64>),
    lab: &mut Lab,
    state: &Path,
    stop: &AtomicBool,
) -> Result<Stored> {
    let needed = space::image_size(&stored, most)?;
    let choice = Choice::of(&stored, needed, rate, state)?;
    choice.why_small.iter().for_each(|why| terminal::note(why));
    if stored.needs_image() {
        stored.set_image_size(choice.size);
    }
    for in_guests in [false, true] {
        while let disks @ 1.. = stored.disks_of(in_guests) {
            let dir = image_dir(&stored, state);
            make_image_dir(&dir, state)?;
            let kept = Some(&choice).filter(|choice| choice.is_kept && !in_guests);
            let made = match kept {
                Some(choice) => keep(&stored, choice, lab, (&dir, disks), stop),
                None => write(&stored, most, lab, (&dir, disks, in_guests), stop),
            };
            let Err(error) = made else { break };
            if !matches!(error.downcast_ref(), Some(LabError::NoSpace { .. })) {
                return Err(error);
            }
            stored = stored.give_up(in_guests, disks, &error.to_string()).ok_or(error)?;
        }
    }
    Ok(stored)
}

fn make_image_dir(dir: &Path, state: &Path) -> Result<()> {
    if dir == state.join(IMAGES) {
        opened::state(state)?.folder(IMAGES)?;
        return Ok(());
    }
    fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))
}

/// Takes the images that are kept in `dir`, and writes what they lack.
fn keep(
    stored: &Stored,
    choice: &Choice,
    lab: &mut Lab,
    (dir, disks): (&Path, usize),
    stop: &AtomicBool,
) -> Result<()> {
    let sets = stored.sets_of(false) as usize;
    let images = match sets * disks {
        1 => format!("an image of {}", choice.size),
        count => format!("{count} images of {}", choice.size),
    };
    let dir_shown = dir.display();
    terminal::note(&match choice.missing {
        Bytes(0) => format!("using {images} that an earlier campaign left in {dir_shown}"),
        missing => format!(
            "writing {missing} for {images} in {dir_shown}; they are kept for later campaigns until \
             `assay cleanup --images`"
        ),
    });
    Ok(lab.keep_image_sets(dir, choice.size, (sets, disks), stop, &mut |_| {})?)
}

fn write(
    stored: &Stored,
    most: &Amount,
    lab: &mut Lab,
    (dir, disks, in_guests): (&Path, usize, bool),
    stop: &AtomicBool,
) -> Result<()> {
    let size = space::image_size(stored, most)?;
    let kind = if in_guests { "guest" } else { "loop" };
    let sets = stored.sets_of(in_guests) as usize;
    let what = match sets * disks {
        1 => format!("a {kind} image"),
        n => format!("{n} {kind} images"),
    };
    terminal::note(&format!("writing {what} of {size} in {}", dir.display()));
    if in_guests {
        return Ok(lab.make_guest_images(dir, size, sets * disks, stop, &mut |_| {})?);
    }
    Ok(lab.make_image_sets(dir, size, (sets, disks), stop, &mut |_| {})?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn images_that_are_there_are_not_written_again() {
        let choice = |kept: &[u64]| Choice::kept_or_new(Bytes(2 * GIB), 2, kept);
        assert_eq!((choice(&[]).is_kept, choice(&[]).missing), (false, Bytes(4 * GIB)));
        assert_eq!(choice(&[2 * GIB]).missing, Bytes(4 * GIB), "one of two");
        let there = choice(&[16 * GIB, 2 * GIB, 0]);
        assert_eq!((there.is_kept, there.missing), (true, Bytes(0)));
        assert_eq!(missing(Bytes(3 * GIB), 3, &[GIB, 9 * GIB]), Bytes(5 * GIB));
    }

    #[test]
    fn images_are_bounded_by_room_and_time() {
        let room = |free, budget_s| Room { free: free * GIB, rate: 1e9, budget_s };
        let missing = Bytes(32 * GIB);
        assert_eq!(room(64, Some(600)).lacks(missing), None);
        let space = room(63, Some(600)).lacks(missing).unwrap();
        assert!(
            space.contains("take 32.0 GiB, which") && space.contains("63.0 GiB that are free"),
            "{space}"
        );
        let time = room(64, Some(60)).lacks(missing).unwrap();
        assert!(time.contains("about 34s of the budget of 1m; use --budget 1m44s"), "{time}");
        assert_eq!(room(64, None).lacks(missing), None);
        assert_eq!(room(0, Some(1)).lacks(Bytes(0)), None, "they are there");
    }
}
