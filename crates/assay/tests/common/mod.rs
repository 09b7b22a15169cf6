//! A fresh folder for each test, with its own store and state, and the program in it.
#![allow(dead_code)] // each test file uses a part
#![allow(clippy::unwrap_used)] // the lint knows test functions, not their helpers
#![allow(clippy::print_stdout)]
#![allow(unreachable_pub)]

pub mod unranked;

pub use needs::root_or_skip;
use needs::{Need, skip};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// Whether programs of others can be confined here; skips the test otherwise.
pub fn confines_or_skip() -> bool {
    let is_met = Need::Namespaces.is_met() == Some(true);
    if !is_met {
        skip(Need::Namespaces, "external programs cannot be confined");
    }
    is_met
}

/// A place in which `assay` runs; removed afterwards, whatever the test did.
pub struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { dir: tempfile::Builder::new().prefix("assay-e2e-").tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A sub-directory, made.
    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .env("ASSAY_STORE", self.path("store.db"))
            .env("ASSAY_STATE", self.path("state"))
            .env("COLUMNS", "160")
            .stdin(Stdio::null());
        command
    }

    pub fn assay(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs and expects success; gives stdout.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.assay(args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Runs and expects `status` with one line on stderr, which it gives.
    pub fn fails(&self, args: &[&str], status: i32) -> String {
        let output = self.assay(args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
        // A run of one candidate, or without root, says so first.
        let first = ["one candidate, ", "not root: "];
        let lines = stderr.lines().filter(|line| !first.iter().any(|own| line.starts_with(own)));
        let said: String = lines.map(|line| format!("{line}\n")).collect();
        assert_eq!(said.lines().count(), 1, "{args:?}: {stderr}");
        said
    }

    /// Runs and expects `status`; gives the last line on stderr.
    pub fn fails_last(&self, args: &[&str], status: i32) -> String {
        let output = self.assay(args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
        stderr.trim_end().lines().last().unwrap_or_default().into()
    }

    /// The campaigns that `list` gives with `args`.
    pub fn campaigns(&self, args: &[&str]) -> Vec<Value> {
        let list = self.ok(&[&["list", "--format", "json"], args].concat());
        serde_json::from_str(&list).unwrap()
    }

    /// The samples of the last campaign as it is exported.
    pub fn exported_samples(&self) -> Vec<Value> {
        let out = tempfile::tempdir_in(self.dir.path()).unwrap();
        self.ok(&["export", "last", "--format", "json", "--out", out.path().to_str().unwrap()]);
        let file = fs::read_dir(out.path()).unwrap().next().unwrap().unwrap().path();
        let dataset: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        dataset["samples"].as_array().unwrap().clone()
    }

    /// The same: the test of each, and its metrics by their names.
    pub fn samples(&self) -> Vec<(String, BTreeMap<String, f64>)> {
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let metric = |m: &Value| (text(&m["name"]), m["value"].as_f64().unwrap());
        let sample = |own: &Value| {
            let metrics = own["metrics"].as_array().unwrap().iter().map(metric);
            (text(&own["case"]["test"]), metrics.collect())
        };
        self.exported_samples().iter().map(sample).collect()
    }

    pub fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// As [`Place::assert_clean`], and no process is left that names this place, within the moment that a
    /// kernel takes to end a namespace.
    pub fn assert_no_process(&self) {
        let mine = self.path("").display().to_string();
        let start = Instant::now();
        let is_left = || {
            let all = fs::read_dir("/proc").unwrap().flatten();
            let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
            lines.map(|line| text(&line)).any(|line| line.contains(&mine))
        };
        while is_left() {
            assert!(start.elapsed() < Duration::from_secs(30), "a process of {mine} is left");
            thread::sleep(Duration::from_millis(50));
        }
        self.assert_clean();
    }

    /// Fails when a mount, a loop device, a worker or a file of a run in this place is left.
    pub fn assert_clean(&self) {
        let mine = self.dir.path().to_string_lossy().into_owned();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(&mine), "a mount is left: {mounts}");
        for entry in fs::read_dir("/sys/block").unwrap().flatten() {
            let backing = fs::read_to_string(entry.path().join("loop/backing_file"));
            let backing = backing.unwrap_or_default();
            assert!(!backing.contains(&mine), "{:?} is left on {backing}", entry.file_name());
        }
        let mut left = Vec::new();
        files_below(&self.path("state"), &mut left);
        // They stay, so that campaigns can be resumed.
        let stays = [self.path("state/key"), self.path("state/assets")];
        left.retain(|path| !stays.iter().any(|stays| path.starts_with(stays)));
        assert!(left.is_empty(), "left: {left:?}");
    }
}

fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            files_below(&entry.path(), found)
        } else {
            found.push(entry.path())
        }
    }
}

/// Copies the program to `to`, by a process of its own: a file that this one had open for writing would be open in
/// what another thread forks meanwhile, and could not be executed ("Text file busy").
pub fn copy_program(to: impl AsRef<Path>) {
    let copied =
        Command::new("cp").arg(env!("CARGO_BIN_EXE_assay")).arg(to.as_ref()).status().unwrap();
    assert!(copied.success());
}

/// A loop device on an image: a disk for which no consent was given.
pub struct Disk {
    /// Outside of the test's place, which must be left clean.
    _dir: tempfile::TempDir,
    pub image: PathBuf,
    pub node: String,
}

impl Disk {
    pub fn new() -> Option<Disk> {
        Disk::full_of(0x5a)
    }

    /// A disk on which nothing was ever written.
    pub fn zeroed() -> Option<Disk> {
        Disk::full_of(0)
    }

    fn full_of(byte: u8) -> Option<Disk> {
        let dir = tempfile::Builder::new().prefix("victim-").tempdir().unwrap();
        let image = dir.path().join("image");
        fs::write(&image, vec![byte; 8 << 20]).unwrap();
        let out = Command::new("losetup").args(["-f", "--show"]).arg(&image).output();
        let Some(out) = out.ok().filter(|out| out.status.success()) else {
            skip(Need::Loop, "no loop device can be had");
            return None;
        };
        Some(Disk { _dir: dir, image, node: text(&out.stdout).trim().into() })
    }

    pub fn assert_unchanged(&self) {
        let bytes = fs::read(&self.image).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 0x5a), "{} was written to", self.node);
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.node]).status();
    }
}

/// A program that waits for what never comes is ended after this.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the program ends with; it is ended when it waits.
pub fn finished(mut command: Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        let args: Vec<_> = command.get_args().collect();
        panic!("{args:.200?} waits");
    })
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `json` as a line of a journal.
pub fn record(json: &str) -> String {
    format!("{} {:08x} {json}\n", json.len(), crc32fast::hash(json.as_bytes()))
}

/// Waits until `done`.
pub fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(120), "no {what} within two minutes");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The metric `name` of an exported sample; `None` where it has none.
pub fn metric(sample: &Value, name: &str) -> Option<f64> {
    let metrics = sample["metrics"].as_array().unwrap();
    metrics.iter().find(|metric| metric["name"] == name)?["value"].as_f64()
}

/// The fields of a line of CSV without their quotes; none of them holds a line break.
pub fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = fields.len() - 1;
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields[last].push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields[last].push(other),
        }
    }
    fields
}

/// The validity in a line of `samples.csv`.
pub fn validity(line: &str) -> String {
    fields(line).swap_remove(23)
}

/// Arguments for the smallest work of `suite`, by one process on `target`.
pub fn smallest<'a>(verb: &'a str, suite: &'a str, target: &'a str) -> [&'a str; 11] {
    [
        verb, "--suite", suite, "--preset", "smoke", "--scale", "smoke", "--procs", "1", "--on",
        target,
    ]
}

/// Those of `wanted` that this machine can make and mount; says what is skipped.
pub fn ready<'a>(place: &Place, wanted: &[&'a str]) -> Vec<&'a str> {
    let doctor = place.ok(&["doctor"]);
    let is_ready = |name: &&&str| {
        let line = doctor.lines().find(|l| l.split_whitespace().next() == Some(name));
        let yes = line.is_some_and(|l| l.split_whitespace().nth(1) == Some("ok"));
        if !yes {
            let why = line.unwrap_or("is unknown and could do anything");
            skip(Need::file_system(name), format!("{name}: {why}"));
        }
        yes
    };
    wanted.iter().filter(is_ready).copied().collect()
}

/// True where this machine can make and mount `name`; else the test is skipped, and says so.
pub fn ready_or_skip(place: &Place, name: &str) -> bool {
    !ready(place, &[name]).is_empty()
}

/// Becoming another user needs root and `setpriv`: says which is missing.
pub fn skip_another_user() {
    if root_or_skip("becoming another user") {
        skip(Need::program("setpriv"), "becoming another user needs setpriv");
    }
}
