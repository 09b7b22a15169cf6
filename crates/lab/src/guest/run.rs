//! The way of a guest from its directory to its result.

use super::{Ended, Guest, Machine, OUT};
use crate::{Cmd, LabError, command::last_lines};
use std::{
    fs::{self, File, Permissions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, chown},
    },
    path::{self, Path},
    process::Child,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How often a guest is looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long a guest may take until its program begins. An emulated machine needs some seconds, a minute
/// beside much other work; on a busy machine its kernel now and then stands still before.
const BOOT: Duration = Duration::from_secs(180);
/// What the program says; made just before it begins.
const LOG: &str = "log";
/// How long a guest may take to power off after its result is there.
const POWER_OFF: Duration = Duration::from_secs(10);
/// With what a kernel says why it stops.
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
) -> Result<Ended, E> {
    prepare(guest, machine)?;
    let ended = boot(guest, machine, stop, tick);
    if ended.is_ok() || has_begun(machine) { ended } else { boot(guest, machine, stop, tick) }
}

fn has_begun(machine: &Machine) -> bool {
    machine.out.join(LOG).exists()
}

fn boot<E: From<LabError>>(
    guest: &dyn Guest,
    machine: &Machine,
    stop: &AtomicBool,
    tick: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Ended, E> {
    let path = machine.out.join("console");
    let console = File::create(&path).map_err(LabError::io("create", &path))?;
    let errors = console.try_clone().map_err(LabError::io("open", &path))?;
    let mut child = guest.boot(machine).start(console.into(), errors.into())?;
    let ended = follow(guest, machine, &mut child, stop, tick);
    end(&mut child);
    let ended = ended?;
    tick()?;
    Ok(ended)
}

/// Ends it with all that it started.
pub(super) fn end(child: &mut Child) {
    // It has ended already, or it ends now; either way it is reaped.
    let _ = child.kill();
    let _ = child.wait();
}

/// Writes `text` as a file that may be executed.
pub(super) fn write_script(path: &Path, text: &str) -> Result<(), LabError> {
    fs::write(path, text).map_err(LabError::io("write", path))?;
    fs::set_permissions(path, Permissions::from_mode(0o755)).map_err(LabError::io("open up", path))
}

/// Puts the program and its command line into the directory, and gives it and the disks to the user that
/// the guest runs as.
fn prepare(guest: &dyn Guest, machine: &Machine) -> Result<(), LabError> {
    let out = &machine.out;
    // A copy, because the guest may not be allowed where the program lies.
    let program = out.join("program");
    fs::copy(&machine.program, &program).map_err(LabError::io("copy", &machine.program))?;
    let command = Cmd::new(&format!("{OUT}/program")).args(&machine.args);
    write_script(&out.join("command"), &format!("exec {command}\n"))?;
    let cache = path::absolute(&machine.cache).map_err(LabError::io("find", &machine.cache))?;
    let named = out.join("cache");
    fs::write(&named, cache.as_os_str().as_bytes()).map_err(LabError::io("write", &named))?;
    guest.prepare(machine)?;
    if let Some(user) = guest.user() {
        for path in machine.disks.iter().chain([out]) {
            chown(path, Some(user), Some(user)).map_err(LabError::io("hand over", path))?;
        }
    }
    Ok(())
}

fn follow<E: From<LabError>>(
    guest: &dyn Guest,
    machine: &Machine,
    child: &mut Child,
    stop: &AtomicBool,
    tick: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Ended, E> {
    let start = Instant::now();
    let mut since_result: Option<Instant> = None;
    loop {
        let running = matches!(child.try_wait(), Ok(None));
        tick()?;
        // The signal that asks to stop may have reached the guest, too.
        if stop.load(Ordering::Relaxed) {
            return Ok(Ended::Stopped);
        }
        let status = result(&machine.out)?;
        match status {
            Some(status) if !running => return Ok(Ended::Exit(status)),
            Some(status) if since_result.get_or_insert_with(Instant::now).elapsed() > POWER_OFF => {
                return Ok(Ended::Exit(status));
            }
            None if !running => {
                return Err(failure(guest, machine, "ended without a result").into());
            }
            _ => {}
        }
        if start.elapsed() > BOOT && !has_begun(machine) {
            let why = format!("did not boot within {} s", BOOT.as_secs());
            return Err(failure(guest, machine, &why).into());
        }
        if start.elapsed() > machine.timeout {
            let why = format!("did not end within {} s", machine.timeout.as_secs());
            return Err(failure(guest, machine, &why).into());
        }
        thread::sleep(TICK);
    }
}

/// The status that the guest left, when it is there.
fn result(out: &Path) -> Result<Option<i32>, LabError> {
    let path = out.join("status");
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LabError::io("read", &path)(error)),
        Ok(text) => Ok(text.trim().parse().ok()),
    }
}

fn failure(guest: &dyn Guest, machine: &Machine, why: &str) -> LabError {
    let (guest, said) = (guest.venue().to_string(), last_words(&machine.out));
    LabError::Guest { guest, why: why.into(), said }
}

/// What the program of the machine in `out` said last, else why its kernel died, else what that said.
pub fn last_words(out: &Path) -> String {
    let read = |name: &str| {
        let bytes = fs::read(out.join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let log = last_lines(&read(LOG));
    if !log.is_empty() {
        return log;
    }
    let console = read("console");
    match console.lines().find(|line| line.contains(PANIC)) {
        Some(panic) => panic.trim().into(),
        None => last_lines(&console),
    }
}
