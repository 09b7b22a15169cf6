//! The gate that every sample of another tool passes: figures of one measurement must not contradict each
//! other. Importers show it what they read as [`Figures`]; what an importer did not show is judged by the names
//! of the metrics. A sample that contradicts itself is invalid, with the contradiction as its reason.

mod again;
mod sample;
mod times;

pub(crate) use again::{AGAIN, ELSEWHERE, Novelty, Print, Printer, Runs};
pub(crate) use sample::pass;
pub(crate) use times::{BINS, Times};

use model::result::{Contradiction, Counted};

/// How far bytes may exceed operations times their size, and a rate its count over its time.
const SPREAD: f64 = 1.1;

/// How far latency times rate may exceed the operations that can be in flight: both are rounded, and the last
/// operations may end behind the time that was counted.
const CONCURRENCY: f64 = 2.0;

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
        let (ops, op_bytes, bytes) = (ops.into(), op_bytes.into(), bytes.into());
        if fits { Ok(()) } else { Err(Contradiction::Size { what, ops, op_bytes, bytes }) }
    }

    fn rate(&self) -> Result<(), Contradiction> {
        let (Some(ops), Some(seconds), Some(per_s)) = (self.ops, self.seconds, self.per_s) else {
            return Ok(());
        };
        let (counted, told) = (ops + 1.0, per_s * seconds + 1.0);
        let what = self.what.to_owned();
        let fits = counted <= SPREAD * told && told <= SPREAD * counted;
        let (ops, seconds, ops_per_s) = (ops.into(), seconds.into(), per_s.into());
        if fits { Ok(()) } else { Err(Contradiction::Rate { what, ops, seconds, ops_per_s }) }
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
    let (seen, most) = (seen.into(), most.into());
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
        let (has, other, too, only) = match self {
            Mode::Reads => (reads, writes, Counted::WritesToo, Counted::OnlyWrites),
            Mode::Writes => (writes, reads, Counted::ReadsToo, Counted::OnlyReads),
        };
        if other <= 0.0 {
            return Ok(());
        }
        let counted = if has > 0.0 { too } else { only };
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
        let why = Contradiction::Size {
            what: "read".into(),
            ops: 1000.0.into(),
            op_bytes: 4096.0.into(),
            bytes: 8_192_000.0.into(),
        };
        assert_eq!(wrong, Err(why));
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
        let wrong = in_flight([(1000.0, 30.0)].into_iter(), 2.0);
        let (seen, most) = (30_000.0.into(), 2.0.into());
        assert_eq!(wrong, Err(Contradiction::Concurrency { seen, most }));
    }

    #[test]
    fn a_direction_that_the_mode_lacks_contradicts() {
        assert_eq!(Mode::Writes.judge("random write", 0.0, 9.0), Ok(()));
        let wrong =
            |counted| Err(Contradiction::Direction { mode: "random write".into(), counted });
        let judge = |reads, writes| Mode::Writes.judge("random write", reads, writes);
        assert_eq!(judge(9.0, 0.0), wrong(Counted::OnlyReads));
        assert_eq!(judge(9.0, 1.0), wrong(Counted::ReadsToo));
    }
}
