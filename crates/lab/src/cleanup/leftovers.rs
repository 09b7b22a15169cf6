//! Finds what campaigns of a state folder left when their journal is gone: by the markers of private directories, the
//! backing files of loop devices, mount points and sources in the mount table, and the names of arrays, mappings,
//! caches, pools and control groups. Anything without our mark, or with that of another state folder, is not found.

use crate::{
    backing::{
        bcache, layers,
        loop_device::{self, Attached},
        throttle, zpool,
    },
    error::LabError,
    mounts::{self, Mount},
    ownership::{
        mark::{self, Mark},
        private_dir,
        undo::Undo,
    },
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Highest number of a cache that is looked for by its name: its mark cannot be read back.
const MOST_PARTS: u32 = 4096;

/// Leftovers in the order in which they are to be torn down, each with the mark of its campaign.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    pub(crate) entries: Vec<(Mark, Undo)>,
    /// Campaigns that hold a loop device, and so run.
    pub(crate) live: BTreeSet<String>,
}

/// Looks for all that campaigns of `state` left. Private directories are looked for in the state and in `folders`.
///
/// # Errors
/// The kernel's lists cannot be read.
pub(crate) fn find(state: &Path, folders: &[PathBuf]) -> Result<Leftovers, LabError> {
    let dirs = private_dirs(state, folders);
    let loops = loops(state)?;
    let mut mounts = mounts(state, &loops)?;
    let own: BTreeSet<String> = dirs.iter().map(|(mark, _)| mark.campaign.clone()).collect();
    let own = own.iter().map(|campaign| Mark::new(state, campaign));
    mounts.extend(own.flat_map(|mark| open_mounts(&mark)));
    let campaigns: BTreeSet<String> = dirs
        .iter()
        .map(|(mark, _)| mark)
        .chain(loops.iter().map(|(mark, _)| mark))
        .chain(mounts.iter().map(|(mark, _)| mark))
        .map(|mark| mark.campaign.clone())
        .collect();
    let marks: Vec<Mark> = campaigns.iter().map(|campaign| Mark::new(state, campaign)).collect();
    let live = loops.iter().filter(|(mark, device)| !mark.is_kept() && device.is_held());
    let live = live.map(|(mark, _)| mark.campaign.clone()).collect();

    let mut entries = caps(&loops, &marks)?;
    entries.extend(mounts);
    entries.extend(named(&marks)?);
    entries.extend(
        loops.into_iter().map(|(mark, device)| (mark, Undo::DetachLoop { image: device.image })),
    );
    entries.extend(dirs.into_iter().map(|(mark, path)| (mark, Undo::RemoveDir { path })));
    Ok(Leftovers { entries, live })
}

/// Private directories of the state, those with the mount points last.
fn private_dirs(state: &Path, folders: &[PathBuf]) -> Vec<(Mark, PathBuf)> {
    let own = [state.to_path_buf(), state.join("images")];
    let folders = folders.iter().filter_map(|dir| dir.canonicalize().ok());
    let within = own.into_iter().chain(folders).chain([state.join("mnt")]);
    let mut found: Vec<(Mark, PathBuf)> = Vec::new();
    for entry in within.filter_map(|dir| fs::read_dir(dir).ok()).flatten().flatten() {
        let dir = entry.path();
        if !private_dir::is_named(&dir) {
            continue;
        }
        let mark = private_dir::mark_of(&dir).or_else(|| unmarked(state, &dir));
        if let Some(mark) = mark.filter(|mark| mark.state == state)
            && !found.iter().any(|(_, known)| *known == dir)
        {
            found.push((mark, dir));
        }
    }
    found
}

/// The mark of a directory in the state that was not marked yet when its campaign was killed: it is empty.
fn unmarked(state: &Path, dir: &Path) -> Option<Mark> {
    let campaign = dir.file_name()?.to_str()?.strip_prefix(mark::OURS)?;
    let mark = Mark::new(state, campaign);
    let is_empty = dir.starts_with(state) && private_dir::is_left(dir, &mark).unwrap_or(false);
    is_empty.then_some(mark)
}

/// Loop devices on images of the state: the image is in a directory with its marker, or was below the
/// state under a name that only we give.
fn loops(state: &Path) -> Result<Vec<(Mark, Attached)>, LabError> {
    let ours = loop_device::all()?.into_iter().filter_map(|device| {
        let mark = match device.image.parent().and_then(private_dir::mark_of) {
            Some(mark) => mark,
            None => {
                let campaign = loop_device::campaign(&device.image);
                Mark::new(state, campaign.filter(|_| device.image.starts_with(state))?)
            }
        };
        (mark.state == state && device.is_here()).then_some((mark, device))
    });
    Ok(ours.collect())
}

/// Returns what is mounted below the mount points of the state, the latest first: where the directory was marked in
/// this boot, or the source is marked.
fn mounts(state: &Path, loops: &[(Mark, Attached)]) -> Result<Vec<(Mark, Undo)>, LabError> {
    let ours = mounts::all()?.into_iter().rev().filter_map(|mount| {
        let campaign = campaign_of(state, &mount.mount_point)?;
        let mark = Mark::new(state, &campaign);
        let own = private_dir::mark_of(&mark.mounts());
        let is_marked = own.is_some_and(|own| own.is_of(&mark) && own.boot == mark::boot());
        let is_ours =
            mark.holds(&mount.mount_point) && (is_marked || is_source(&mount, &mark, loops));
        is_ours.then(|| (mark, undo(mount)))
    });
    Ok(ours.collect())
}

/// Exports of servers that the campaign of `mark` mounted where every user can reach them, each with its private
/// directories in it.
fn open_mounts(mark: &Mark) -> Vec<(Mark, Undo)> {
    let of = |mount_point: PathBuf| {
        let answers = mounts::check_answers(&mount_point).is_ok();
        let entries =
            fs::read_dir(&mount_point).into_iter().filter(|_| answers).flatten().flatten();
        let dirs = entries.map(|entry| entry.path());
        let ours = dirs.filter(|dir| private_dir::mark_of(dir).is_some_and(|own| own.is_of(mark)));
        let dirs: Vec<Undo> = ours.map(|path| Undo::RemoveDir { path }).collect();
        let mount = Undo::Unmount { mount_point: mount_point.clone() };
        dirs.into_iter().chain([mount, Undo::RemoveDir { path: mount_point }])
    };
    let all = mark.open_mounts().into_iter().flat_map(of);
    all.map(|undo| (mark.clone(), undo)).collect()
}

fn undo(Mount { kind, mount_point, .. }: Mount) -> Undo {
    match kind.as_str() {
        "nsfs" => Undo::EndNetwork { namespace: mount_point },
        _ => Undo::Unmount { mount_point },
    }
}

fn is_source(mount: &Mount, mark: &Mark, loops: &[(Mark, Attached)]) -> bool {
    let name = mount.source.file_name().and_then(|name| name.to_str());
    loops.iter().any(|(_, device)| device.node == mount.source)
        || name.is_some_and(|name| mark.number(name).is_some())
}

/// The campaign below whose mount points `path` lies.
fn campaign_of(state: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(state.join("mnt")).ok()?;
    let dir = below.components().next()?.as_os_str().to_str()?;
    dir.strip_prefix(mark::OURS).map(String::from)
}

/// Pools, caches, mappings, arrays and recording disks with the names of these campaigns, the upper ones first.
fn named(marks: &[Mark]) -> Result<Vec<(Mark, Undo)>, LabError> {
    let (arrays, mappings) = layers::all()?;
    let recordings = disk::named_loop::names()?;
    let mut found = Vec::new();
    for mark in marks {
        let mut add = |names: &[String], undo: fn(String) -> Undo| {
            let ours =
                names.iter().filter_map(|name| Some((mark.number(name)?, undo(name.clone()))));
            found.extend(ours.map(|(number, undo)| (number, mark.clone(), undo)));
        };
        add(&zpool::all(), |pool| Undo::ExportPool { pool });
        add(&mappings, |name| Undo::RemoveMapping { name });
        add(&arrays, |name| Undo::StopArray { name });
        add(&recordings, |name| Undo::DetachRecording { name });
        let caches = bcache::among((0..MOST_PARTS).map(|number| mark.name(number)))?;
        add(&caches, |name| Undo::StopCache { name });
    }
    // Parts of a target are numbered from the bottom.
    found.sort_by_key(|(number, ..)| std::cmp::Reverse(*number));
    found.dedup_by(|a, b| a.2 == b.2);
    Ok(found.into_iter().map(|(_, mark, undo)| (mark, undo)).collect())
}

/// Caps on these loop devices, and the control groups of these campaigns.
fn caps(loops: &[(Mark, Attached)], marks: &[Mark]) -> Result<Vec<(Mark, Undo)>, LabError> {
    let mut found = Vec::new();
    for (mark, device) in loops {
        let name = device.node.file_name().unwrap_or_default();
        let number = fs::read_to_string(Path::new("/sys/block").join(name).join("dev"));
        let number = number.unwrap_or_default();
        let lifted = throttle::caps_of(number.trim_end())?;
        found.extend(lifted.into_iter().map(|undo| (mark.clone(), undo)));
    }
    for mark in marks {
        found.extend(throttle::group_of(&mark.campaign)?.map(|undo| (mark.clone(), undo)));
    }
    Ok(found)
}
