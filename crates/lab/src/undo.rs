//! What must be undone, described by what to look for. Each kind does nothing when there is nothing
//! left to undo, so a journal may be undone again.

use crate::{Cmd, LabError, loop_device, mounts, private_dir, throttle};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One act of the lab, to be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "undo", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Undo {
    /// Unmount whatever is mounted here; the directory is private.
    Unmount { mount_point: PathBuf },
    /// Detach every loop device whose backing file is this private image.
    DetachLoop { image: PathBuf },
    /// Remove this private directory.
    RemoveDir { path: PathBuf },
    /// Lift the cap on this device, by number, that this file of a control group holds.
    Uncap { file: PathBuf, device: String },
    /// Remove this control group; processes in it go back to `home`.
    LeaveGroup { group: PathBuf, home: PathBuf },
}

impl Undo {
    /// Undoes it. Returns what was done; `None` when there was nothing to do.
    pub(crate) fn apply(&self, campaign: &str) -> Result<Option<String>, LabError> {
        Ok(match self {
            Undo::Unmount { mount_point } => {
                let commands = [Cmd::new("umount").arg(mount_point)];
                mounts::unmount(mount_point, &commands)?
                    .then(|| format!("unmounted {}", mount_point.display()))
            }
            Undo::DetachLoop { image } => {
                let devices = loop_device::detach(image)?;
                let names: Vec<String> = devices.iter().map(|d| d.display().to_string()).collect();
                (!names.is_empty())
                    .then(|| format!("detached {} from {}", names.join(", "), image.display()))
            }
            Undo::RemoveDir { path } => {
                private_dir::remove(path, campaign)?.then(|| format!("removed {}", path.display()))
            }
            Undo::Uncap { file, device } => throttle::lift(file, device)?
                .then(|| format!("lifted the cap of {device} in {}", file.display())),
            Undo::LeaveGroup { group, home } => {
                throttle::leave(group, home)?.then(|| format!("removed {}", group.display()))
            }
        })
    }
}
