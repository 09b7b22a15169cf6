//! Bytes a second of a device, by the rates that iostat prints and by its requests and their sizes. Releases 12.0
//! to 12.2.0 wrote sectors under the names of kB and MB into their JSON.

use super::{Device, Figure};
use model::result::Contradiction;

const SECTORS_NOTE: &str = "Some rates are in sectors although named kB/s or MB/s (a bug of \
                            sysstat before 12.2.1): they were read as sectors, consistent with \
                            requests times size.";

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;
const SECTOR: f64 = 512.0;

/// How far a rate may be off requests times their size, besides what both were rounded by.
const OFF: f64 = 0.1;
/// What half a step of two decimals is.
const HALF_STEP: f64 = 0.005;

/// By how much figures may be off that were rounded, each in its own unit.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    pub(super) requests: f64,
    /// Of the size of a request, KiB.
    pub(super) each: f64,
    pub(super) rate: f64,
}

impl Default for Halves {
    /// Those of two decimals.
    fn default() -> Halves {
        Halves { requests: HALF_STEP, each: HALF_STEP, rate: HALF_STEP }
    }
}

/// Decimal megabytes a second.
#[derive(Default)]
pub(super) struct Rates {
    pub(super) read: Option<f64>,
    pub(super) write: Option<f64>,
    /// Why they cannot be true.
    pub(super) fault: Option<Contradiction>,
    pub(super) note: Option<&'static str>,
}

/// The rates of a device.
pub(super) fn rates(device: &Device) -> Rates {
    let mut rates = Rates::default();
    let read = Printed::of(
        (device.read_kib, device.read_mib),
        (device.reads, device.read_kib_each),
        device.read_halves,
    );
    let write = Printed::of(
        (device.write_kib, device.write_mib),
        (device.writes, device.write_kib_each),
        device.write_halves,
    );
    rates.read = read.map(|read| read.mb_per_s("read", &mut rates));
    rates.write = write.map(|write| write.mb_per_s("write", &mut rates));
    rates
}

/// A rate as it was printed.
struct Printed {
    value: f64,
    /// Bytes of what it is said to count.
    unit: f64,
    /// Bytes a second by requests and their size, and how far these may be off by their rounding.
    counted: Option<(f64, f64)>,
    /// By how much the value may be off.
    half_step: f64,
}

impl Printed {
    fn of(
        (kib, mib): (Option<Figure>, Option<Figure>),
        (requests, kib_each): (Option<Figure>, Option<Figure>),
        halves: Halves,
    ) -> Option<Printed> {
        let (value, unit) = kib.map(|kib| (kib.0, KIB)).or(mib.map(|mib| (mib.0, MIB)))?;
        let counted = requests.zip(kib_each).map(|(requests, each)| {
            let bytes = requests.0 * each.0 * KIB;
            let off = halves.requests * each.0 + halves.each * (requests.0 + halves.requests);
            (bytes, off * KIB)
        });
        Some(Printed { value, unit, counted, half_step: halves.rate })
    }

    fn mb_per_s(&self, what: &str, rates: &mut Rates) -> f64 {
        let fits = |unit: f64| {
            self.counted.is_none_or(|(bytes, off)| {
                let rounded = off + self.half_step * unit;
                (self.value * unit - bytes).abs() <= OFF * bytes + rounded
            })
        };
        if fits(self.unit) {
            return self.value * self.unit / 1e6;
        }
        if fits(SECTOR) {
            rates.note = Some(SECTORS_NOTE);
            return self.value * SECTOR / 1e6;
        }
        let (counted, _) = self.counted.unwrap_or_default();
        rates.fault = Some(Contradiction::RequestsTimesSize {
            what: what.into(),
            bytes_per_s: (self.value * self.unit).into(),
            computed_bytes_per_s: counted.into(),
        });
        self.value * self.unit / 1e6
    }
}
