//! Mounts, reads and unmounts in a separate thread, so that a hang in the kernel does not hang the trial. A thread that
//! is blocked in the kernel cannot be killed; to unblock it, all further requests to the disk fail.

use super::{FaultsError, clock::whole_ns, mount, observe, work::Found};
use ::faults::content::Content;
use lab::mounts::thread_mounts::ThreadMounts;
use rustix::io::Errno;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};
use suites::{Application, TestError};

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
        found: io::Result<Found>,
    },
    /// It could not be looked at, for a reason that is not the file system's.
    Failed(FaultsError),
    /// The kernel refused to mount it.
    Refused(Errno),
    /// It has not ended in time.
    Hung,
}

/// What is examined.
#[derive(Debug)]
pub(super) enum Subject {
    /// All files, of this content.
    Content(Content),
    /// Whatever an application sees, with the file system at this directory for it alone.
    Application(Arc<dyn Application>, PathBuf),
}

/// Examines one state after the other.
#[derive(Debug)]
pub(super) struct Examiner {
    asks: Sender<Option<u64>>,
    answers: Receiver<Seen>,
}

impl Examiner {
    /// One that mounts as `how` says, and looks at the directory `work` of it.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn new(
        how: mount::How,
        work: String,
        subject: Subject,
    ) -> Result<Examiner, FaultsError> {
        let (asks, asked) = channel();
        let (answer, answers) = channel();
        let serve = move || {
            let view = View::take(subject);
            while let Ok(acknowledged) = asked.recv() {
                let seen = look(&how, &view, &work, acknowledged);
                // After an answer that is not wanted any more nothing is asked.
                let _ = answer.send(seen);
            }
        };
        let named = thread::Builder::new().name("after-fault".into());
        named.spawn(serve).map_err(FaultsError::Prepare)?;
        Ok(Examiner { asks, answers })
    }

    /// Looks at what the disk shows now, where `acknowledged` was the last mark. Where it hangs `release` is called
    /// once, which is to free it.
    pub(super) fn look(
        &self,
        acknowledged: Option<u64>,
        patience: Duration,
        release: impl FnOnce(),
    ) -> Seen {
        let asked = self.asks.send(acknowledged).is_ok();
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

/// Where the thread looks from.
enum View {
    Content(Content),
    Application(Arc<dyn Application>, Result<ThreadMounts, Errno>),
}

impl View {
    fn take(subject: Subject) -> View {
        match subject {
            Subject::Content(content) => View::Content(content),
            Subject::Application(application, at) => {
                View::Application(application, ThreadMounts::enter(&at))
            }
        }
    }

    /// What there is in the directory `work`; an error of the outer kind is not the file system's.
    fn see(
        &self,
        mounted: &mount::Mounted,
        work: &str,
        acknowledged: Option<u64>,
    ) -> Result<io::Result<Found>, TestError> {
        match self {
            View::Content(content) => {
                Ok(observe::observe(&mounted.root().join(work), *content).map(Found::Tree))
            }
            View::Application(application, thread_mounts) => {
                let error = |errno: Errno| TestError::io("mount", Path::new(work))(errno.into());
                let thread_mounts = thread_mounts.as_ref().map_err(|errno| error(*errno))?;
                let attached = thread_mounts.attach(mounted.fd()).map_err(error)?;
                let root = attached.root().join(work);
                // What the application says of a directory that cannot be read would be of itself.
                if let Err(why) = fs::read_dir(&root) {
                    return Ok(Err(why));
                }
                Ok(Ok(Found::Findings(application.look(&root, acknowledged)?)))
            }
        }
    }
}

fn look(how: &mount::How, view: &View, work: &str, acknowledged: Option<u64>) -> Seen {
    let mounted = match how.mount() {
        Ok(Ok(mounted)) => mounted,
        Ok(Err(errno)) => return Seen::Refused(errno),
        Err(error) => return Seen::Failed(error),
    };
    let mount_ns = whole_ns(mounted.took());
    match view.see(&mounted, work, acknowledged) {
        Ok(found) => Seen::Mounted { mount_ns, found },
        Err(error) => Seen::Failed(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::faults::rule::{On, Rule, What, When};
    use ::fs::Cmd;
    use lab::{programs::Run, recording::RecordingDisk, setup::Lab};
    use needs::{Need, skip};
    use rustix::fs::{Mode, OFlags, open};

    #[test]
    fn a_mount_that_does_not_end_is_given_up() {
        if let Some(why) = RecordingDisk::missing() {
            return skip(Need::Root, why);
        }
        let state = tempfile::tempdir().unwrap();
        let lab = Lab::open(state.path(), "examiner").unwrap();
        let disk = RecordingDisk::make(&lab, "d", 32 << 20).unwrap();
        Cmd::new("mkfs.ext4").args(["-q", "-F"]).arg(disk.device()).run().unwrap();
        let target = ::fs::resolve(&"ext4".parse().unwrap()).unwrap();
        let devices = [disk.device().to_path_buf()];
        let sites = ::fs::sites(target.parts(), &devices, (32 << 20, None), |_, _| {
            ("examiner".into(), "/".into(), "/".into())
        });
        let how = mount::How::of(&target.parts()[0], &sites[0]).unwrap();
        let examiner =
            Examiner::new(how, "lost+found".into(), Subject::Content(Content::new(1))).unwrap();
        let seen = examiner.look(None, PATIENCE, || unreachable!("nothing hangs"));
        assert!(matches!(seen, Seen::Mounted { found: Ok(_), .. }), "{seen:?}");
        disk::wait_free(disk.device()).unwrap();
        // As a program does that is started meanwhile, until it closes what it has inherited.
        let held = open(disk.device(), OFlags::RDONLY | OFlags::EXCL, Mode::empty()).unwrap();
        let seen = thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(50));
                drop(held);
            });
            examiner.look(None, PATIENCE, || unreachable!("nothing hangs"))
        });
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
        let seen = examiner.look(None, Duration::from_millis(100), || {
            disk.inject(Vec::new());
            released.set(true);
        });
        assert!(matches!(seen, Seen::Hung) && released.get(), "{seen:?}");
        drop(examiner);
        disk::wait_free(disk.device()).unwrap();
    }
}
