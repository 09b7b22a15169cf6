//! Fills a file system to a share of its space with files that no file system makes smaller.

use crate::{
    ageing::age::{Content, going_on},
    error::LabError,
    page_cache::drop_caches,
};
use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::Path,
    sync::atomic::AtomicBool,
};

/// A filling file takes at most this part of the space.
const LARGEST_PART: u64 = 20;
/// Divisor of the space: a smaller part than this may be missing.
const CLOSE_PART: u64 = 500;
/// Tolerance between the fullness asked for and reached.
const TOLERANCE: f64 = 0.02;

/// Used and usable space as df shows them, bytes.
#[derive(Clone, Copy, Debug)]
struct Space {
    used: u64,
    usable: u64,
}

impl Space {
    fn of(dir: &Path) -> Result<Space, LabError> {
        let stat = rustix::fs::statvfs(dir).map_err(LabError::errno("look at", dir))?;
        let used = (stat.f_blocks - stat.f_bfree) * stat.f_frsize;
        Ok(Space { used, usable: used + stat.f_bavail * stat.f_frsize })
    }

    fn share(&self) -> f64 {
        self.used as f64 / self.usable.max(1) as f64
    }

    /// Bytes to write until `wanted` of it is used.
    fn missing(&self, wanted: f64) -> u64 {
        ((self.usable as f64 * wanted) as u64).saturating_sub(self.used)
    }
}

/// The used share of the file system that holds `dir`, 0 to 1: used / (used + available), as df.
///
/// # Errors
/// It cannot be looked at.
pub fn fullness(dir: &Path) -> Result<f64, LabError> {
    Ok(Space::of(dir)?.share())
}

/// Fills the file system that holds `dir`, a new directory, until `percent` of it is used. Returns the
/// share that was reached, within 0.02 of it.
///
/// # Errors
/// It is fuller already, takes no more before it is that full, or `stop` came.
pub fn fill(dir: &Path, percent: u32, seed: u64, stop: &AtomicBool) -> Result<f64, LabError> {
    fs::create_dir(dir).map_err(LabError::io("create", dir))?;
    let wanted = f64::from(percent) / 100.0;
    let mut content = Content::new(seed);
    for number in 0.. {
        going_on(stop)?;
        drop_caches::sync(dir)?;
        let space = Space::of(dir)?;
        let missing = space.missing(wanted);
        if missing <= space.usable / CLOSE_PART {
            break;
        }
        let len = missing.min(space.usable / LARGEST_PART);
        if !add(&dir.join(format!("f{number}")), len, &mut content)? {
            break;
        }
    }
    drop_caches::sync(dir)?;
    reached(dir, wanted)
}

/// Writes a file of `len` bytes; false when there was no room for all of it.
fn add(path: &Path, len: u64, content: &mut Content) -> Result<bool, LabError> {
    match File::create(path).and_then(|mut file| content.write(&mut file, len)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::StorageFull => Ok(false),
        Err(error) => Err(LabError::io("write", path)(error)),
    }
}

fn reached(dir: &Path, wanted: f64) -> Result<f64, LabError> {
    let share = fullness(dir)?;
    if (share - wanted).abs() <= TOLERANCE {
        return Ok(share);
    }
    let why = format!(
        "{:.0} % of it is used, and it cannot reach {:.0} %; use a larger --image-size or another \
         --fullness",
        share * 100.0,
        wanted * 100.0
    );
    Err(LabError::io("fill", dir)(io::Error::other(why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_bytes_are_counted_from_usable_space() {
        let space = Space { used: 300, usable: 1000 };
        assert!((space.share() - 0.3).abs() < 1e-12);
        assert_eq!(space.missing(0.8), 500);
        assert_eq!(space.missing(0.2), 0);
    }

    #[test]
    fn a_fuller_file_system_is_reported() {
        let top = tempfile::tempdir().unwrap();
        let share = fullness(top.path()).unwrap();
        if share < 0.05 {
            let why = format!("{} is nearly empty", top.path().display());
            return needs::skip(needs::Need::Other, why);
        }
        let error = fill(&top.path().join("f"), 1, 1, &AtomicBool::new(false)).unwrap_err();
        assert!(error.to_string().contains("cannot reach 1 %"), "{error}");
    }
}
