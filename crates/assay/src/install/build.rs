//! Describes a build as data, and runs it: steps in a work folder that survives an interruption, each done once, timed,
//! and shown with the last line of its output. The result is moved into place atomically, by a rename.

use crate::{exit, terminal::Activity};
use anyhow::{Context, Result, bail};
use disk::lock::Lock;
use rustix::{
    fs::{Mode, statvfs},
    process::{Pid, Signal, kill_process_group, umask},
};
use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

const PAUSE: Duration = Duration::from_millis(200);
/// How long a stopped step may take to end before it is killed.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Longest end of a log that is searched for its last line, bytes.
const TAIL_BYTES: u64 = 4096;
/// The file with what was built, and how long each step took; it stays next to the result.
const RECORD: &str = "build.txt";

/// How something is built.
pub struct Build {
    /// Where the result will be.
    pub place: PathBuf,
    /// Where it is built: logs and half-done work; removed in the end.
    pub work: PathBuf,
    /// Room that the work needs, bytes.
    pub room_bytes: u64,
    /// What is run, in this order.
    pub steps: Vec<Step>,
    /// Puts the result of the steps into the folder that becomes `place`.
    pub collect: fn(work: &Path, result: &Path) -> Result<()>,
}

/// One program of a build.
pub struct Step {
    /// What it is called in the progress; unique.
    pub name: &'static str,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables of its environment besides those of this process.
    pub env: Vec<(&'static str, String)>,
    /// Where it runs.
    pub dir: PathBuf,
    /// What to do when it fails.
    pub advice: &'static str,
}

impl Build {
    /// Runs what is not done yet. Returns the place, and how long it took, for people.
    ///
    /// # Errors
    /// Too little room, a program that fails, or a stop.
    pub fn run(&self, name: &str, stop: &AtomicBool) -> Result<String> {
        // Guests read the cache as users that own nothing.
        umask(Mode::from_raw_mode(0o022));
        fs::create_dir_all(&self.work)
            .with_context(|| format!("cannot make {}", self.work.display()))?;
        let Some(_lock) = Lock::take(File::create(self.work.join("lock"))?)? else {
            bail!(
                "another assay process is building {name} in {}; wait for \
                   it",
                self.work.display()
            );
        };
        self.check_room()?;
        let mut record = Record::read(&self.work.join(RECORD))?;
        let activity = Activity::new(name);
        for (number, step) in self.steps.iter().enumerate() {
            if !record.is_done(step.name) {
                activity.step(format!("{} ({} of {})", step.name, number + 1, self.steps.len()));
                self.step(step, &activity, &mut record, stop)?;
            }
        }
        activity.finish();
        self.finish(&record)?;
        Ok(format!("{}: built in {}", self.place.display(), record.total()))
    }

    fn check_room(&self) -> Result<()> {
        let space = statvfs(&self.work)
            .with_context(|| format!("cannot read the free space of {}", self.work.display()))?;
        let free = model::text::Bytes(space.f_bavail * space.f_frsize);
        // What an earlier, stopped build left lies there already.
        let begun = self.work.join(RECORD).exists();
        if !begun && free.0 < self.room_bytes {
            let needed = model::text::Bytes(self.room_bytes);
            let place = self.work.display();
            return Err(exit::lacking(format!(
                "{place} has {free} free, but the build needs {needed}; set ASSAY_CACHE to a \
                 folder with more space"
            )));
        }
        Ok(())
    }

    fn step(
        &self,
        step: &Step,
        activity: &Activity,
        record: &mut Record,
        stop: &AtomicBool,
    ) -> Result<()> {
        let log = self.work.join(format!("{}.log", step.name));
        let began = Instant::now();
        let ended = step.run(&log, activity, stop);
        let outcome = match &ended {
            Ok(true) => "done",
            Ok(false) => "failed",
            Err(_) => "stopped",
        };
        record.add(step.name, began.elapsed(), outcome)?;
        if ended? {
            return Ok(());
        }
        let line = last_line(&log).unwrap_or_else(|| "it printed no reason".into());
        bail!("`{}` failed: {line}; {} (log: {})", step.command[0], step.advice, log.display())
    }

    /// Moves the result to its place and forgets the work.
    fn finish(&self, record: &Record) -> Result<()> {
        let result = self.work.join("result");
        fs::create_dir_all(&result)?;
        (self.collect)(&self.work, &result)?;
        fs::copy(&record.file, result.join(RECORD))?;
        if let Some(parent) = self.place.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::rename(&result, &self.place)
            .with_context(|| format!("cannot move the result to {}", self.place.display()))?;
        fs::remove_dir_all(&self.work)
            .with_context(|| format!("cannot remove {}", self.work.display()))
    }
}

impl Step {
    /// Runs it to its end. Returns whether it ended well; an error when it was stopped.
    fn run(&self, log: &Path, activity: &Activity, stop: &AtomicBool) -> Result<bool> {
        let file = OpenOptions::new().create(true).append(true).open(log)?;
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).current_dir(&self.dir).env("LC_ALL", "C");
        command.envs(self.env.iter().map(|(key, value)| (key, value)));
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        // A group of its own, so that a stop reaches the compilers below it and is made once.
        command.process_group(0);
        disk::program::die_with_parent(&mut command);
        let mut child = command.spawn().map_err(|error| {
            exit::lacking(format!("cannot run `{}`: {error}; {}", self.command[0], self.advice))
        })?;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            if stop.load(Ordering::Relaxed) {
                end(&mut child);
                return Err(exit::stopped(format!(
                    "stopped in step {}; run the same command to continue from there",
                    self.name
                )));
            }
            activity.line(last_line(log).as_deref().unwrap_or_default());
            thread::sleep(PAUSE);
        }
    }
}

/// Ends `child` and everything that it started.
fn end(child: &mut Child) {
    let began = Instant::now();
    let Some(group) = Pid::from_raw(child.id() as i32) else { return };
    // Fails only for a group that has ended.
    let _ = kill_process_group(group, Signal::TERM);
    while matches!(child.try_wait(), Ok(None)) && began.elapsed() < LAST_WORDS {
        thread::sleep(PAUSE);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

/// How long each step of what lies in `place` took, for people; `None` when it was not built by assay.
pub fn took(place: &Path) -> Option<String> {
    let record = Record::read(&place.join(RECORD)).ok()?;
    record.fields().next().is_some().then(|| record.total())
}

/// The last line of a log that is not blank. A progress bar is a line that returns to its beginning.
fn last_line(log: &Path) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.split(['\n', '\r']).map(str::trim).rfind(|line| !line.is_empty()).map(str::to_string)
}

/// The times of all steps, one a line: `configure 508 done`; in seconds.
struct Record {
    file: PathBuf,
    lines: Vec<String>,
}

impl Record {
    fn read(file: &Path) -> Result<Record> {
        let text = if file.exists() { fs::read_to_string(file)? } else { String::new() };
        Ok(Record { file: file.into(), lines: text.lines().map(str::to_string).collect() })
    }

    fn is_done(&self, step: &str) -> bool {
        self.fields().any(|(name, _, outcome)| name == step && outcome == "done")
    }

    fn add(&mut self, step: &str, took: Duration, outcome: &str) -> Result<()> {
        let line = format!("{step} {} {outcome}", took.as_secs());
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file)?;
        writeln!(file, "{line}")?;
        self.lines.push(line);
        Ok(())
    }

    /// Step, seconds and outcome of each line that has them.
    fn fields(&self) -> impl Iterator<Item = (&str, u64, &str)> {
        self.lines.iter().filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?.parse().ok()?, words.next()?))
        })
    }

    /// The time of all steps together, of stopped ones too.
    fn total(&self) -> String {
        let spent = |(name, s, _)| (s > 0).then(|| format!("{name} {}", seconds(s)));
        let parts: Vec<String> = self.fields().filter_map(spent).collect();
        format!("{} ({})", seconds(self.fields().map(|f| f.1).sum()), parts.join(", "))
    }
}

fn seconds(s: u64) -> humantime::FormattedDuration {
    humantime::format_duration(Duration::from_secs(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(root: &Path, script: &str) -> Build {
        let work = root.join("work");
        let sh = |name, script: &str| Step {
            name,
            command: ["sh", "-c", script].map(String::from).to_vec(),
            env: vec![("GREETING", "hello".into())],
            dir: root.into(),
            advice: "look at it",
        };
        Build {
            place: root.join("kept/1.0"),
            work,
            room_bytes: 1,
            steps: vec![sh("count", "echo x >> counted"), sh("make", script)],
            collect: |work, result| {
                fs::copy(work.join("made"), result.join("made"))?;
                Ok(())
            },
        }
    }

    #[test]
    fn a_failed_build_goes_on_where_it_was() {
        let root = tempfile::tempdir().unwrap();
        let go = AtomicBool::new(false);
        let failed = build(root.path(), "echo oh no; exit 1").run("thing", &go).unwrap_err();
        assert!(failed.to_string().contains("failed: oh no; look at it"), "{failed}");
        let made = build(root.path(), "echo $GREETING > work/made").run("thing", &go).unwrap();
        assert!(made.starts_with(&root.path().join("kept/1.0").display().to_string()), "{made}");
        let read = |file: &str| fs::read_to_string(root.path().join(file)).unwrap();
        assert_eq!((&*read("kept/1.0/made"), &*read("counted")), ("hello\n", "x\n"));
        let log = read("kept/1.0/build.txt");
        let of_make = log.lines().filter(|line| line.starts_with("make "));
        let ends: Vec<&str> = of_make.filter_map(|line| line.split(' ').nth(2)).collect();
        assert_eq!(ends, ["failed", "done"], "{log}");
        assert!(took(&root.path().join("kept/1.0")).is_some() && took(root.path()).is_none());
        assert!(!root.path().join("work").exists());
    }

    #[test]
    fn a_stop_ends_the_whole_group_and_says_how_to_go_on() {
        let root = tempfile::tempdir().unwrap();
        let script = "sleep 1000 & echo $! > pid; wait";
        let error = build(root.path(), script).run("thing", &AtomicBool::new(true)).unwrap_err();
        assert_eq!(exit::of(&error), exit::Exit::Stopped);
        assert!(error.to_string().contains("to continue from there"), "{error}");
    }

    #[test]
    fn two_do_not_build_in_one_folder() {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().join("work");
        fs::create_dir_all(&work).unwrap();
        let lock = File::create(work.join("lock")).unwrap();
        lock.lock().unwrap();
        let error = build(root.path(), "true").run("thing", &AtomicBool::new(false)).unwrap_err();
        assert!(error.to_string().contains("another assay"), "{error}");
    }

    #[test]
    fn the_last_line_may_be_a_progress_bar() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        for (text, last) in [
            (
                "  Compiling a\n  Building [>  ] 1/9: a\r  Building [=> ] 2/9: b\r",
                "Building [=> ] 2/9: b",
            ),
            ("  Building [=> ] 2/9: b\rerror: oh no\n\n", "error: oh no"),
        ] {
            fs::write(&log, text).unwrap();
            assert_eq!(last_line(&log).as_deref(), Some(last));
        }
    }

    #[test]
    fn too_little_room_is_said_before_the_first_step() {
        let root = tempfile::tempdir().unwrap();
        let huge = Build { room_bytes: 1 << 60, ..build(root.path(), "true") };
        let error = huge.run("thing", &AtomicBool::new(false)).unwrap_err();
        assert_eq!(exit::of(&error), exit::Exit::Lacking);
        assert!(!root.path().join("counted").exists());
    }
}
