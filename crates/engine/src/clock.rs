//! The clock of every timed part: CLOCK_MONOTONIC, which all processes of a machine share.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since an arbitrary start, the same for every process.
#[inline]
pub fn now_ns() -> u64 {
    ns(ClockId::Monotonic)
}

/// Nanoseconds of processor time that this thread has used. A system call, so for parts of many microseconds.
pub fn thread_cpu_ns() -> u64 {
    ns(ClockId::ThreadCPUTime)
}

#[inline]
fn ns(clock: ClockId) -> u64 {
    let t = clock_gettime(clock);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
