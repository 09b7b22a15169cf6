//! Runs a recording from beginning to end.

mod events;

use crate::{
    calibrate,
    descriptions::Descriptions,
    kernel::{BpfError, Form, Tap},
    out::{Out, State},
    proc,
    raw::{Event, Fault, Fork, RawCall, Woke},
    resolve::{Beginning, Places, Resolver},
    start::StartState,
};
use events::event;
use rustix::{
    process::{Resource, Rlimit, setrlimit},
    time::{ClockId, clock_gettime},
};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    io::{self, Write},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant, SystemTime},
};
use trace::{
    call::Call,
    file::TraceError,
    header::{End, Header, Recorder, Root},
};

/// How often processes are looked for, and their memory is looked at.
const TURN: Duration = Duration::from_millis(500);
/// How often what waits is written: what a kill may cost.
const WRITE: Duration = Duration::from_secs(2);
/// Calls per block: a block is written once this many are waiting.
const ENOUGH_CALLS: usize = 65_536;
const SHORTEST_NAP: Duration = Duration::from_millis(1);
const LONGEST_NAP: Duration = Duration::from_millis(40);
/// How long a command that was asked to stop is still recorded.
const STOPPING: Duration = Duration::from_secs(10);

/// The processes whose calls are recorded.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A command that is started.
    Command(Vec<OsString>),
    /// Processes and all below them.
    Processes(Vec<u32>),
    /// A control group, and what joins it.
    Cgroup(PathBuf),
}

/// How to record.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The trees that matter; all file systems where there is none.
    pub trees: Vec<PathBuf>,
    /// Whether names are replaced by hashes.
    pub anonymous: bool,
    /// The longest that a recording lasts.
    pub at_most: Option<Duration>,
}

/// Why there is no recording, or no whole one.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The kernel refuses a part of the recorder.
    #[error(transparent)]
    Bpf(#[from] BpfError),
    /// The trace cannot be written.
    #[error("cannot write the trace: {0}")]
    Trace(#[from] TraceError),
    /// The command cannot be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The command.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// There is nothing to record.
    #[error("{0}")]
    Nothing(String),
    /// A tree is not there.
    #[error("cannot record the tree {}: {source}", .path.display())]
    Tree {
        /// The tree.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What a recording came to.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// How it ended, as in the trace.
    pub end: End,
    /// Bytes of the trace.
    pub bytes: u64,
    /// Processes that were seen; `None` where threads cannot be told from them.
    pub processes: Option<usize>,
    /// Threads that were seen.
    pub threads: u32,
    /// How the command ended, where it was one and has ended.
    pub status: Option<ExitStatus>,
    /// What recording adds to a call.
    pub cost: trace::header::Cost,
}

/// Records `subject` into `file` until it ends, its time is over, or `stop` is set.
///
/// # Errors
/// The kernel refuses the recorder, the command does not start, or the trace cannot be written.
pub fn record(
    subject: &Subject,
    options: &Options,
    file: impl Write,
    stop: &AtomicBool,
) -> Result<Recorded, RecordError> {
    // Before Linux 5.11 maps count against this limit.
    let unlimited = Rlimit { current: None, maximum: None };
    let _ = setrlimit(Resource::Memlock, unlimited);
    let trees = canonical(&options.trees)?;
    let bare_ns = calibrate::empty_call_ns();
    let mut tap = Tap::new(Form::of_kernel())?;
    let cost = calibrate::cost(&mut tap, bare_ns);
    let roots = if trees.is_empty() { vec![PathBuf::from("/")] } else { trees.clone() };
    let header = header(subject, options, &roots, &tap, cost);
    let state = StartState::new(&trees.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let bytes = |paths: &[PathBuf]| -> Vec<Vec<u8>> {
        paths.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect()
    };
    let left_out = if trees.is_empty() { bytes(&proc::pseudo_mounts()) } else { Vec::new() };
    let places = Places::new(&bytes(&roots), &left_out);
    let recording = Recording {
        resolver: Resolver::new(places, now_ns()),
        out: Out::new(file, &header, State::Disk(state))?,
        tap,
        me: calibrate::tid(),
        pids: BTreeSet::new(),
        descriptions: Descriptions::default(),
        waiting: Vec::new(),
        memory: 0,
    };
    recording.run(subject, options, stop, cost)
}

struct Recording<W: Write> {
    resolver: Resolver,
    out: Out<W>,
    tap: Tap,
    /// This thread, which makes the command and is recorded for that moment.
    me: u32,
    pids: BTreeSet<u32>,
    descriptions: Descriptions,
    waiting: Vec<Call>,
    /// Most memory that the processes held.
    memory: u64,
}

impl<W: Write> Recording<W> {
    fn run(
        mut self,
        subject: &Subject,
        options: &Options,
        stop: &AtomicBool,
        cost: trace::header::Cost,
    ) -> Result<Recorded, RecordError> {
        let began = Instant::now();
        let cpu = own_cpu_s();
        let mut child = self.begin(subject)?;
        let mut nap = SHORTEST_NAP;
        let (mut turn, mut written) = (Instant::now(), Instant::now());
        let mut asked: Option<Instant> = None;
        let mut status = None;
        loop {
            if let Some(child) = &mut child {
                status = status.or_else(|| child.try_wait().ok().flatten());
            }
            // Where the command has ended, what it made may still be in the rings.
            let full = self.read(status.is_none().then(now_ns));
            let is_turn = turn.elapsed() >= TURN;
            if self.resolver.held() > 2 * ENOUGH_CALLS || written.elapsed() >= WRITE {
                written = Instant::now();
                self.write(false)?;
            }
            if is_turn {
                turn = Instant::now();
                self.look_around(subject);
            }
            if stop.load(Ordering::Relaxed) && asked.is_none() {
                asked = Some(Instant::now());
                child.iter().for_each(ask_to_stop);
            }
            let has_no_command = child.is_none() || status.is_some();
            let is_over = options.at_most.is_some_and(|most| began.elapsed() >= most)
                || asked.is_some_and(|at| has_no_command || at.elapsed() >= STOPPING);
            let may_be_alone = if child.is_some() { status.is_some() } else { is_turn };
            if is_over || (may_be_alone && self.is_alone()) {
                break;
            }
            nap = next_nap(nap, full);
            thread::sleep(nap);
        }
        self.read(None);
        self.write(true)?;
        let end = End {
            took_ns: began.elapsed().as_nanos() as u64,
            calls: self.out.calls(),
            lost: self.tap.lost(),
            left_out: self.resolver.left_out().map(|(why, n)| (why.words().into(), n)).collect(),
            memory_bytes: self.memory,
            recorder_cpu_s: own_cpu_s() - cpu,
        };
        let (threads, processes) = (self.resolver.threads(), Some(self.pids.len()));
        let bytes = self.out.bytes();
        self.out.end(&end)?;
        Ok(Recorded { end, bytes, processes, threads, status, cost })
    }

    fn begin(&mut self, subject: &Subject) -> Result<Option<Child>, RecordError> {
        match subject {
            Subject::Command(words) => self.start(words).map(Some),
            Subject::Processes(pids) => {
                for pid in proc::with_descendants(pids) {
                    self.join(pid);
                }
                if self.pids.is_empty() {
                    return Err(RecordError::Nothing(format!(
                        "none of the processes {pids:?} exists"
                    )));
                }
                Ok(None)
            }
            Subject::Cgroup(path) => {
                for pid in proc::of_cgroup(path).unwrap_or_default() {
                    self.join(pid);
                }
                if self.pids.is_empty() {
                    let place = path.display();
                    return Err(RecordError::Nothing(format!(
                        "no process is in the control group {place}"
                    )));
                }
                Ok(None)
            }
        }
    }

    /// Starts the command: what this thread makes is recorded from its first call on.
    fn start(&mut self, words: &[OsString]) -> Result<Child, RecordError> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(RecordError::Nothing("name a command after `--`".into()));
        };
        self.tap.mark(self.me);
        let child = Command::new(program).args(arguments).spawn();
        self.tap.unmark(self.me);
        let command = program.to_string_lossy().into_owned();
        child.map_err(|source| RecordError::Start { command, source })
    }

    /// Records a process that runs already, from its threads' next calls on.
    fn join(&mut self, pid: u32) {
        if pid == std::process::id() || !self.pids.insert(pid) {
            return;
        }
        // Marked first: what changes while /proc is read is seen as a call, too.
        let mut marked = BTreeSet::new();
        while proc::threads(pid).into_iter().any(|tid| marked.insert(tid) && self.mark(pid, tid)) {}
        if let Some(mut beginning) = proc::beginning(pid, now_ns()) {
            self.descriptions.number(pid, &mut beginning.descriptors);
            // Of one that ended meanwhile the kernel did not say which descriptors are those of others.
            if !proc::still_has(pid, &beginning.descriptors) {
                return;
            }
            let handles = self.resolver.begin(&beginning);
            self.out.begin(handles);
        }
    }

    /// Records a thread. One that ended before it was marked would stay marked, and so would the next one with its
    /// number be.
    fn mark(&self, pid: u32, tid: u32) -> bool {
        let is_marked = self.tap.mark(tid);
        if proc::is_ending(pid, tid) {
            self.tap.unmark(tid);
        }
        is_marked
    }

    /// Reads the rings; returns which share of the fullest was used.
    fn read(&mut self, now: Option<u64>) -> f64 {
        let Recording { resolver, tap, out, pids, me, descriptions, .. } = self;
        let requests = tap.requests();
        tap.read(now, &mut |entry| {
            let Some(event) = event(entry, requests) else { return };
            match event {
                Event::Fork(fork) if fork.tid == *me => {
                    pids.insert(fork.child);
                    out.begin(resolver.start(&as_child(&fork, descriptions)));
                }
                Event::Call(RawCall { tid, .. })
                | Event::Exit { tid, .. }
                | Event::Fault(Fault { tid, .. })
                | Event::Woke(Woke { tid, .. })
                    if tid == *me => {}
                Event::Fork(fork) => {
                    if fork.child_pid != 0 {
                        pids.insert(fork.child_pid);
                    }
                    resolver.see(&event);
                }
                _ => resolver.see(&event),
            }
        })
    }

    fn write(&mut self, is_last: bool) -> Result<(), RecordError> {
        self.resolver.take(is_last, &mut self.waiting);
        if is_last || !self.waiting.is_empty() {
            self.out.write(self.resolver.places(), &self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Looks for processes that joined, and at the memory of all.
    fn look_around(&mut self, subject: &Subject) {
        if let Subject::Cgroup(path) = subject {
            for pid in proc::of_cgroup(path).unwrap_or_default() {
                if !self.tap.is_marked(pid) {
                    self.join(pid);
                }
            }
        }
        let marked = self.pids.iter().copied().filter(|pid| self.tap.is_marked(*pid));
        self.memory = self.memory.max(proc::memory(marked));
    }

    /// Whether no recorded process is left.
    fn is_alone(&self) -> bool {
        !self.pids.iter().any(|pid| self.tap.is_marked(*pid))
    }
}

/// The command's first process has what this one has, but what closes on exec.
fn as_child(fork: &Fork, descriptions: &mut Descriptions) -> Beginning {
    let directory = std::env::current_dir().unwrap_or_default();
    let mut descriptors = proc::descriptors(std::process::id());
    descriptions.number(std::process::id(), &mut descriptors);
    descriptors.retain(|file| file.flags & libc::O_CLOEXEC as u32 == 0);
    Beginning {
        tids: vec![fork.child],
        pid: fork.child,
        at_ns: fork.at_ns,
        directory: directory.into_os_string().into_vec(),
        descriptors,
        ..Beginning::default()
    }
}

/// Longer where little waited, so that a ring is read when about a tenth of it is used.
fn next_nap(nap: Duration, full: f64) -> Duration {
    let factor = if full < 0.05 { 1.5 } else { 0.1 / full };
    nap.mul_f64(factor.clamp(0.01, 1.5)).clamp(SHORTEST_NAP, LONGEST_NAP)
}

pub(crate) fn ask_to_stop(child: &Child) {
    if let Some(pid) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

fn canonical(trees: &[PathBuf]) -> Result<Vec<PathBuf>, RecordError> {
    let canonical = |path: &PathBuf| {
        path.canonicalize().map_err(|source| RecordError::Tree { path: path.clone(), source })
    };
    trees.iter().map(canonical).collect()
}

fn header(
    subject: &Subject,
    options: &Options,
    roots: &[PathBuf],
    tap: &Tap,
    cost: trace::header::Cost,
) -> Header {
    let command = match subject {
        Subject::Command(words) => {
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        }
        Subject::Processes(pids) => format!("processes {pids:?}"),
        Subject::Cgroup(path) => format!("control group {}", path.display()),
    };
    let shown = |text: String| if options.anonymous { String::new() } else { text };
    let root = |path: &PathBuf| {
        let (file_system, mount_options) = proc::mount(path);
        let place = shown(path.to_string_lossy().into_owned());
        Root { place, file_system, options: shown(mount_options) }
    };
    let recorder = match tap.form() {
        Form::Typed => Recorder::BpfTyped,
        Form::Plain => Recorder::BpfPlain,
    };
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Header {
        recorder,
        command: shown(command),
        started_s: since_1970.as_secs(),
        roots: roots.iter().map(root).collect(),
        anonymous: options.anonymous,
        cost,
        kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
        processors: thread::available_parallelism().map_or(1, |n| n.get() as u32),
        memory_bytes: memory_bytes(),
    }
}

fn memory_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram.saturating_mul(info.mem_unit.into())
}

/// The clock that the programs read.
fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Processor time of this process, seconds.
fn own_cpu_s() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// The control group of a unit of systemd.
///
/// # Errors
/// systemd does not know the unit, or it does not run.
pub fn cgroup_of_unit(unit: &str) -> Result<PathBuf, RecordError> {
    let mut show = Command::new("systemctl");
    show.args(["show", "--property=ControlGroup", "--value", "--", unit]);
    let command = "systemctl".to_owned();
    let output = show.output().map_err(|source| RecordError::Start { command, source })?;
    let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let name = name.strip_prefix('/').filter(|name| !name.is_empty());
    let name =
        name.ok_or_else(|| RecordError::Nothing(format!("the unit {unit} is not running")))?;
    let places = ["/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"];
    places
        .iter()
        .map(|place| Path::new(place).join(name))
        .find(|path| path.join("cgroup.procs").exists())
        .ok_or_else(|| RecordError::Nothing(format!("the control group of {unit} is not mounted")))
}

#[cfg(test)]
mod tests;
