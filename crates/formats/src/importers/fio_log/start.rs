//! From when the times of a log count: from the start of its job, or, with `log_unix_epoch` and `log_alternate_epoch`,
//! from that of a clock. When the job started is not in such a log.

use super::{DIRECTIONS, rows::Row};
use crate::FormatError;

/// Times above count from 1970: no job takes ten years.
const LONGEST_MS: u64 = 10 * 365 * 86_400_000;

/// A log that begins later than this, and lasted less than a tenth of the time before, may count from the start of
/// another clock, such as that of the machine.
const LATE_MS: u64 = 60_000;
const LATE: u64 = 10;
/// Rows of a direction that are needed to tell: of two, the second may be of a short interval at the end.
const FEWEST: usize = 3;

/// Makes the times of `rows` count from the start of what they tell; true if they counted from 1970.
///
/// # Errors
/// When they may count from something else.
pub(super) fn count_from_start(file: &str, rows: &mut [Row]) -> Result<bool, FormatError> {
    let times = || rows.iter().map(|row| row.ms);
    let (Some(first), Some(last)) = (times().min(), times().max()) else { return Ok(false) };
    if first > LONGEST_MS {
        let start = first.saturating_sub(interval(rows));
        for row in rows {
            row.ms -= start;
            row.opens = row.ms == 0;
        }
        return Ok(true);
    }
    let late = first > LATE_MS && first / LATE > last - first;
    let enough = (0..DIRECTIONS.len())
        .any(|direction| rows.iter().filter(|row| row.direction == direction).count() >= FEWEST);
    if late && enough {
        let why = format!(
            "the first row is at {first} ms and the last only {} ms later, so the times may not count from the start \
             of the job; run fio without log_alternate_epoch",
            last - first
        );
        return Err(FormatError::line(file, 1, why));
    }
    Ok(false)
}

/// How long the intervals are that rows are of, milliseconds; 0 for rows of single operations, and where a single
/// row of each direction leaves it open.
fn interval(rows: &[Row]) -> u64 {
    if rows.iter().any(|row| row.bytes > 0) {
        return 0;
    }
    let mut gaps = Vec::new();
    for direction in 0..DIRECTIONS.len() {
        let of: Vec<&Row> = rows.iter().filter(|row| row.direction == direction).collect();
        gaps.extend(of.windows(2).map(|pair| pair[1].ms - pair[0].ms));
    }
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied().unwrap_or(0)
}
