//! Tests what a pool returns, and how it fails.

use crate::acts::{ODD, STEP, STEPS, TOLD, WORK, bytes_of, kill};
use model::{
    plan::User,
    text::Bytes,
    workload::{Job, JobMode, PhaseKind, Programs},
};
use needs::{Need, skip};
use rustix::process::{Pid, test_kill_process};
use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};
use workers::{LocalPool, Moved, Observer, Pool, PoolError, Settled, TimeSharing};

/// The verb under which this program is a coordinator that waits to be killed.
pub(crate) const COORDINATE: &str = "coordinate";
/// Its argument for a pool that waits for further jobs.
pub(crate) const WAIT: &str = "wait";

pub(crate) const LONG: Duration = Duration::from_secs(60);
pub(crate) static GO_ON: AtomicBool = AtomicBool::new(false);

/// Jobs for a pool of `workers`.
pub(crate) fn jobs(test: &str, workers: u32) -> Vec<Job> {
    let job = |worker| Job {
        worker,
        workers,
        seed: 1,
        memory: Bytes(1 << 30),
        ..Job::of(test, "/nowhere")
    };
    (0..workers).map(job).collect()
}

/// Jobs for a pool of three that are confined to directories below `base`, which are made.
fn confined(test: &str, base: &Path) -> Vec<Job> {
    let confine = |job: Job| {
        let dir = base.join(format!("p{}", job.worker));
        fs::create_dir_all(&dir).unwrap();
        Job { dir, programs: Programs::Confined, ..job }
    };
    jobs(test, 3).into_iter().map(confine).collect()
}

pub(crate) fn pool(timeout: Duration) -> LocalPool {
    LocalPool::this_program(timeout).unwrap()
}

fn error_of(test: &str, workers: u32, timeout: Duration) -> PoolError {
    pool(timeout).run(&jobs(test, workers), &mut (), &GO_ON).unwrap_err()
}

/// Process ids of the children of this process, dead ones too.
pub(crate) fn children_of(pid: u32) -> Vec<String> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let text = fs::read_to_string(path).unwrap();
    text.split_whitespace().map(str::to_string).collect()
}

/// Other processes of this program that live.
pub(crate) fn others() -> Vec<Pid> {
    let exe = env::current_exe().unwrap();
    let numbers = fs::read_dir("/proc").unwrap().flatten();
    let pids = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // What is dead has no program any more.
    let ours =
        |pid: &i32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|found| found == exe);
    let pids = pids.filter(ours).filter_map(Pid::from_raw);
    pids.filter(|pid| pid.as_raw_pid() as u32 != std::process::id()).collect()
}

pub(crate) fn assert_no_process_left() {
    assert_eq!(children_of(std::process::id()), Vec::<String>::new());
    assert_eq!(others(), []);
}

#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn releasing(&mut self, phase: usize) {
        self.0.push(format!("released {phase}"));
    }
    fn ended(&mut self, phase: usize) {
        self.0.push(format!("ended {phase}"));
    }
}

pub(crate) fn observer_is_notified_of_a_running_phase() {
    struct Tell {
        dir: PathBuf,
        pids: Vec<u32>,
        seen: Vec<(usize, u64, u64)>,
    }
    impl Observer for Tell {
        fn started(&mut self, pids: &[u32]) {
            self.pids = pids.into();
        }
        fn releasing(&mut self, _phase: usize) {}
        fn working(&mut self, phase: usize, moved: Moved) {
            self.seen.push((phase, moved.bytes, moved.ops));
            if phase == 1 && moved.ops == 2 {
                fs::write(self.dir.join(TOLD), "").unwrap();
            }
        }
        fn ended(&mut self, _phase: usize) {}
    }
    let dir = env::temp_dir().join(format!("assay-pool-told-{}", std::process::id()));
    fs::create_dir(&dir).unwrap();
    let mut tell = Tell { dir: dir.clone(), pids: Vec::new(), seen: Vec::new() };
    let jobs: Vec<Job> =
        jobs("await", 2).into_iter().map(|job| Job { dir: dir.clone(), ..job }).collect();
    let report = pool(LONG).run(&jobs, &mut tell, &GO_ON);
    fs::remove_dir_all(&dir).unwrap();
    let report = report.unwrap();
    assert_eq!(tell.seen.last(), Some(&(1, bytes_of(0) + bytes_of(1), 2)));
    assert_eq!((tell.pids.len(), report.overlaps.len()), (2, 2));
    assert_no_process_left();
}

/// Slices of two steps, between which no other worker works.
struct Turns;

impl TimeSharing for Turns {
    fn wait(&mut self) {}
    fn slice(&self) -> Option<Duration> {
        Some(2 * STEP)
    }
}

/// A device with a given settling time, the times of its queries, and how often the pool was paused.
struct Device {
    settled: Settled,
    takes: Duration,
    asked: Vec<Instant>,
    held: u32,
}

impl Device {
    fn that(settled: Settled, takes: Duration) -> Device {
        Device { settled, takes, asked: Vec::new(), held: 0 }
    }
}

impl Observer for Device {
    fn releasing(&mut self, _phase: usize) {}
    fn ended(&mut self, _phase: usize) {}
    fn settles(&mut self) -> Settled {
        thread::sleep(self.takes);
        self.asked.push(Instant::now());
        self.settled
    }
    fn held(&mut self) {
        self.held += 1;
    }
}

pub(crate) fn what_a_held_pool_waits_for_is_of_its_time() {
    const SETTLING: Duration = Duration::from_millis(30);
    let mut device = Device::that(Settled::Waited, SETTLING);
    let report = pool(LONG).run_at(&mut Turns, &jobs("step", 1), &mut device, &GO_ON).unwrap();
    let phases = report.workers[0].phases.iter();
    let took: Duration =
        phases.map(|phase| Duration::from_nanos(phase.end_ns - phase.start_ns)).sum();
    assert!(device.held > 0, "it was never held");
    assert_eq!(device.held as usize, device.asked.len());
    let least = WORK + STEP * STEPS + SETTLING * device.held;
    assert!(took >= least, "{took:?}, and {least:?} were worked and waited for");
    assert_no_process_left();
}

/// If paused, it would get these writes for free; if it waited for them, it would be idle while it could work.
pub(crate) fn candidate_is_not_paused_while_its_device_writes() {
    let mut device = Device::that(Settled::Writes, Duration::ZERO);
    pool(LONG).run_at(&mut Turns, &jobs("step", 1), &mut device, &GO_ON).unwrap();
    assert!(!device.asked.is_empty(), "it never stood still");
    let slices = device.asked.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(slices.min().is_none_or(|least| least >= 2 * STEP), "a further slice is a whole one");
    assert_eq!(device.held, 0);
    assert_no_process_left();
}

/// In process namespaces, as another user and under another root they still meet at one barrier.
pub(crate) fn workers_that_are_confined_are_a_pool() {
    if let Err(why) = engine::confine::available() {
        skip(Need::Namespaces, why);
        return;
    }
    let base = env::temp_dir().join(format!("assay-pool-confined-{}", std::process::id()));
    let report = pool(LONG).run(&confined("foreign", &base), &mut (), &GO_ON);
    fs::remove_dir_all(&base).unwrap();
    let report = report.unwrap();
    let bytes: Vec<u64> = report.workers.iter().map(|worker| worker.phases[0].bytes).collect();
    assert_eq!(bytes, [bytes_of(0), bytes_of(1), bytes_of(2)]);
    assert_no_process_left();
}

pub(crate) fn programs_of_others_run_only_where_the_job_allows_them() {
    let error = error_of("foreign", 2, LONG).to_string();
    assert!(error.contains("runs external programs, which this job does not allow"), "{error}");
    let nowhere = |job: Job| Job { programs: Programs::Confined, ..job };
    let jobs: Vec<Job> = jobs("foreign", 1).into_iter().map(nowhere).collect();
    let error = pool(LONG).run(&jobs, &mut (), &GO_ON).unwrap_err().to_string();
    assert!(error.contains("cannot be confined here"), "{error}");
    assert_no_process_left();
}

pub(crate) fn a_pool_reports_in_order_and_exactly() {
    let mut log = Log::default();
    let report = pool(LONG).run(&jobs("work", 4), &mut log, &GO_ON).unwrap();
    assert_eq!(log.0, ["released 0", "ended 0", "released 1", "ended 1"]);
    assert_eq!((report.workers.len(), report.overlaps.len()), (4, 2));
    for (number, worker) in (0..).zip(&report.workers) {
        assert_eq!((worker.worker, worker.command_chars, &worker.error), (number, number, &None));
        assert_eq!(worker.footprint_bytes, 4096);
        let [write, sync] = &worker.phases[..] else { panic!("{:?}", worker.phases) };
        assert_eq!((write.kind, sync.kind), (PhaseKind::Write, PhaseKind::Sync));
        assert_eq!((write.bytes, write.ops, sync.bytes), (bytes_of(number), 1, 0));
        assert!(write.end_ns - write.start_ns >= 100_000_000);
        // The next phase starts when the last worker has ended this one.
        assert!(report.workers.iter().all(|other| other.phases[0].end_ns <= sync.start_ns));
    }
    assert_no_process_left();
}

pub(crate) fn the_overlap_lies_between_last_start_and_first_end() {
    let report = pool(LONG).run(&jobs("work", 3), &mut (), &GO_ON).unwrap();
    let phases = || report.workers.iter().map(|worker| &worker.phases[0]);
    let last_start = phases().map(|p| p.start_ns).max().unwrap();
    let first_end = phases().map(|p| p.end_ns).min().unwrap();
    let overlap = report.overlaps[0];
    if first_end <= last_start {
        skip(Need::Other, "this machine was too busy for three workers to overlap");
        return;
    }
    // The window opens just before the clock of the last worker does.
    assert!(overlap.window_ns >= first_end - last_start);
    assert!(overlap.bytes <= (0..3).map(bytes_of).sum() && overlap.ops <= 3);
}

pub(crate) fn sixty_four_start_together() {
    let report = pool(LONG).run(&jobs("work", 64), &mut (), &GO_ON).unwrap();
    let starts = || report.workers.iter().map(|worker| worker.phases[0].start_ns);
    let skew_ns = starts().max().unwrap() - starts().min().unwrap();
    let latest_end = report.workers.iter().map(|w| w.phases[0].end_ns).max().unwrap();
    // How small it is depends on the machine; that they were not one after the other does not.
    assert!(latest_end - starts().min().unwrap() < 64 * 100_000_000, "ran one by one");
    println!("start skew of 64 workers: {} us", skew_ns / 1000);
}

pub(crate) fn the_largest_pool_runs() {
    let report = match pool(10 * LONG).run(&jobs("work", 1024), &mut (), &GO_ON) {
        // A limit of files or processes that this user cannot raise.
        Err(error @ PoolError::Spawn { .. }) => return skip(Need::Other, error),
        result => result.unwrap(),
    };
    let bytes: u64 = report.workers.iter().map(|worker| worker.phases[0].bytes).sum();
    assert_eq!(bytes, (0..1024).map(bytes_of).sum::<u64>());
    assert_no_process_left();
}

pub(crate) fn files_are_filled_and_warmed_without_phases() {
    let dir = env::temp_dir().join(format!("assay-pool-{}", std::process::id()));
    fs::create_dir(&dir).unwrap();
    let mut jobs = jobs("work", 2);
    jobs.iter_mut().for_each(|job| job.dir = dir.clone());
    let mut run = |mode| {
        jobs.iter_mut().for_each(|job| job.mode = mode);
        pool(LONG).run(&jobs, &mut (), &GO_ON)
    };
    let missing = run(JobMode::Warm).unwrap_err().to_string();
    let filled = run(JobMode::Fill).unwrap();
    let warmed = run(JobMode::Warm).unwrap();
    let written = fs::read(dir.join("file-1")).unwrap();
    fs::remove_dir_all(&dir).unwrap();
    assert!(missing.contains("open") && missing.contains("file-"), "{missing}");
    assert_eq!((filled.workers.len(), filled.overlaps.len()), (2, 0));
    assert_eq!(warmed.workers.len(), 2);
    assert_eq!(written, [7; 5000]);
}

pub(crate) fn a_panic_names_the_worker_and_the_message() {
    match error_of("panic", 4, LONG) {
        PoolError::Failed { worker: ODD, message } => {
            assert_eq!(message, "panic panicked: this worker; panics");
        }
        other => panic!("{other}"),
    }
    assert_no_process_left();
}

pub(crate) fn an_error_ends_the_pool_at_once() {
    for (test, why) in [("fail", "by the test"), ("fail-verify", "by the verification")] {
        match error_of(test, 4, LONG) {
            PoolError::Failed { worker: ODD, message } => {
                assert_eq!(message, format!("/some/file holds wrong data: seen {why}"));
            }
            other => panic!("{test}: {other}"),
        }
        assert_no_process_left();
    }
}

pub(crate) fn exit_and_kill_are_distinguished() {
    for (test, wanted) in [("exit", "exit status: 3"), ("kill", "signal: 9 (SIGKILL)")] {
        match error_of(test, 3, LONG) {
            PoolError::WorkerDied { worker: ODD, how } => assert_eq!(how, wanted),
            other => panic!("{test}: {other}"),
        }
        assert_no_process_left();
    }
}

pub(crate) fn a_worker_that_hangs_is_named() {
    // By then others may not have arrived, or it has not come to where it hangs: longer, until it alone is missing.
    let is_named = |ms: u64| match error_of("hang", 3, Duration::from_millis(ms)) {
        PoolError::TimedOut { missing, .. } => missing == [ODD],
        other => panic!("{other}"),
    };
    assert!((0..9).any(|doubled| is_named(300 << doubled)));
    match error_of("hang", 2, Duration::from_millis(1)) {
        PoolError::TimedOut { after, .. } => assert_eq!(after, Duration::from_millis(1)),
        other => panic!("{other}"),
    }
    assert_no_process_left();
}

pub(crate) fn different_phases_are_refused() {
    for test in ["skip", "differ"] {
        let error = error_of(test, 3, LONG);
        assert!(matches!(&error, PoolError::Divided { test: t } if t == test), "{test}: {error}");
    }
    assert_no_process_left();
}

pub(crate) fn an_unknown_test_and_an_impossible_pool_are_refused() {
    let unknown = error_of("no-such-test", 2, LONG).to_string();
    assert!(unknown.contains("`no-such-test` is not known"), "{unknown}");
    assert!(matches!(error_of("work", 0, LONG), PoolError::Barrier(_)));
    let mut misnumbered = jobs("work", 2);
    misnumbered[1].worker = 7;
    match pool(LONG).run(&misnumbered, &mut (), &GO_ON).unwrap_err() {
        PoolError::WorkerDied { worker: 1, how } => {
            assert_eq!(how, "exit status: 2: worker 7 is not one of a pool of 2");
        }
        other => panic!("{other}"),
    }
    let pool = LocalPool::of("/no/such/program", LONG);
    let error = pool.run(&jobs("work", 1), &mut (), &GO_ON).unwrap_err();
    assert!(matches!(error, PoolError::Spawn { worker: 0, .. }), "{error}");
}

pub(crate) fn a_worker_started_by_hand_says_so() {
    let exe = env::current_exe().unwrap();
    for arguments in [vec![workers::WORKER_VERB], vec![workers::WORKER_VERB, "77", "0"]] {
        let output = Command::new(&exe).args(arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("assay"), "{output:?}");
    }
}

pub(crate) fn a_stop_ends_a_pool_that_works() {
    let stop = AtomicBool::new(false);
    struct StopAt<'a>(&'a AtomicBool);
    impl Observer for StopAt<'_> {
        fn releasing(&mut self, phase: usize) {
            self.0.store(phase == 1, Ordering::Relaxed);
        }
        fn ended(&mut self, _phase: usize) {}
    }
    let error = pool(LONG).run(&jobs("hang", 3), &mut StopAt(&stop), &stop).unwrap_err();
    assert!(matches!(error, PoolError::Stopped), "{error}");
    assert_no_process_left();
}

pub(crate) fn workers_die_with_their_coordinator() {
    dies_with_its_pool(&[]);
}

pub(crate) fn confined_workers_die_with_their_coordinator() {
    if let Err(why) = engine::confine::available() {
        skip(Need::Namespaces, why);
        return;
    }
    let base = env::temp_dir().join(format!("assay-pool-killed-{}", std::process::id()));
    dies_with_its_pool(&[&base]);
    fs::remove_dir_all(&base).unwrap();
}

/// Kills a coordinator, started with `args`, and waits for the end of its three workers and their copies.
pub(crate) fn dies_with_its_pool(args: &[&Path]) {
    let exe = env::current_exe().unwrap();
    let mut command = Command::new(exe);
    let mut child = command.arg(COORDINATE).args(args).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let workers = children_of(child.id());
    assert_eq!(workers.len(), 3, "{line}");
    kill(Pid::from_child(&child));
    child.wait().unwrap();
    let killed = Instant::now();
    for worker in workers {
        let pid = Pid::from_raw(worker.parse().unwrap()).unwrap();
        while lives(pid) {
            assert!(killed.elapsed() < LONG, "worker {worker} outlives its coordinator");
            thread::sleep(Duration::from_millis(5));
        }
    }
    while !others().is_empty() {
        assert!(killed.elapsed() < LONG, "{:?} outlive their coordinator", others());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs; a zombie counts as dead.
fn lives(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    test_kill_process(pid).is_ok() && !matches!(state, None | Some('Z' | 'X'))
}

/// Runs a pool that hangs, after a line that says that it is about to; confined to directories below the
/// second argument, where there is one. With the argument `WAIT` it has done its work and waits for more.
pub(crate) fn coordinate() {
    struct Say;
    impl Observer for Say {
        fn releasing(&mut self, phase: usize) {
            if phase == 1 {
                println!("released");
            }
        }
        fn ended(&mut self, _phase: usize) {}
    }
    let jobs = match env::args_os().nth(2) {
        Some(word) if word == WAIT => {
            let pool = pool(LONG);
            pool.run(&jobs("work", 3), &mut (), &GO_ON).unwrap();
            println!("waiting");
            return thread::sleep(LONG);
        }
        Some(base) => confined("foreign-hang", base.as_ref()),
        None => jobs("hang", 3),
    };
    pool(LONG).run(&jobs, &mut Say, &GO_ON).unwrap();
}

pub(crate) fn a_pool_in_the_name_of_a_user_has_no_other_rights() {
    #[derive(Default)]
    struct Look {
        pids: Vec<u32>,
        seen: Vec<String>,
    }
    impl Observer for Look {
        fn started(&mut self, pids: &[u32]) {
            self.pids = pids.to_vec();
        }
        fn releasing(&mut self, _phase: usize) {
            let status = |pid| fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
            self.seen.extend(self.pids.iter().map(status));
        }
        fn ended(&mut self, _phase: usize) {}
    }
    if !needs::root_or_skip("another user") {
        return;
    }
    let pool = pool(LONG).in_the_name_of(Some(User { uid: 1_999_999_999, gid: 65534 }));
    let mut look = Look::default();
    pool.run(&jobs("work", 2), &mut look, &GO_ON).unwrap();
    assert!(look.seen.len() >= 2);
    for status in look.seen {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(field("Uid:"), ["1999999999"; 4].join(" "));
        assert_eq!(field("Gid:"), ["65534"; 4].join(" "));
        assert_eq!((&*field("Groups:"), &*field("NoNewPrivs:")), ("", "1"));
        for rights in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
            assert_eq!(field(rights), "0000000000000000", "{rights}");
        }
    }
}
