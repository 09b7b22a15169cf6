//! Mounts, reads and unmounts in a thread of its own, so that a kernel that hangs does not hang the trial. A thread
//! that waits in the kernel cannot be ended: it stays until the kernel lets go of it, for which all requests to the
//! disk are made to fail.

use super::{FaultsError, mount, observe};
use ::faults::{content::Content, contract::Observed};
use rustix::io::Errno;
use std::{
    io,
    path::PathBuf,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

/// Longest time for one state: a recovery of a small disk in memory takes milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// What was seen of one state.
#[derive(Debug)]
pub(super) enum Seen {
    /// It was mounted.
    Mounted {
        /// How long that took, nanoseconds.
        mount_ns: u64,
        /// What was there, if the directory of the workload could be read.
        found: io::Result<Observed>,
    },
    /// The kernel refused to mount it.
    Refused(Errno),
    /// It has not ended in time.
    Hung,
}

/// Looks at one state after the other.
#[derive(Debug)]
pub(super) struct Looker {
    asks: Sender<()>,
    answers: Receiver<Seen>,
}

impl Looker {
    /// One that mounts as `how` says, and reads the directory `work` of it.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn new(
        how: mount::How,
        work: String,
        content: Content,
    ) -> Result<Looker, FaultsError> {
        let (asks, asked) = channel();
        let (answer, answers) = channel();
        let serve = move || {
            while asked.recv().is_ok() {
                // After an answer that is not wanted any more nothing is asked.
                let _ = answer.send(look(&how, &work, content));
            }
        };
        let named = thread::Builder::new().name("after-fault".into());
        named.spawn(serve).map_err(FaultsError::Prepare)?;
        Ok(Looker { asks, answers })
    }

    /// Looks at what the disk shows now. Where it hangs `release` is called once, which is to free it.
    pub(super) fn look(&self, patience: Duration, release: impl FnOnce()) -> Seen {
        let asked = self.asks.send(()).is_ok();
        match self.answers.recv_timeout(if asked { patience } else { Duration::ZERO }) {
            Ok(seen) => seen,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                release();
                // Once it is free nothing is mounted any more; if not, it stays so.
                let _ = self.answers.recv_timeout(patience);
                Seen::Hung
            }
        }
    }
}

fn look(how: &mount::How, work: &str, content: Content) -> Seen {
    let start = Instant::now();
    let mounted = match how.mount() {
        Ok(mounted) => mounted,
        Err(errno) => return Seen::Refused(errno),
    };
    let mount_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let root: PathBuf = mounted.root().join(work);
    let found = observe::observe(&root, content);
    drop(mounted);
    Seen::Mounted { mount_ns, found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::faults::rule::{On, Rule, What, When};
    use ::fs::Cmd;
    use lab::{programs::Run, recording::RecordingDisk, setup::Lab};
    use needs::{Need, skip};

    #[test]
    fn a_mount_that_does_not_end_is_given_up() {
        if let Some(why) = RecordingDisk::missing() {
            return skip(Need::Root, why);
        }
        let state = tempfile::tempdir().unwrap();
        let lab = Lab::open(state.path(), "looker").unwrap();
        let disk = RecordingDisk::make(&lab, "d", 32 << 20).unwrap();
        Cmd::new("mkfs.ext4").args(["-q", "-F"]).arg(disk.device()).run().unwrap();
        let target = ::fs::resolve(&"ext4".parse().unwrap()).unwrap();
        let devices = [disk.device().to_path_buf()];
        let sites = ::fs::sites(target.parts(), &devices, (32 << 20, None), |_, _| {
            ("looker".into(), "/".into(), "/".into())
        });
        let how = mount::How::of(&target.parts()[0], &sites[0]).unwrap();
        let looker = Looker::new(how, "lost+found".into(), Content::new(1)).unwrap();
        let seen = looker.look(PATIENCE, || unreachable!("nothing hangs"));
        assert!(matches!(seen, Seen::Mounted { found: Ok(_), .. }), "{seen:?}");
        // Forgets what the kernel has read, so that it is read again.
        disk::wait_free(disk.device()).unwrap();
        disk.record(1 << 20);
        disk.recorded().unwrap();
        disk.show([]).unwrap();
        // No mount without a read, and no read before long.
        let (range, when) = (0..u64::MAX, When::ALWAYS);
        let what = What::Delay(Duration::from_secs(2));
        disk.inject(vec![Rule { on: On::Read, range, when, what }]);
        let released = std::cell::Cell::new(false);
        let seen = looker.look(Duration::from_millis(100), || {
            disk.inject(Vec::new());
            released.set(true);
        });
        assert!(matches!(seen, Seen::Hung) && released.get(), "{seen:?}");
        drop(looker);
        disk::wait_free(disk.device()).unwrap();
    }
}
