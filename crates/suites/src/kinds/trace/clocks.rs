//! Waits of lanes: for the calls of other lanes, and for the time at which a call is due.

use super::resource::Mark;
use engine::clock::now_ns;
use rustix::{
    thread::{ClockId, clock_nanosleep_absolute, futex},
    time::Timespec,
};
use std::{
    hint::spin_loop,
    sync::atomic::{
        AtomicBool, AtomicU32, AtomicU64,
        Ordering::{Relaxed, SeqCst},
    },
};

/// Turns before a lane that waits sleeps.
const SPINS: u32 = 200;
/// A sleep ends after this long at most, to see whether the replay is given up.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// A wait for a time shorter than this is spent awake, nanoseconds.
const AWAKE_NS: u64 = 60_000;

/// How far one lane is; on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Done {
    number: AtomicU64,
    sleepers: AtomicU32,
    turn: AtomicU32,
}

/// How far all lanes are.
#[derive(Debug)]
pub(super) struct Clocks {
    lanes: Vec<Done>,
    given_up: AtomicBool,
    waiting: Waiting,
}

impl Clocks {
    pub(super) fn new(lanes: usize) -> Clocks {
        Clocks {
            lanes: (0..lanes).map(|_| Done::default()).collect(),
            given_up: AtomicBool::new(false),
            waiting: Waiting { busy: AtomicU32::new(lanes as u32), ..Waiting::default() },
        }
    }

    /// Notes that the calls of `lane` up to `number` are done.
    #[inline]
    pub(super) fn done(&self, lane: u32, number: u64) {
        let lane = &self.lanes[lane as usize];
        lane.number.store(number, SeqCst);
        if lane.sleepers.load(SeqCst) > 0 {
            lane.turn.fetch_add(1, SeqCst);
            wake_all(&lane.turn);
        }
    }

    /// Waits until the call `mark` is done. Returns false if the replay was given up.
    #[inline]
    pub(super) fn wait(&self, mark: Mark) -> bool {
        let lane = &self.lanes[mark.lane as usize];
        for _ in 0..SPINS {
            if lane.number.load(SeqCst) >= mark.number {
                return true;
            }
            spin_loop();
        }
        self.sleep(lane, mark.number)
    }

    #[cold]
    fn sleep(&self, lane: &Done, number: u64) -> bool {
        lane.sleepers.fetch_add(1, SeqCst);
        self.waiting.pause();
        loop {
            let turn = lane.turn.load(SeqCst);
            if lane.number.load(SeqCst) >= number || self.given_up.load(Relaxed) {
                break;
            }
            // It ends by a wake, a signal or its time; the loop looks again.
            let _ = futex::wait(&lane.turn, futex::Flags::PRIVATE, turn, Some(&LOOK));
        }
        self.waiting.resume();
        lane.sleepers.fetch_sub(1, SeqCst);
        lane.number.load(SeqCst) >= number
    }

    /// Ends all waits.
    pub(super) fn give_up(&self) {
        self.given_up.store(true, SeqCst);
    }

    /// What every lane waits for.
    pub(super) fn waiting(&self) -> &Waiting {
        &self.waiting
    }
}

/// Wakes all that sleep on `turn`; how many there were.
fn wake_all(turn: &AtomicU32) -> usize {
    // The kernel takes the number as signed, and wakes one where it is negative. An error cannot be.
    futex::wake(turn, futex::Flags::PRIVATE, i32::MAX as u32).unwrap_or(0)
}

/// The time in which no lane works: each is in a sync, waits for one that is, or has ended.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    busy: AtomicU32,
    syncs: AtomicU32,
    since_ns: AtomicU64,
    total_ns: AtomicU64,
}

impl Waiting {
    /// A lane begins a sync.
    pub(super) fn enter_sync(&self) {
        self.syncs.fetch_add(1, SeqCst);
        self.pause();
    }

    /// A lane ends a sync.
    pub(super) fn leave_sync(&self) {
        self.resume();
        self.syncs.fetch_sub(1, SeqCst);
    }

    /// A lane stops to work.
    pub(super) fn pause(&self) {
        if self.busy.fetch_sub(1, SeqCst) == 1 && self.syncs.load(SeqCst) > 0 {
            self.since_ns.store(now_ns(), SeqCst);
        }
    }

    /// A lane works again.
    fn resume(&self) {
        if self.busy.fetch_add(1, SeqCst) == 0 {
            let since = self.since_ns.swap(0, SeqCst);
            if since > 0 {
                self.total_ns.fetch_add(now_ns().saturating_sub(since), SeqCst);
            }
        }
    }

    /// That time, seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.total_ns.load(SeqCst) as f64 / 1e9
    }
}

/// Waits until `due_ns` on the clock of `now_ns`; the time at which it continues.
pub(super) fn wait_until(due_ns: u64) -> u64 {
    loop {
        let now = now_ns();
        match due_ns.checked_sub(now) {
            None | Some(0) => return now,
            Some(left) if left <= AWAKE_NS => spin_loop(),
            Some(_) => {
                let ns = due_ns - AWAKE_NS / 2;
                let until = Timespec {
                    tv_sec: (ns / 1_000_000_000) as i64,
                    tv_nsec: (ns % 1_000_000_000) as _,
                };
                // A signal ends it early; the loop looks again.
                let _ = clock_nanosleep_absolute(ClockId::Monotonic, &until);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn mark(number: u64) -> Mark {
        Mark { lane: 0, number, end_ns: 0 }
    }

    #[test]
    fn lane_waits_for_the_calls_of_another() {
        let clocks = Clocks::new(2);
        let order = AtomicU64::new(0);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let done = clocks.wait(mark(1000));
                (done, order.load(SeqCst))
            });
            for number in 1..=1000 {
                order.store(number, SeqCst);
                clocks.done(0, number);
            }
            assert_eq!(waiter.join().unwrap(), (true, 1000));
        });
    }

    #[test]
    fn all_that_sleep_are_woken_at_once() {
        let turn = AtomicU32::new(0);
        let sleepers = [const { AtomicU32::new(0) }; 3];
        let sleeps = |tid: &AtomicU32| {
            let stat =
                std::fs::read_to_string(format!("/proc/self/task/{}/stat", tid.load(SeqCst)));
            stat.is_ok_and(|stat| {
                stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S'))
            })
        };
        thread::scope(|scope| {
            for tid in &sleepers {
                scope.spawn(|| {
                    tid.store(rustix::thread::gettid().as_raw_nonzero().get() as u32, SeqCst);
                    futex::wait(&turn, futex::Flags::PRIVATE, 0, None)
                });
            }
            while !sleepers.iter().all(sleeps) {
                thread::yield_now();
            }
            let woken = wake_all(&turn);
            // Those that still sleep continue, so that a failure ends.
            while sleepers.iter().any(sleeps) {
                turn.store(1, SeqCst);
                wake_all(&turn);
            }
            assert_eq!(woken, sleepers.len());
        });
    }

    #[test]
    fn wait_for_what_never_comes_can_be_ended() {
        let clocks = Clocks::new(1);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| clocks.wait(mark(1)));
            clocks.give_up();
            assert!(!waiter.join().unwrap());
        });
    }

    #[test]
    fn time_in_which_all_wait_for_a_sync_is_counted() {
        let waiting = Waiting { busy: AtomicU32::new(2), ..Waiting::default() };
        waiting.enter_sync();
        assert_eq!(waiting.since_ns.load(SeqCst), 0, "another lane works");
        waiting.pause();
        let since = waiting.since_ns.load(SeqCst);
        assert!(since > 0, "and then waits for it");
        wait_until(since + 1_000_000);
        waiting.leave_sync();
        assert!(waiting.seconds() >= 0.001);
        waiting.pause();
        assert_eq!(waiting.since_ns.load(SeqCst), 0, "no lane is in a sync");
    }
}
