//! Runs two commands of which the second reads what the first writes, and counts the bytes between them.

use super::command::{Run, spawn_with};
use crate::error::LabError;
use ::fs::Cmd;
use std::{
    io::{self, Read},
    mem::MaybeUninit,
    os::fd::{AsFd, AsRawFd},
    process::{Child, ExitStatus, Stdio},
    ptr, thread,
};

/// What two commands did that were joined by a pipe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piped {
    /// Bytes that the first wrote.
    pub bytes: u64,
    /// Processor time of both in user mode, seconds.
    pub user_s: f64,
    /// The same in the kernel.
    pub system_s: f64,
}

/// Bytes that are moved at once, at most.
const MOST_BYTES: usize = 1 << 20;

/// Runs `from | to` to the end of both, and counts the bytes that `from` wrote. The kernel moves them from one pipe to
/// another (splice), so that counting them costs next to nothing. What `to` does not read, as tar the padding behind
/// an archive, counts, too.
///
/// # Errors
/// A program is missing or fails. Where both fail, the receiver is the cause: the sender notices that nothing is read
/// any more.
pub fn pipe(from: &Cmd, to: &Cmd) -> Result<Piped, LabError> {
    let before = ended_children();
    let mut receiver = spawn_with(to, Stdio::piped(), Stdio::null())?;
    let mut sender = match spawn_with(from, Stdio::null(), Stdio::piped()) {
        Ok(sender) => sender,
        Err(error) => {
            drop(receiver.stdin.take());
            let _ = receiver.wait();
            return Err(error);
        }
    };
    let (moved, [sent, received]) = thread::scope(|scope| {
        let errors = [&mut sender, &mut receiver].map(|child| child.stderr.take());
        let errors = errors.map(|pipe| scope.spawn(move || all_of(pipe)));
        let moved = match (sender.stdout.take(), receiver.stdin.take()) {
            (Some(out), Some(into)) => pass_on(out, &into),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        };
        // Both pipes are closed now: each end notices.
        (moved, errors.map(|thread| thread.join().unwrap_or_default()))
    });
    check(to, &mut receiver, &received)?;
    check(from, &mut sender, &sent)?;
    let bytes = moved.map_err(LabError::io("pass on the stream of", from.program.as_ref()))?;
    let (after, [user_s, system_s]) = (ended_children(), before);
    Ok(Piped { bytes, user_s: after[0] - user_s, system_s: after[1] - system_s })
}

/// Processor time of all children that have ended, in user mode and in the kernel, seconds.
fn ended_children() -> [f64; 2] {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the kernel fills the structure, which is used only if it says so.
    let usage = unsafe {
        match libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) {
            0 => usage.assume_init(),
            _ => return [0.0; 2],
        }
    };
    [usage.ru_utime, usage.ru_stime].map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6)
}

/// Moves all from one pipe to another, and drops what comes when the other is closed. Returns the bytes.
fn pass_on(mut from: impl Read + AsFd, to: &impl AsFd) -> io::Result<u64> {
    let mut moved = 0;
    loop {
        match splice(&from, to) {
            Ok(0) => return Ok(moved),
            Ok(bytes) => moved += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Ok(moved + io::copy(&mut from, &mut io::sink())?);
            }
            Err(error) => return Err(error),
        }
    }
}

fn splice(from: &impl AsFd, to: &impl AsFd) -> io::Result<u64> {
    let [from, to] = [from.as_fd().as_raw_fd(), to.as_fd().as_raw_fd()];
    let none = ptr::null_mut();
    // SAFETY: both descriptors are open as long as they are borrowed; pipes have no offsets, so none is handed over.
    let moved = unsafe { libc::splice(from, none, to, none, MOST_BYTES, libc::SPLICE_F_MOVE) };
    u64::try_from(moved).map_err(|_| io::Error::last_os_error())
}

fn all_of(pipe: Option<impl Read>) -> String {
    let mut all = Vec::new();
    // What cannot be read is not shown.
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut all));
    String::from_utf8_lossy(&all).into_owned()
}

fn check(cmd: &Cmd, child: &mut Child, said: &str) -> Result<(), LabError> {
    let status: ExitStatus =
        child.wait().map_err(LabError::io("wait for", cmd.program.as_ref()))?;
    if status.success() { Ok(()) } else { Err(cmd.failure(status, said)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Cmd {
        Cmd::new("sh").args(["-c", script])
    }

    #[test]
    fn bytes_between_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        let to = sh(&format!("cat > {}", file.display()));
        let piped = pipe(&sh("head -c 3000000 /dev/zero"), &to).unwrap();
        assert_eq!(piped.bytes, 3_000_000);
        assert!(piped.user_s + piped.system_s > 0.0, "{piped:?}");
        assert_eq!(std::fs::metadata(file).unwrap().len(), 3_000_000);
    }

    #[test]
    fn end_that_fails_is_named() {
        let error = pipe(&sh("echo a"), &sh("cat; echo no >&2; exit 3")).unwrap_err().to_string();
        assert!(error.contains("(exit 3)") && error.ends_with("no"), "{error}");
        let error = pipe(&sh("echo b >&2; exit 4"), &sh("cat")).unwrap_err().to_string();
        assert!(error.contains("(exit 4)") && error.ends_with("b"), "{error}");
        let error = pipe(&sh("head -c 3000000 /dev/zero"), &sh("exit 5")).unwrap_err().to_string();
        assert!(error.contains("(exit 5)"), "{error}");
    }

    /// tar does not read what is behind the end of an archive.
    #[test]
    fn bytes_that_are_not_read_are_counted() {
        for read in ["true", "head -c 1", "head -c 70000"] {
            let to = sh(&format!("{read} > /dev/null"));
            let piped = pipe(&sh("head -c 3000000 /dev/zero"), &to).unwrap();
            assert_eq!(piped.bytes, 3_000_000, "{read}");
        }
    }

    #[test]
    fn missing_program_leaves_no_other_running() {
        for (from, to) in [("no-such-program-here", "cat"), ("true", "no-such-program-here")] {
            let error = pipe(&Cmd::new(from), &Cmd::new(to)).unwrap_err().to_string();
            assert!(error.contains("`no-such-program-here` is not installed"), "{error}");
        }
    }
}
