//! Holds assets open for a worker that drops the right to enter their folder. Programs may depend on a file extension,
//! so each asset gets a name: a link in an unmounted tmpfs, which is reached through its descriptor and gone with the
//! last process that holds it.

use model::workload::AssetFile;
use rustix::{
    fs::{AtFlags, Mode, OFlags, chmodat, mkdirat, open, symlinkat},
    io::Errno,
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_string, fsmount,
        fsopen,
    },
};
use std::{
    os::fd::{IntoRawFd, OwnedFd, RawFd},
    path::Path,
};

/// Mode of folders that another user passes through.
const OPEN: Mode = Mode::from_raw_mode(0o755);

/// Opens `assets` for the rest of the life of this process and of what it starts, and gives each a path that leads to
/// what is open, and ends as its name does where the kernel allows the file system in memory.
///
/// # Errors
/// One line: an asset cannot be opened.
pub(crate) fn hold(assets: &mut [AssetFile]) -> Result<(), String> {
    if assets.is_empty() {
        return Ok(());
    }
    let names = memory().map(IntoRawFd::into_raw_fd).ok();
    for asset in assets {
        let file = open(&asset.path, OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|why| format!("cannot open the asset `{}`: {why}", asset.name))?;
        let path = format!("/proc/self/fd/{}", file.into_raw_fd());
        let named = names.and_then(|names| link(names, asset.name.as_path(), &path).ok());
        asset.path = named.unwrap_or(path).into();
    }
    Ok(())
}

/// An empty file system that all may read, without a name and kept by what this process starts.
fn memory() -> Result<OwnedFd, Errno> {
    let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&context, "mode", "0755")?;
    fsconfig_create(&context)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOSUID;
    fsmount(&context, FsMountFlags::empty(), attributes)
}

/// Makes the link `name` to `path` in the file system `names`; the path that leads to it.
fn link(names: RawFd, name: &Path, path: &str) -> Result<String, Errno> {
    let top = format!("/proc/self/fd/{names}");
    let dir = open(&*top, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let folders = name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    for folder in folders.collect::<Vec<_>>().into_iter().rev() {
        match mkdirat(&dir, folder, OPEN) {
            // Whatever the umask.
            Ok(()) => chmodat(&dir, folder, OPEN, AtFlags::empty())?,
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
    }
    symlinkat(path, &dir, name)?;
    Ok(format!("{top}/{}", name.display()))
}
