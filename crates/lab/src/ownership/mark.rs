//! Defines the mark by which a thing on the machine is recognized as made by one campaign of one state folder. Private
//! directories hold it as a file; arrays, mappings, pools and caches carry it in their names.

/// Prefix of every name of ours; nothing else is ever stopped or removed.
pub(crate) use ::fs::OURS;

use model::random::Rng;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// The directory where a server's export is mounted for a user who may not enter the state folder; it is empty
/// after a boot.
const OPEN: &str = "/run";

/// Random, and another after each boot.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// What images that are kept for later campaigns name as theirs: no campaign can be called so.
pub(crate) const KEPT: &str = ".kept";

/// A name of ours.
pub(crate) fn own_name(suffix: &str) -> String {
    format!("{OURS}{suffix}")
}

/// The maker of a thing, and the boot in which it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    pub(crate) campaign: String,
    /// The state folder of the campaign, with no link in it.
    pub(crate) state: PathBuf,
    /// The boot in which it was made.
    pub(crate) boot: String,
}

impl Mark {
    /// Creates the mark of `campaign` in `state`, for this boot.
    pub(crate) fn new(state: &Path, campaign: &str) -> Mark {
        Mark { campaign: campaign.into(), state: state.into(), boot: boot() }
    }

    /// Creates the mark of what is kept in `state`.
    pub(crate) fn kept(state: &Path) -> Mark {
        Mark::new(state, KEPT)
    }

    /// Returns true if it is that of something kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.campaign == KEPT
    }

    /// Returns true if `other` is of the same campaign and state folder, regardless of the boot.
    pub(crate) fn is_of(&self, other: &Mark) -> bool {
        self.campaign == other.campaign && self.state == other.state
    }

    /// A few letters that distinguish this campaign from others, for names that must be short.
    pub(crate) fn tag(&self) -> String {
        let bytes = self.state.as_os_str().as_encoded_bytes().iter();
        let bytes = bytes.copied().chain([0]).chain(self.campaign.bytes());
        let seed = bytes.fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
        format!("{:08x}", Rng::new(seed).next_u64() >> 32)
    }

    /// Name of its array, mapping, pool or cache with this number.
    pub(crate) fn name(&self, number: u32) -> String {
        format!("{OURS}{}-{number}", self.tag())
    }

    /// The number in a name of [`Mark::name`]; `None` for one that is not of this campaign.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        let number = name.strip_prefix(OURS)?.strip_prefix(&self.tag())?.strip_prefix('-')?;
        number.parse().ok().filter(|n: &u32| n.to_string() == number)
    }

    /// The private directory in which its mount points are.
    pub(crate) fn mounts(&self) -> PathBuf {
        self.state.join("mnt").join(own_name(&self.campaign))
    }

    /// The mount point with this number that every user can reach.
    pub(crate) fn open_mount(&self, number: u32) -> PathBuf {
        Path::new(OPEN).join(self.name(number))
    }

    /// Returns true if `path` is one of [`Mark::open_mount`].
    pub(crate) fn is_open_mount(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| self.number(name));
        number.is_some_and(|number| path == self.open_mount(number))
    }

    /// Returns the existing mount points of [`Mark::open_mount`].
    pub(crate) fn open_mounts(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(OPEN).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| self.is_open_mount(path)).collect()
    }

    /// Returns true if `path` is below the directory of its mount points, and says so without `..`, or is an open
    /// one.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let mounts = self.mounts();
        let below = is_straight(path) && path.starts_with(&mounts) && path != mounts;
        below || self.is_open_mount(path)
    }
}

/// The boot of this moment.
pub(crate) fn boot() -> String {
    fs::read_to_string(BOOT).unwrap_or_default().trim_end().into()
}

/// Returns true if a path is absolute and has no `..`.
pub(crate) fn is_straight(path: &Path) -> bool {
    path.is_absolute()
        && path.components().all(|c| matches!(c, Component::RootDir | Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_distinguish_campaign_and_state() {
        let mark = |state: &str, campaign: &str| Mark::new(Path::new(state), campaign);
        let own = mark("/s", "c");
        assert_eq!(own.number(&own.name(12)), Some(12));
        for other in [mark("/s", "d"), mark("/t", "c"), mark("/s\0c", "")] {
            assert_eq!(own.number(&other.name(1)), None, "{other:?}");
            assert!(!own.is_of(&other));
        }
        let tag = own.tag();
        for name in ["md0", "assay-1", &format!("assay-{tag}-1x"), &format!("assay-{tag}-01")] {
            assert_eq!(own.number(name), None, "{name}");
        }
    }

    #[test]
    fn only_paths_below_its_mount_points_are_held() {
        let mark = Mark::new(Path::new("/s"), "c");
        assert!(mark.holds(Path::new("/s/mnt/assay-c/assay-0-ext4")));
        assert!(mark.holds(&mark.open_mount(3)));
        let other = Mark::new(Path::new("/s"), "d").open_mount(3);
        assert!(!mark.holds(&other) && !mark.holds(&mark.open_mount(3).join("x")));
        for path in [
            "/run",
            "/run/assay-3",
            "/s/mnt/assay-c",
            "/s/mnt/assay-c/../x",
            "/s/mnt/assay-cc/x",
            "s",
            "/etc",
        ] {
            assert!(!mark.holds(Path::new(path)), "{path}");
        }
    }
}
