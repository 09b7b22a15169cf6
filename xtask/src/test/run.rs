//! Runs one unit and takes down what it said, how long it took, and what it skipped.

use super::{
    binaries::Unit,
    freezer::{Frozen, Seed},
};
use anyhow::Context;
use needs::{SKIPS, Skip};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::{
    fs::{self, File},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// After that a unit hangs, and is killed.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// How a unit ended.
pub(super) struct Ran {
    /// The unit.
    pub(super) name: String,
    /// How long it took.
    pub(super) took: Duration,
    /// What its processes had of the processors meanwhile, seconds: the rest was waiting, for disks or for others.
    pub(super) processor_s: f64,
    /// How often some of its processes were frozen.
    pub(super) freezes: u32,
    /// Tests that passed.
    pub(super) passed: usize,
    /// What it did not test.
    pub(super) skips: Vec<Skip>,
    /// All that it printed, when it failed.
    pub(super) failure: Option<String>,
}

#[cfg(test)]
impl Ran {
    /// A unit with one test, which passed.
    pub(super) fn stub(name: &str) -> Ran {
        let (name, took) = (name.to_string(), Duration::ZERO);
        Ran {
            name,
            took,
            processor_s: 0.0,
            freezes: 0,
            passed: 1,
            skips: Vec::new(),
            failure: None,
        }
    }
}

/// Runs `unit` as cargo would, with processes frozen where a seed is given. What it prints goes to files: a process
/// that outlives it holds no pipe.
pub(super) fn run(
    unit: &Unit,
    env: Option<(&str, &str)>,
    seed: Option<Seed>,
) -> anyhow::Result<Ran> {
    let dir = tempfile::tempdir()?;
    let path = |name: &str| dir.path().join(name);
    let frozen = seed.map(|seed| Frozen::begin(&unit.name, seed)).transpose()?;
    let program = &unit.binary.program;
    let mut command =
        frozen.as_ref().map_or_else(|| Command::new(program), |frozen| frozen.inside(program));
    command
        .args(&unit.args)
        .current_dir(&unit.binary.package)
        .env("CARGO_MANIFEST_DIR", &unit.binary.package)
        .env(SKIPS, path("skips"))
        .envs(env)
        .stdin(Stdio::null())
        .stdout(File::create(path("out"))?)
        .stderr(File::create(path("err"))?);
    let start = Instant::now();
    let (status, processor_s) =
        wait(&mut command, start).with_context(|| format!("run {}", unit.name))?;
    let [out, err] = ["out", "err"].map(|name| text(&path(name)));
    let skips = text(&path("skips"));
    let skips = skips.lines().map(str::parse).collect::<Result<_, String>>();
    let failure = match status {
        Some(status) if status.success() => None,
        Some(status) => Some(format!("{out}{err}{status}")),
        None => Some(format!("{out}{err}killed after {} s", LIMIT.as_secs())),
    };
    Ok(Ran {
        name: unit.name.clone(),
        freezes: frozen.as_ref().map_or(0, Frozen::freezes),
        took: start.elapsed(),
        processor_s,
        passed: passed(&out),
        skips: skips.map_err(anyhow::Error::msg)?,
        failure,
    })
}

/// How the process ended, `None` when it was killed because it did not, and what it had of the processors, seconds.
fn wait(command: &mut Command, start: Instant) -> anyhow::Result<(Option<ExitStatus>, f64)> {
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    // Its times are read before it is gone.
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while start.elapsed() < LIMIT {
        if waitid(WaitId::Pid(pid), ended)?.is_some() {
            let processor_s = processor_s(pid);
            return Ok((Some(child.wait()?), processor_s));
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    let processor_s = processor_s(pid);
    child.wait()?;
    Ok((None, processor_s))
}

/// Processor time of a process and of all its children that were waited for: `utime` to `cstime` of proc(5), in
/// hundredths of a second.
fn processor_s(pid: Pid) -> f64 {
    let stat = text(Path::new(&format!("/proc/{}/stat", pid.as_raw_nonzero())));
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(4);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// By the lines of libtest, which the tests without it print too.
fn passed(out: &str) -> usize {
    out.lines().filter(|line| line.starts_with("test ") && line.ends_with(" ... ok")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_process_and_of_its_children_is_known() {
        let work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let mut command = Command::new("sh");
        command.args(["-c", &format!("sh -c '{work}'; :")]);
        let (status, processor_s) = wait(&mut command, Instant::now()).unwrap();
        assert!(status.unwrap().success() && processor_s > 0.0);
    }

    #[test]
    fn what_passed_is_counted() {
        assert_eq!(passed("test a ... ok\ntest b ... FAILED\ntest c ... ignored\n"), 1);
    }
}
