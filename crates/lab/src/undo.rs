//! What must be undone, described by what to look for. Each kind does nothing when there is nothing
//! left to undo, so a journal may be undone again.

use crate::{
    DiskPart, LabError, bcache, interlock, layers, loop_device, mounts, network, private_dir,
    throttle, zpool,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One act of the lab, to be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "undo", rename_all = "snake_case", deny_unknown_fields)]
pub enum Undo {
    /// Unmount whatever is mounted here.
    Unmount {
        /// A directory of ours.
        mount_point: PathBuf,
    },
    /// Detach every loop device that this file backs.
    DetachLoop {
        /// An image of ours.
        image: PathBuf,
    },
    /// Remove this directory with all that is in it.
    RemoveDir {
        /// A private directory.
        path: PathBuf,
    },
    /// Say what is left on a disk. It is never wiped here: nobody knows who used it since.
    Tell {
        /// The stable name of the disk.
        link: PathBuf,
    },
    /// Have the kernel forget the parts of a disk. What lies in them stays.
    ForgetParts {
        /// The stable name of the disk.
        link: PathBuf,
        /// What made it this disk.
        disk: String,
        /// Its parts.
        parts: Vec<DiskPart>,
    },
    /// Export a ZFS pool, which gives its devices back.
    ExportPool {
        /// A pool of ours, by its name.
        pool: String,
    },
    /// Lift the cap on a device.
    Uncap {
        /// The file of a control group that holds it.
        file: PathBuf,
        /// The device, as `major:minor`.
        device: String,
    },
    /// Remove a control group.
    LeaveGroup {
        /// Ours.
        group: PathBuf,
        /// Where processes in it go back to.
        home: PathBuf,
    },
    /// Stop an md array.
    StopArray {
        /// Ours, in its superblock.
        name: String,
    },
    /// Remove mappings of the device mapper.
    RemoveMapping {
        /// Ours: of the mapping, or of a volume group with all its volumes.
        name: String,
    },
    /// Stop a bcache with its cache.
    StopCache {
        /// Ours: its set and the label of its backing disk are made of it.
        name: String,
    },
    /// End a private network namespace with the servers in it.
    EndNetwork {
        /// The file of ours that it is bound to.
        namespace: PathBuf,
    },
}

impl Undo {
    /// Whether a boot undoes it. What is found in its place afterwards is somebody else's: the numbers of
    /// devices, mount points and control groups are given anew.
    pub(crate) fn ends_with_boot(&self) -> bool {
        match self {
            Undo::Unmount { .. }
            | Undo::ForgetParts { .. }
            | Undo::Uncap { .. }
            | Undo::LeaveGroup { .. }
            | Undo::EndNetwork { .. } => true,
            // Of our own names and files; arrays, caches, volumes and pools are even assembled by a boot.
            Undo::DetachLoop { .. }
            | Undo::RemoveDir { .. }
            | Undo::Tell { .. }
            | Undo::ExportPool { .. }
            | Undo::StopArray { .. }
            | Undo::StopCache { .. }
            | Undo::RemoveMapping { .. } => false,
        }
    }

    /// Undoes it. Returns what was done; `None` when there was nothing to do.
    pub(crate) fn apply(&self, campaign: &str) -> Result<Option<String>, LabError> {
        Ok(match self {
            Undo::Unmount { mount_point } => {
                // Its server may have died with the process that made it.
                mounts::abandon(mount_point)?
                    .then(|| format!("unmounted {}", mount_point.display()))
            }
            Undo::DetachLoop { image } => {
                let devices = loop_device::detach(image)?;
                let names: Vec<String> = devices.iter().map(|d| d.display().to_string()).collect();
                (!names.is_empty())
                    .then(|| format!("detached {} from {}", names.join(", "), image.display()))
            }
            Undo::Tell { link } => {
                let kinds = interlock::left_on(link)?.into_iter().collect::<Vec<_>>().join(",");
                let told = || {
                    format!(
                        "left {} as it is; to use it again, add `--wipe-signature {kinds}`",
                        link.display()
                    )
                };
                (!kinds.is_empty()).then(told)
            }
            Undo::ForgetParts { link, disk, parts } => {
                let names = interlock::forget_parts(link, disk, parts)?.join(", ");
                let told =
                    || format!("gave up {names}; what lies in it is left on {}", link.display());
                (!names.is_empty()).then(told)
            }
            Undo::RemoveDir { path } => {
                private_dir::remove(path, campaign)?.then(|| format!("removed {}", path.display()))
            }
            Undo::ExportPool { pool } => {
                zpool::export(pool)?.then(|| format!("exported the pool {pool}"))
            }
            Undo::Uncap { file, device } => throttle::lift(file, device)?
                .then(|| format!("lifted the cap of {device} in {}", file.display())),
            Undo::LeaveGroup { group, home } => {
                throttle::leave(group, home)?.then(|| format!("removed {}", group.display()))
            }
            Undo::StopArray { name } => {
                layers::stop_array(name)?.then(|| format!("stopped the array {name}"))
            }
            Undo::RemoveMapping { name } => {
                layers::remove_mapping(name)?.then(|| format!("removed the mapping {name}"))
            }
            Undo::StopCache { name } => {
                bcache::stop(name)?.then(|| format!("stopped the bcache {name}"))
            }
            Undo::EndNetwork { namespace } => network::end(namespace)?
                .then(|| format!("ended the servers of {}", namespace.display())),
        })
    }
}
