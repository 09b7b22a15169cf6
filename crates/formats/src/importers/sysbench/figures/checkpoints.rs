//! Puts the checkpoint reports of one run together.
//!
//! With `--report-checkpoints` sysbench 1.0 resets its counters after each report, the last included: events, rates and
//! times are of the interval, while `total time` counts from the start. `--histogram` prints the last interval alone.

use super::{Figures, How};
use crate::FormatError;

impl Figures {
    /// The figures of the whole run that `parts` report, in their order. Percentiles and the histogram are left out:
    /// neither can be put together from what is printed.
    pub(in crate::importers::sysbench) fn together(
        parts: &[Figures],
        (file, line): (&str, u64),
    ) -> Result<Figures, FormatError> {
        let bad = |why: &str| Err(FormatError::line(file, line, why));
        if parts.iter().any(|part| part.old.is_some()) {
            return bad("checkpoint reports of sysbench before 1.0 are not read; run without them");
        }
        let ends = parts.iter().map(|part| part.seconds);
        let starts = [0.0].into_iter().chain(parts.iter().map(|part| part.seconds));
        let lengths_s: Vec<f64> = ends.zip(starts).map(|(end, start)| end - start).collect();
        if lengths_s.iter().any(|length_s| *length_s <= 0.0) {
            return bad("the total times of the checkpoint reports do not increase");
        }
        let seconds: f64 = lengths_s.iter().sum();
        let rate = |of: fn(&Figures) -> f64| {
            parts.iter().zip(&lengths_s).map(|(part, s)| of(part) * s).sum::<f64>() / seconds
        };
        Ok(Figures {
            reads: rate(|part| part.reads),
            writes: rate(|part| part.writes),
            fsyncs: rate(|part| part.fsyncs),
            read_mib: rate(|part| part.read_mib),
            write_mib: rate(|part| part.write_mib),
            how: parts.first().map_or_else(How::default, |part| part.how),
            block_bytes: parts.iter().find_map(|part| part.block_bytes),
            times: [extreme(parts, 0, f64::min), mean(parts), extreme(parts, 2, f64::max), None],
            seconds,
            events: parts.iter().map(|part| part.events).fold(0, u64::saturating_add),
            complete: parts.iter().all(|part| part.complete),
            ..Figures::default()
        })
    }
}

/// The least or the most of the times at `place`; `None` where a part has none.
fn extreme(parts: &[Figures], place: usize, of: fn(f64, f64) -> f64) -> Option<(String, f64)> {
    let times: Option<Vec<&(String, f64)>> =
        parts.iter().map(|part| part.times[place].as_ref()).collect();
    times?.into_iter().cloned().reduce(|(name, a), (_, b)| (name, of(a, b)))
}

/// The mean of all events.
fn mean(parts: &[Figures]) -> Option<(String, f64)> {
    let events: f64 = parts.iter().map(|part| part.events as f64).sum();
    let mut sum_us = 0.0;
    for part in parts {
        sum_us += part.times[1].as_ref()?.1 * part.events as f64;
    }
    let (name, _) = parts.first()?.times[1].clone()?;
    (events > 0.0).then(|| (name, sum_us / events))
}
