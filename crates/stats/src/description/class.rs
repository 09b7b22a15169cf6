//! Says which targets may be compared: by lab, by durability, and with which baseline.

pub(crate) mod baseline;
pub(crate) mod classes;
pub(crate) mod durability;
