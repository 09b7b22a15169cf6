//! Makes a target: looks up what it names, makes it on the disks of the lab, and mounts it.

use super::{Instance, WorkDir};
use crate::{
    error::LabError,
    instance::{held::Held, held_dir::NamedDir},
    ownership::{mark, undo::Undo},
    setup::{Lab, need_root, slug},
    stack::Stack,
};
use ::fs::{Endpoint, Error, Part, ResolvedTarget, caps};
use disk::Disk;
use model::text::Bytes;
use std::{
    fs,
    path::{Path, PathBuf},
};

impl Lab {
    /// Makes `target` afresh: purge, mkfs, mount, quiesce; for a directory a private subdirectory.
    /// `label` names the mount point, for people who look at the mount table. Of disks that are divided it
    /// gets the first part, of sets of images the first.
    ///
    /// # Errors
    /// The target cannot be made here, or a command failed; nothing is left of it.
    pub fn provision(
        &self,
        target: &ResolvedTarget,
        label: &str,
    ) -> Result<Instance<'_>, LabError> {
        self.provision_on(0, target, label)
    }

    /// Like [`Lab::provision`], on the part with the number `part`, from 0, of each disk that is divided, or on
    /// the set of images with this number.
    ///
    /// # Errors
    /// As for [`Lab::provision`].
    pub fn provision_on(
        &self,
        part: u32,
        target: &ResolvedTarget,
        label: &str,
    ) -> Result<Instance<'_>, LabError> {
        if let Some(dir) = target.directory() {
            return self.provision_dir(dir, self.numbers(1));
        }
        let outside = self.store_of(target)?;
        self.provision_made(target.parts(), (self.disks_at(part), outside), label)
    }

    /// Makes `target` afresh on `disks`.
    pub(super) fn provision_on_disks(
        &self,
        target: &ResolvedTarget,
        disks: Vec<Disk>,
        label: &str,
    ) -> Result<Instance<'_>, LabError> {
        let outside = self.store_of(target)?;
        self.provision_made(target.parts(), (disks, outside), label)
    }

    fn provision_made(
        &self,
        parts: &[Part],
        (disks, outside): (Vec<Disk>, Option<&Endpoint>),
        label: &str,
    ) -> Result<Instance<'_>, LabError> {
        let disks = free_disks(parts, disks)?;
        let stack = self.stack_of(parts, &disks, outside, label);
        if stack.top().is_some_and(|top| top.mount().is_empty()) {
            return self.provision_plain(stack);
        }
        need_root("mounting a file system")?;
        self.make_sites(&stack)?;
        disks.iter().try_for_each(Disk::purge)?;
        let work_dir = self.work_dir_of(&stack)?;
        let mut instance = Instance::start(self, work_dir, stack, disks)?;
        for part in parts {
            instance.impose(&caps(part.fs.about().name, &part.options).map_err(Error::from)?)?;
        }
        Ok(instance)
    }

    /// `parts` on `disks`, at sites of their own that are not made yet.
    pub(crate) fn stack_of(
        &self,
        parts: &[Part],
        disks: &[Disk],
        outside: Option<&Endpoint>,
        label: &str,
    ) -> Stack {
        let nodes: Vec<PathBuf> = disks.iter().map(|disk| disk.node().to_path_buf()).collect();
        let first = self.numbers(parts.len() as u32);
        let bytes = disks.iter().map(|disk| disk.size().0).min().unwrap_or(0);
        Stack::new(parts, &nodes, (bytes, outside), |number, part| {
            let number = first + number as u32;
            // A slug of the own part, so that people who look at the mount table find their way.
            let label = if parts.len() == 1 { label } else { part.fs.about().name };
            let dir = match part.fs.about().is_remote {
                true => self.mark().open_mount(number),
                false => self.directory(&format!("{number}-{}", slug(label))),
            };
            let scratch = self.directory(&format!("{number}-scratch"));
            (self.mark().name(number), dir, scratch)
        })
    }

    /// Makes the directories of `stack`, and writes down what undoes all of it.
    pub(crate) fn make_sites(&self, stack: &Stack) -> Result<(), LabError> {
        for part in stack.parts() {
            self.create_private(&part.site.scratch)?;
            if part.fs().about().is_remote {
                self.record(&Undo::RemoveDir { path: part.site.dir.clone() })?;
            }
            if part.is_mounted() {
                fs::create_dir(&part.site.dir).map_err(LabError::io("create", &part.site.dir))?;
            }
        }
        stack.undo().try_for_each(|undo| self.record(&undo))
    }

    /// Returns the directory of the workers of `stack`: all of it, or a private directory in what this program did
    /// not make, which is then in the journal.
    fn work_dir_of(&self, stack: &Stack) -> Result<WorkDir, LabError> {
        let Some(top) = stack.top() else { return Ok(WorkDir::Mounted { dir: PathBuf::new() }) };
        let dir = top.site.dir.clone();
        if !top.fs().about().is_remote {
            return Ok(WorkDir::Mounted { dir });
        }
        let path = dir.join(self.own_name(self.numbers(1)));
        let server = top.fs().source(&top.site, &top.part.options).display().to_string();
        let witness = top.site.scratch.clone();
        // In this order: before the export is unmounted it is seen whether it is.
        self.record(&Undo::ReportExport { server, path: path.clone(), witness })?;
        self.record(&Undo::RemoveDir { path: path.clone() })?;
        Ok(WorkDir::Held(Held::at(path)))
    }

    /// The name of a private directory among what is not ours.
    fn own_name(&self, number: u32) -> String {
        mark::own_name(&format!("{}-{number}", self.mark().campaign))
    }

    /// A directory of ours, where the target needs nothing to be mounted.
    fn provision_plain(&self, stack: Stack) -> Result<Instance<'_>, LabError> {
        let dir = stack.top().map(|top| top.site.dir.clone()).unwrap_or_default();
        self.create_private(&dir)?;
        Instance::start(self, WorkDir::Plain { dir }, Stack::default(), Vec::new())
    }

    fn provision_dir(&self, dir: &Path, number: u32) -> Result<Instance<'_>, LabError> {
        let named = NamedDir::open(dir)?;
        let path = named.join(&self.own_name(number));
        self.record(&Undo::RemoveDir { path: path.clone() })?;
        let held = Held::at(path);
        held.make(named, self.mark())?;
        Instance::start(self, WorkDir::Held(held), Stack::default(), Vec::new())
    }
}

/// Returns those of `disks` that `parts` are made on, if they exist, are large enough and idle.
fn free_disks(parts: &[Part], mut disks: Vec<Disk>) -> Result<Vec<Disk>, LabError> {
    let Some(bottom) = parts.first().filter(|bottom| bottom.disks() > 0) else {
        return Ok(Vec::new());
    };
    need_root("creating a file system")?;
    let (name, needed, have) = (bottom.fs.about().name, bottom.disks(), disks.len());
    if have < needed {
        return Err(LabError::FewDisks { name, needed, have });
    }
    disks.truncate(needed);
    for part in parts {
        let needed = Bytes(part.fs.about().min_bytes);
        disks.iter().try_for_each(|disk| disk.check_free(part.fs.about().name, needed))?;
    }
    Ok(disks)
}
