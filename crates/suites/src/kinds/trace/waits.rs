//! Orders dependent threads: a waiting thread continues when it is woken, or when the thread that it waited for has
//! ended.

use super::resource::Mark;
use std::collections::HashMap;
use trace::call::{Call, Op, ThreadId};

/// What waits may be for.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// The last time that a thread woke another one.
    wakes: HashMap<(ThreadId, ThreadId), Mark>,
    ends: HashMap<ThreadId, Mark>,
}

impl Waits {
    /// Notes `call` of `mark`; hands what it has to wait for to `wait`.
    pub(super) fn order(&mut self, mark: Mark, call: &Call, wait: &mut dyn FnMut(Mark)) {
        match call.op {
            Op::Wake => drop(self.wakes.insert((call.thread, call.other), mark)),
            Op::End => drop(self.ends.insert(call.thread, mark)),
            Op::Wait => {
                let woken = self.wakes.get(&(call.other, call.thread));
                woken.into_iter().chain(self.ends.get(&call.other)).copied().for_each(wait);
            }
            _ => {}
        }
    }
}
