//! Known background load: a writer on the disk that holds the images must be detected, and the CPU time of a target's
//! server must be charged to the target, as much as the server itself reports.

use super::{Bench, Check, CheckOutcome, trial};
use crate::exit;
use anyhow::{Context, Result, ensure};
use disk::program::die_with_parent;
use lab::{
    machine::Availability,
    observe::{Snapshot, Watched},
};
use model::result::known;
use rustix::{
    fs::OFlags,
    process::{Pid, Signal, kill_process},
};
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

const RUNTIME_S: f64 = 5.0;
const QUICK_S: f64 = 1.0;

/// A writer past the page cache, on the disk of the images.
pub struct BusyDisk;

pub static BUSY_DISK: BusyDisk = BusyDisk;

/// It writes the same part again and again.
const FILE_BYTES: u64 = 64 << 20;
const PIECE_BYTES: usize = 1 << 20;
/// It ends after so much, whatever the test does.
const MOST_BYTES: u64 = 64 << 30;
/// What direct I/O wants of memory.
const ALIGNED: usize = 4096;

impl Check for BusyDisk {
    fn name(&self) -> String {
        "background.disk".into()
    }

    fn about(&self) -> String {
        "a writer on the disk below the loop image makes a sample contended".into()
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(match lab::machine::available(::fs::find("ext4")?) {
            Availability::Ready => None,
            Availability::Missing { what, .. } => Some(what),
        })
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let file = nameless(bench.state).map_err(|why| exit::lacking(why.to_string()))?;
        let done = AtomicBool::new(false);
        let (file, stop) = (&file, &done);
        let (dataset, written) = thread::scope(|scope| {
            let writer = scope.spawn(|| write_until(file, stop));
            let runtime_s = if bench.quick { QUICK_S } else { RUNTIME_S };
            let plan = trial::plan("ext4", "selftest.write_rate", runtime_s);
            let dataset = plan.and_then(|plan| trial::run("selftest-background.disk", plan, bench));
            stop.store(true, Ordering::Relaxed);
            let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            anyhow::Ok((dataset?, written.context("the background writer failed")?))
        })?;
        ensure!(written > 0, "the background writer wrote nothing");
        let sample = trial::only_sample(&dataset)?;
        let is_known = sample.get(known::FOREIGN_WRITE_BYTES).is_some();
        let limit_pct = stats::description::Settings::default().contention_limit_pct;
        let found = sample.get(known::FOREIGN_DISK_PCT).unwrap_or(0.0);
        match is_known {
            true => Ok(CheckOutcome::Seen { imposed: "a writer", found_pct: found, limit_pct }),
            false => Err(exit::lacking(
                "per-process I/O on the disk below cannot be observed \
                                        here",
            )),
        }
    }
}

/// A file without a name in `dir`, past the page cache.
fn nameless(dir: &Path) -> io::Result<File> {
    let path = dir.join(format!("selftest-background-{}", std::process::id()));
    let direct = OFlags::DIRECT.bits() as i32;
    let opened = OpenOptions::new().write(true).create_new(true).custom_flags(direct).open(&path);
    // Some file systems make it and then refuse to open it like that.
    let removed = fs::remove_file(&path);
    let file = opened?;
    removed?;
    Ok(file)
}

/// Writes until `done`. Returns how much.
fn write_until(file: &File, done: &AtomicBool) -> io::Result<u64> {
    let memory = vec![7; PIECE_BYTES + ALIGNED];
    let piece = &memory[memory.as_ptr().align_offset(ALIGNED)..][..PIECE_BYTES];
    let mut written = 0;
    while written < MOST_BYTES && !done.load(Ordering::Relaxed) {
        file.write_all_at(piece, written % FILE_BYTES)?;
        written += PIECE_BYTES as u64;
    }
    Ok(written)
}

/// A server that does nothing but use a processor.
pub struct BusyServer;

pub static BUSY_SERVER: BusyServer = BusyServer;

/// What may be missed, a share: it tells its time in ticks of 10 ms.
const LIMIT: f64 = 0.03;
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// It works until it is asked to end, and then says in two lines what the shell and its children used.
const SERVER: &str = "trap 'times; exit' TERM; while :; do :; done";

impl Check for BusyServer {
    fn name(&self) -> String {
        "background.server".into()
    }

    fn about(&self) -> String {
        "a server's CPU time is charged to its target".into()
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(None)
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let mut command = Command::new("sh");
        command.args(["-c", SERVER]).stdin(Stdio::null()).stdout(Stdio::piped());
        die_with_parent(&mut command);
        let server = command.spawn().context("cannot start sh")?;
        let watched = Watched { servers: vec![server.id()], ..Watched::default() };
        let before = Snapshot::of(&watched)?;
        let enough_s = if bench.quick { QUICK_S } else { RUNTIME_S };
        let mut measured = 0.0;
        while measured < enough_s {
            trial::unless_stopped(bench)?;
            thread::sleep(LOOK_EVERY);
            let usage = Snapshot::of(&watched)?.since(&before);
            measured = usage.server_user_s + usage.server_sys_s;
        }
        kill_process(Pid::from_child(&server), Signal::TERM).context("cannot stop sh")?;
        let said = server.wait_with_output().context("cannot read the output of sh")?.stdout;
        let said = String::from_utf8_lossy(&said);
        let imposed = said.lines().next().and_then(seconds).context("sh printed no times")?;
        Ok(CheckOutcome::Figure { imposed, measured, unit: "s", limit: LIMIT })
    }
}

/// The sum of a line of times(1p): `0m1.230000s 0m0.010000s`.
fn seconds(line: &str) -> Option<f64> {
    let one = |word: &str| {
        let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    line.split_whitespace().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_a_shell_tells_them() {
        assert_eq!(seconds("0m1.250000s 0m0.500000s"), Some(1.75));
        assert_eq!(seconds("1m2.5s 0m0s"), Some(62.5));
        assert_eq!(seconds("no times"), None);
    }
}
