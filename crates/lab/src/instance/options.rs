//! Reads the mount options of a target from the mount table. If it is remounted with other options during a
//! measurement, it is no longer the same target.

use super::{Instance, WorkDir};
use crate::{
    error::LabError,
    mounts::{self, Mount},
};
use model::result::Reason;
use std::path::PathBuf;

impl Instance<'_> {
    /// Remembers the options in force: those of this mount, until the next.
    pub(super) fn note_options(&self) -> Result<(), LabError> {
        let now = self.mounts()?;
        self.mounted.replace(now);
        Ok(())
    }

    /// Returns what has become of the mount options since it was mounted; `None` when they are the same.
    ///
    /// # Errors
    /// The mount table cannot be read.
    pub fn changed_options(&self) -> Result<Option<Reason>, LabError> {
        let now = self.mounts()?;
        let mounted = self.mounted.borrow();
        Ok(mounted.iter().zip(&now).find_map(|(was, is)| difference(was, is)))
    }

    /// Each of its mounts; for a directory the one that it is on.
    fn mounts(&self) -> Result<Vec<Mount>, LabError> {
        let WorkDir::Mounted { .. } = self.work_dir else {
            let root = self.root.canonicalize().map_err(LabError::io("find", &self.root))?;
            return Ok(mounts::holding(&root)?.into_iter().collect());
        };
        let all = mounts::all()?;
        let of = |dir: &PathBuf| all.iter().rfind(|mount| mount.mount_point == *dir).cloned();
        let parts = self.stack.parts().iter().filter(|part| part.is_mounted());
        Ok(parts.filter_map(|part| of(&part.site.dir)).collect())
    }
}

/// The options that came and went.
fn difference(was: &Mount, is: &Mount) -> Option<Reason> {
    let only = |one: &Mount, other: &Mount| {
        let others: Vec<&str> = other.options.split(',').collect();
        let own = one.options.split(',').filter(|option| !others.contains(option));
        own.collect::<Vec<_>>().join(",")
    };
    let (gone, new) = (only(was, is), only(is, was));
    let is_same = gone.is_empty() && new.is_empty();
    (!is_same).then_some(Reason::MountOptionsChanged { gone, new })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_that_were_added_or_removed_are_reported() {
        let mount = |options: &str| Mount {
            number: "7:0".into(),
            mount_point: "/m".into(),
            kind: "ext4".into(),
            source: "/dev/loop0".into(),
            options: options.into(),
        };
        let difference = |was, is| difference(&mount(was), &mount(is));
        assert_eq!(difference("rw,relatime", "relatime,rw"), None);
        let changed = |gone: &str, new: &str| {
            let (gone, new) = (gone.into(), new.into());
            Some(Reason::MountOptionsChanged { gone, new })
        };
        assert_eq!(difference("rw,relatime", "rw,noatime"), changed("relatime", "noatime"));
        assert_eq!(difference("rw", "rw,sync"), changed("", "sync"));
        assert_eq!(difference("rw,lazytime", "rw"), changed("lazytime", ""));
    }
}
