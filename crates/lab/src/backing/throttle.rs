//! Caps imposed on a device on purpose: a known answer that a measurement must reproduce. A target requests them by
//! options, e.g. `ext4[cap.read_iops=500]`; the block controller of control groups enforces them while an instance is
//! up.
//!
//! Version 1 of the controller knows no hierarchy: a group's cap is about the requests of that group
//! alone. Direct I/O and fsync are charged to the worker's group, writeback by flusher threads to
//! the root group, so both are capped. Version 2 charges writeback to the group that dirtied the
//! pages, and allows no cap on the root: this process moves into a group of its own, and its workers
//! are born there. Sources: Documentation/admin-guide/cgroup-v1/blkio-controller.rst and
//! Documentation/admin-guide/cgroup-v2.rst of Linux.

use crate::{
    error::LabError,
    mounts::{self, Mount},
    ownership::{mark, undo::Undo},
};
use ::fs::{Cap, QUANTITIES};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const OWN_GROUPS: &str = "/proc/self/cgroup";

/// Returns true if a device can be capped here.
///
/// # Errors
/// The mount table cannot be read.
pub fn can_cap() -> Result<bool, LabError> {
    Ok(Controller::find()?.is_some())
}

/// The block controller of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Controller {
    /// The groups to which the requests of this process are charged.
    V1 { groups: Vec<PathBuf> },
    /// The root of the hierarchy and the group of this process.
    V2 { root: PathBuf, home: PathBuf },
}

impl Controller {
    /// Finds it; `None` where no control group can cap a device.
    pub(crate) fn find() -> Result<Option<Controller>, LabError> {
        let own = Path::new(OWN_GROUPS);
        let own = fs::read_to_string(own).map_err(LabError::io("read", own))?;
        Ok(Controller::among(&mounts::all()?, &own))
    }

    fn among(mounts: &[Mount], own: &str) -> Option<Controller> {
        let v1 = |m: &&Mount| m.kind == "cgroup" && m.options.split(',').any(|o| o == "blkio");
        if let Some(mount) = mounts.iter().find(v1) {
            let root = mount.mount_point.clone();
            let home = below(&root, own_group(own, "blkio"));
            // In a container the path of the group may not be visible; its root is the group then.
            let groups = if home == root || !home.is_dir() { vec![root] } else { vec![root, home] };
            return Some(Controller::V1 { groups });
        }
        let has_io = |m: &&Mount| {
            let list = fs::read_to_string(m.mount_point.join("cgroup.controllers"));
            m.kind == "cgroup2" && list.is_ok_and(|l| l.split_whitespace().any(|c| c == "io"))
        };
        let root = mounts.iter().find(has_io)?.mount_point.clone();
        Some(Controller::V2 { home: below(&root, own_group(own, "")), root })
    }

    /// Returns the entries that lift `caps` on `device` ("major:minor") again; to be recorded before they are imposed.
    pub(crate) fn undo(&self, caps: &[Cap], device: &str, campaign: &str) -> Vec<Undo> {
        match self {
            Controller::V1 { groups } => {
                let lift = |file| Undo::Uncap { file, device: device.into() };
                files_v1(groups, caps).map(|(file, _)| lift(file)).collect()
            }
            Controller::V2 { root, home } => {
                vec![Undo::LeaveGroup { group: own_v2(root, campaign), home: home.clone() }]
            }
        }
    }

    /// Imposes `caps` on `device` ("major:minor").
    pub(crate) fn impose(
        &self,
        caps: &[Cap],
        device: &str,
        campaign: &str,
    ) -> Result<(), LabError> {
        match self {
            Controller::V1 { groups } => files_v1(groups, caps)
                .try_for_each(|(file, cap)| write(&file, &format!("{device} {}", cap.per_s))),
            Controller::V2 { root, .. } => {
                let group = own_v2(root, campaign);
                write(&root.join("cgroup.subtree_control"), "+io")?;
                fs::create_dir_all(&group).map_err(LabError::io("create", &group))?;
                write(&group.join("io.max"), &io_max(caps, device))?;
                // 0 stands for the process that writes.
                write(&group.join("cgroup.procs"), "0")
            }
        }
    }
}

/// Each cap in each group with its file.
fn files_v1<'a>(
    groups: &'a [PathBuf],
    caps: &'a [Cap],
) -> impl Iterator<Item = (PathBuf, &'a Cap)> {
    groups.iter().flat_map(|g| caps.iter().map(move |cap| (g.join(cap.quantity.v1), cap)))
}

fn own_v2(root: &Path, campaign: &str) -> PathBuf {
    root.join(format!("assay-{campaign}"))
}

fn io_max(caps: &[Cap], device: &str) -> String {
    let keys = caps.iter().map(|cap| format!(" {}={}", cap.quantity.v2, cap.per_s));
    format!("{device}{}", keys.collect::<String>())
}

/// Returns true if `file` lists a cap for `device`.
pub(crate) fn is_capped(file: &Path, device: &str) -> Result<bool, LabError> {
    let text = read_if_there(file)?.unwrap_or_default();
    Ok(text.lines().any(|line| line.split_whitespace().next() == Some(device)))
}

/// Lifts the cap that `file` lists for `device`. Returns true if there was one.
pub(crate) fn lift(file: &Path, device: &str) -> Result<bool, LabError> {
    let capped = is_capped(file, device)?;
    if capped {
        write(file, &format!("{device} 0"))?;
    }
    Ok(capped)
}

/// Returns true if `file` is one in which a control group keeps caps.
pub(crate) fn is_cap_file(file: &Path) -> Result<bool, LabError> {
    let is_named =
        QUANTITIES.iter().any(|quantity| file.file_name().is_some_and(|f| f == quantity.v1));
    Ok(is_named && mark::is_straight(file) && in_groups(file, "cgroup")?)
}

/// Returns true if `group` is the control group of `campaign`, and `home` a sibling of it.
pub(crate) fn is_own_group(group: &Path, home: &Path, campaign: &str) -> Result<bool, LabError> {
    let named = group.file_name().is_some_and(|name| *name == *format!("assay-{campaign}"));
    let straight = mark::is_straight(group) && mark::is_straight(home);
    Ok(named && straight && in_groups(group, "cgroup2")? && in_groups(home, "cgroup2")?)
}

/// Returns true if `path` is in a mounted hierarchy of control groups of this kind.
fn in_groups(path: &Path, kind: &str) -> Result<bool, LabError> {
    Ok(mounts::holding(path)?.is_some_and(|mount| mount.kind == kind))
}

/// Returns the entries that lift every cap that the control groups of version 1 have for `device`.
pub(crate) fn caps_of(device: &str) -> Result<Vec<Undo>, LabError> {
    let Some(Controller::V1 { groups }) = Controller::find()? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for file in groups.iter().flat_map(|group| QUANTITIES.iter().map(|q| group.join(q.v1))) {
        if is_capped(&file, device)? {
            found.push(Undo::Uncap { file, device: device.into() });
        }
    }
    Ok(found)
}

/// Returns the entry that leaves the control group of version 2 that `campaign` made, where it is there.
pub(crate) fn group_of(campaign: &str) -> Result<Option<Undo>, LabError> {
    let Some(Controller::V2 { root, .. }) = Controller::find()? else { return Ok(None) };
    let group = own_v2(&root, campaign);
    Ok(group.is_dir().then_some(Undo::LeaveGroup { group, home: root }))
}

/// Moves what is in `group` to `home` and removes it. Returns true if it was there.
pub(crate) fn leave(group: &Path, home: &Path) -> Result<bool, LabError> {
    let Some(members) = read_if_there(&group.join("cgroup.procs"))? else { return Ok(false) };
    for process in members.lines() {
        write(&home.join("cgroup.procs"), process)?;
    }
    fs::remove_dir(group).map_err(LabError::io("remove", group))?;
    Ok(true)
}

fn read_if_there(file: &Path) -> Result<Option<String>, LabError> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LabError::io("read", file)(error)),
    }
}

fn write(file: &Path, text: &str) -> Result<(), LabError> {
    fs::write(file, text).map_err(LabError::io("write", file))
}

/// The group of the hierarchy with `controller` in `/proc/self/cgroup`; version 2 has no name there.
pub(crate) fn own_group<'a>(own: &'a str, controller: &str) -> &'a str {
    let group = own.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|c| c == controller).then_some(path)
    });
    group.unwrap_or("/")
}

fn below(root: &Path, group: &str) -> PathBuf {
    match group.trim_start_matches('/') {
        "" => root.into(),
        group => root.join(group),
    }
}

#[cfg(test)]
mod tests;
