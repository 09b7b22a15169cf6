//! The line of rates that a job has for each direction, and the exact figures behind what it rounds.

use super::super::{
    number::{self, Rounded},
    run::{Direction, Flow},
};

/// How far releases 2.17 to 2.19 may be off, which wrote `20.9k` for 20 009.
const WRONG_DIGITS: f64 = 0.1;

/// What a line of rates says.
pub(super) struct Rates {
    bytes: Rounded,
    iops: Rounded,
    runtime_ms: f64,
}

/// The direction of a line of rates, and what it says of it.
pub(super) fn rates(line: &str) -> Option<(Direction, &str)> {
    let (word, rest) = line.trim().split_once(':')?;
    let direction = Direction::ALL.into_iter().find(|d| d.as_str() == word.trim())?;
    let printed = rest.contains(" IOPS=") || rest.contains(" iops=");
    printed.then_some((direction, rest))
}

impl Rates {
    /// ` IOPS=20.1k, BW=78.4MiB/s (82.2MB/s)(392MiB/5001msec)` or
    /// ` io=392.3MB, bw=78617KB/s, iops=19654, runt=  5004msec`.
    pub(super) fn read(text: &str) -> Option<Rates> {
        let before_iec = text.contains("io=");
        let field = |key: &str| text.split(", ").find_map(|part| part.trim().strip_prefix(key));
        let (bytes, iops, runtime) = if before_iec {
            (field("io=")?, field("iops=")?, field("runt=")?)
        } else {
            let (bytes, rest) = text.rsplit_once('(')?.1.split_once('/')?;
            (bytes, field("IOPS=")?, rest.split(')').next()?)
        };
        Some(Rates {
            bytes: Rounded::of(bytes, |text| number::bytes(text, before_iec))?,
            iops: Rounded::of(iops, number::decimal)?,
            runtime_ms: number::decimal(runtime.trim_end().strip_suffix("msec")?)?,
        })
    }

    /// The flow as it was printed.
    pub(super) fn flow(&self) -> Flow {
        let (bytes, iops) = (self.bytes.value, self.iops.value);
        Flow::new(bytes, iops * self.runtime_ms / 1000.0, self.runtime_ms, iops)
    }

    /// Puts the figures that `ops` operations give in the place of those that are printed, where they round
    /// to these: blocks may be short, and operations of a ramp may be counted on one side alone.
    pub(super) fn make_exact(
        &self,
        flow: &mut Flow,
        ops: f64,
        block_bytes: Option<f64>,
        version: Option<&str>,
    ) {
        let wrong = ["fio-2.17", "fio-2.18", "fio-2.19"];
        let is_wrong = version.is_some_and(|v| wrong.iter().any(|start| v.starts_with(start)));
        let loose = if is_wrong { WRONG_DIGITS } else { 0.0 };
        let iops = Some(ops * 1000.0 / self.runtime_ms).filter(|&iops| self.iops.is(iops, loose));
        let bytes = block_bytes.map(|bytes| bytes * ops).filter(|&b| self.bytes.is(b, loose));
        let latency = std::mem::take(&mut flow.latency);
        let (bytes, iops) = (bytes.unwrap_or(self.bytes.value), iops.unwrap_or(self.iops.value));
        *flow = Flow { latency, ..Flow::new(bytes, ops, self.runtime_ms, iops) };
    }
}
