//! What may be compared with what: labs, durability, and the baseline.

pub(crate) mod baseline;
pub(crate) mod classes;
pub(crate) mod durability;
