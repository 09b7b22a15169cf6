//! Text shared by the pages of several tests; each page is next to its test.

use super::{
    column::{Column, ColumnFile, Value},
    page::Page,
};

/// The effect of the original suite's shell command on its figure.
pub(super) const INFLATED: &str = "Published sync rates are too high: the original suite \
                                   multiplies by the length of its shell command, about 60. \
                                   `nano_rate` repeats that for comparison; `sync_ms` is the real \
                                   duration.";
pub(super) const SPAWNED: &str = "`spawn_s` is the time of `/bin/sh -c \"sync FILE\"` on the file when it is clean: pure overhead of the original suite's way, 2 to 10 ms.";
pub(super) const RESIDENT: &str = "Cold is verified: residency is sampled before, device bytes \
                                   are compared after. A run that fails either check is lukewarm \
                                   and excluded from means.";

pub(super) fn column_calls(file: &ColumnFile) -> &'static str {
    match file.value {
        Value::Symbol => {
            "symbols as text: four letters and a NUL, 5 bytes per row, after a header of 8 bytes \
             (`sym=enum`: a page and 8 bytes per row). 10 000 distinct values, chosen at random"
        }
        Value::Float | Value::Int => {
            "64-bit values after a header of 16 bytes; random by default, so that a file system \
             cannot compress them, and different in every worker"
        }
    }
}

/// Rows for the table of sizes.
pub(super) fn vector(page: &mut Page, file: ColumnFile) {
    page.size("rows", |job| Column::new(file, job).rows);
    page.size("bytes in the file", |job| Column::new(file, job).file_bytes());
}

pub(super) fn sync_steps(page: &mut Page, what: &str) {
    page.steps("Sync", &[&format!("open {what}, fsync, close")]);
    page.steps(
        "Spawned sync, timed separately",
        &["`/bin/sh -c \"sync FILE\"`, as the original suite does"],
    );
}
