//! One replay: what is prepared before the clock starts, the threads while it runs, and what came of it.

use super::{
    actor::Actor,
    clocks::Clocks,
    differences::{Difference, Differences, merged},
    feeder::Feeder,
    lane::{Lane, Tally},
    plan::Planner,
    settings::{Cache, Pace, Settings, Window},
    source::{self, Recorded, broken},
    stage::{Content, LONGEST, Stage},
    supply::Supply,
    survey::Survey,
    texts::Texts,
    tree,
};
use crate::{Meter, Run, TestError, commits::engine_error};
use engine::{
    clock::now_ns,
    progress::{Counters, Progress},
};
use model::{
    figure::{Better, Histogram, Metric, Synced},
    workload::{Job, PhaseKind},
};
use rustix::{
    fs::{Mode, OFlags, syncfs},
    process::{Resource, Rlimit, getrlimit, setrlimit},
    thread::set_current_timer_slack,
};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    num::NonZeroU64,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};
use trace::call::Op;

/// How often progress is reported while lanes run.
const REPORT: Duration = Duration::from_millis(10);

/// A trace with all that is known before a replay of a window of it.
struct Known {
    trace: Recorded,
    survey: Survey,
    path: PathBuf,
    window: Window,
    pace: Pace,
}

impl Known {
    fn of(settings: &Settings, job: &Job, window: Window, pace: Pace) -> Result<Known, TestError> {
        let path = source::path(job, &settings.trace)?.to_path_buf();
        let mut trace = source::open(&path)?;
        let survey = Survey::of(&mut trace, window).map_err(|why| broken(&path, &why))?;
        Ok(Known { trace, survey, path, window, pace })
    }

    fn longest(&self) -> usize {
        usize::try_from(self.survey.longest).unwrap_or(LONGEST).min(LONGEST)
    }

    /// What the lanes of a replay in `dir` share.
    fn stage(&self, dir: &Path, job: &Job) -> Result<Stage, TestError> {
        let texts = Texts::of(self.trace.paths()).map_err(|why| broken(&self.path, &why))?;
        let grade = tree::written_grade(job, self.trace.start_entries());
        let pattern = tree::pattern(job, grade, "writes");
        let data = Content::new(&pattern, self.longest(), self.survey.direct);
        let tree = File::open(dir).map_err(TestError::io("open", dir))?;
        let counts = (self.survey.shared.len(), self.survey.most_maps);
        Ok(Stage::new(tree, texts, counts, data))
    }

    /// Makes the calls of the window on `stage`; `phase` opens the gate. What the lanes counted, and how long all of
    /// them waited for syncs, seconds.
    fn play(
        &mut self,
        stage: &Stage,
        phase: impl FnOnce(&Gate) -> Result<(), TestError>,
    ) -> Result<(Vec<Tally>, f64), TestError> {
        let (longest, count) = (self.longest(), self.survey.lanes.count() as usize);
        let Known { trace, survey, path, window, pace } = self;
        let cost = trace.header().cost;
        let (named, calls) = trace.split();
        let planner = Planner::new(named, survey, (*pace, *window, cost));
        let supply = Supply::new(count);
        let mut feeder = Feeder::new(planner, calls, &supply);
        let wrong = |why: String| broken(path, &why);
        if window.from_ns > 0 {
            feeder.skip().map_err(wrong)?;
        }
        let mut lanes = lanes(stage, count, longest, *pace)?;
        for (slot, lane, opened) in feeder.opened() {
            if let Some(lane) = lanes.get_mut(lane as usize) {
                // What cannot be opened is missed by the calls on it, which are then counted.
                let _ = lane.actor().reopen(slot, opened.path, opened.flags, opened.position);
            }
        }
        feeder.feed(true).map_err(wrong)?;
        let clocks = Clocks::new(count);
        perform(&mut lanes, (&supply, &clocks, *pace), &mut feeder, phase)?.map_err(wrong)?;
        Ok((lanes.into_iter().map(|lane| lane.tally).collect(), clocks.waiting().seconds()))
    }
}

/// Makes the tree of the trace of `job` in `dir` as it is when the window begins.
///
/// # Errors
/// The trace or the tree cannot be.
pub(super) fn fill(settings: &Settings, job: &Job, dir: &Path) -> Result<(), TestError> {
    let before = Window { from_ns: 0, to_ns: settings.window.from_ns };
    let mut known = Known::of(settings, job, before, Pace::Full)?;
    let texts = Texts::of(known.trace.paths()).map_err(|why| broken(&known.path, &why))?;
    tree::make(dir, &known.trace, &texts, job)?;
    if before.to_ns == 0 {
        return Ok(());
    }
    let stage = known.stage(dir, job)?;
    let counters = Counters::default();
    known.play(&stage, |gate| {
        gate.pass(Progress::new(&counters));
        Ok(())
    })?;
    syncfs(&stage.tree).map_err(|why| TestError::io("sync", dir)(why.into()))
}

/// The files that the trace of `job` begins with.
pub(super) fn files(settings: &Settings, job: &Job, dir: &Path) -> Vec<PathBuf> {
    let trace = source::path(job, &settings.trace).and_then(source::open);
    let Ok(trace) = trace else { return Vec::new() };
    Texts::of(trace.paths()).map(|texts| tree::files(dir, &trace, &texts)).unwrap_or_default()
}

/// Lanes that have made no call.
fn lanes(
    stage: &Stage,
    count: usize,
    longest: usize,
    pace: Pace,
) -> Result<Vec<Lane<'_>>, TestError> {
    let lane = |number| Lane::new(number as u32, Actor::new(stage, number, longest), pace);
    Ok((0..count).map(lane).collect::<Result<Vec<_>, _>>()?)
}

/// Lets lanes wait until the phase begins, and the phase until they have ended.
#[derive(Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
    counters: Counters,
}

#[derive(Default)]
struct State {
    start_ns: Option<u64>,
    closed: bool,
    running: usize,
}

impl Gate {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the lanes start; `None` if they do not.
    fn start(&self) -> Option<u64> {
        let waits = |state: &mut State| state.start_ns.is_none() && !state.closed;
        let state =
            self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        state.start_ns
    }

    /// Starts the lanes and reports to `progress` until all have ended.
    fn pass(&self, progress: Progress<'_>) {
        let mut told = (0, 0);
        let own = Progress::new(&self.counters);
        let mut tell = || {
            let now = (own.bytes(), own.ops());
            progress.add(now.0 - told.0, now.1 - told.1);
            told = now;
        };
        let mut state = self.lock();
        state.start_ns = Some(now_ns());
        self.changed.notify_all();
        while state.running > 0 {
            let waited = self.changed.wait_timeout(state, REPORT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            tell();
        }
        tell();
    }

    fn end(&self) {
        self.lock().running -= 1;
        self.changed.notify_all();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// Ends a lane also when it panics.
struct Leaving<'g>(&'g Gate, &'g Clocks, &'g Supply);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.1.waiting().pause();
        if thread::panicking() {
            self.1.give_up();
            self.2.end();
        }
        self.0.end();
    }
}

/// Runs `lanes` in threads of their own; `phase` opens the gate. The inner error is that of the feeder.
fn perform(
    lanes: &mut [Lane<'_>],
    (supply, clocks, pace): (&Supply, &Clocks, Pace),
    feeder: &mut Feeder<'_>,
    phase: impl FnOnce(&Gate) -> Result<(), TestError>,
) -> Result<Result<(), String>, TestError> {
    let gate = Gate::default();
    gate.lock().running = lanes.len();
    thread::scope(|scope| {
        let threads: Vec<_> = lanes
            .iter_mut()
            .map(|lane| {
                let gate = &gate;
                scope.spawn(move || {
                    if pace != Pace::Full {
                        // Wakes on time rather than up to 50 us later; where it is refused, latencies include it.
                        let _ = set_current_timer_slack(NonZeroU64::new(1));
                    }
                    let _leaving = Leaving(gate, clocks, supply);
                    let Some(start_ns) = gate.start() else { return };
                    lane.play(start_ns, supply, clocks, Progress::new(&gate.counters));
                })
            })
            .collect();
        let feeding = scope.spawn(|| feeder.feed(false));
        let passed = phase(&gate);
        gate.close();
        supply.end();
        let ended: Vec<bool> = threads.into_iter().map(|thread| thread.join().is_ok()).collect();
        let fed = feeding.join().unwrap_or_else(|_| Err("a thread of the replay panicked".into()));
        passed?;
        match ended.into_iter().all(|ended| ended) {
            true => Ok(fed),
            false => Err(TestError::Stopped("a thread of the replay panicked".into())),
        }
    })
}

/// A replay that is ready.
pub(super) struct TraceRun {
    known: Known,
    stage: Stage,
    dir: PathBuf,
    marker: PathBuf,
    done: Done,
}

/// The result of the timed part.
#[derive(Default)]
struct Done {
    histograms: Vec<Histogram>,
    notes: Notes,
}

/// What a worker tells besides its figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Notes {
    pub(super) calls: u64,
    pub(super) unexplained: u64,
    pub(super) differences: Vec<Difference>,
    pub(super) lanes: u32,
    pub(super) in_calls_s: f64,
    pub(super) in_syncs_s: f64,
    pub(super) all_in_sync_s: f64,
    pub(super) latest_s: f64,
}

impl TraceRun {
    pub(super) fn new(
        settings: &Settings,
        job: &Job,
        dir: PathBuf,
        marker: PathBuf,
    ) -> Result<TraceRun, TestError> {
        raise_limit();
        let known = Known::of(settings, job, settings.window, settings.pace)?;
        let stage = known.stage(&dir, job)?;
        if settings.cache == Cache::Recorded {
            tree::warm(&stage.tree, &dir, &known.trace, &stage.texts)?;
        }
        Ok(TraceRun { known, stage, dir, marker, done: Done::default() })
    }

    fn keep(&mut self, tallies: Vec<Tally>, all_in_sync_s: f64) -> Result<(), TestError> {
        let mut notes = Notes { lanes: tallies.len() as u32, all_in_sync_s, ..Notes::default() };
        let mut latencies = None;
        let mut differences = Vec::new();
        for tally in tallies {
            notes.in_calls_s += tally.in_calls_ns as f64 / 1e9;
            notes.in_syncs_s += tally.in_syncs_ns as f64 / 1e9;
            notes.latest_s = notes.latest_s.max(tally.latest_ns as f64 / 1e9);
            notes.unexplained += Differences::unexplained(&tally.differences);
            differences.extend(tally.differences.words());
            match &mut latencies {
                None => latencies = Some(tally.latencies),
                Some(all) => {
                    all.add(&tally.latencies).map_err(engine_error("count in", &self.dir))?
                }
            }
        }
        let name = |index: usize| Op::of_code(index as u8).map_or("", Op::name);
        self.done.histograms = latencies.map(|all| all.histograms(name)).unwrap_or_default();
        notes.calls = self.done.histograms.iter().map(Histogram::count).sum();
        notes.differences = merged(differences);
        self.done.notes = notes;
        Ok(())
    }
}

impl Run for TraceRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let TraceRun { known, stage, dir, .. } = self;
        let (tallies, all_in_sync_s) = known.play(stage, |gate| {
            meter.phase(PhaseKind::Operate, &mut |progress| {
                gate.pass(progress);
                Ok(())
            })
        })?;
        meter.phase(PhaseKind::Sync, &mut |_| {
            syncfs(&stage.tree).map_err(|why| TestError::io("sync", dir)(why.into()))
        })?;
        self.keep(tallies, all_in_sync_s)
    }

    fn verify(&mut self) -> Result<(), TestError> {
        Ok(())
    }

    /// What was written may be gone again.
    fn synced(&self) -> Option<Synced> {
        Some(Synced { throughout: true, ..Synced::FLUSH })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        std::mem::take(&mut self.done.histograms)
    }

    fn metrics(&mut self) -> Vec<Metric> {
        vec![Metric::new("unexplained", self.done.notes.unexplained as f64, "", Better::Lower)]
    }

    fn output(&mut self) -> String {
        toml::to_string(&self.done.notes).unwrap_or_default()
    }
}

impl Drop for TraceRun {
    /// The tree is another one after a replay, however it ended.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.marker);
    }
}

impl Actor<'_> {
    /// Opens what was open before the first call.
    fn reopen(
        &mut self,
        slot: u32,
        path: u32,
        flags: u32,
        position: u64,
    ) -> Result<(), rustix::io::Errno> {
        let text = self.stage.texts.get(path).ok_or(rustix::io::Errno::NOENT)?;
        let flags = flags & !(OFlags::CREATE | OFlags::EXCL | OFlags::TRUNC).bits();
        let file = self.open(text, flags, Mode::empty())?;
        if position > 0 {
            rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(position))?;
        }
        self.files.put(slot, file);
        Ok(())
    }
}

/// Lets the process open as many files as it may.
fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    // A refusal leaves it as it is; calls that fail then are counted.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}
