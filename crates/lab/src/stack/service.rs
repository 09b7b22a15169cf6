//! Runs the servers under a target: FUSE daemons, NBD and NFS servers. Each is a child in the foreground that dies with
//! this process, is awaited until it is ready, and is ended when its part is taken down.

use crate::{
    error::LabError,
    mounts,
    programs::{Run, command, keys},
};
use ::fs::{Cmd, Ready};
use rustix::{
    fs::{MemfdFlags, memfd_create, statfs},
    io::Errno,
    process::{Pid, Signal, kill_process},
};
use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    os::unix::{fs::FileExt, net::UnixStream, process::ExitStatusExt},
    path::Path,
    process::{Child, ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Longest time until a server is ready; one that makes a store of its own needs seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest time until a server ends on its own once its mount is gone, and then when it is asked to, before it is
/// killed. Long, because one that holds what was written until it ends would lose it.
const LAST_WORDS: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(10);
/// The length of a server's last output that is kept to explain its exit, bytes.
const SAID: usize = 4096;

/// Stands in the environment of a server, and of all that it starts: sshfs, for one, disowns its helper.
pub(crate) const TOKEN: &str = "ASSAY_SERVER";

/// Returns a token that no other server has: the number of this process, and how many it has started.
fn new_token() -> String {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    format!("{}.{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed))
}

/// A server that runs; ended when dropped.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    command: String,
    /// Its output so far.
    log: File,
    /// It ends on its own when its mount is gone, and may have to write back before.
    mounted: bool,
    /// Processes that the kernel had killed for lack of memory when it began.
    out_of_memory: u64,
}

impl Service {
    /// Starts `cmd` and returns when it is `ready`.
    pub(crate) fn start(cmd: &Cmd, ready: &Ready) -> Result<Service, LabError> {
        let name = Path::new(&cmd.program);
        let log = memfd_create("assay-service", MemfdFlags::CLOEXEC)
            .map_err(LabError::errno("keep the messages of", name))?;
        let log = File::from(log);
        let copy = || log.try_clone().map(Stdio::from).map_err(LabError::io("run", name));
        let mounted = matches!(ready, Ready::Mounted(_));
        let child = cmd.clone().env(TOKEN, new_token()).start(copy()?, copy()?)?;
        let (command, out_of_memory) = (cmd.to_string(), out_of_memory());
        let mut service = Service { child, command, log, mounted, out_of_memory };
        let began = Instant::now();
        while !is_ready(ready)? {
            if let Some(status) = service.ended()? {
                return Err(cmd.failure(status, &service.said()));
            }
            if began.elapsed() > PATIENCE {
                let command = cmd.to_string();
                return Err(LabError::NotReady { command, seconds: PATIENCE.as_secs() });
            }
            thread::sleep(PAUSE);
        }
        Ok(service)
    }

    /// Returns why it is gone, when it is: how it ended, and what it said last.
    pub(crate) fn loss(&mut self) -> Option<LabError> {
        let status = self.ended().ok().flatten()?;
        let starved =
            status.signal() == Some(Signal::KILL.as_raw()) && out_of_memory() > self.out_of_memory;
        let why = if starved { "(the kernel was out of memory)" } else { "" };
        Some(LabError::ServerEnded {
            command: self.command.clone(),
            status: format!("{}{why}", disk::program::ending(status)),
            said: command::last_lines(&self.said()),
        })
    }

    /// Its process, a child of this one.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Returns its last output; output that cannot be read is left out.
    fn said(&self) -> String {
        let mut bytes = vec![0; SAID];
        let from = self.log.metadata().map_or(0, |log| log.len()).saturating_sub(SAID as u64);
        // By position: the server writes where the file stands.
        let length = self.log.read_at(&mut bytes, from).unwrap_or(0);
        keys::hide(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }

    fn ended(&mut self) -> Result<Option<ExitStatus>, LabError> {
        self.child.try_wait().map_err(LabError::io("wait for", Path::new("a server")))
    }

    /// Lets it end, asks it to end, and kills it when it does neither.
    ///
    /// # Errors
    /// It was killed, and what it held is lost.
    pub(crate) fn end(&mut self) -> Result<(), LabError> {
        self.end_within(LAST_WORDS)
    }

    fn end_within(&mut self, patience: Duration) -> Result<(), LabError> {
        if self.mounted {
            self.wait_for_end(patience);
        }
        // A child that was reaped has no number any more, and `pid` would be that of another process.
        if self.runs() && kill_process(self.pid(), Signal::TERM).is_ok() {
            self.wait_for_end(patience);
        }
        if !self.runs() {
            return Ok(());
        }
        // Fails only for a process that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let (command, said) = (self.command.clone(), command::last_lines(&self.said()));
        Err(LabError::ServerKilled { command, seconds: patience.as_secs(), said })
    }

    fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn wait_for_end(&mut self, patience: Duration) {
        let began = Instant::now();
        while self.runs() && began.elapsed() < patience {
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Who must know has ended it before.
        let _ = self.end();
    }
}

/// Processes that the kernel has killed for lack of memory since it began; 0 where it does not count them.
fn out_of_memory() -> u64 {
    let text = fs::read_to_string("/proc/vmstat").unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

fn is_ready(ready: &Ready) -> Result<bool, LabError> {
    Ok(match ready {
        Ready::Mounted(dir) => mounts::at(dir)?.is_some() && !is_abandoned(dir),
        Ready::Exists(path) => path.exists(),
        Ready::Socket(path) => UnixStream::connect(path).is_ok(),
        Ready::Port(port) => {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
            TcpStream::connect_timeout(&address, PAUSE * 10).is_ok()
        }
    })
}

/// Returns true if the server of the mount at `dir` is gone. A FUSE server mounts before it reads all of its options;
/// the kernel answers when it has begun to serve, or has ended.
fn is_abandoned(dir: &Path) -> bool {
    matches!(statfs(dir), Err(Errno::NOTCONN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Census;

    #[test]
    fn a_server_is_waited_for_and_ended() {
        let dir = tempfile::tempdir().unwrap();
        let (ready, ended) = (dir.path().join("ready"), dir.path().join("ended"));
        let script = format!(
            "trap 'touch {}; exit' TERM; touch {}; while :; do sleep 0.01; done",
            ended.display(),
            ready.display()
        );
        let cmd = Cmd::new("sh").args(["-c", &script]).serve(Ready::Exists(ready.clone()));
        let service = Service::start(&cmd, &Ready::Exists(ready.clone())).unwrap();
        assert!(ready.exists() && !ended.exists());
        drop(service);
        assert!(ended.exists());
        fs::remove_file(ended).unwrap();
    }

    #[test]
    fn a_mount_that_its_server_left_is_not_ready() {
        if !needs::root_or_skip("mounting") || !needs::program_or_skip("bindfs") {
            return;
        }
        let (below, above) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let ready = Ready::Mounted(above.path().into());
        let args = ["-f".as_ref(), below.path().as_os_str(), above.path().as_os_str()];
        let mut service = Service::start(&Cmd::new("bindfs").args(args), &ready).unwrap();
        // Killed, it cannot take its mount along.
        service.child.kill().unwrap();
        service.child.wait().unwrap();
        let (is_left, is_ready) = (mounts::at(above.path()).unwrap().is_some(), is_ready(&ready));
        needs::unmount(above.path());
        assert!(is_left && !is_ready.unwrap());
    }

    #[test]
    fn processes_that_a_server_disowns_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let ready = dir.path().join("ready");
        let wait = "while [ -e $0 ]; do sleep 0.01; done";
        let script = format!("touch $0; ( ( {wait} ) & ) ; touch $0.started; {wait}");
        let cmd = Cmd::new("sh").args(["-c", &script]).arg(&ready);
        let started = dir.path().join("ready.started");
        let mut service = Service::start(&cmd, &Ready::Exists(started)).unwrap();
        let own = service.pid().as_raw_nonzero().get() as u32;
        let disowned = || {
            let tree = Census::take().trees(&[own]);
            let elsewhere = |pid: &u32| parent(*pid).is_some_and(|parent| !tree.contains(&parent));
            tree.iter().any(|pid| *pid != own && elsewhere(pid))
        };
        // The one in between ends when it likes.
        while !disowned() {
            assert!(service.runs());
        }
        fs::remove_file(ready).unwrap();
        service.end().unwrap();
    }

    /// The process that the kernel calls the parent of the process `pid`.
    fn parent(pid: u32) -> Option<u32> {
        let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        text.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
    }

    #[test]
    fn a_server_that_had_to_be_killed_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let ready = dir.path().join("ready");
        let script = "trap '' TERM; echo flushing; touch $0; while :; do sleep 0.01; done";
        let cmd = Cmd::new("sh").args(["-c", script]).arg(&ready);
        let mut service = Service::start(&cmd, &Ready::Exists(ready.clone())).unwrap();
        let error = service.end_within(Duration::from_millis(50)).unwrap_err().to_string();
        assert!(error.contains("was killed; unwritten data is lost: flushing"), "{error}");
        assert!(!service.runs());
    }

    #[test]
    fn a_server_that_ends_says_why() {
        let cmd = Cmd::new("sh").args(["-c", "echo no store >&2; exit 3"]);
        let error = Service::start(&cmd, &Ready::Exists("/no/such/path".into())).unwrap_err();
        assert!(error.to_string().ends_with("failed (exit 3): no store"), "{error}");
    }

    #[test]
    fn a_server_that_exits_unexpectedly_is_reported_with_its_last_words() {
        let dir = tempfile::tempdir().unwrap();
        let ready = dir.path().join("ready");
        let script = "touch $0; echo working; while [ -e $0 ]; do sleep 0.01; done; \
                      echo node 7 not found >&2; kill -ABRT $$";
        let cmd = Cmd::new("sh").args(["-c", script]).arg(&ready);
        let mut service = Service::start(&cmd, &Ready::Exists(ready.clone())).unwrap();
        assert!(service.loss().is_none());
        fs::remove_file(ready).unwrap();
        let loss = loop {
            match service.loss() {
                Some(loss) => break loss.to_string(),
                None => thread::sleep(PAUSE),
            }
        };
        assert!(
            loss.contains(
                "exited unexpectedly (signal 6): working / node 7 not \
                               found"
            ),
            "{loss}"
        );
    }
}
