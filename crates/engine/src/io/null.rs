//! The engine without I/O. With a delay it acts like a file system whose operations take exactly that long: its own
//! clock advances only by operations and sleep, so figures are exact whatever else the machine does; it also waits for
//! that long in real time.

use super::{EngineError, Op, drive::Engine};
use crate::clock;
use rustix::thread::sched_yield;
use std::hint::spin_loop;

/// Does nothing, for `delay_ns`.
#[derive(Debug)]
pub(super) struct Null {
    delay_ns: u64,
    now_ns: u64,
    staged: Option<u32>,
}

impl Null {
    pub(super) fn new(delay_ns: u64) -> Null {
        Null { delay_ns, now_ns: 0, staged: None }
    }
}

impl Engine for Null {
    #[inline]
    fn stage(&mut self, slot: u32, _: Op) -> Result<(), EngineError> {
        self.staged = Some(slot);
        Ok(())
    }

    #[inline]
    fn submit(&mut self, _: u32, _: Option<u64>) -> Result<(), EngineError> {
        if self.delay_ns > 0 {
            self.now_ns += self.delay_ns;
            while clock::now_ns() < self.now_ns {
                spin_loop();
            }
        }
        Ok(())
    }

    #[inline]
    fn completed(&mut self) -> Result<Option<u32>, EngineError> {
        Ok(self.staged.take())
    }

    fn begin(&mut self) -> u64 {
        self.now_ns = clock::now_ns();
        self.now_ns
    }

    #[inline]
    fn now_ns(&self) -> u64 {
        if self.delay_ns > 0 { self.now_ns } else { clock::now_ns() }
    }

    fn sleep_until(&mut self, due_ns: u64) {
        while clock::now_ns() < due_ns {
            sched_yield();
        }
        self.now_ns = self.now_ns.max(due_ns);
    }
}
