//! Undoes what a journal describes, after kill -9. Each kind does nothing when there is nothing left to undo, so a
//! journal may be replayed. Every entry is checked before it is believed: it is where a campaign makes such things, or
//! carries the mark of the campaign.

use crate::{
    backing::{bcache, kept, layers, loop_device, object_store, throttle, zpool},
    error::LabError,
    mounts::{self, network},
    ownership::{
        mark::{self, Mark},
        private_dir,
        undo::Undo,
    },
    programs::{keys, tool},
};
use disk::named_loop;
use fs::Endpoint;
use model::plan::ObjectStore;
use std::path::{Path, PathBuf};

impl Undo {
    /// Undoes it. Returns what was done; `None` when there was nothing to do.
    ///
    /// # Errors
    /// It is not of the campaign of `mark`, or cannot be torn down.
    pub(crate) fn apply(&self, mark: &Mark) -> Result<Option<String>, LabError> {
        self.check(mark)?;
        let done = self.act(mark).map_err(tool::explained)?;
        Ok(done.map(|object| format!("{} {object}", self.verb().1)))
    }

    /// Returns what [`Undo::apply`] would do; nothing is touched.
    ///
    /// # Errors
    /// It is not of the campaign of `mark`, or cannot be looked at.
    pub(crate) fn would(&self, mark: &Mark) -> Result<Option<String>, LabError> {
        self.check(mark)?;
        let found = self.find(mark)?;
        Ok(found.map(|object| format!("would {} {object}", self.verb().0)))
    }

    /// Checks that it is something that the campaign of `mark` makes. Directories are asked for their own mark
    /// when they are removed, and disks for what they are when they are opened.
    pub(crate) fn check(&self, mark: &Mark) -> Result<(), LabError> {
        let is_ours = match self {
            Undo::Unmount { mount_point: path } | Undo::EndNetwork { namespace: path } => {
                mark.holds(path)
            }
            Undo::DetachLoop { image } => is_image(image, mark),
            Undo::RemoveDir { path } => mark::is_straight(path) && private_dir::is_named(path),
            Undo::ReportDisk { link } | Undo::ForgetParts { link, .. } => {
                mark::is_straight(link) && link.starts_with("/dev")
            }
            Undo::ReportExport { path, witness, .. } => {
                let around = path.parent().is_some_and(|mount_point| mark.holds(mount_point));
                around && private_dir::is_named(path) && mark.holds(witness)
            }
            Undo::ExportPool { pool: name }
            | Undo::DetachRecording { name }
            | Undo::StopArray { name }
            | Undo::RemoveMapping { name }
            | Undo::StopCache { name } => mark.number(name).is_some(),
            Undo::EmptyPrefix { url, bucket, prefix, .. } => {
                let name = prefix.rsplit_once('/').map_or(&**prefix, |(_, name)| name);
                let store = format!("{url}/{bucket}/{prefix}").parse::<ObjectStore>();
                store.is_ok_and(|store| store.prefix == *prefix) && mark.number(name).is_some()
            }
            Undo::Uncap { file, .. } => throttle::is_cap_file(file)?,
            Undo::LeaveGroup { group, home } => {
                throttle::is_own_group(group, home, &mark.campaign)?
            }
        };
        if is_ours {
            Ok(())
        } else {
            Err(LabError::Foreign { what: self.object(), campaign: mark.campaign.clone() })
        }
    }

    /// Undoes it. Returns what it was.
    fn act(&self, mark: &Mark) -> Result<Option<String>, LabError> {
        let done = match self {
            // Its server may have died with the process that made it.
            Undo::Unmount { mount_point } => mounts::abandon(mount_point)?,
            // Another campaign has taken it since.
            Undo::DetachLoop { image } if kept::is_in_use(image) => false,
            Undo::DetachLoop { image } => return Ok(named(&loop_device::detach(image)?, image)),
            Undo::DetachRecording { name } => !named_loop::detach(name)?.is_empty(),
            Undo::ReportDisk { link } => return left_on(link),
            Undo::ForgetParts { link, disk, parts } => {
                return Ok(parts_on(&disk::forget_parts(link, disk, parts)?, link));
            }
            Undo::RemoveDir { path } => {
                mounts::check_answers(path)?;
                private_dir::remove(path, mark)?
            }
            Undo::ReportExport { path, witness, .. } => is_out_of_reach(path, witness)?,
            Undo::ExportPool { pool } => zpool::export(pool)?,
            Undo::Uncap { file, device } => throttle::lift(file, device)?,
            Undo::LeaveGroup { group, home } => throttle::leave(group, home)?,
            Undo::StopArray { name } => layers::stop_array(name)?,
            Undo::RemoveMapping { name } => layers::remove_mapping(name)?,
            Undo::StopCache { name } => bcache::stop(name)?,
            Undo::EmptyPrefix { url, region, bucket, prefix } => {
                object_store::remove(&users((url, region), bucket, prefix))?
            }
            Undo::EndNetwork { namespace } => network::end(namespace)?,
        };
        Ok(done.then(|| self.object()))
    }

    /// Returns what is there of it to be torn down.
    fn find(&self, mark: &Mark) -> Result<Option<String>, LabError> {
        let found = match self {
            Undo::Unmount { mount_point } => mounts::at(mount_point)?.is_some(),
            Undo::DetachLoop { image } if kept::is_in_use(image) => false,
            Undo::DetachLoop { image } => return Ok(named(&loop_device::find(image)?, image)),
            Undo::DetachRecording { name } => !named_loop::find(name)?.is_empty(),
            Undo::ReportDisk { link } => return left_on(link),
            Undo::ForgetParts { link, disk, parts } => {
                return Ok(parts_on(&disk::known_parts(link, disk, parts)?, link));
            }
            Undo::RemoveDir { path } => {
                mounts::check_answers(path)?;
                private_dir::is_left(path, mark)?
            }
            Undo::ReportExport { path, witness, .. } => is_out_of_reach(path, witness)?,
            Undo::ExportPool { pool } => zpool::is_there(pool),
            Undo::Uncap { file, device } => throttle::is_capped(file, device)?,
            Undo::LeaveGroup { group, .. } => group.is_dir(),
            Undo::StopArray { name } => layers::is_array(name)?,
            Undo::RemoveMapping { name } => layers::is_mapping(name)?,
            Undo::StopCache { name } => bcache::is_there(name)?,
            Undo::EmptyPrefix { url, region, bucket, prefix } => {
                object_store::is_there(&users((url, region), bucket, prefix))?
            }
            Undo::EndNetwork { namespace } => network::is_there(namespace)?,
        };
        Ok(found.then(|| self.object()))
    }
}

/// Returns true if `path` may be on a server whose export is not mounted any more, as `witness` says.
fn is_out_of_reach(path: &Path, witness: &Path) -> Result<bool, LabError> {
    let mount_point = path.parent().unwrap_or(path);
    Ok(witness.is_dir() && mounts::at(mount_point)?.is_none())
}

/// A place in an object store of the user's own.
fn users((url, region): (&str, &str), bucket: &str, prefix: &str) -> Endpoint {
    let words = [url, region, bucket, prefix].map(String::from);
    let [url, region, bucket, prefix] = words;
    Endpoint::of_user(&ObjectStore { url, region, bucket, prefix }, keys::has_token())
}

/// Returns true if `image` is in a private directory of the campaign of `mark`. One that is gone is known by its
/// name, as the loop device that still has it is.
fn is_image(image: &Path, mark: &Mark) -> bool {
    let dir = image.parent().filter(|dir| mark::is_straight(dir) && private_dir::is_named(dir));
    dir.is_some_and(|dir| match private_dir::mark_of(dir) {
        Some(own) => own.is_of(mark) || own.is_of(&Mark::kept(&mark.state)),
        None => loop_device::campaign(image) == Some(&mark.campaign),
    })
}

fn named(devices: &[PathBuf], image: &Path) -> Option<String> {
    let names: Vec<String> = devices.iter().map(|device| device.display().to_string()).collect();
    (!names.is_empty()).then(|| format!("{} from {}", names.join(", "), image.display()))
}

fn parts_on(names: &[String], link: &Path) -> Option<String> {
    let told = || format!("{}; its content stays on {}", names.join(", "), link.display());
    (!names.is_empty()).then(told)
}

fn left_on(link: &Path) -> Result<Option<String>, LabError> {
    let kinds = disk::left_on(link)?.into_iter().collect::<Vec<_>>().join(",");
    let told =
        || format!("{} as it is; to use it again, add `--wipe-signature {kinds}`", link.display());
    Ok((!kinds.is_empty()).then(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_that_is_not_mounted_any_more_is_reported() {
        let state = tempfile::tempdir().unwrap();
        let mark = Mark::new(&state.path().canonicalize().unwrap(), "c");
        let witness = mark.mounts().join("assay-0-scratch");
        let path = mark.open_mount(0).join("assay-c-1");
        let told = Undo::ReportExport { server: "h:/a".into(), path, witness: witness.clone() };
        assert_eq!(told.apply(&mark).unwrap(), None, "it was undone");
        std::fs::create_dir_all(&witness).unwrap();
        let said = told.apply(&mark).unwrap().unwrap();
        assert!(said.starts_with("left files in assay-c-1 of h:/a, which is no longer"), "{said}");
    }

    #[test]
    fn entries_that_no_campaign_makes_are_not_believed() {
        let mark = Mark::new(Path::new("/s"), "c");
        let prefix = |url: &str, bucket: &str, prefix: &str| Undo::EmptyPrefix {
            url: url.into(),
            region: "us-east-1".into(),
            bucket: bucket.into(),
            prefix: prefix.into(),
        };
        let foreign = [
            Undo::Unmount { mount_point: "/etc".into() },
            Undo::Unmount { mount_point: "/s/mnt/assay-c/../../../etc".into() },
            Undo::Unmount { mount_point: "/s/mnt/assay-other/assay-0-xfs".into() },
            Undo::EndNetwork { namespace: "/run/netns/web".into() },
            Undo::RemoveDir { path: "/etc".into() },
            Undo::RemoveDir { path: "/s/../data/assay-x".into() },
            Undo::DetachLoop { image: "/var/lib/images/root.img".into() },
            Undo::DetachLoop { image: "/s/images/assay-d-image0/image".into() },
            Undo::DetachLoop { image: "images/assay-c-image0/image".into() },
            Undo::ReportDisk { link: "/data/disk".into() },
            Undo::ForgetParts { link: "/dev/../etc/x".into(), disk: "d".into(), parts: Vec::new() },
            Undo::ReportExport {
                server: "h:/a".into(),
                path: "/mnt/assay-c-0".into(),
                witness: "/s/mnt/assay-c/assay-0-scratch".into(),
            },
            Undo::ExportPool { pool: "assay-rpool".into() },
            Undo::StopArray { name: Mark::new(Path::new("/t"), "c").name(1) },
            Undo::DetachRecording { name: Mark::new(Path::new("/t"), "c").name(1) },
            Undo::RemoveMapping { name: "root".into() },
            Undo::StopCache { name: Mark::new(Path::new("/s"), "d").name(1) },
            Undo::Uncap { file: "/etc/passwd".into(), device: "0".into() },
            prefix("https://h", "bucket", "backups"),
            prefix("https://h", "bucket", &format!("{}/..", mark.name(1))),
            prefix("https://h", "bucket", &format!("{}/x", mark.name(1))),
            prefix("https://k:s@h", "bucket", &mark.name(1)),
            Undo::LeaveGroup { group: "/data".into(), home: "/".into() },
        ];
        for entry in foreign {
            for result in [entry.would(&mark), entry.apply(&mark)] {
                assert!(matches!(result, Err(LabError::Foreign { .. })), "{entry:?}: {result:?}");
            }
        }
        let ours = [
            Undo::Unmount { mount_point: "/s/mnt/assay-c/assay-0-xfs".into() },
            Undo::Unmount { mount_point: mark.open_mount(7) },
            Undo::DetachLoop { image: "/elsewhere/assay-c-image0/image".into() },
            Undo::RemoveDir { path: "/data/assay-c-0".into() },
            Undo::StopArray { name: mark.name(1) },
        ];
        for entry in ours {
            assert_eq!(entry.would(&mark).unwrap(), None);
        }
    }
}
