//! Waits of threads for each other: in a call on no recorded file, until another thread woke them or a child ended.

use super::{Resolver, tables::Thread};
use crate::{
    kernel::is_wait,
    raw::{RawCall, Woke},
};
use std::collections::HashMap;
use trace::call::{Op, ThreadId};

/// Calls that wait where their descriptor is no file.
pub(super) const STREAMS: [i64; 4] =
    [libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev];

/// Who may have ended a wait.
#[derive(Default)]
pub(super) struct Waits {
    /// By the number of a thread that is in a call, who woke it last.
    wakers: HashMap<u32, ThreadId>,
    /// Threads that ended, by their numbers.
    ended: HashMap<u32, ThreadId>,
}

impl Waits {
    pub(super) fn ended(&mut self, tid: u32, thread: ThreadId) {
        self.ended.insert(tid, thread);
    }
}

impl Resolver {
    /// A thread woke another one.
    pub(super) fn woke(&mut self, woke: &Woke) {
        let Some(woken) = self.tables.threads.get(&woke.woken).map(|thread| thread.id) else {
            return;
        };
        let is_known = self.tables.threads.contains_key(&woke.tid);
        if let Some(ended) = self.waits.ended.get(&woke.tid).copied().filter(|_| !is_known) {
            // Its end is in the trace.
            self.waits.wakers.insert(woke.woken, ended);
            return;
        }
        let waker = self.thread(woke.tid, woke.pid, woke.at_ns);
        if waker.id != woken {
            self.emit_at(&waker, woke.at_ns, Op::Wake, |call| call.other = woken);
            self.waits.wakers.insert(woke.woken, waker.id);
        }
    }

    /// Stores that `thread` waited in the call `raw` until another one woke it, if it did. Returns whether that is all
    /// that the call can be.
    pub(super) fn waited(&mut self, raw: &RawCall, thread: &Thread) -> bool {
        let is_wait = is_wait(raw.number);
        if !is_wait && !STREAMS.contains(&raw.number) {
            return false;
        }
        let waker = self.waits.wakers.remove(&raw.tid);
        let may_wait = || is_wait || self.inside(thread, raw.arguments[0]).is_none();
        let other = match raw.number {
            libc::SYS_wait4 => self.waits.ended.get(&(raw.result as u32)).copied(),
            number => waker.filter(|_| !is_over(number, raw.result) && may_wait()),
        };
        if let Some(other) = other {
            self.emit_at_end(raw, thread, Op::Wait, |call| call.other = other);
        }
        is_wait
    }
}

/// Whether the call timed out. A signal that ended it is the wake of the thread that
/// sent it.
fn is_over(number: i64, result: i64) -> bool {
    const OVER: [i32; 2] = [libc::ETIMEDOUT, libc::EAGAIN];
    let polls = [
        libc::SYS_poll,
        libc::SYS_ppoll,
        libc::SYS_select,
        libc::SYS_pselect6,
        libc::SYS_epoll_wait,
        libc::SYS_epoll_pwait,
        libc::SYS_epoll_pwait2,
    ];
    result == 0 && polls.contains(&number) || OVER.iter().any(|errno| result == -i64::from(*errno))
}
