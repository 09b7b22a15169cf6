//! Empties the page cache, looks into it, and keeps in it what this program needs.

pub(crate) mod drop_caches;
#[allow(unsafe_code)]
pub(crate) mod extents;
#[allow(unsafe_code)]
pub(crate) mod folios;
#[allow(unsafe_code)]
pub(crate) mod kept;
#[allow(unsafe_code)]
pub(crate) mod residency;
#[allow(unsafe_code)]
mod stored;

pub use drop_caches::{Coldness, drop_all};
pub use residency::{Residency, residency};
