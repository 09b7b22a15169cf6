//! Calibrates the overhead of recording: an empty call is timed with and without it.

use crate::kernel::Tap;
use std::time::Instant;
use trace::header::Cost;

const CALLS: u32 = 2000;
const ROUNDS: usize = 15;

/// Nanoseconds of an empty call, with all that is around it in a loop.
pub(crate) fn empty_call_ns() -> f64 {
    median((0..ROUNDS).map(|_| {
        let begin = Instant::now();
        for _ in 0..CALLS {
            // SAFETY: no descriptor has this number, so that the call does nothing.
            unsafe { libc::lseek(-1, 0, libc::SEEK_SET) };
        }
        begin.elapsed().as_nanos() as f64 / f64::from(CALLS)
    }))
}

/// What `tap` adds to a call that takes `bare_ns` without it.
pub(crate) fn cost(tap: &mut Tap, bare_ns: f64) -> Cost {
    let me = tid();
    tap.mark(me);
    let whole_ns = empty_call_ns();
    tap.unmark(me);
    let mut inside = Vec::new();
    tap.read(None, &mut |entry| {
        if entry.tid() == me && i64::from(entry.number()) == libc::SYS_lseek {
            inside.push(entry.end_ns().saturating_sub(entry.start_ns()) as f64);
        }
    });
    // The recorded time lies within the call, whose way in and out it does not have: less than nothing may be added.
    let inside_ns = median(inside.into_iter()) - bare_ns;
    Cost { inside_ns, between_ns: (whole_ns - bare_ns - inside_ns).max(0.0) }
}

/// The number of this thread.
pub(crate) fn tid() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
