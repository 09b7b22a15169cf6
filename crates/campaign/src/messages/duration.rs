//! Writes a duration for a reader.

use std::time::Duration;

/// `seconds` for a reader: whole ones, at least one.
pub fn duration(seconds: f64) -> String {
    let whole = Duration::from_secs(seconds.max(1.0).round() as u64);
    humantime::format_duration(whole).to_string()
}
