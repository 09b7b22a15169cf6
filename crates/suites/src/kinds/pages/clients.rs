//! Synchronizes the client threads of a worker: they wait for the start of the phase, count commits and request
//! checkpoints; the last one to finish ends the phase.

use engine::progress::Progress;
use std::{
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// The interval at which progress is reported while clients run.
const REPORT: Duration = Duration::from_millis(10);

/// The state shared by the threads.
pub(super) struct Clients {
    state: Mutex<State>,
    changed: Condvar,
    commits: AtomicU64,
    checkpoint_every: u64,
}

struct State {
    start: Start,
    /// Clients that have not left.
    running: u32,
    /// Whether a requested checkpoint has not started.
    due: bool,
}

#[derive(Clone, Copy)]
enum Start {
    Awaited,
    At(u64),
    Never,
}

/// A client's place; the client has left when it is dropped, also by a panic.
pub(super) struct Slot<'a>(&'a Clients);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.changed.notify_all();
    }
}

impl Clients {
    /// For `clients` clients and a checkpoint after every `checkpoint_every` commits of all.
    pub(super) fn new(clients: u32, checkpoint_every: u64) -> Clients {
        let state = State { start: Start::Awaited, running: clients, due: false };
        Clients {
            state: Mutex::new(state),
            changed: Condvar::new(),
            commits: AtomicU64::new(0),
            checkpoint_every,
        }
    }

    /// The place of one of the clients.
    pub(super) fn slot(&self) -> Slot<'_> {
        Slot(self)
    }

    /// Waits for the start of the phase; `None` when there will be none.
    pub(super) fn start_ns(&self) -> Option<u64> {
        let mut state = self.lock();
        loop {
            match state.start {
                Start::At(ns) => return Some(ns),
                Start::Never => return None,
                Start::Awaited => state = self.wait(state),
            }
        }
    }

    /// Counts a commit.
    pub(super) fn committed(&self) {
        let commits = 1 + self.commits.fetch_add(1, Ordering::Relaxed);
        if commits.is_multiple_of(self.checkpoint_every) {
            self.lock().due = true;
            self.changed.notify_all();
        }
    }

    /// Waits until a checkpoint is asked for; false when all clients have left.
    pub(super) fn checkpoint_due(&self) -> bool {
        let mut state = self.lock();
        loop {
            if state.running == 0 {
                return false;
            }
            if std::mem::take(&mut state.due) {
                return true;
            }
            state = self.wait(state);
        }
    }

    /// Lets the clients start at `ns`, and reports their progress until all have left.
    pub(super) fn play(&self, ns: u64, commit_bytes: u64, progress: Progress<'_>) {
        let mut state = self.lock();
        state.start = Start::At(ns);
        self.changed.notify_all();
        let mut reported = 0;
        loop {
            let running = state.running;
            let commits = self.commits.load(Ordering::Relaxed);
            progress.add(commit_bytes * (commits - reported), commits - reported);
            reported = commits;
            if running == 0 {
                return;
            }
            let waited = self.changed.wait_timeout(state, REPORT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sends the clients away that still wait for a start.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        if matches!(state.start, Start::Awaited) {
            state.start = Start::Never;
        }
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::progress::Counters;
    use std::thread;

    #[test]
    fn the_last_client_ends_the_phase_and_every_commit_is_reported() {
        let clients = Clients::new(3, 10);
        let counters = Counters::default();
        let checkpoints = thread::scope(|scope| {
            for _ in 0..3 {
                let slot = clients.slot();
                scope.spawn(|| {
                    let _slot = slot;
                    assert_eq!(clients.start_ns(), Some(5));
                    (0..100).for_each(|_| clients.committed());
                });
            }
            let checkpointer = scope
                .spawn(|| std::iter::from_fn(|| clients.checkpoint_due().then_some(())).count());
            clients.play(5, 7, Progress::new(&counters));
            checkpointer.join().unwrap()
        });
        let progress = Progress::new(&counters);
        assert_eq!((progress.ops(), progress.bytes()), (300, 2100));
        // Those that are asked for while one is under way are one.
        assert!(checkpoints <= 30);
    }

    #[test]
    fn a_phase_that_never_begins_sends_everybody_away() {
        let clients = Clients::new(1, 1);
        thread::scope(|scope| {
            let slot = clients.slot();
            let client = scope.spawn(|| {
                let _slot = slot;
                clients.start_ns()
            });
            let checkpointer = scope.spawn(|| clients.checkpoint_due());
            clients.close();
            assert_eq!(client.join().unwrap(), None);
            assert!(!checkpointer.join().unwrap());
        });
    }
}
