//! Finds out what this machine is and which targets it can make.

pub(crate) mod environment;
mod health;
mod matrix;
mod medium;
mod modules;
mod needs;
pub(crate) mod probe;

pub use environment::{collect_environment, tool_versions};
pub use health::{Health, health};
pub use matrix::{Cell, Column, Install, Matrix, Row, guest_lacks, matrix, unseen_by_guests};
pub use medium::medium;
pub use needs::Need;
pub use probe::{
    Availability, DoctorLine, Finding, available, doctor, missing_programs, not_installed,
};

use fs::Memory;
use model::text::Bytes;

/// Memory of `size` in pages of this machine.
pub fn memory(size: Bytes) -> Memory {
    Memory { size, page_bytes: rustix::param::page_size() as u64 }
}
