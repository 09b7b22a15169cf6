//! Unmounts with retries, and reads the mount table.

pub mod detached;
pub(crate) mod kinds;
pub(crate) mod network;
pub(crate) mod rebuild;
#[allow(unsafe_code)]
pub mod thread_mounts;

pub(crate) use disk::mounts::{Mount, all, at, below, holding};

use crate::{error::LabError, programs::Run};
use fs::{Cmd, Rebuild};
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Longest time of the tries to unmount: a worker that was killed may take a moment to die.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pauses between tries: what closes its files a moment after it ended costs a moment.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// Longest time to unmount what may have no server any more, in seconds; less than `PATIENCE`.
const LAST_CALL_S: &str = "5";

/// Unmounts what is mounted at `dir` and may have lost its server. Returns true if anything was.
pub(crate) fn abandon(dir: &Path) -> Result<bool, LabError> {
    // Forced, as NFS would wait for its server for ever, and so would the helper of mount without -i. When
    // nothing is mounted any more, version 4 still takes leave of the server, for minutes unless killed.
    let limit = ["--foreground", "--signal=KILL", LAST_CALL_S];
    let unmounted = Cmd::new("timeout").args(limit).args(["umount", "-f", "-i"]).arg(dir);
    let cancelled = is_rebuilt(dir)?.then(|| Rebuild::cancel(dir));
    unmount(dir, &cancelled.into_iter().chain([unmounted]).collect::<Vec<_>>())
}

/// Returns true if a Btrfs at `dir` is being rebuilt, which keeps it busy until done.
fn is_rebuilt(dir: &Path) -> Result<bool, LabError> {
    let mount = at(dir)?.filter(|mount| mount.kind == "btrfs");
    Ok(mount
        .is_some_and(|mount| rebuild::is_running(&Rebuild::Btrfs(mount.source)).unwrap_or(false)))
}

/// Makes sure that the server of the export that `path` is on answers, if it is on one: the first process to look
/// there would wait for ever otherwise.
pub(crate) fn check_answers(path: &Path) -> Result<(), LabError> {
    let Some(mount) = holding(path)?.filter(|mount| kinds::is_nfs(&mount.kind)) else {
        return Ok(());
    };
    let limit = ["--foreground", "--signal=KILL", LAST_CALL_S, "stat", "--file-system"];
    let asked = Cmd::new("timeout").args(limit).arg(&mount.mount_point).run();
    asked.map(drop).map_err(|why| LabError::NoAnswer {
        path: path.into(),
        server: mount.source.display().to_string(),
        why: why.to_string(),
    })
}

/// Runs `commands` until nothing is mounted at `dir`. Returns true if anything was.
pub(crate) fn unmount(dir: &Path, commands: &[Cmd]) -> Result<bool, LabError> {
    unmount_within(PATIENCE, dir, commands)
}

fn unmount_within(patience: Duration, dir: &Path, commands: &[Cmd]) -> Result<bool, LabError> {
    let start = Instant::now();
    let mut was_mounted = false;
    let mut pause = SHORTEST_PAUSE;
    while at(dir)?.is_some() {
        was_mounted = true;
        match commands.iter().try_for_each(|cmd| cmd.run().map(drop)) {
            Ok(()) => {}
            Err(error @ LabError::MissingProgram { .. }) => return Err(error),
            // One that was killed while the kernel still wrote back has unmounted all the same.
            Err(error) if start.elapsed() > patience && at(dir)?.is_some() => {
                return Err(LabError::Disk(disk::Error::StaysBusy {
                    path: dir.into(),
                    seconds: patience.as_secs(),
                    why: error.to_string(),
                }));
            }
            Err(_) => {
                thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        }
    }
    Ok(was_mounted)
}

/// A mount of type `kind` at `mount_point`, for tests of what reads the table.
#[cfg(test)]
pub(crate) fn mount(kind: &str, mount_point: &Path, options: &str) -> Mount {
    Mount {
        number: "0:9".into(),
        mount_point: mount_point.into(),
        kind: kind.into(),
        source: kind.into(),
        options: options.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unmounted_directory_is_not_busy_if_umount_failed() {
        if !rustix::process::geteuid().is_root() {
            return needs::skip(needs::Need::Root, "mounting needs root");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        Cmd::new("mount").args(["-t", "tmpfs", "assay-test"]).arg(&path).run().unwrap();
        let busy = unmount_within(Duration::ZERO, &path, &[Cmd::new("false")]);
        assert!(matches!(busy, Err(LabError::Disk(disk::Error::StaysBusy { .. }))), "{busy:?}");
        let killed = Cmd::new("sh").args(["-c", "umount \"$0\"; kill -9 $$"]).arg(&path);
        assert!(unmount_within(Duration::ZERO, &path, &[killed]).unwrap());
        assert!(!unmount(&path, &[]).unwrap());
    }
}
