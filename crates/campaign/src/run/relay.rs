//! Lets candidates that run side by side take turns on the machine: while one is timed, or made, all others wait.
//! They prepare a test at the same time, as nothing is timed before all have prepared it; none begins a test before
//! all have finished the previous one. Timed parts that can be paused then alternate in short slices, so that
//! disturbances of the machine affect all alike.

#[cfg(test)]
mod tests;

use super::run_end::RunEnd;
use crate::evidence::contention::Disturbance;
use anyhow::{Result, anyhow, ensure};
use model::random::balanced_order;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};
use workers::TimeSharing;

/// A step that a member waits for; the member that is less far goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Step {
    /// Process count, where a member works at several, ascending.
    pub procs: u32,
    /// Number of the test, from 1; 0 before the first.
    pub test: u32,
    /// Previous runs of the test.
    pub again: u32,
    /// Whether it is prepared.
    pub is_timed: bool,
    /// Slices of the timed part that it has had.
    pub slices: u32,
}

impl Step {
    /// The timed part that it is in.
    fn of_part(&self) -> (u32, u32, u32) {
        (self.procs, self.test, self.again)
    }

    /// Returns whether it runs at the same time as the same step of others: tests are prepared together. Targets are
    /// made and torn down one after the other.
    fn is_shared(&self) -> bool {
        !self.is_timed && (1..u32::MAX).contains(&self.test)
    }
}

/// A remote relay: returns when this member may work.
pub type Gate<'a> = dyn Fn(Step) + Sync + 'a;

#[derive(Clone, Copy, Debug)]
enum Member {
    Works(Step),
    Waits(Step),
    Gone,
}

/// The slice of a member that has finished its timed part.
const DONE: u32 = u32::MAX;

#[derive(Debug)]
struct State {
    members: Vec<Member>,
    /// What each member saw of others, at the end of a timed part.
    said: Vec<Option<(Step, Disturbance)>>,
}

/// The order of the members that share the machine.
pub struct Relay<'g> {
    seed: u64,
    block: u32,
    gate: Option<&'g Gate<'g>>,
    state: Mutex<State>,
    changed: Condvar,
}

impl fmt::Debug for Relay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("state", &self.state).finish_non_exhaustive()
    }
}

impl<'g> Relay<'g> {
    /// Creates a relay of `members`, each of which takes its [`RelaySlot`] before any of them waits. Their order in a
    /// test is balanced over the blocks in which they have the same numbers, and follows from `seed`.
    pub fn of(members: usize, (seed, block): (u64, u32)) -> Relay<'g> {
        let working = vec![Member::Works(Step::default()); members];
        let state = State { members: working, said: vec![None; members] };
        Relay { seed, block, gate: None, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Creates a relay of one member, which shares the machine with remote ones.
    pub fn gated(gate: &'g Gate<'g>) -> Relay<'g> {
        Relay { gate: Some(gate), ..Relay::of(1, (0, 0)) }
    }

    /// Returns the slot of `member`, which leaves the relay when the slot is dropped.
    pub fn slot(&self, member: usize) -> RelaySlot<'_> {
        RelaySlot { relay: self, member }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, member: usize, step: Step) {
        if let Some(gate) = self.gate {
            gate(step);
        }
        let mut state = self.state();
        self.now(&mut state, member, Member::Waits(step));
        while !self.may_work(&state.members, member, step) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.members[member] = Member::Works(step);
    }

    /// Sets the state of `member`, which worked, and wakes the waiting members to check whether they may work.
    fn now(&self, state: &mut State, member: usize, is: Member) {
        state.members[member] = is;
        self.changed.notify_all();
    }

    /// Returns whether `member`, which waits for `step`, may do it: it is the least far of the waiting ones, and none
    /// works; or it prepares the same test as all working members and the one that is least far.
    fn may_work(&self, members: &[Member], member: usize, step: Step) -> bool {
        let waits = |(at, member): (usize, &Member)| match member {
            Member::Waits(step) => Some((*step, self.rank(at, *step, members.len()), at)),
            _ => None,
        };
        let Some((least, _, first)) = members.iter().enumerate().filter_map(waits).min() else {
            return false;
        };
        let working = || {
            members.iter().filter_map(|member| match member {
                Member::Works(step) => Some(step),
                _ => None,
            })
        };
        let is_beside = |other: &Step| {
            other.is_shared() && step.is_shared() && other.of_part() == step.of_part()
        };
        (first == member && working().next().is_none())
            || (is_beside(&least) && working().all(is_beside))
    }

    /// Returns the place of `member` in the order at `step`, which is reversed with every slice: a steady drift affects
    /// all alike.
    fn rank(&self, member: usize, step: Step, members: usize) -> usize {
        let salt = u64::from(step.procs) << 20 ^ u64::from(step.test);
        let mut order = balanced_order(self.seed ^ salt, self.block, members);
        if step.slices % 2 == 1 {
            order.reverse();
        }
        order.iter().position(|at| *at == member).unwrap_or(members)
    }

    /// Returns whether a member other than `member` may need the machine before all have done `step`.
    fn is_wanted(&self, member: usize, step: Step) -> bool {
        let wants = |(at, other): (usize, &Member)| match other {
            _ if at == member => false,
            Member::Works(_) => true,
            Member::Waits(other) if other.slices == DONE => false,
            Member::Waits(other) => other.of_part() <= step.of_part(),
            Member::Gone => false,
        };
        self.state().members.iter().enumerate().any(wants)
    }
}

/// A member that shares the machine.
#[derive(Debug)]
pub struct RelaySlot<'a> {
    relay: &'a Relay<'a>,
    member: usize,
}

impl RelaySlot<'_> {
    /// Returns its turn at a process count in the test with this number, from 1; 0 before the first.
    pub fn at(&self, procs: u32, test: u32) -> Runner<'_> {
        Runner { relay: self.relay, member: self.member, procs, test, again: 0 }
    }

    /// Waits until it may do `step`.
    pub fn wait(&self, step: Step) {
        self.relay.wait(self.member, step);
    }
}

impl Drop for RelaySlot<'_> {
    fn drop(&mut self) {
        self.relay.now(&mut self.relay.state(), self.member, Member::Gone);
    }
}

/// A member that shares the machine, in one test.
#[derive(Clone, Copy, Debug)]
pub struct Runner<'a> {
    relay: &'a Relay<'a>,
    member: usize,
    procs: u32,
    test: u32,
    again: u32,
}

impl<'a> Runner<'a> {
    /// The next run of the same test.
    pub fn again(self) -> Runner<'a> {
        Runner { again: self.again + 1, ..self }
    }

    /// Waits until all members have finished the test, and returns what they saw together. A member in a guest knows
    /// only its own.
    pub fn together(&self, own: Disturbance) -> Disturbance {
        let done = self.step(true, DONE);
        self.relay.state().said[self.member] = Some((done, own));
        self.relay.wait(self.member, done);
        let state = self.relay.state();
        let of_this = |said: &Option<(Step, Disturbance)>| said.filter(|said| said.0 == done);
        let all = state.said.iter().filter_map(of_this).map(|said| said.1);
        all.reduce(Disturbance::with).unwrap_or(own)
    }

    /// Waits until it may prepare the test, or do the work before the first.
    pub fn prepare(&self) {
        self.relay.wait(self.member, self.step(false, 0));
    }

    fn step(&self, is_timed: bool, slices: u32) -> Step {
        Step { procs: self.procs, test: self.test, again: self.again, is_timed, slices }
    }

    /// Returns the pace of its timed part, in slices of this length where it can be paused.
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

impl Slices<'_> {
    /// Returns its place among the members in this timed part, from 0; `None` where no other member shares the machine
    /// here, or where the part ran in slices, whose order is reversed each time.
    pub fn place(&self) -> Option<u32> {
        let Runner { relay, member, .. } = self.runner;
        let members = relay.state().members.len();
        let is_whole = self.had == 1 && relay.gate.is_none() && members > 1;
        is_whole.then(|| relay.rank(member, self.runner.step(true, 0), members) as u32)
    }
}

impl TimeSharing for Slices<'_> {
    fn wait(&mut self) {
        let Runner { relay, member, .. } = self.runner;
        relay.wait(member, self.runner.step(true, self.had));
        self.had += 1;
    }

    fn slice(&self) -> Option<Duration> {
        let Runner { relay, member, .. } = self.runner;
        self.slice.filter(|_| relay.is_wanted(member, self.runner.step(true, self.had)))
    }
}

/// Has every member of a relay `run` in a thread of its own, and passes on their reports, with their numbers;
/// their orders follow from the seed of the campaign and the block. When one of them or `tell` fails, the others
/// stop at their next report, and the first error is returned when all have left.
///
/// # Errors
/// `run` or `tell` failed.
pub fn side_by_side<E: Send>(
    members: usize,
    of_block: (u64, u32),
    run: impl Fn(usize, &RelaySlot<'_>, &mut dyn FnMut(E) -> Result<()>) -> Result<RunEnd> + Sync,
    report: &mut dyn FnMut(usize, E) -> Result<()>,
) -> Result<RunEnd> {
    let relay = Relay::of(members, of_block);
    let over = AtomicBool::new(false);
    let (relay, over, run) = (&relay, &over, &run);
    thread::scope(|scope| {
        let (sender, said) = mpsc::channel();
        let start = |member: usize| {
            let sender = sender.clone();
            scope.spawn(move || {
                // Left only when the others can see the end.
                let slot = relay.slot(member);
                let ended = run(member, &slot, &mut |event| {
                    ensure!(!over.load(Ordering::SeqCst), Noticed);
                    let sent = sender.send((member, event));
                    sent.map_err(|_| anyhow!("event receiver closed"))
                });
                over.fetch_or(ended.is_err(), Ordering::SeqCst);
                ended
            })
        };
        let threads: Vec<_> = (0..members).map(start).collect();
        drop(sender);
        let reported = said.iter().try_for_each(|(member, event)| report(member, event));
        over.fetch_or(reported.is_err(), Ordering::SeqCst);
        let ended: Vec<Result<RunEnd>> = threads.into_iter().map(joined).collect();
        reported?;
        together(ended)
    })
}

/// The error of a member that ends because another failed.
#[derive(Debug)]
struct Noticed;

impl fmt::Display for Noticed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another candidate failed")
    }
}

/// The result of a thread; its panic is resumed here.
fn joined(thread: thread::ScopedJoinHandle<'_, Result<RunEnd>>) -> Result<RunEnd> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The combined result of several members; of errors the first that is a cause.
fn together(mut ended: Vec<Result<RunEnd>>) -> Result<RunEnd> {
    let is_cause = |one: &Result<RunEnd>| one.as_ref().is_err_and(|error| !error.is::<Noticed>());
    if let Some(at) = ended.iter().position(is_cause) {
        return ended.swap_remove(at);
    }
    let all = ended.into_iter().collect::<Result<Vec<RunEnd>>>()?;
    Ok(all.into_iter().find(|ended| *ended != RunEnd::Done).unwrap_or(RunEnd::Done))
}
