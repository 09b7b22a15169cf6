//! Turns the calls of a trace into the steps of lanes, block by block: slots instead of handles, and waits for the
//! calls of other lanes that came before on the same thing.

use super::{
    files::{Files, Opened},
    names::Names,
    resource::Mark,
    settings::{Pace, Window},
    slots::Slots,
    step::{Chunk, NONE, Step},
    supply::AHEAD,
    survey::Survey,
    texts,
    waits::Waits,
};
use std::collections::HashMap;
use trace::{
    call::{Call, Op, ThreadId},
    file::Named,
    header::Cost,
    path::Paths,
};

/// What one lane has been given.
#[derive(Clone, Debug, Default)]
struct LaneState {
    /// Number of its last call.
    last: u64,
    /// When that ended, as recorded.
    end_ns: u64,
    /// The last call of each other lane that it has waited for.
    seen: HashMap<u32, u64>,
    /// One bit for each call that another lane waits for.
    awaited: Bits,
    /// And for each that had not ended when one began that waits for it.
    raced: Bits,
}

/// A bit for each call of a lane, by its number from 1.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, number: u64) {
        let bit = (number - 1) as usize;
        if self.0.len() <= bit / 64 {
            self.0.resize(bit / 64 + 1, 0);
        }
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn has(&self, number: u64) -> bool {
        let bit = (number - 1) as usize;
        self.0.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
}

/// The state between blocks.
pub(super) struct Planner<'p> {
    paths: &'p Paths,
    survey: &'p Survey,
    pace: Pace,
    window: Window,
    cost: Cost,
    lanes: Vec<LaneState>,
    /// Which calls are waited for is not known before all are planned, so that each is published.
    tells_all: bool,
    slots: Slots<'p>,
    files: Files,
    names: Names<'p>,
    waits: Waits,
    number: u64,
}

impl<'p> Planner<'p> {
    /// A planner for a replay of `survey` from its start.
    pub(super) fn new(
        Named { paths, entries, handles }: Named<'p>,
        survey: &'p Survey,
        (pace, window, cost): (Pace, Window, Cost),
    ) -> Planner<'p> {
        let origin = survey.first_ns.unwrap_or(0);
        let lanes = survey.lanes.count() as usize;
        let mut planner = Planner {
            paths,
            survey,
            pace,
            window,
            cost,
            lanes: vec![LaneState { end_ns: origin, ..LaneState::default() }; lanes],
            tells_all: lanes > 1 && survey.calls >= AHEAD as u64,
            slots: Slots::new(&survey.shared, lanes),
            files: Files::new(entries),
            names: Names::new(paths, entries, &survey.moved),
            waits: Waits::default(),
            number: 0,
        };
        for start in handles {
            let lane = survey.lanes.lane(start.thread);
            planner.slots.make(start.handle, lane);
            planner.files.open(start.handle, start.path, start.flags, start.offset);
        }
        planner
    }

    /// The handles that are open at this point, each with its slot and its lane.
    pub(super) fn opened(&self) -> Vec<(u32, u32, Opened)> {
        let opened = self.files.opened().into_iter();
        opened.map(|one| (self.slots.of(one.handle), self.slots.lane(one.handle), one)).collect()
    }

    /// Takes note of the calls before the window, which are made separately.
    pub(super) fn skip(&mut self, calls: &[Call]) {
        let window = self.window;
        for call in calls.iter().filter(|call| window.is_before(call.at_ns)) {
            self.number += 1;
            let lane = self.survey.lanes.lane(call.thread);
            let mark = Mark { lane, number: 0, end_ns: 0 };
            self.files.order(mark, call, &mut |_| ());
            self.slots.order(mark, call, &mut |_| ());
            self.names.order(mark, call, &mut |_| ());
            self.slots.skip(call, lane);
        }
    }

    /// Adds the calls of the window among `calls` to `chunks`, one for each lane.
    pub(super) fn block(&mut self, calls: &[Call], chunks: &mut [Chunk]) {
        let window = self.window;
        for call in calls.iter().filter(|call| !window.is_before(call.at_ns)) {
            if !window.is_over(call.at_ns) {
                self.add(self.number, call, chunks);
            }
            self.number += 1;
        }
    }

    fn add(&mut self, number: u64, call: &Call, chunks: &mut [Chunk]) {
        // Who waited for whom decides pauses alone.
        if self.pace != Pace::Think && matches!(call.op, Op::Wake | Op::Wait) {
            return;
        }
        let lane = self.survey.lanes.lane(call.thread);
        let refused = self.survey.dangerous.contains(&number);
        let time_ns = self.time_ns(lane, call);
        let chunk = &mut chunks[lane as usize];
        let end_ns = call.at_ns.saturating_add(call.took_ns);
        let mark = Mark { lane, number: self.lanes[lane as usize].last + 1, end_ns };
        let before = chunk.waits.len();
        let races = self.lanes.len() > 1 && self.order(mark, call, &mut chunk.waits);
        let mut step = Step {
            result: call.result,
            offset: call.offset,
            len: call.len,
            time_ns,
            handle: NONE,
            other: NONE,
            path: call.path,
            path2: call.path2,
            flags: call.flags,
            mode: call.mode,
            op: call.op,
            waits: u16::try_from(chunk.waits.len() - before).unwrap_or(u16::MAX),
            awaited: self.tells_all,
            refused,
            races,
        };
        if call.op == Op::Symlink {
            let text = texts::link(self.paths, call.path, call.path2);
            chunk.links.push(text.unwrap_or_else(|| texts::OUTSIDE.into()));
            step.path2 = chunk.links.len() as u32 - 1;
        }
        self.slots.resolve(call, lane, &mut step);
        chunk.steps.push(step);
        self.lanes[lane as usize].last += 1;
        self.lanes[lane as usize].end_ns = end_ns;
    }

    /// When the call is due, or how long its thread paused before it.
    fn time_ns(&self, lane: u32, call: &Call) -> u64 {
        match (self.pace, self.pace.speed()) {
            (_, Some(speed)) => {
                call.at_ns.saturating_sub(self.survey.first_ns.unwrap_or(0)) / speed
            }
            // What came before it was in the thread that made this one.
            (Pace::Think, _) if call.op == Op::Begin && call.other != NONE => 0,
            (Pace::Think, _) => {
                let paused = call.at_ns.saturating_sub(self.lanes[lane as usize].end_ns);
                paused.saturating_sub(self.cost.between_ns.max(0.0) as u64)
            }
            _ => 0,
        }
    }

    /// Adds what `call` of `mark` has to wait for. Returns whether any of it had not ended when the call began: then
    /// either could have come first.
    fn order(&mut self, mark: Mark, call: &Call, waits: &mut Vec<Mark>) -> bool {
        let Planner { lanes, slots, files, names, waits: of_threads, survey, .. } = self;
        let from = waits.len();
        let mut wait = |other: Mark| {
            if other.lane != mark.lane && waits.len() - from < usize::from(u16::MAX) {
                waits.push(other);
            }
        };
        if call.op == Op::Begin && call.other != NONE {
            let parent = survey.lanes.lane(call.other as ThreadId);
            let LaneState { last: number, end_ns, .. } = lanes[parent as usize];
            wait(Mark { lane: parent, number, end_ns });
        }
        slots.order(mark, call, &mut wait);
        files.order(mark, call, &mut wait);
        names.order(mark, call, &mut wait);
        of_threads.order(mark, call, &mut wait);
        let races = waits[from..].iter().any(|other| other.end_ns > call.at_ns);
        let seen = &mut lanes[mark.lane as usize].seen;
        let mut at = from;
        while let Some(other) = waits.get(at).copied() {
            let known = seen.entry(other.lane).or_default();
            if other.number <= *known {
                waits.swap_remove(at);
            } else {
                *known = other.number;
                at += 1;
            }
        }
        for other in waits[from..].iter().filter(|_| !self.tells_all) {
            let lane = &mut lanes[other.lane as usize];
            lane.awaited.set(other.number);
            if other.end_ns > call.at_ns {
                lane.raced.set(other.number);
            }
        }
        races
    }

    /// Marks, in the chunks of a lane from its first call on, those that another lane waits for.
    pub(super) fn mark_awaited(&self, lane: usize, chunks: &mut [Chunk]) {
        if self.tells_all {
            return;
        }
        let LaneState { awaited, raced, .. } = &self.lanes[lane];
        let steps = chunks.iter_mut().flat_map(|chunk| &mut chunk.steps);
        for (number, step) in (1..).zip(steps) {
            step.awaited = awaited.has(number);
            step.races |= raced.has(number);
        }
    }
}
