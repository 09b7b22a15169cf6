//! Describes what must be torn down by what to look for, as a journal stores it.

use ::fs::Remains;
use disk::DiskPart;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One act of the lab, to be torn down.
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
    /// Detach the loop devices of a recording disk, whose file is in no directory.
    DetachRecording {
        /// Ours: that of the file.
        name: String,
    },
    /// Remove this directory with all that is in it.
    RemoveDir {
        /// A private directory.
        path: PathBuf,
    },
    /// Say what is left on a disk. It is never wiped here: another program may have used it since.
    ReportDisk {
        /// The stable name of the disk.
        link: PathBuf,
    },
    /// Say what may be left on a server, where its export is not mounted any more. It is not mounted again: its
    /// content since then is unknown.
    ReportExport {
        /// The export, as `HOST:/path`.
        server: String,
        /// The private directory in it, at its mount point.
        path: PathBuf,
        /// A directory of ours that is there as long as the other may be.
        witness: PathBuf,
    },
    /// Have the kernel forget the parts of a disk. What is in them stays.
    ForgetParts {
        /// The stable name of the disk.
        link: PathBuf,
        /// Identity of the disk.
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
        /// The group to which its processes return.
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
    /// Remove a prefix of a bucket with all that is in it.
    EmptyPrefix {
        /// The object store, as `https://HOST`.
        url: String,
        /// Its region.
        region: String,
        /// The bucket.
        bucket: String,
        /// Ours: its last word is made of the campaign.
        prefix: String,
    },
    /// End a private network namespace with the servers in it.
    EndNetwork {
        /// The file of ours that it is bound to.
        namespace: PathBuf,
    },
}

impl Undo {
    /// Returns true if a boot undoes it. What is found in its place afterwards belongs to others: the numbers of
    /// devices, mount points and control groups are given anew.
    pub(crate) fn ends_with_boot(&self) -> bool {
        match self {
            Undo::Unmount { .. }
            | Undo::ForgetParts { .. }
            | Undo::DetachRecording { .. }
            | Undo::Uncap { .. }
            | Undo::LeaveGroup { .. }
            | Undo::EndNetwork { .. } => true,
            // Of our own names and files; arrays, caches, volumes and pools are even assembled by a boot.
            Undo::DetachLoop { .. }
            | Undo::RemoveDir { .. }
            | Undo::ReportDisk { .. }
            | Undo::ReportExport { .. }
            | Undo::ExportPool { .. }
            | Undo::StopArray { .. }
            | Undo::StopCache { .. }
            | Undo::EmptyPrefix { .. }
            | Undo::RemoveMapping { .. } => false,
        }
    }

    /// The verb of its line, and how it reads when it was done.
    pub(crate) fn verb(&self) -> (&'static str, &'static str) {
        match self {
            Undo::Unmount { .. } => ("unmount", "unmounted"),
            Undo::DetachLoop { .. } | Undo::DetachRecording { .. } => ("detach", "detached"),
            Undo::ReportDisk { .. } | Undo::ReportExport { .. } => ("leave", "left"),
            Undo::ForgetParts { .. } => ("give up", "gave up"),
            Undo::RemoveDir { .. }
            | Undo::LeaveGroup { .. }
            | Undo::EmptyPrefix { .. }
            | Undo::RemoveMapping { .. } => ("remove", "removed"),
            Undo::ExportPool { .. } => ("export", "exported"),
            Undo::Uncap { .. } => ("lift", "lifted"),
            Undo::StopArray { .. } | Undo::StopCache { .. } => ("stop", "stopped"),
            Undo::EndNetwork { .. } => ("end", "ended"),
        }
    }

    /// Returns its object, to follow its verb.
    pub(crate) fn object(&self) -> String {
        match self {
            Undo::Unmount { mount_point: path }
            | Undo::RemoveDir { path }
            | Undo::LeaveGroup { group: path, .. } => path.display().to_string(),
            Undo::DetachLoop { image } => image.display().to_string(),
            Undo::DetachRecording { name } => format!("the recording disk {name}"),
            Undo::ReportDisk { link } | Undo::ForgetParts { link, .. } => {
                link.display().to_string()
            }
            Undo::ReportExport { server, path, .. } => format!(
                "files in {} of {server}, which is no longer mounted; mount it and remove them, \
                 if any",
                path.file_name().unwrap_or_default().display()
            ),
            Undo::ExportPool { pool } => format!("the pool {pool}"),
            Undo::Uncap { file, device } => format!("the cap of {device} in {}", file.display()),
            Undo::StopArray { name } => format!("the array {name}"),
            Undo::RemoveMapping { name } => format!("the mapping {name}"),
            Undo::StopCache { name } => format!("the bcache {name}"),
            Undo::EmptyPrefix { url, bucket, prefix, .. } => {
                format!("the objects below {url}/{bucket}/{prefix}")
            }
            Undo::EndNetwork { namespace } => format!("the servers of {}", namespace.display()),
        }
    }
}

impl From<Remains> for Undo {
    fn from(remains: Remains) -> Undo {
        match remains {
            Remains::Mount(mount_point) => Undo::Unmount { mount_point },
            Remains::Pool(pool) => Undo::ExportPool { pool },
            Remains::Array(name) => Undo::StopArray { name },
            Remains::Mapping(name) => Undo::RemoveMapping { name },
            Remains::Cache(name) => Undo::StopCache { name },
            Remains::Prefix { url, region, bucket, prefix } => {
                Undo::EmptyPrefix { url, region, bucket, prefix }
            }
            Remains::Network(namespace) => Undo::EndNetwork { namespace },
        }
    }
}
