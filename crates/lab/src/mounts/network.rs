//! Ends private network namespaces: a server of the kernel in one outlives the process that started it.

use crate::{error::LabError, mounts, programs::Run};
use ::fs::{Cmd, net};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    thread,
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Stops the kernel's NFS server of the namespace that is bound at our file `namespace`, kills what
/// runs in it, and gives it up. Returns true if there was one.
pub(crate) fn end(namespace: &Path) -> Result<bool, LabError> {
    if !is_there(namespace)? {
        return Ok(false);
    }
    if Path::new("/proc/fs/nfsd").exists() {
        stop_server(namespace).run()?;
    }
    kill_all(namespace)?;
    mounts::unmount(namespace, &[Cmd::new("umount").arg(namespace)])
}

/// Returns true if a namespace is bound at our file `namespace`.
pub(crate) fn is_there(namespace: &Path) -> Result<bool, LabError> {
    Ok(mounts::at(namespace)?.is_some_and(|mount| mount.kind == "nsfs"))
}

/// In a mount namespace of its own: the machine's own server has its files at the same place.
fn stop_server(namespace: &Path) -> Cmd {
    let script = "mount -t nfsd nfsd /proc/fs/nfsd && echo 0 > /proc/fs/nfsd/threads";
    let cmd = Cmd::new("nsenter").arg(net(namespace));
    cmd.args(["unshare", "--mount", "sh", "-c", script])
}

fn kill_all(namespace: &Path) -> Result<(), LabError> {
    let start = Instant::now();
    loop {
        let members = members(namespace)?;
        if members.is_empty() {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            return Err(LabError::Disk(disk::Error::StaysBusy {
                path: namespace.into(),
                seconds: PATIENCE.as_secs(),
                why: format!("process {} in it does not exit", members[0].as_raw_nonzero()),
            }));
        }
        for pid in members {
            // Fails only for one that has ended meanwhile.
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(PAUSE);
    }
}

/// The processes whose network is that of `namespace`.
fn members(namespace: &Path) -> Result<Vec<Pid>, LabError> {
    let id = |path: &Path| fs::metadata(path).map(|m| (m.dev(), m.ino()));
    let wanted = id(namespace).map_err(LabError::io("look at", namespace))?;
    let proc = Path::new("/proc");
    let entries = fs::read_dir(proc).map_err(LabError::io("list", proc))?;
    let inside = entries.flatten().filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let own = id(&entry.path().join("ns/net")).ok()?;
        (own == wanted).then(|| Pid::from_raw(pid)).flatten()
    });
    Ok(inside.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bound_namespace_is_ended() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(!end(file.path()).unwrap());
        assert!(!end(Path::new("/no/such/namespace")).unwrap());
    }

    #[test]
    fn members_are_recognized_by_their_namespace() {
        let own = members(Path::new("/proc/self/ns/net")).unwrap();
        assert!(own.contains(&rustix::process::getpid()));
        assert!(members(Path::new("/proc/self/exe")).unwrap().is_empty());
    }
}
