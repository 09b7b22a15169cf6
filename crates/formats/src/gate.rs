//! The gate that every sample of another tool passes: figures of one measurement must not contradict each
//! other. Importers show it what they read as [`Figures`]; what an importer did not show is judged by the names
//! of the metrics. A sample that contradicts itself is invalid, with the contradiction as its reason.

mod again;
mod sample;
mod times;

pub(crate) use again::{AGAIN, ELSEWHERE, Novelty, Print, Printer, Runs};
pub(crate) use sample::pass;
pub(crate) use times::{BINS, Times};

/// How far bytes may exceed operations times their size, and a rate its count over its time.
const SPREAD: f64 = 1.1;

/// How far latency times rate may exceed the operations that can be in flight: both are rounded, and the last
/// operations may end behind the time that was counted.
const CONCURRENCY: f64 = 2.0;

/// Why figures cannot all be true.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Contradiction {
    /// Operations of a direction that the mode does not have, or none of the one that it has.
    #[error("contradicts itself: mode {mode}, but {counted}")]
    Direction {
        /// What was to be done.
        mode: String,
        /// What was counted.
        counted: String,
    },
    /// More bytes than the operations can have moved.
    #[error(
        "contradicts itself: {ops:.0} {what} operations of {op_bytes:.0} bytes cannot move {bytes:.0} bytes"
    )]
    Size {
        /// The kind of operation.
        what: String,
        /// How many.
        ops: f64,
        /// Bytes of each.
        op_bytes: f64,
        /// What they are said to have moved.
        bytes: f64,
    },
    /// A rate that is not its count over its time.
    #[error(
        "contradicts itself: {ops:.0} {what} operations in {seconds} s are not {per_s} a second"
    )]
    Rate {
        /// The kind of operation.
        what: String,
        /// How many.
        ops: f64,
        /// The time that they took.
        seconds: f64,
        /// The rate that was given.
        per_s: f64,
    },
    /// A figure above one that bounds it.
    #[error("contradicts itself: {low} is {low_value}, above {high} {high_value}")]
    Order {
        /// Name of what should be the lower.
        low: String,
        /// Its value.
        low_value: f64,
        /// Name of what should be the higher.
        high: String,
        /// Its value.
        high_value: f64,
    },
    /// More operations in flight than were allowed.
    #[error(
        "contradicts itself: mean latency times rate is {seen:.1} operations in flight, of at most {most}"
    )]
    Concurrency {
        /// What the figures need.
        seen: f64,
        /// What the setting allows.
        most: f64,
    },
}

/// What a source says of one kind of operation; what it does not say is `None`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures<'a> {
    /// `read`, `write`, `sync`.
    pub(crate) what: &'a str,
    pub(crate) ops: Option<f64>,
    pub(crate) seconds: Option<f64>,
    pub(crate) per_s: Option<f64>,
    pub(crate) bytes: Option<f64>,
    /// Bytes of each operation, where all are of one size.
    pub(crate) op_bytes: Option<f64>,
    pub(crate) times: Option<&'a Times>,
}

impl Figures<'_> {
    /// Whether the figures can all be true.
    ///
    /// # Errors
    /// The first two that cannot.
    pub(crate) fn judge(&self) -> Result<(), Contradiction> {
        self.size()?;
        self.rate()?;
        self.times.map_or(Ok(()), |times| times.judge(self.what))
    }

    /// Operations may be shorter than their size, at the end of a file, and never longer.
    fn size(&self) -> Result<(), Contradiction> {
        let (Some(ops), Some(op_bytes), Some(bytes)) = (self.ops, self.op_bytes, self.bytes) else {
            return Ok(());
        };
        let what = self.what.to_owned();
        let fits = bytes <= SPREAD * (ops + 1.0) * op_bytes;
        if fits { Ok(()) } else { Err(Contradiction::Size { what, ops, op_bytes, bytes }) }
    }

    fn rate(&self) -> Result<(), Contradiction> {
        let (Some(ops), Some(seconds), Some(per_s)) = (self.ops, self.seconds, self.per_s) else {
            return Ok(());
        };
        let (counted, told) = (ops + 1.0, per_s * seconds + 1.0);
        let what = self.what.to_owned();
        let fits = counted <= SPREAD * told && told <= SPREAD * counted;
        if fits { Ok(()) } else { Err(Contradiction::Rate { what, ops, seconds, per_s }) }
    }
}

/// Whether operations of these rates a second and mean latencies in seconds fit `most` in flight.
///
/// # Errors
/// When they need more than [`CONCURRENCY`] times that.
pub(crate) fn in_flight(
    rates: impl Iterator<Item = (f64, f64)>,
    most: f64,
) -> Result<(), Contradiction> {
    let seen = rates.map(|(per_s, mean_s)| per_s * mean_s).sum::<f64>();
    let fits = seen <= CONCURRENCY * most;
    if fits { Ok(()) } else { Err(Contradiction::Concurrency { seen, most }) }
}

/// Which operations a mode has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Reads,
    Writes,
}

impl Mode {
    /// Whether rates of reads and of writes fit the mode that is called `name`.
    ///
    /// # Errors
    /// When there is one that the mode does not have.
    pub(crate) fn judge(self, name: &str, reads: f64, writes: f64) -> Result<(), Contradiction> {
        let (has, other, word, other_word) = match self {
            Mode::Reads => (reads, writes, "reads", "writes"),
            Mode::Writes => (writes, reads, "writes", "reads"),
        };
        if other <= 0.0 {
            return Ok(());
        }
        let counted = match has > 0.0 {
            true => format!("{other_word} were counted, too"),
            false => format!("only {other_word} were counted, and no {word}"),
        };
        Err(Contradiction::Direction { mode: name.into(), counted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Figures<'static> {
        Figures {
            what: "read",
            ops: Some(1000.0),
            seconds: Some(10.0),
            per_s: Some(100.0),
            bytes: Some(4_096_000.0),
            op_bytes: Some(4096.0),
            times: None,
        }
    }

    #[test]
    fn bytes_above_operations_times_size_contradict() {
        assert_eq!(figures().judge(), Ok(()));
        // The last block of a file may be short.
        assert_eq!(Figures { bytes: Some(5000.0), ..figures() }.judge(), Ok(()));
        let wrong = Figures { bytes: Some(8_192_000.0), ..figures() }.judge();
        let why =
            "contradicts itself: 1000 read operations of 4096 bytes cannot move 8192000 bytes";
        assert_eq!(wrong.unwrap_err().to_string(), why);
    }

    #[test]
    fn a_rate_is_its_count_over_its_time() {
        assert_eq!(Figures { per_s: Some(95.0), ..figures() }.judge(), Ok(()));
        let wrong = Figures { per_s: Some(200.0), ..figures() }.judge();
        assert!(matches!(wrong, Err(Contradiction::Rate { .. })), "{wrong:?}");
    }

    #[test]
    fn latency_times_rate_is_what_was_in_flight() {
        assert_eq!(in_flight([(1000.0, 0.002)].into_iter(), 2.0), Ok(()));
        let wrong = in_flight([(1000.0, 30.0)].into_iter(), 2.0).unwrap_err().to_string();
        assert!(wrong.contains("30000.0 operations in flight, of at most 2"), "{wrong}");
    }

    #[test]
    fn a_direction_that_the_mode_lacks_contradicts() {
        assert_eq!(Mode::Writes.judge("random write", 0.0, 9.0), Ok(()));
        let wrong = |reads, writes| {
            Mode::Writes.judge("random write", reads, writes).unwrap_err().to_string()
        };
        assert!(
            wrong(9.0, 0.0)
                .ends_with("mode random write, but only reads were counted, and no writes")
        );
        assert!(wrong(9.0, 1.0).ends_with("but reads were counted, too"));
    }
}
