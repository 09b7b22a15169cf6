//! Backing of created file systems: loop images, or disks that the user allows to be erased.

use crate::{plan::ObjectStore, text::Bytes};
use serde::{Deserialize, Serialize};
use std::{fmt, path::PathBuf, str::FromStr};

/// How often conditioning writes a disk in full: once for the blocks that it shows, once more for those
/// that it keeps in reserve (SNIA, Solid State Storage Performance Test Specification, "workload
/// independent preconditioning").
pub const CONDITION_FILLS: u64 = 2;

/// The disks or images on which file systems are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackingPlan {
    /// Directory for loop images; the default is assay's own state directory.
    pub dir: Option<PathBuf>,
    /// Size of the image; the default follows from the scale.
    pub size: Option<Bytes>,
    /// Size of the images that the campaign began with, so that a resumed one makes equal ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<Bytes>,
    /// Disks instead of images, by their stable names in /dev/disk/by-id. All on them is destroyed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<PathBuf>,
    /// How a disk is emptied before each file system; the default is [`Purge::Discard`] on disks that support it, and
    /// [`Purge::None`] on others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purge: Option<Purge>,
    /// Whether disks are preconditioned: written in full, twice, before the first file system.
    #[serde(skip_serializing_if = "is_false")]
    pub condition: bool,
    /// Whether each disk is divided into as many equal parts as there are candidates, which rotate through the parts
    /// from block to block, instead of using the whole disk in turn.
    #[serde(skip_serializing_if = "is_false")]
    pub split: bool,
    /// The user's own object store, for targets that keep their files in one. Like the disks' serial numbers it can be
    /// given only on the command line, and never in a plan file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_store: Option<ObjectStore>,
}

/// How a disk is emptied before each file system, the same for all candidates. Both ends, in which old
/// signatures lie, are zeroed in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purge {
    /// All blocks are discarded (TRIM, UNMAP): the disk may forget them.
    Discard,
    /// All blocks are zeroed, by the disk itself where it can, else by writing.
    ZeroRange,
    /// Only the ends are zeroed; the rest keeps what was written before.
    None,
}

impl Purge {
    /// As written in arguments and plans.
    pub fn name(self) -> &'static str {
        match self {
            Purge::Discard => "discard",
            Purge::ZeroRange => "zero-range",
            Purge::None => "none",
        }
    }
}

impl fmt::Display for Purge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Purge {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Purge::Discard, Purge::ZeroRange, Purge::None];
        all.into_iter().find(|purge| purge.name() == text).ok_or("use discard, zero-range or none")
    }
}

impl BackingPlan {
    /// Size of the images, where it was asked for or the campaign began with it.
    pub fn image_size(&self) -> Option<Bytes> {
        self.size.or(self.made)
    }

    /// What contradicts itself in it, and what to do.
    pub(crate) fn contradiction(&self) -> Option<&'static str> {
        let on_disks = !self.devices.is_empty();
        let of_disks = self.purge.is_some() || self.condition;
        match () {
            () if on_disks && (self.dir.is_some() || self.size.is_some()) => {
                Some("`--device` excludes `--image-dir` and `--image-size`; drop one side")
            }
            () if !on_disks && self.split => {
                Some("`--split` partitions a disk; name it with `--device`")
            }
            () if !on_disks && of_disks => {
                Some("`--purge` and `--condition` need a disk; name it with `--device`")
            }
            () if self.condition && !matches!(self.purge, None | Some(Purge::None)) => {
                Some("a purge would undo `--condition`; use `--purge none` with it")
            }
            () => None,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purges_have_names() {
        for purge in [Purge::Discard, Purge::ZeroRange, Purge::None] {
            assert_eq!(purge.to_string().parse(), Ok(purge));
        }
        assert!("trim".parse::<Purge>().is_err());
    }

    #[test]
    fn contradictions_are_reported() {
        let disks =
            BackingPlan { devices: vec!["/dev/disk/by-id/x".into()], ..BackingPlan::default() };
        assert_eq!(disks.contradiction(), None);
        let conditioned = BackingPlan { condition: true, ..disks.clone() };
        assert_eq!(conditioned.contradiction(), None);
        let split = BackingPlan { split: true, ..BackingPlan::default() };
        assert!(split.contradiction().unwrap().contains("`--split`"));
        assert_eq!(BackingPlan { split: true, ..disks.clone() }.contradiction(), None);
        for bad in [
            BackingPlan { size: Some(Bytes(1)), ..disks.clone() },
            BackingPlan { purge: Some(Purge::Discard), ..conditioned.clone() },
            BackingPlan { purge: Some(Purge::None), ..BackingPlan::default() },
        ] {
            assert!(bad.contradiction().is_some(), "{bad:?}");
        }
    }
}
