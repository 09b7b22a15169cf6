//! Fills a target until it refuses more, and observes what is refused, what is kept, when deleted space comes back, and
//! how fast the target is on the way.

mod answers;
mod fill;
mod freed;
mod space;
mod speed;

use super::{FaultsError, memory_target::MemoryTarget};
use ::faults::full::{Content, Kept};
use fill::Filling;
use model::result::{Fill, FullSpeed, FullTry};
use space::{MountedSpace, Space};
use std::io;

/// Bytes of a file of each kind.
const LARGE_BYTES: u64 = 8 << 20;
const SMALL_BYTES: u64 = 16 << 10;

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Filled {
    /// What fills the disk.
    pub fill: Fill,
    /// Times of each operation at each degree of fullness.
    pub times: u64,
    /// Of the data, and of the order of what is timed.
    pub seed: u64,
}

impl MemoryTarget<'_> {
    /// Fills it twice, each time with a fresh file system.
    ///
    /// # Errors
    /// It cannot be made, mounted or read before it is full, or its checker cannot be run.
    pub fn fill(&self, asked: Filled) -> Result<FullTry, FaultsError> {
        let content = Content::new(asked.seed);
        let sizes = (file_bytes(asked.fill), self.bytes());
        let mounted = self.fresh()?;
        let done = brim(&MountedSpace::new(&mounted), &content, sizes);
        self.unmount(mounted)?;
        let Brim { mut seen, kept } = done.map_err(FaultsError::Prepare)?;
        self.look(&content, &kept, &mut seen)?;
        let mounted = self.fresh()?;
        let done = timed(&MountedSpace::new(&mounted), &content, sizes, (seen.user_bytes, asked));
        self.unmount(mounted)?;
        let (speeds, kept) = done.map_err(FaultsError::Prepare)?;
        seen.speeds = speeds;
        self.look(&content, &kept, &mut seen)?;
        Ok(seen)
    }

    /// Mounts it again and compares all files with what was acknowledged; then the checker looks at it.
    fn look(
        &self,
        content: &Content,
        kept: &[Kept],
        seen: &mut FullTry,
    ) -> Result<(), FaultsError> {
        match self.mount()? {
            Ok(mounted) => {
                compare(&MountedSpace::new(&mounted), content, kept, seen);
                self.unmount(mounted)?;
            }
            Err(errno) => {
                seen.lost += kept.len() as u64;
                seen.example.get_or_insert_with(|| format!("it cannot be mounted: {errno}"));
            }
        }
        if let Some(finds) = self.is_damaged()? {
            seen.is_damaged = Some(finds || seen.is_damaged == Some(true));
        }
        Ok(())
    }
}

fn file_bytes(fill: Fill) -> u64 {
    match fill {
        Fill::Large => LARGE_BYTES,
        Fill::Small => SMALL_BYTES,
    }
}

/// What was seen of the first filling, and what has to be there after a mount.
struct Brim {
    seen: FullTry,
    kept: Vec<Kept>,
}

/// Fills `space` with files of `sizes.0` bytes until it refuses more, asks what it allows then, deletes a tenth and
/// writes it again. The disk has `sizes.1` bytes.
///
/// # Errors
/// It refuses something before it is full.
fn brim<S: Space>(space: &S, content: &Content, sizes: (u64, u64)) -> io::Result<Brim> {
    let mut filling = Filling::new(space, content, sizes);
    let failed = io::Error::from_raw_os_error;
    let spares = answers::prepare(&mut filling).map_err(failed)?;
    filling.fill(u64::MAX);
    let user_bytes = filling.bytes();
    let said_free_bytes = space.said_free().map_err(failed)?;
    filling.fill_after_sync(u64::MAX);
    let after_sync_bytes = filling.bytes() - user_bytes;
    let answers = answers::ask(&mut filling, spares);
    let freed = freed::write_again(&mut filling);
    let Filling { kept, refused, unanswered_bytes, .. } = filling;
    let (lost, example, is_damaged, speeds) = (0, None, None, Vec::new());
    let seen = FullTry {
        refused,
        user_bytes,
        after_sync_bytes,
        said_free_bytes,
        unanswered_bytes,
        answers,
        freed,
        lost,
        example,
        is_damaged,
        speeds,
    };
    Ok(Brim { seen, kept })
}

/// Fills `space` to several degrees of `capacity` bytes and times what is done then. Returns what has to be there, too.
fn timed<S: Space>(
    space: &S,
    content: &Content,
    sizes: (u64, u64),
    (capacity, asked): (u64, Filled),
) -> io::Result<(Vec<FullSpeed>, Vec<Kept>)> {
    let mut filling = Filling::new(space, content, sizes);
    let speeds = speed::speeds(&mut filling, capacity, asked.times, asked.seed)?;
    Ok((speeds, filling.kept))
}

/// Counts files that do not hold what was acknowledged.
fn compare<S: Space>(space: &S, content: &Content, kept: &[Kept], seen: &mut FullTry) {
    for own in kept {
        let wrong = match space.read(&own.name) {
            Ok(found) => own.wrong(content, &found),
            Err(errno) => Some(io::Error::from_raw_os_error(errno).to_string()),
        };
        if let Some(wrong) = wrong {
            seen.lost += 1;
            seen.example.get_or_insert_with(|| format!("{}: {wrong}", own.name));
        }
    }
}

#[cfg(test)]
mod tests;
