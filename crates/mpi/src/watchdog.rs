//! Ends the program when a call of MPI does not return. A rank that was stopped, or whose host is gone, answers
//! nothing, and a call that needs it waits for ever: what was stored is kept, the launcher ends the other ranks, and
//! the keeper cleans up.

use std::{
    process,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What is waited for, and until when.
type Wait = Option<(Instant, String)>;

/// A thread that watches one other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watchdog(Arc<Mutex<Wait>>);

impl Watchdog {
    /// One that calls `tell` with a line before it ends the program.
    pub(crate) fn start(tell: fn(&str)) -> Watchdog {
        let dog = Watchdog::default();
        let watched = dog.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(LOOK_EVERY);
                if let Some(line) = watched.overdue() {
                    tell(&line);
                    process::exit(1);
                }
            }
        });
        dog
    }

    /// Does `act`, which waits for `whom` and may take `limit`.
    pub(crate) fn guard<T>(&self, limit: Duration, whom: &str, act: impl FnOnce() -> T) -> T {
        *self.wait() = Some((Instant::now() + limit, whom.to_string()));
        let result = act();
        *self.wait() = None;
        result
    }

    fn overdue(&self) -> Option<String> {
        let wait = self.wait();
        let (until, whom) = wait.as_ref()?;
        let is_over = Instant::now() >= *until;
        is_over.then(|| format!("{whom} accepts no message; it hangs, or its host is lost"))
    }

    fn wait(&self) -> MutexGuard<'_, Wait> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
