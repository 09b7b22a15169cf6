//! Finds assay's arrays and mappings by name in the kernel's lists, stops them, and waits until they are gone.

use crate::{error::LabError, ownership::mark::OURS, programs::Run};
use ::fs::Cmd;
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const BLOCK: &str = "/sys/block";
/// Longest time that one may stay busy.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// Stops the md arrays called `name`. Returns true if there was one.
pub(crate) fn stop_array(name: &str) -> Result<bool, LabError> {
    let stopped = until_gone(name, || {
        let ours = arrays()?.into_iter().filter(|(_, called)| called == name);
        Ok(ours.map(|(node, _)| Cmd::new("mdadm").args(["--stop", "--quiet"]).arg(node)).collect())
    })?;
    // Without udev no other program removes it.
    let link = Path::new("/dev/md").join(name);
    if name.starts_with(OURS) && link.is_symlink() {
        fs::remove_file(&link).map_err(LabError::io("remove", &link))?;
    }
    Ok(stopped)
}

/// Removes the mappings called `name` and those of the volume group `name`, the upper ones first.
/// Returns true if there was one.
pub(crate) fn remove_mapping(name: &str) -> Result<bool, LabError> {
    let removed = until_gone(name, || {
        let upper =
            mappings()?.into_iter().filter(|(called, dm)| is_of(called, name) && !has_holders(dm));
        Ok(upper.map(|(called, _)| Cmd::new("dmsetup").arg("remove").arg(called)).collect())
    })?;
    remove_links(name)?;
    Ok(removed)
}

/// Removes the folder of links in /dev that LVM made for the volume group `name`. Without udev no other program
/// does, and LVM makes no group whose name is taken there.
fn remove_links(name: &str) -> Result<(), LabError> {
    let dir = Path::new("/dev").join(name);
    if !name.starts_with(OURS) || !dir.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Ok(());
    }
    for entry in fs::read_dir(&dir).map_err(LabError::io("list", &dir))?.flatten() {
        let link = entry.path();
        if link.is_symlink() {
            fs::remove_file(&link).map_err(LabError::io("remove", &link))?;
        }
    }
    fs::remove_dir(&dir).map_err(LabError::io("remove", &dir))
}

/// Returns true if an array called `name` runs.
pub(crate) fn is_array(name: &str) -> Result<bool, LabError> {
    Ok(arrays()?.iter().any(|(_, called)| called == name))
}

/// Returns true if there is a mapping called `name`, or one of the volume group `name`.
pub(crate) fn is_mapping(name: &str) -> Result<bool, LabError> {
    Ok(mappings()?.iter().any(|(called, _)| is_of(called, name)))
}

/// The names of all arrays and mappings that begin as ours do: of arrays, and of mappings. That of a volume
/// is the name of its group.
pub(crate) fn all() -> Result<(Vec<String>, Vec<String>), LabError> {
    let ours = |name: &String| name.starts_with(OURS);
    let arrays = arrays()?.into_iter().map(|(_, name)| name).filter(ours);
    let mappings = mappings()?.into_iter().map(|(name, _)| group(&name)).filter(ours);
    Ok((arrays.collect(), mappings.collect()))
}

/// The arrays that run: node and name.
fn arrays() -> Result<Vec<(PathBuf, String)>, LabError> {
    let running = devices("md")?.into_iter().filter(|md| is_running(&md.path));
    let nodes = running.map(|md| Path::new("/dev").join(md.name));
    Ok(nodes.filter_map(|node| array_name(&node).map(|name| (node, name))).collect())
}

/// The mappings that there are: name and place in sysfs.
fn mappings() -> Result<Vec<(String, PathBuf)>, LabError> {
    let named = devices("dm-")?.into_iter().filter_map(|dm| {
        let name = fs::read_to_string(dm.path.join("dm/name")).ok()?;
        Some((name.trim_end().to_string(), dm.path))
    });
    Ok(named.collect())
}

/// The volume group of the volume called `name`, or the name itself if it is not a volume.
fn group(name: &str) -> String {
    let doubled = name.replace("--", "\0");
    match doubled.split_once('-') {
        Some((group, _)) if doubled.contains('\0') => group.replace('\0', "-"),
        _ => name.into(),
    }
}

/// A block device in sysfs.
struct Listed {
    name: String,
    path: PathBuf,
}

fn devices(prefix: &str) -> Result<Vec<Listed>, LabError> {
    let block = Path::new(BLOCK);
    let entries = fs::read_dir(block).map_err(LabError::io("list", block))?;
    let all = entries.flatten().map(|entry| Listed {
        name: entry.file_name().to_string_lossy().into_owned(),
        path: entry.path(),
    });
    Ok(all.filter(|device| device.name.starts_with(prefix)).collect())
}

/// Opening the node of an array that was stopped would make an empty one of the same number.
fn is_running(array: &Path) -> bool {
    fs::read_to_string(array.join("md/array_state")).is_ok_and(|state| state.trim() != "clear")
}

/// The name in the superblock of the array `node`, without the host's before it.
fn array_name(node: &Path) -> Option<String> {
    let detail = Cmd::new("mdadm").args(["--detail", "--export"]).arg(node).run().ok()?;
    let name = detail.stdout.lines().find_map(|line| line.strip_prefix("MD_NAME="))?;
    Some(name.rsplit(':').next().unwrap_or(name).to_string())
}

/// Returns true if the mapping `called` is `name` itself or a volume of the group `name`, whose hyphens the mapper
/// doubles.
fn is_of(called: &str, name: &str) -> bool {
    let group = name.replace('-', "--") + "-";
    called == name || called.starts_with(&group)
}

fn has_holders(device: &Path) -> bool {
    fs::read_dir(device.join("holders")).is_ok_and(|mut holders| holders.next().is_some())
}

/// Runs the commands that `find` returns until it returns none. Returns true if it returned any.
fn until_gone(name: &str, find: impl Fn() -> Result<Vec<Cmd>, LabError>) -> Result<bool, LabError> {
    if !name.starts_with(OURS) {
        return Ok(false);
    }
    let start = Instant::now();
    let mut found = false;
    loop {
        let commands = find()?;
        if commands.is_empty() {
            return Ok(found);
        }
        found = true;
        match commands.iter().try_for_each(|cmd| cmd.run().map(drop)) {
            Ok(()) => {}
            Err(error @ LabError::MissingProgram { .. }) => return Err(error),
            Err(error) if start.elapsed() > PATIENCE => {
                return Err(LabError::Disk(disk::Error::StaysBusy {
                    path: name.into(),
                    seconds: PATIENCE.as_secs(),
                    why: error.to_string(),
                }));
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_known_by_their_name_and_group() {
        assert!(is_of("assay-1a-2", "assay-1a-2"));
        assert!(is_of("assay--1a--2-pool_tdata", "assay-1a-2"));
        assert!(!is_of("assay--1a--20-pool", "assay-1a-2"));
        assert!(!is_of("vg-root", "assay-1a-2"));
        assert_eq!(group("assay--1a--2-pool_tdata"), "assay-1a-2");
        assert_eq!([group("assay-1a-2"), group("root")], ["assay-1a-2", "root"]);
    }

    #[test]
    fn there_is_nothing_to_stop_here() {
        assert!(!stop_array("assay-none").unwrap() && !remove_mapping("assay-none").unwrap());
        assert!(!stop_array("md0").unwrap() && !remove_mapping("root").unwrap());
    }

    #[test]
    fn stopping_is_repeated_until_the_layer_is_gone() {
        let left = std::cell::Cell::new(2);
        let find = || {
            left.set(left.get() - 1);
            Ok((0..left.get()).map(|_| Cmd::new("true")).collect())
        };
        assert!(until_gone("assay-1a-2", find).unwrap());
        assert!(!until_gone("assay-1a-2", || Ok(Vec::new())).unwrap());
    }
}
