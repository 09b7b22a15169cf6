//! Freezes processes of tests for moments, again and again: a test that passes so is not decided by time.
//!
//! Each unit gets a control group of its own. A thread draws one to all of its processes, moves them into a group below
//! it, stops that for [`SHORTEST`] to [`LONGEST`], and lets them go on: no signal is sent, and the processes cannot
//! tell. cgroup v1 and v2 both have a freezer (kernel documentation: cgroup-v1/freezer-subsystem.rst, cgroup-v2.rst).

use anyhow::{Context, bail};
use model::random::Rng;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// How long processes are frozen.
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_millis(800);
/// How long they run between two freezes, at most.
const RUNS: Duration = Duration::from_millis(400);

/// How often processes are moved out of the frozen group: one that ended, and whose parent does not wait for it, cannot
/// be.
const MOST_MOVES: u32 = 100;

/// Programs that are never frozen, as their system call does the kernel's work: `btrfs replace` copies a disk in it, at
/// a rate that Linux keeps by sleeps, and a process that is being frozen does not sleep.
const NEVER: &[&str] = &["btrfs"];

/// Which processes are frozen when: the same numbers for the same seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seed(pub(super) u64);

/// The freezer of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    /// Where the hierarchy is mounted.
    root: PathBuf,
    /// The file that freezes a group.
    file: &'static str,
    freeze: &'static str,
    thaw: &'static str,
}

impl Hierarchy {
    /// The first one that `mountinfo` shows, of version 1 or 2.
    fn of(mountinfo: &str) -> Option<Hierarchy> {
        mountinfo.lines().find_map(|line| {
            let (head, tail) = line.split_once(" - ")?;
            let root = PathBuf::from(head.split(' ').nth(4)?);
            let mut tail = tail.split(' ');
            let (kind, options) = (tail.next()?, tail.nth(1)?);
            match kind {
                "cgroup" if options.split(',').any(|option| option == "freezer") => {
                    let (freeze, thaw) = ("FROZEN", "THAWED");
                    Some(Hierarchy { root, file: "freezer.state", freeze, thaw })
                }
                "cgroup2" => {
                    Some(Hierarchy { root, file: "cgroup.freeze", freeze: "1", thaw: "0" })
                }
                _ => None,
            }
        })
    }

    /// That of this machine.
    fn find() -> anyhow::Result<Hierarchy> {
        let mountinfo = fs::read_to_string("/proc/self/mountinfo")?;
        Hierarchy::of(&mountinfo)
            .context("no freezer of control groups is mounted; leave --freeze out")
    }
}

/// Whether this user can freeze processes on this machine.
///
/// # Errors
/// No freezer is mounted, or its groups may not be changed.
pub(super) fn try_out() -> anyhow::Result<()> {
    Frozen::begin("tried out", Seed(0)).map(drop)
}

/// The processes of one unit, some of which are frozen at any time until this is dropped.
pub(super) struct Frozen {
    hierarchy: Hierarchy,
    group: PathBuf,
    ends: Arc<AtomicBool>,
    freezes: Arc<AtomicU32>,
    thread: Option<JoinHandle<()>>,
    watchdog: Child,
}

impl Frozen {
    /// Begins to freeze what is in the group of `name`, which has nothing in it yet.
    ///
    /// # Errors
    /// This machine has no freezer, or this user may not use it.
    pub(super) fn begin(name: &str, seed: Seed) -> anyhow::Result<Frozen> {
        let hierarchy = Hierarchy::find()?;
        let name: String =
            name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let group = hierarchy.root.join(format!("assay-test-{}-{name}", std::process::id()));
        let below = group.join("frozen");
        fs::create_dir_all(&below).with_context(|| format!("cannot create {}", below.display()))?;
        if !below.join(hierarchy.file).exists() {
            bail!("{} has no {}; leave --freeze out", below.display(), hierarchy.file);
        }
        let watchdog = watchdog(&below.join(hierarchy.file), hierarchy.thaw)?;
        let (ends, freezes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let thread = {
            let (own, group) = (hierarchy.clone(), group.clone());
            let (ends, freezes) = (Arc::clone(&ends), Arc::clone(&freezes));
            thread::spawn(move || freeze_until(&own, &group, Rng::new(seed.0), (&ends, &freezes)))
        };
        Ok(Frozen { hierarchy, group, ends, freezes, thread: Some(thread), watchdog })
    }

    /// `command` as it is started in the group.
    pub(super) fn inside(&self, program: &Path) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo $$ >\"$0/cgroup.procs\" && exec \"$@\""])
            .arg(&self.group)
            .arg(program);
        command
    }

    /// How often processes were frozen so far.
    pub(super) fn freezes(&self) -> u32 {
        self.freezes.load(Ordering::Relaxed)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
        // What a test left running goes on outside.
        let (below, root) = (self.group.join("frozen"), self.hierarchy.root.clone());
        for group in [&below, &self.group] {
            move_all(&processes(group), &root);
            let _ = fs::remove_dir(group);
        }
    }
}

/// Thaws when this program is gone, however it ended: a frozen process cannot be killed in version 1.
fn watchdog(file: &Path, thaw: &str) -> io::Result<Child> {
    let script = "read _; [ ! -e \"$0\" ] || echo \"$1\" >\"$0\"";
    Command::new("setsid")
        .args(["sh", "-c", script])
        .arg(file)
        .arg(thaw)
        .stdin(Stdio::piped())
        .spawn()
}

/// Freezes some of the processes of `group` after the other until `ends` says so.
fn freeze_until(
    hierarchy: &Hierarchy,
    group: &Path,
    mut draw: Rng,
    (ends, freezes): (&AtomicBool, &AtomicU32),
) {
    let below = group.join("frozen");
    while !ends.load(Ordering::Relaxed) {
        thread::sleep(time(&mut draw, Duration::ZERO, RUNS));
        let mut all = processes(group);
        if all.is_empty() {
            continue;
        }
        draw.shuffle(&mut all);
        all.truncate(1 + draw.below(all.len() as u64) as usize);
        move_all(&all, &below);
        // As late as can be: a process takes its program's name after it was started.
        let mut spared = processes(&below);
        spared.retain(|process| is_never_frozen(process));
        move_all(&spared, group);
        if set(hierarchy, &below, hierarchy.freeze).is_ok() {
            freezes.fetch_add(1, Ordering::Relaxed);
            thread::sleep(time(&mut draw, SHORTEST, LONGEST));
        }
        let _ = set(hierarchy, &below, hierarchy.thaw);
        empty_into(&below, group);
    }
}

/// Moves all processes of `below` to `group`, with what they start meanwhile: one that stayed would be frozen with the
/// next ones, whatever it is.
fn empty_into(below: &Path, group: &Path) {
    for _ in 0..MOST_MOVES {
        let left = processes(below);
        if left.is_empty() {
            break;
        }
        move_all(&left, group);
    }
}

fn set(hierarchy: &Hierarchy, group: &Path, state: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(group.join(hierarchy.file))?.write_all(state.as_bytes())
}

fn processes(group: &Path) -> Vec<String> {
    let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    text.lines().map(String::from).collect()
}

/// Whether the process runs one of the programs [`NEVER`].
fn is_never_frozen(process: &str) -> bool {
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    NEVER.contains(&name.trim_end())
}

/// Moves `processes` to `group`; one may have ended meanwhile.
fn move_all(processes: &[String], group: &Path) {
    processes.iter().for_each(|process| drop(move_to(group, process)));
}

fn move_to(group: &Path, process: &str) -> io::Result<()> {
    fs::OpenOptions::new()
        .write(true)
        .open(group.join("cgroup.procs"))?
        .write_all(process.as_bytes())
}

/// A time from `least` to `most`, to the millisecond.
fn time(draw: &mut Rng, least: Duration, most: Duration) -> Duration {
    let span_ms = (most - least).as_millis() as u64;
    least + Duration::from_millis(draw.below(span_ms + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{BufRead, Read},
        time::Instant,
    };

    #[test]
    fn freezer_is_found_in_both_versions() {
        let line = |kind: &str, dir: &str, options: &str| {
            format!("30 25 0:26 / {dir} rw,relatime - {kind} cgroup {options}\n")
        };
        let old = line("cgroup", "/c/cpu", "rw,cpu") + &line("cgroup", "/c/freezer", "rw,freezer");
        let found = Hierarchy::of(&old).unwrap();
        assert_eq!((found.root.to_str(), found.file), (Some("/c/freezer"), "freezer.state"));
        let found = Hierarchy::of(&line("cgroup2", "/c", "rw")).unwrap();
        assert_eq!((found.root.to_str(), found.file), (Some("/c"), "cgroup.freeze"));
        assert_eq!(Hierarchy::of(&line("tmpfs", "/c", "rw,freezer")), None);
    }

    #[test]
    fn btrfs_is_never_frozen() {
        let dir = tempfile::tempdir().unwrap();
        let [own, other] = ["btrfs", "other"].map(|name| {
            let program = dir.path().join(name);
            fs::copy("/bin/sleep", &program).unwrap();
            Command::new(program).arg("60").spawn().unwrap()
        });
        let spared = [&own, &other].map(|child| is_never_frozen(&child.id().to_string()));
        for mut child in [own, other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(spared, [true, false]);
    }

    #[test]
    fn processes_stand_still_for_moments_and_are_left_running() {
        if !needs::root_or_skip("the freezer of control groups") {
            return;
        }
        if let Err(why) = Hierarchy::find() {
            return needs::skip(needs::Need::Other, why);
        }
        let frozen = Frozen::begin("own test", Seed(1)).unwrap();
        let group = frozen.group.clone();
        let mut command = frozen.inside(Path::new("sh"));
        let mut child =
            command.args(["-c", "while :; do read -r up _ </proc/uptime; echo $up; done"]);
        child = child.stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut said = io::BufReader::new(child.stdout.take().unwrap());
        let (start, mut last_s, mut gap_s) = (Instant::now(), f64::INFINITY, 0.0_f64);
        for line in said.by_ref().lines().map_while(Result::ok) {
            let now_s: f64 = line.parse().unwrap();
            gap_s = gap_s.max(now_s - last_s);
            last_s = now_s;
            if gap_s >= 0.1 && frozen.freezes() > 2 {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "it was never stopped");
        }
        drop(frozen);
        assert!(!group.exists(), "its group is gone");
        assert!(child.try_wait().unwrap().is_none(), "it goes on");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
