//! Limits what an external program may write to the file system under test: at most 10 % more than planned, and never
//! into the reserve. Pure; other code reads the numbers.

use model::text::Bytes;
use std::{fmt, time::Duration};

/// The bytes that every program may write besides its work: logs, directories, and partly filled blocks.
const SPARE_BYTES: u64 = 32 << 20;

/// The smallest limit of one file: libraries have files of their own in memory.
const LEAST_FILE_BYTES: u64 = 128 << 20;

/// The maximum a program writes per second, which determines when to check again.
const FASTEST_BYTES_PER_S: f64 = 8e9;

/// The most files that any program makes in a second.
const FASTEST_FILES_PER_S: f64 = 1e6;

/// One in this many of the file system's inodes is reserved for others.
const FILES_SHARE: u64 = 20;

/// Times between two looks.
const SOONEST: Duration = Duration::from_millis(2);
const LATEST: Duration = Duration::from_millis(200);

/// A look may take this share of the time.
const SHARE: u32 = 50;

/// The method of counting the bytes that a program writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Count {
    /// By its calls: it writes by these alone, and to files.
    Calls,
    /// By the pages that it has made dirty: it writes in other ways, too. The kernel counts whole pages, or folios of
    /// many, of which a block may be a small part.
    Pages,
    /// The lesser of both: it writes to pipes as well, and blocks of any size.
    #[default]
    Lesser,
}

/// The limits of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Bytes that its directory was planned to hold at the most; `None` where others work in it, too.
    pub space: Option<u64>,
    /// Bytes that it was planned to write; `None` where that follows from the device.
    pub written: Option<u64>,
    /// The method of counting them.
    pub count: Count,
    /// Bytes that have to stay free.
    pub reserve: u64,
}

/// An observation of a program and of the file system.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Observation {
    /// Bytes that are free for users.
    pub free: u64,
    /// Files that the file system can have, and how many more than it has; 0 where it has no such limit.
    pub files: (u64, u64),
    /// Bytes by which the file system holds more than at the start.
    pub grown: u64,
    /// Bytes that all processes of the program handed to calls.
    pub calls: u64,
    /// Bytes of pages that they have made dirty, or handed to the device.
    pub pages: u64,
}

/// Why a program was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    /// Its files take more room than was planned.
    Space {
        /// The planned bytes.
        planned: Bytes,
        /// The observed bytes.
        seen: Bytes,
    },
    /// It wrote more than was planned.
    Written {
        /// The planned bytes.
        planned: Bytes,
        /// The observed bytes.
        seen: Bytes,
    },
    /// A file became longer than all of its files were planned to be.
    File {
        /// The planned bytes.
        planned: Bytes,
    },
    /// The file system can have few more files.
    Files {
        /// The number of free inodes.
        free: u64,
    },
    /// The fill level of the file system could not be determined.
    Unseen,
    /// The file system has less left than it has to keep.
    Reserve {
        /// The free space left.
        free: Bytes,
        /// The space to keep free.
        reserve: Bytes,
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breach::Space { planned, seen } => {
                write!(f, "its files grew to {seen}, but {planned} were planned")
            }
            Breach::Written { planned, seen } => {
                write!(f, "it wrote {seen}, but {planned} were planned")
            }
            Breach::File { planned } => {
                write!(f, "it created a file larger than the {planned} planned for all files")
            }
            Breach::Files { free } => {
                write!(f, "its file system has {free} free inodes, below the reserve of 5 %")
            }
            Breach::Unseen => f.write_str("the free space of its file system cannot be read"),
            Breach::Reserve { free, reserve } => write!(
                f,
                "only {free} are free on its file system, below the reserve of {reserve}; free \
                 some space"
            ),
        }
    }
}

impl Bounds {
    /// Returns true if there is anything to look at.
    pub fn are_none(&self) -> bool {
        self.space.is_none() && self.written.is_none() && self.reserve == 0
    }

    /// The limit of one file for the kernel to hold.
    pub fn file_bytes(&self) -> Option<u64> {
        self.space.map(|planned| allowed(planned).max(LEAST_FILE_BYTES))
    }

    /// Returns the space that its files need and the space available, if `free` bytes are too few.
    pub(crate) fn lacks(&self, free: u64) -> Option<(Bytes, Bytes)> {
        let own = free.saturating_sub(self.reserve);
        let planned = self.space.filter(|planned| self.reserve > 0 && *planned > own)?;
        Some((Bytes(planned), Bytes(own)))
    }

    /// Returns the limit that `look` shows to be exceeded; `held` returns the bytes in the program's directory, and is
    /// called only if the file system has grown by more than may be, which others may have done.
    pub fn judge(&self, look: &Observation, held: impl FnOnce() -> u64) -> Option<Breach> {
        if look.free < self.reserve {
            return Some(Breach::Reserve { free: Bytes(look.free), reserve: Bytes(self.reserve) });
        }
        let (files, free) = look.files;
        if self.reserve > 0 && free < files / FILES_SHARE {
            return Some(Breach::Files { free });
        }
        let written = self.count.of(look);
        if let Some(planned) = self.written.filter(|planned| written > allowed(*planned)) {
            return Some(Breach::Written { planned: Bytes(planned), seen: Bytes(written) });
        }
        let planned = self.space.filter(|planned| look.grown > allowed(*planned))?;
        let seen = held();
        (seen > allowed(planned))
            .then_some(Breach::Space { planned: Bytes(planned), seen: Bytes(seen) })
    }

    /// Returns the pause after `look`, which took `cost`: short enough that the fastest program cannot reach a limit,
    /// and not so often that looking takes time from the program.
    pub fn pause(&self, look: &Observation, cost: Duration) -> Duration {
        let to_reserve = (self.reserve > 0).then(|| look.free.saturating_sub(self.reserve));
        let to = |limit: Option<u64>, at: u64| limit.map(|l| allowed(l).saturating_sub(at));
        let limits =
            [to_reserve, to(self.written, self.count.of(look)), to(self.space, look.grown)];
        let left = limits.into_iter().flatten().min().unwrap_or(u64::MAX);
        let (files, free) = look.files;
        let more_files = if self.reserve > 0 && files > 0 {
            free.saturating_sub(files / FILES_SHARE)
        } else {
            u64::MAX
        };
        let soon = (left as f64 / FASTEST_BYTES_PER_S).min(more_files as f64 / FASTEST_FILES_PER_S);
        let soon = Duration::from_secs_f64(soon.min(1.0));
        soon.clamp(SOONEST, LATEST).max(cost * SHARE)
    }
}

impl Count {
    fn of(self, look: &Observation) -> u64 {
        match self {
            Count::Calls => look.calls,
            Count::Pages => look.pages,
            Count::Lesser => look.calls.min(look.pages),
        }
    }
}

/// Returns the bytes allowed if `planned` were planned.
fn allowed(planned: u64) -> u64 {
    planned.saturating_add(planned / 10).saturating_add(SPARE_BYTES)
}

#[cfg(test)]
mod tests;
