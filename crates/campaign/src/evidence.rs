//! Turns what was counted during a case into the figures and the proofs of its sample: whether the cache was cold,
//! whether data was durable, what limited it, and what others did meanwhile.

pub mod contention;
pub mod durable;
pub(crate) mod each_disk;
pub mod judge;
pub mod limiter;
pub mod sampler;

/// Returns a number that can be written to a file; `None` for infinity, e.g. over a part of no length.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
