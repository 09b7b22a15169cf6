//! Runs a guest from its directory to its result.

use super::{
    Guest, GuestExit, Machine, OUT, Shared, Stranger, console::Console, stranger,
    stranger::HandedOver,
};
use crate::{
    error::LabError,
    programs::{Run, command::last_lines},
};
use fs::Cmd;
use std::{
    fs::File,
    io,
    os::unix::ffi::OsStrExt,
    path,
    process::{Child, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Interval between looks at a guest.
const TICK: Duration = Duration::from_millis(100);
/// Longest time until the program of a guest starts. An emulated machine needs some seconds, or a minute
/// under heavy load; on a busy machine its kernel now and then pauses before.
const BOOT: Duration = Duration::from_secs(180);
/// File with the output of the program; made just before it starts.
const LOG: &str = "log";
/// File with the exit status of the program.
const STATUS: &str = "status";
/// Most bytes of a status, and of the end of a log.
const STATUS_BYTES: usize = 16;
const LOG_BYTES: usize = 64 << 10;
/// Most characters of its last words.
const WORDS_CHARS: usize = 1000;
/// Longest time until a guest powers off after its result is there.
const POWER_OFF: Duration = Duration::from_secs(10);
/// How the message begins with which a kernel says why it stops.
const PANIC: &str = "Kernel panic";

/// Boots `guest` as `machine`, once more when its program did not begin, and waits for its end. `tick` is
/// called several times a second and once after the end, so that what the guest writes can be followed;
/// `stop` ends the guest.
///
/// # Errors
/// It cannot be started, gave no result, or took too long; `tick` failed.
pub fn run<E: From<LabError>>(
    guest: &dyn Guest,
    machine: &Machine,
    stop: &AtomicBool,
    tick: &mut dyn FnMut() -> Result<(), E>,
) -> Result<GuestExit, E> {
    let out = Shared::open(&machine.out)?;
    prepare(guest, machine, &out)?;
    let stranger = match disk::is_root() {
        true => Some(Stranger { uid: stranger::new()? }),
        false => None,
    };
    let handed = match stranger {
        Some(Stranger { uid }) => {
            let all: Vec<_> = machine.disks.iter().chain([&machine.out]).collect();
            HandedOver::to(uid, &all)?
        }
        None => HandedOver::default(),
    };
    let once = Boot { guest, machine, out: &out, stranger };
    let mut ended = once.run(stop, tick);
    if ended.is_err() && !once.has_begun() {
        ended = once.run(stop, tick);
    }
    drop(handed);
    ended
}

/// One boot of a guest.
struct Boot<'a> {
    guest: &'a dyn Guest,
    machine: &'a Machine,
    out: &'a Shared,
    stranger: Option<Stranger>,
}

/// Ends it with all that it started.
pub(super) fn end(child: &mut Child) {
    // It has ended already, or it ends now; either way it is reaped.
    let _ = child.kill();
    let _ = child.wait();
}

/// Puts the program and its command line into the directory, which is still this user's, and removes what
/// an earlier guest left there.
fn prepare(guest: &dyn Guest, machine: &Machine, out: &Shared) -> Result<(), LabError> {
    for left in [LOG, STATUS] {
        out.forget(left).map_err(LabError::io("remove", &machine.out.join(left)))?;
    }
    // A copy, because the guest may not be allowed where the program is.
    let program = &machine.program;
    let mut program = File::open(program).map_err(LabError::io("open", program))?;
    out.put("program", 0o755, |copy| io::copy(&mut program, copy).map(drop))?;
    let command = Cmd::new(&format!("{OUT}/program")).args(&machine.args);
    out.put_script("command", &format!("exec {command}\n"))?;
    let cache = path::absolute(&machine.cache).map_err(LabError::io("find", &machine.cache))?;
    out.write("cache", cache.as_os_str().as_bytes())?;
    guest.prepare(out)
}

impl Boot<'_> {
    fn run<E: From<LabError>>(
        &self,
        stop: &AtomicBool,
        tick: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<GuestExit, E> {
        let pipe = LabError::io("open a pipe for", &self.machine.out);
        let (console, writer) = Console::open().map_err(pipe)?;
        let errors =
            writer.try_clone().map_err(LabError::io("open a pipe for", &self.machine.out))?;
        let command = self.guest.boot(self.machine, self.stranger);
        let mut child = command.start(Stdio::from(writer), errors.into())?;
        let ended = self.follow(&mut child, stop, tick);
        end(&mut child);
        let ended = ended?.map_err(|why| self.failure(&console, &why))?;
        tick()?;
        Ok(ended)
    }

    /// Returns how it ended, or why that is a failure.
    fn follow<E: From<LabError>>(
        &self,
        child: &mut Child,
        stop: &AtomicBool,
        tick: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Result<GuestExit, String>, E> {
        let start = Instant::now();
        let mut since_result: Option<Instant> = None;
        loop {
            let running = matches!(child.try_wait(), Ok(None));
            tick()?;
            // The signal that asks to stop may have reached the guest, too.
            if stop.load(Ordering::Relaxed) {
                return Ok(Ok(GuestExit::Stopped));
            }
            match self.result()? {
                Some(status) if !running => return Ok(Ok(GuestExit::Exit(status))),
                Some(status)
                    if since_result.get_or_insert_with(Instant::now).elapsed() > POWER_OFF =>
                {
                    return Ok(Ok(GuestExit::Exit(status)));
                }
                None if !running => return Ok(Err("exited without a result".into())),
                _ => {}
            }
            if start.elapsed() > BOOT && !self.has_begun() {
                return Ok(Err(format!("did not boot within {} s", BOOT.as_secs())));
            }
            let timeout = self.machine.timeout;
            if start.elapsed() > timeout {
                return Ok(Err(format!("did not end within {} s", timeout.as_secs())));
            }
            thread::sleep(TICK);
        }
    }

    fn has_begun(&self) -> bool {
        self.out.has(LOG)
    }

    /// The status that the guest left, when it is there.
    fn result(&self) -> Result<Option<i32>, LabError> {
        let bytes = self.out.read(STATUS, 0, STATUS_BYTES)?;
        Ok(bytes.and_then(|bytes| String::from_utf8_lossy(&bytes).trim().parse().ok()))
    }

    /// With the last output of the program, else the reason why its kernel died, else the last output of the kernel.
    fn failure(&self, console: &Console, why: &str) -> LabError {
        let guest = self.guest.venue().to_string();
        let said = Some(last_words(self.out)).filter(|words| !words.is_empty());
        let said = said.unwrap_or_else(|| {
            let console = console.text();
            let panic = console.lines().find(|line| line.contains(PANIC)).map(harmless);
            panic.unwrap_or_else(|| harmless(&last_lines(&console)))
        });
        LabError::Guest { guest, why: why.into(), said }
    }
}

/// Returns what the program of the machine whose directory is `out` said last.
pub fn last_words(out: &Shared) -> String {
    harmless(&last_lines(&String::from_utf8_lossy(&out.last(LOG, LOG_BYTES))))
}

/// `words` on one line, without what a terminal obeys, and not too many.
fn harmless(words: &str) -> String {
    let plain = words.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(WORDS_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_few_and_plain() {
        assert_eq!(harmless("a\x1b[2Jb\r"), "a [2Jb");
        assert_eq!(harmless(&"x".repeat(9999)).len(), WORDS_CHARS);
    }
}
