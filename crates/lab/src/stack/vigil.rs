//! Watches the servers of a target, so that no process waits for one that has ended. Users of a hard NFS mount would
//! wait until the server returns, and ours never does: pending requests are failed, again and again, until the target
//! is taken down.

use crate::error::LabError;
use rustix::{
    fs::syncfs,
    io::Errno,
    mount::{UnmountFlags, unmount},
    process::{Pid, WaitId, WaitIdOptions, waitid},
};
use std::{
    fs::File,
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Interval at which the servers are checked, and requests to one that is gone are failed.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Watches the servers of one mount until it is dropped, which must be before unmounting.
#[derive(Debug)]
pub(crate) struct Vigil {
    servers: Vec<Pid>,
    /// Held open, so that giving up what waits does not unmount as well.
    root: File,
    watch: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Vigil {
    /// Watches `servers`, children of this process, of what is mounted at `dir`.
    pub(crate) fn keep(dir: &Path, servers: Vec<Pid>) -> Result<Vigil, LabError> {
        let root = File::open(dir).map_err(LabError::io("open", dir))?;
        let (end, ended) = channel();
        let (watched, dir) = (servers.clone(), dir.to_owned());
        let watch = thread::spawn(move || watch(&dir, &watched, &ended));
        Ok(Vigil { servers, root, watch: Some((end, watch)) })
    }

    /// Returns true if a server has ended.
    pub(crate) fn is_lost(&self) -> bool {
        one_has_ended(&self.servers)
    }
}

fn watch(dir: &Path, servers: &[Pid], ended: &Receiver<()>) {
    while ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
        if one_has_ended(servers) {
            // Fails, as it is held open, but only after all that waits was given up.
            let _ = unmount(dir, UnmountFlags::FORCE);
        }
    }
}

/// Returns true if one of `servers` has exited; its status is left to the parent.
fn one_has_ended(servers: &[Pid]) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    servers.iter().any(|server| match waitid(WaitId::Pid(*server), options) {
        Ok(status) => status.is_some(),
        Err(error) => error == Errno::CHILD,
    })
}

impl Drop for Vigil {
    fn drop(&mut self) {
        if self.is_lost() {
            // Unmounting would write back and wait when no process can give that up any more.
            let _ = syncfs(&self.root);
        }
        if let Some((end, watch)) = self.watch.take() {
            drop(end);
            let _ = watch.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_end_of_a_server_is_seen() {
        let mut server = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let pid = [Pid::from_child(&server)];
        assert!(!one_has_ended(&pid));
        drop(server.stdin.take());
        while !one_has_ended(&pid) {
            thread::yield_now();
        }
        assert!(server.wait().unwrap().success());
        assert!(one_has_ended(&pid));
    }
}
