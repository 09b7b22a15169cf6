//! A target resolved once: its options spelled out, its parts looked up, and every question about it answered from
//! these. A target that cannot be resolved is an error, so no question about it can be answered with an empty result.

mod part;
mod reach;
mod s3_below;
mod short_names;
mod values;
mod words;

pub use part::Part;
pub use reach::CommandLineOnly;
pub use s3_below::in_store;
pub use short_names::{full_name, short_name};
pub use words::{is_by_mount, knobs};

use crate::{Error, Inner, Memory, Small, cap::is_cap, rebuild};
use model::{target::Target, text::Bytes};
use part::part;
use short_names::spelled_out;
use std::{fmt, path::Path, str::FromStr};

/// Only a private directory in an export is assay's to use.
const NOTHING_IN_IT: &str = "a remote export cannot be below another layer; measure it alone";

/// The default inner target of a part whose parentheses are omitted.
const DEFAULT_INNER: &str = "ext4";

/// A target that exists: what the checks look at, and what is made.
#[derive(Clone, Debug)]
pub struct ResolvedTarget {
    target: Target,
    /// From the bottom to the top; empty for a directory.
    parts: Vec<Part>,
}

/// Spells out and looks up `target`, touching nothing.
///
/// # Errors
/// A name is not registered, an option is unknown, ambiguous, out of range or reaches beyond the target, two options
/// exclude each other, or a part cannot be on the one below it.
pub fn resolve(target: &Target) -> Result<ResolvedTarget, Error> {
    let target = spelled_out(target)?;
    let parts = match &target {
        Target::Dir(_) => Vec::new(),
        Target::Made { .. } => {
            let parts = parts(&target)?;
            s3_below::needs_a_client(&target, &parts)?;
            parts
        }
    };
    Ok(ResolvedTarget { target, parts })
}

impl ResolvedTarget {
    /// The target, with the full name of every option.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The directory that is measured, where nothing is made.
    pub fn directory(&self) -> Option<&Path> {
        match &self.target {
            Target::Dir(path) => Some(path),
            Target::Made { .. } => None,
        }
    }

    /// Returns its parts, from the bottom to the top; empty for a directory.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Disks that it is made on; 0 for what is in memory, on a server or in a directory.
    pub fn disks(&self) -> usize {
        self.parts.first().map_or(0, Part::disks)
    }

    /// Returns true if it is on a named server, or in an export of one.
    pub fn is_remote(&self) -> bool {
        self.any(|part| part.fs.about().is_remote)
    }

    /// Returns true if deleted data keeps its space for minutes.
    pub fn keeps_deleted(&self) -> bool {
        self.any(|part| part.fs.about().keeps_deleted)
    }

    /// Returns true if it is measured during a rebuild of a mirror in it.
    pub fn is_rebuilt(&self) -> bool {
        self.any(|part| rebuild::is_asked(&part.options))
    }

    /// Returns true if the I/O of its disks is capped.
    pub fn has_caps(&self) -> bool {
        self.any(|part| part.options.keys().any(|key| is_cap(key)))
    }

    /// Returns how a volume of `size` differs from a larger one.
    pub fn small(&self, size: Bytes) -> Option<Small> {
        self.parts.iter().find_map(|part| part.fs.about().small.filter(|small| size < small.below))
    }

    /// The host of the user's own object store in which it has its objects.
    pub fn object_host(&self) -> Option<&str> {
        self.parts.iter().find_map(s3_below::host)
    }

    /// Most bytes that it holds in memory, of a machine with `memory`; `None` for what lies on a disk, on a server or
    /// in a directory.
    ///
    /// # Errors
    /// Its size is written in a way that the kernel would read otherwise.
    pub fn in_memory(&self, memory: Memory) -> Result<Option<Bytes>, Error> {
        let Some(bottom) = self.parts.first() else { return Ok(None) };
        bottom
            .fs
            .in_memory(&bottom.options, memory)
            .map_err(|why| Error::UnclearOptions { target: self.target.to_string(), why })
    }

    /// The first part of it that a foreign file may not request, if any.
    pub fn command_line_only(&self) -> Option<CommandLineOnly> {
        if self.is_remote() {
            return Some(CommandLineOnly::Server(self.to_string()));
        }
        let unknown = |part: &Part| reach::unknown(&words::knobs(part.fs.about()), &part.options);
        self.parts.iter().find_map(unknown).map(CommandLineOnly::Option)
    }

    fn any(&self, holds: impl Fn(&Part) -> bool) -> bool {
        self.parts.iter().any(holds)
    }
}

impl PartialEq for ResolvedTarget {
    fn eq(&self, other: &ResolvedTarget) -> bool {
        // The parts follow from the target.
        self.target == other.target
    }
}

impl fmt::Display for ResolvedTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

impl FromStr for ResolvedTarget {
    type Err = Error;

    fn from_str(text: &str) -> Result<ResolvedTarget, Error> {
        let target: Target = text.parse().map_err(Error::Target)?;
        resolve(&target)
    }
}

/// The parts of `target`, from the bottom to the top.
fn parts(target: &Target) -> Result<Vec<Part>, Error> {
    let Target::Made { name, options, inner, .. } = target else {
        return Err(Error::NoInner { target: target.to_string(), name: target.to_string() });
    };
    let own = part(target, name, options)?;
    let on = || parts(&inner.as_deref().cloned().unwrap_or_else(|| Target::named(DEFAULT_INNER)));
    match own.fs.about().inner {
        Inner::None if inner.is_none() => Ok(vec![own]),
        Inner::None => Err(Error::NoInner { target: target.to_string(), name: name.clone() }),
        Inner::Below | Inner::Store => {
            let below = on()?;
            if below.iter().any(|part| part.fs.about().is_remote) {
                return Err(Error::Excluded {
                    target: target.to_string(),
                    why: NOTHING_IN_IT.into(),
                });
            }
            s3_below::stacked(target, own, below)
        }
        Inner::Above => {
            let others = on()?;
            let own = below(target, own, &others)?;
            Ok([vec![own], others].concat())
        }
    }
}

/// `own`, the bottom of `target`, on the disks that it offers to the part above it, the first of `others`.
///
/// # Errors
/// That part needs another number of disks than are offered.
fn below(target: &Target, own: Part, others: &[Part]) -> Result<Part, Error> {
    let (name, needed) =
        others.first().map_or(("", 0), |part| (part.fs.about().name, part.disks()));
    let (target, name) = (target.to_string(), name.to_owned());
    match needed {
        0 => Err(Error::NoInner { target, name }),
        1 => Ok(own),
        _ if own.fs.is_on_each_disk() => Ok(Part { disks: needed, ..own }),
        _ => Err(Error::TooFewDisks { target, name, needed }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(target: &str) -> ResolvedTarget {
        target.parse().unwrap()
    }

    fn refusal(target: &str) -> String {
        resolve(&target.parse().unwrap()).err().unwrap().to_string()
    }

    #[test]
    fn a_layer_on_each_disk_is_on_as_many_as_the_part_above() {
        assert_eq!(resolved("integrity(raid6(ext4))").disks(), 4);
        assert_eq!(resolved("crypt(integrity(btrfs[raid1]))").disks(), 2);
        assert_eq!(resolved("crypt(raid1(integrity(ext4)))").disks(), 2);
        assert_eq!(resolved("integrity(thin(ext4))").disks(), 1);
        for one in ["thin(raid1(ext4))", "raid1(integrity(raid0))", "nbd(crypt(zfs[mirror]))"] {
            assert!(refusal(one).contains("but the layer below provides one"), "{one}");
        }
        assert!(refusal("crypt(tmpfs)").contains("cannot be a layer"));
    }

    #[test]
    fn targets_are_checked_before_anything_is_touched() {
        let ext4 = resolved("ext4[noatime,mkfs.O=bigalloc]");
        assert_eq!(ext4.parts()[0].fs.about().name, "ext4");
        assert_eq!(resolved("dir:/mnt").directory(), Some(Path::new("/mnt")));
        assert!(refusal("reiserfs").contains("expected ext4, xfs, btrfs"));
        assert!(refusal("xfs[notime]").contains("no option `notime`"));
        assert!(refusal("ext4[data=none]").contains("ordered"));
        assert!(refusal("ext4(xfs)").contains("another target"));
        assert!(refusal("xfs[mkfs.m=rmapbt=2]").contains("use one of 0, 1"));
        let excluded = refusal("xfs[mkfs.m=\"crc=0,reflink=1\"]");
        assert!(excluded.contains("cannot be created: reflink needs crc=1"), "{excluded}");
        assert!(resolve(&"ext4[noatime,cap.read_iops=500]".parse().unwrap()).is_ok());
        assert!(refusal("xfs[cap.read_iops=0]").contains("use one of 1, 2"));
        assert!(refusal("tmpfs[cap.read_iops=500]").contains("no option `cap.read_iops`"));
    }
}
