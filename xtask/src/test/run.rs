//! Runs one unit and takes down what it said, how long it took, and what it skipped.

use super::binaries::Unit;
use anyhow::Context;
use needs::{SKIPS, Skip};
use std::{
    fs::{self, File},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// After that a unit hangs, and is killed.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// How a unit ended.
pub(super) struct Ran {
    /// The unit.
    pub(super) name: String,
    /// How long it took.
    pub(super) took: Duration,
    /// What its processes had of the processors meanwhile, seconds: the rest was waiting, for disks or for others.
    pub(super) processor_s: f64,
    /// Tests that passed.
    pub(super) passed: usize,
    /// What it did not test.
    pub(super) skips: Vec<Skip>,
    /// All that it printed, when it failed.
    pub(super) failure: Option<String>,
}

/// Runs `unit` as cargo would. What it prints goes to files: a process that outlives it holds no pipe.
pub(super) fn run(unit: &Unit, env: Option<(&str, &str)>) -> anyhow::Result<Ran> {
    let dir = tempfile::tempdir()?;
    let path = |name: &str| dir.path().join(name);
    let mut command = Command::new(&unit.binary.program);
    command
        .args(&unit.module)
        .current_dir(&unit.binary.package)
        .env("CARGO_MANIFEST_DIR", &unit.binary.package)
        .env(SKIPS, path("skips"))
        .envs(env)
        .stdin(Stdio::null())
        .stdout(File::create(path("out"))?)
        .stderr(File::create(path("err"))?);
    let (start, before_s) = (Instant::now(), children_s());
    let status = wait(&mut command, start).with_context(|| format!("run {}", unit.name))?;
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
        took: start.elapsed(),
        processor_s: children_s() - before_s,
        passed: passed(&out),
        skips: skips.map_err(anyhow::Error::msg)?,
        failure,
    })
}

/// How the process ended; `None` when it was killed because it did not.
fn wait(command: &mut Command, start: Instant) -> anyhow::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    while start.elapsed() < LIMIT {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Processor time of all children that were waited for, and of theirs: `cutime` and `cstime` of proc(5), in
/// hundredths of a second.
fn children_s() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(13).take(2);
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
    fn children_that_work_have_taken_time() {
        let before_s = children_s();
        let work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", work]).status().unwrap().success());
        assert!(children_s() > before_s);
    }

    #[test]
    fn what_passed_is_counted() {
        assert_eq!(passed("test a ... ok\ntest b ... FAILED\ntest c ... ignored\n"), 1);
    }
}
