//! Options of the I/O engines.

use std::{fmt, str::FromStr};

/// The interface through which I/O is submitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// `pread` and `pwrite`, one after the other.
    #[default]
    Sync,
    /// io_uring with registered files and buffers.
    IoUring,
    /// Copies from and to a shared mapping.
    Mmap,
    /// No I/O: the price of the generator, or a file system that takes an exact time.
    Null,
}

impl EngineKind {
    /// All of them.
    pub const ALL: [EngineKind; 4] =
        [EngineKind::Sync, EngineKind::IoUring, EngineKind::Mmap, EngineKind::Null];

    /// The word used in plans and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            EngineKind::Sync => "sync",
            EngineKind::IoUring => "io_uring",
            EngineKind::Mmap => "mmap",
            EngineKind::Null => "null",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EngineKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = EngineKind::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            format!("unknown I/O engine `{text}`; expected sync, io_uring, mmap or null")
        })
    }
}

/// Advice to the kernel about a mapping, as in `madvise(2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advice {
    /// No special treatment.
    Normal,
    /// Do not read ahead.
    Random,
    /// Read ahead a lot.
    Sequential,
    /// Read it now.
    WillNeed,
}

impl Advice {
    /// The word used in plans and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Advice::Normal => "normal",
            Advice::Random => "random",
            Advice::Sequential => "sequential",
            Advice::WillNeed => "willneed",
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Advice {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Advice::Normal, Advice::Random, Advice::Sequential, Advice::WillNeed]
            .into_iter()
            .find(|advice| advice.as_str() == text)
            .ok_or_else(|| {
                format!("unknown advice `{text}`; expected normal, random, sequential or willneed")
            })
    }
}

/// An engine with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// The engine.
    pub kind: EngineKind,
    /// The files are open with `O_DIRECT`: [`super::open`] does that.
    pub direct: bool,
    /// Every read and write has `RWF_DONTCACHE`: it goes through the page cache, and the pages that it brought there
    /// leave with it. Refused where the file system does not support it.
    pub dontcache: bool,
    /// Operations in flight at most, 1 to 4096; more than 1 needs io_uring.
    pub depth: u32,
    /// Operations that one system call submits at most, 1 to `depth`. All that are done by then are
    /// reaped together, and one clock read stands for them.
    pub batch: u32,
    /// A kernel thread submits. Refused with fewer than three processors, where that thread and the
    /// load fight for them.
    pub sqpoll: bool,
    /// Time that the null engine takes for each operation, nanoseconds.
    pub delay_ns: u64,
    /// Advice to the kernel about a mapping; only for mmap.
    pub advise: Option<Advice>,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            kind: EngineKind::Sync,
            direct: false,
            dontcache: false,
            depth: 1,
            batch: 1,
            sqpoll: false,
            delay_ns: 0,
            advise: None,
        }
    }
}

/// Deepest queue.
const MAX_DEPTH: u32 = 4096;

impl EngineOptions {
    /// Why these options cannot be, if they cannot; `cpus` is the number of processors.
    pub fn problem(&self, cpus: usize) -> Option<String> {
        let kind = self.kind;
        let uring = kind == EngineKind::IoUring;
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            return Some(format!("depth must be between 1 and {MAX_DEPTH}, not {}", self.depth));
        }
        if !(1..=self.depth).contains(&self.batch) {
            return Some(format!("batch must be between 1 and the depth, not {}", self.batch));
        }
        if self.depth > 1 && !uring {
            return Some(format!("{kind} supports only depth 1; use io_uring, or more threads"));
        }
        if self.sqpoll && !uring {
            return Some(format!("{kind} has no submission thread; omit sqpoll"));
        }
        if self.sqpoll && cpus <= 2 {
            return Some(format!(
                "sqpoll needs at least 3 CPUs, and this machine has {cpus}; omit it"
            ));
        }
        if self.direct && kind == EngineKind::Mmap {
            return Some("mmap always uses the page cache; omit direct".into());
        }
        if self.dontcache && self.direct {
            return Some("direct I/O bypasses the page cache; omit `dontcache` or `direct`".into());
        }
        if self.dontcache && !matches!(kind, EngineKind::Sync | EngineKind::IoUring) {
            return Some(format!("{kind} makes no read or write calls; omit `dontcache`"));
        }
        if self.advise.is_some() && kind != EngineKind::Mmap {
            return Some(format!("{kind} has no mapping; omit the advice"));
        }
        if self.delay_ns > 0 && kind != EngineKind::Null {
            return Some(format!("{kind} does not support a delay; only null does"));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for kind in EngineKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let error = "libaio".parse::<EngineKind>().unwrap_err();
        assert_eq!(error, "unknown I/O engine `libaio`; expected sync, io_uring, mmap or null");
        assert_eq!("willneed".parse(), Ok(Advice::WillNeed));
        assert!("dontneed".parse::<Advice>().is_err());
    }

    #[test]
    fn what_makes_no_sense_together_is_refused() {
        let good = EngineOptions::default();
        let uring = EngineOptions { kind: EngineKind::IoUring, ..good };
        let mmap = EngineOptions { kind: EngineKind::Mmap, ..good };
        let refused = [
            EngineOptions { depth: 0, ..uring },
            EngineOptions { depth: 4097, ..uring },
            EngineOptions { batch: 2, ..uring },
            EngineOptions { batch: 0, ..good },
            EngineOptions { depth: 2, ..good },
            EngineOptions { sqpoll: true, ..good },
            EngineOptions { sqpoll: true, ..uring },
            EngineOptions { direct: true, ..mmap },
            EngineOptions { dontcache: true, ..mmap },
            EngineOptions { dontcache: true, direct: true, ..good },
            EngineOptions { dontcache: true, kind: EngineKind::Null, ..good },
            EngineOptions { advise: Some(Advice::Random), ..good },
            EngineOptions { delay_ns: 1, ..good },
        ];
        for options in refused {
            assert!(options.problem(2).is_some(), "{options:?}");
        }
        let allowed = [
            good,
            mmap,
            EngineOptions { depth: 64, batch: 16, direct: true, ..uring },
            EngineOptions { dontcache: true, ..uring },
            EngineOptions { kind: EngineKind::Null, delay_ns: 1, ..good },
        ];
        for options in allowed {
            assert_eq!(options.problem(2), None);
        }
        assert_eq!(EngineOptions { sqpoll: true, ..uring }.problem(4), None);
    }
}
