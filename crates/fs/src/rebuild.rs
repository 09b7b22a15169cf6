//! The rebuild of a mirror whose last disk is new: the option that requests it, and the layer that does it. It begins
//! with each mount and ends with the unmount.

use crate::Cmd;
use model::target::Options;
use std::path::{Path, PathBuf};

/// The option that asks for it: its rate, MiB/s, where it can be held to one.
pub const RESYNC: &str = "resync";

/// The help of the option, for every mirror that limits the rate of a rebuild.
pub const HELP: &str =
    "run tests during a rebuild of the last disk, at this rate, started with each test";

/// The mirror that is rebuilt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuild {
    /// The array at this node.
    Md(PathBuf),
    /// The Btrfs that this disk is a member of.
    Btrfs(PathBuf),
    /// The ZFS pool of this name.
    Zfs(String),
}

/// Returns true if `options` ask for it, with a rate or without.
pub fn is_asked(options: &Options) -> bool {
    options.contains_key(RESYNC)
}

/// The rate that `options` ask for, MiB/s.
pub fn rate(options: &Options) -> Option<u32> {
    options.get(RESYNC)?.parse().ok().filter(|rate| *rate > 0)
}

/// Why `options` cannot be.
pub fn excluded(options: &Options) -> Option<&'static str> {
    let wrong = is_asked(options) && rate(options).is_none();
    wrong.then_some("resync must be the rebuild rate in MiB/s, e.g. resync=20")
}

/// Status of `btrfs replace cancel` when nothing is rebuilt.
const NOT_STARTED: i32 = 2;

impl Rebuild {
    /// Ends that of the Btrfs at `dir`. What is suspended at an unmount would continue with the next mount, onto a disk
    /// that is taken from it then.
    pub fn cancel(dir: &Path) -> Cmd {
        Cmd::new("btrfs").args(["replace", "cancel"]).arg(dir).accepts(NOT_STARTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_a_number_above_zero() {
        let of = |value: &str| Options::from([(RESYNC.into(), value.into())]);
        assert_eq!((rate(&of("20")), excluded(&of("20"))), (Some(20), None));
        for wrong in ["", "0", "-1", "fast", "1.5"] {
            assert!(excluded(&of(wrong)).unwrap().contains("e.g. resync=20"), "{wrong}");
        }
        assert_eq!(excluded(&Options::new()), None);
        assert_eq!((is_asked(&of("")), is_asked(&Options::new())), (true, false));
    }
}
