//! Candidates that stand side by side take turns on the machine: one alone works at any time, the others wait.
//! Nobody begins a test before all have done the one before it, and nobody's timed part begins before that of
//! all others is prepared; timed parts that can stand still then go round in short slices, so that what the
//! machine does to one it does to all.

use model::Rng;
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use workers::Pace;

/// What a member waits for; who is less far goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    /// Number of the test, from 1; 0 for what comes before the first.
    test: u32,
    is_timed: bool,
    /// Slices of the timed part that it has had.
    slices: u32,
}

#[derive(Clone, Copy, Debug)]
enum Member {
    Works,
    Waits(Step),
    Gone,
}

#[derive(Debug)]
struct State {
    members: Vec<Member>,
    /// Who may work.
    turn: Option<usize>,
}

/// The order of those who share the machine.
#[derive(Debug)]
pub struct Relay {
    seed: u64,
    state: Mutex<State>,
    changed: Condvar,
}

impl Relay {
    /// For `members`, each of which takes its [`Seat`] before anything is waited for; `seed` shuffles their
    /// order, for each test anew.
    pub fn of(members: usize, seed: u64) -> Relay {
        let state = State { members: vec![Member::Works; members], turn: None };
        Relay { seed, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The seat of `member`, which leaves the relay when it is dropped.
    pub fn seat(&self, member: usize) -> Seat<'_> {
        Seat { relay: self, member }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, member: usize, step: Step) {
        let mut state = self.state();
        self.now(&mut state, member, Member::Waits(step));
        while state.turn != Some(member) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.members[member] = Member::Works;
    }

    /// Notes what `member`, which worked, is now, and calls the next when nobody works.
    fn now(&self, state: &mut State, member: usize, is: Member) {
        state.members[member] = is;
        state.turn = self.next(&state.members);
        self.changed.notify_all();
    }

    /// Who is least far of those who wait, when nobody works.
    fn next(&self, members: &[Member]) -> Option<usize> {
        let waits = |(at, member): (usize, &Member)| match member {
            Member::Waits(step) => Some((*step, self.rank(at, *step, members.len()), at)),
            _ => None,
        };
        if members.iter().any(|member| matches!(member, Member::Works)) {
            return None;
        }
        members.iter().enumerate().filter_map(waits).min().map(|(_, _, at)| at)
    }

    /// The place of `member` in the order at `step`, which is turned round with every slice: what drifts
    /// steadily hits all alike.
    fn rank(&self, member: usize, step: Step, members: usize) -> usize {
        let mut order: Vec<usize> = (0..members).collect();
        Rng::new(self.seed ^ u64::from(step.test)).shuffle(&mut order);
        if step.slices % 2 == 1 {
            order.reverse();
        }
        order.iter().position(|at| *at == member).unwrap_or(members)
    }

    fn is_alone(&self) -> bool {
        self.state().members.iter().filter(|member| !matches!(member, Member::Gone)).count() < 2
    }
}

/// One of those who share the machine.
#[derive(Debug)]
pub struct Seat<'a> {
    relay: &'a Relay,
    member: usize,
}

impl Seat<'_> {
    /// Where it stands in the test with this number, from 1; 0 for what comes before the first.
    pub fn at(&self, test: u32) -> Runner<'_> {
        Runner { relay: self.relay, member: self.member, test }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.relay.now(&mut self.relay.state(), self.member, Member::Gone);
    }
}

/// One of those who share the machine, in one test.
#[derive(Clone, Copy, Debug)]
pub struct Runner<'a> {
    relay: &'a Relay,
    member: usize,
    test: u32,
}

impl<'a> Runner<'a> {
    /// Waits until it may prepare the test, or do what comes before the first.
    pub fn prepare(&self) {
        self.relay.wait(self.member, Step { test: self.test, is_timed: false, slices: 0 });
    }

    /// The pace of its timed part, in slices of this length where it can stand still.
    pub fn timed(&self, slice: Option<Duration>) -> Slices<'a> {
        Slices { runner: *self, slice, had: 0 }
    }
}

/// The pace of a timed part.
#[derive(Debug)]
pub struct Slices<'a> {
    runner: Runner<'a>,
    slice: Option<Duration>,
    had: u32,
}

impl Pace for Slices<'_> {
    fn wait(&mut self) {
        let Runner { relay, member, test } = self.runner;
        relay.wait(member, Step { test, is_timed: true, slices: self.had });
        self.had += 1;
    }

    fn slice(&self) -> Option<Duration> {
        self.slice.filter(|_| !self.runner.relay.is_alone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    /// What the members of a relay do, in the order in which it happens: member, test, slice.
    fn course(members: usize, slices: &(dyn Fn(usize) -> u32 + Sync)) -> Vec<(usize, u32, u32)> {
        let relay = Relay::of(members, 7);
        let (sender, events) = mpsc::channel();
        thread::scope(|scope| {
            for member in 0..members {
                let (relay, sender) = (&relay, sender.clone());
                scope.spawn(move || {
                    let seat = relay.seat(member);
                    for test in 0..4 {
                        let runner = seat.at(test);
                        runner.prepare();
                        sender.send((member, test, 0)).unwrap();
                        let mut pace = runner.timed(Some(Duration::ZERO));
                        for slice in 1..=slices(member) {
                            pace.wait();
                            sender.send((member, test, slice)).unwrap();
                        }
                    }
                });
            }
        });
        drop(sender);
        events.iter().collect()
    }

    #[test]
    fn nobody_is_ahead_by_more_than_a_slice() {
        let events = course(3, &|_| 4);
        assert_eq!(events.len(), 3 * 4 * 5);
        for (round, events) in events.chunks(3).enumerate() {
            let (test, slice) = (round as u32 / 5, round as u32 % 5);
            assert!(events.iter().all(|event| (event.1, event.2) == (test, slice)), "{events:?}");
            let mut members: Vec<usize> = events.iter().map(|event| event.0).collect();
            members.sort_unstable();
            assert_eq!(members, [0, 1, 2]);
        }
    }

    #[test]
    fn the_order_is_turned_round_with_every_slice_and_differs_between_tests() {
        let events = course(4, &|_| 2);
        let order = |test: u32, slice: u32| {
            let own = events.iter().filter(move |e| (e.1, e.2) == (test, slice));
            own.map(|event| event.0).collect::<Vec<usize>>()
        };
        let mut turned = order(1, 2);
        turned.reverse();
        assert_eq!(order(1, 1), turned);
        assert!((1..4).any(|test| order(test, 1) != order(0, 1)));
    }

    #[test]
    fn who_needs_more_slices_has_them_while_the_others_wait() {
        let events = course(2, &|member| if member == 0 { 1 } else { 5 });
        let first: Vec<_> = events.iter().filter(|event| event.1 == 0).collect();
        assert_eq!(first.len(), 8);
        assert!(events.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }

    #[test]
    fn who_is_alone_is_never_held_and_who_leaves_is_not_waited_for() {
        let relay = Relay::of(2, 1);
        let seat = relay.seat(0);
        let pace = seat.at(1).timed(Some(Duration::ZERO));
        assert!(pace.slice().is_some());
        drop(relay.seat(1));
        assert_eq!(pace.slice(), None);
        seat.at(1).prepare();
    }
}
