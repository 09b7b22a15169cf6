//! One replay: what is prepared before the clock starts, the threads while it runs, and what came of it.

use super::{
    actor::Actor,
    clocks::Clocks,
    differences::{Difference, Differences, merged},
    lane::{Lane, Tally},
    plan::Planner,
    settings::{Pace, Settings, Window},
    source::{self, Recorded, broken, each_block},
    stage::{Content, LONGEST, Stage},
    step::Chunk,
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

/// Steps of all lanes, with the stage that they need.
struct Play {
    stage: Stage,
    /// Chunks of each lane.
    chunks: Vec<Vec<Chunk>>,
    /// What is open before the first: slot, lane, path, flags and position.
    opened: Vec<(u32, u32, super::files::Opened)>,
    longest: usize,
    pace: Pace,
}

/// A trace with all that is known before a replay.
struct Known {
    trace: Recorded,
    survey: Survey,
    path: PathBuf,
}

impl Known {
    fn of(settings: &Settings, job: &Job, window: Window) -> Result<Known, TestError> {
        let path = source::path(job, &settings.trace)?.to_path_buf();
        let mut trace = source::open(&path)?;
        let survey = Survey::of(&mut trace, window).map_err(|why| broken(&path, &why))?;
        Ok(Known { trace, survey, path })
    }

    /// The steps of the window, for the tree in `dir`.
    fn play(
        &mut self,
        dir: &Path,
        job: &Job,
        pace: Pace,
        window: Window,
    ) -> Result<Play, TestError> {
        let Known { trace, survey, path } = self;
        let texts = Texts::of(trace.paths()).map_err(|why| broken(path, &why))?;
        let (paths, entries) = (trace.paths().clone(), trace.start_entries().to_vec());
        let handles = trace.start_handles().to_vec();
        let cost = trace.header().cost;
        let mut planner = Planner::new((&paths, &entries, &handles), survey, (pace, window, cost));
        let lanes = survey.lanes.count() as usize;
        if window.from_ns > 0 {
            each_block(trace, &mut |calls| planner.skip(calls))
                .map_err(|why| broken(path, &why))?;
        }
        let opened = planner.opened();
        let mut chunks: Vec<Vec<Chunk>> = vec![Vec::new(); lanes];
        each_block(trace, &mut |calls| {
            let mut of_block = vec![Chunk::default(); lanes];
            planner.block(calls, &mut of_block);
            for (all, one) in chunks.iter_mut().zip(of_block) {
                all.extend(Some(one).filter(|chunk| !chunk.steps.is_empty()));
            }
        })
        .map_err(|why| broken(path, &why))?;
        for (lane, chunks) in chunks.iter_mut().enumerate() {
            planner.mark_awaited(lane, chunks);
        }
        let longest = usize::try_from(survey.longest).unwrap_or(LONGEST).min(LONGEST);
        let pattern = tree::pattern(job, tree::written_grade(job, &entries), "writes");
        let data = Content::new(&pattern, longest, survey.direct);
        let tree = File::open(dir).map_err(TestError::io("open", dir))?;
        let counts = (planner.slots().shared(), planner.slots().maps());
        let stage = Stage::new(tree, texts, counts, data);
        Ok(Play { stage, chunks, opened, longest, pace })
    }
}

/// Makes the tree of the trace of `job` in `dir` as it is when the window begins.
///
/// # Errors
/// The trace or the tree cannot be.
pub(super) fn fill(settings: &Settings, job: &Job, dir: &Path) -> Result<(), TestError> {
    let before = Window { from_ns: 0, to_ns: settings.window.from_ns };
    let mut known = Known::of(settings, job, before)?;
    let texts = Texts::of(known.trace.paths()).map_err(|why| broken(&known.path, &why))?;
    tree::make(dir, &known.trace, &texts, job)?;
    if before.to_ns == 0 {
        return Ok(());
    }
    let play = known.play(dir, job, Pace::Full, before)?;
    let counters = Counters::default();
    let mut lanes = lanes(&play)?;
    let clocks = Clocks::new(lanes.len());
    perform(&play, &mut lanes, &clocks, |gate| gate.pass(Progress::new(&counters)))?;
    syncfs(&play.stage.tree).map_err(|why| TestError::io("sync", dir)(why.into()))
}

/// The files that the trace of `job` begins with.
pub(super) fn files(settings: &Settings, job: &Job, dir: &Path) -> Vec<PathBuf> {
    let trace = source::path(job, &settings.trace).and_then(source::open);
    let Ok(trace) = trace else { return Vec::new() };
    Texts::of(trace.paths()).map(|texts| tree::files(dir, &trace, &texts)).unwrap_or_default()
}

/// Lanes with what is open before their first calls.
fn lanes(play: &Play) -> Result<Vec<Lane<'_>>, TestError> {
    let mut lanes = (0..play.chunks.len())
        .map(|number| {
            let actor = Actor::new(&play.stage, number, play.longest);
            Lane::new(number as u32, actor, play.pace)
        })
        .collect::<Result<Vec<_>, _>>()?;
    for (slot, lane, opened) in &play.opened {
        if let Some(lane) = lanes.get_mut(*lane as usize) {
            // What cannot be opened is missed by the calls on it, which are then counted.
            let _ = lane.actor().reopen(*slot, opened.path, opened.flags, opened.position);
        }
    }
    Ok(lanes)
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
struct Leaving<'g>(&'g Gate, &'g Clocks);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.1.waiting().pause();
        if thread::panicking() {
            self.1.give_up();
        }
        self.0.end();
    }
}

/// Runs `lanes` in threads of their own; `phase` opens the gate.
fn perform<T>(
    play: &Play,
    lanes: &mut [Lane<'_>],
    clocks: &Clocks,
    phase: impl FnOnce(&Gate) -> T,
) -> Result<T, TestError> {
    let gate = Gate::default();
    gate.lock().running = lanes.len();
    let is_paced = play.pace != Pace::Full;
    thread::scope(|scope| {
        let threads: Vec<_> = lanes
            .iter_mut()
            .zip(&play.chunks)
            .map(|(lane, chunks)| {
                let gate = &gate;
                scope.spawn(move || {
                    if is_paced {
                        // Wakes on time rather than up to 50 us later; where it is refused, latencies include it.
                        let _ = set_current_timer_slack(NonZeroU64::new(1));
                    }
                    let _leaving = Leaving(gate, clocks);
                    let Some(start_ns) = gate.start() else { return };
                    lane.play(start_ns, chunks, clocks, Progress::new(&gate.counters));
                })
            })
            .collect();
        let passed = phase(&gate);
        gate.close();
        let ended: Vec<bool> = threads.into_iter().map(|thread| thread.join().is_ok()).collect();
        match ended.into_iter().all(|ended| ended) {
            true => Ok(passed),
            false => Err(TestError::Stopped("a thread of the replay panicked".into())),
        }
    })
}

/// A replay that is ready.
pub(super) struct TraceRun {
    play: Play,
    dir: PathBuf,
    marker: PathBuf,
    share: f64,
    done: Done,
}

/// What came of the timed part.
#[derive(Default)]
struct Done {
    histograms: Vec<Histogram>,
    notes: Notes,
    written: u64,
}

/// What a worker tells beside its figures.
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
        let mut known = Known::of(settings, job, settings.window)?;
        let play = known.play(&dir, job, settings.pace, settings.window)?;
        if settings.cache == super::settings::Cache::Recorded {
            tree::warm(&play.stage.tree, &dir, &known.trace, &play.stage.texts)?;
        }
        let written = known.survey.written_bytes;
        let done = Done { written, ..Done::default() };
        Ok(TraceRun { play, dir, marker, share: job.data.incompressible_share(), done })
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
        let mut lanes = lanes(&self.play)?;
        let clocks = Clocks::new(lanes.len());
        perform(&self.play, &mut lanes, &clocks, |gate| {
            meter.phase(PhaseKind::Operate, &mut |progress| {
                gate.pass(progress);
                Ok(())
            })
        })??;
        let (tree, dir) = (&self.play.stage.tree, &self.dir);
        meter.phase(PhaseKind::Sync, &mut |_| {
            syncfs(tree).map_err(|why| TestError::io("sync", dir)(why.into()))
        })?;
        let tallies = lanes.into_iter().map(|lane| lane.tally).collect();
        self.keep(tallies, clocks.waiting().seconds())
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
        let _ = (self.share, self.done.written);
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
