//! The page cache: emptied, looked into, and what of this program stays in it.

pub(crate) mod drop_caches;
#[allow(unsafe_code)]
pub(crate) mod kept;
#[allow(unsafe_code)]
pub(crate) mod residency;
#[allow(unsafe_code)]
mod stored;
