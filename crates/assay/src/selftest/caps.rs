//! Caps of bandwidth and of operations on the loop device under an ext4. The rate over the whole
//! timed part must be the cap. A cap is one on mean rates, not on latencies: the kernel
//! hands out its tokens in slices of 100 ms, and what a slice allows is done in its first
//! milliseconds. What was not used before the test is still there when it starts, one or two slices,
//! each 1 % of ten seconds; so the same load runs for a second before. All threads wait for the next
//! slice when that ends, so the timed part begins with a slice. It stops half-way between two, and
//! the operations that wait then end with the next: a run that stopped where a slice begins would
//! have one more or less by chance. Requests must be small, as large ones are split and charged
//! several times, and some must always wait.

use super::{Bench, Check, CheckOutcome, trial};
use anyhow::Result;
use lab::machine::Availability;

/// Whole slices of tokens less a half; the threads that wait then end with the last slice.
const RUNTIME_S: f64 = 9.95;
const QUICK_S: f64 = 1.95;
/// What may be missed in `RUNTIME_S`, a share.
const LIMIT: f64 = 0.01;
/// The operations that wait at the end weigh five times as much in `QUICK_S`: fio is off by 1.3 % then.
const QUICK_LIMIT: f64 = 0.02;
const RATE: u64 = 50 << 20;

/// A cap on one quantity.
pub struct Cap {
    name: &'static str,
    /// Option of the target, without `cap.`.
    option: &'static str,
    per_s: u64,
    test: &'static str,
    metric: &'static str,
    unit: &'static str,
    /// How many of what is capped are one unit of the metric.
    per_unit: f64,
}

pub static READ_RATE: Cap = Cap::rate("cap.read.50M", "read_bytes_per_s", "selftest.read_rate");
pub static WRITE_RATE: Cap = Cap::rate("cap.write.50M", "write_bytes_per_s", "selftest.write_rate");
pub static READ_500: Cap = Cap::iops("cap.read.500", "read_iops", 500);
pub static READ_2000: Cap = Cap::iops("cap.read.2000", "read_iops", 2000);
pub static WRITE_500: Cap = Cap::iops("cap.write.500", "write_iops", 500);
pub static WRITE_2000: Cap = Cap::iops("cap.write.2000", "write_iops", 2000);

impl Cap {
    const fn rate(name: &'static str, option: &'static str, test: &'static str) -> Cap {
        Cap { name, option, per_s: RATE, test, metric: "rate", unit: "MB/s", per_unit: 1e6 }
    }

    const fn iops(name: &'static str, option: &'static str, per_s: u64) -> Cap {
        let test = match option.as_bytes()[0] {
            b'r' => "selftest.read_iops",
            _ => "selftest.write_iops",
        };
        Cap { name, option, per_s, test, metric: "iops", unit: "IOPS", per_unit: 1.0 }
    }
}

impl Check for Cap {
    fn name(&self) -> String {
        self.name.into()
    }

    fn about(&self) -> String {
        format!("ext4 on a loop device with {} = {}", self.option, self.per_s)
    }

    fn missing(&self) -> Result<Option<String>> {
        if let Availability::Missing { what, .. } = lab::machine::available(fs::find("ext4")?) {
            return Ok(Some(what));
        }
        let none = "no control group can cap a device (blkio of version 1, io of version 2)";
        Ok(if lab::backing::can_cap()? { None } else { Some(none.into()) })
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let (runtime_s, limit) =
            if bench.quick { (QUICK_S, QUICK_LIMIT) } else { (RUNTIME_S, LIMIT) };
        let target = format!("ext4[cap.{}={}]", self.option, self.per_s);
        let plan = trial::plan(&target, self.test, runtime_s)?;
        let dataset = trial::run(&format!("selftest-{}", self.name), plan, bench)?;
        let measured = trial::metric(trial::only_sample(&dataset)?, self.metric)?;
        let imposed = self.per_s as f64 / self.per_unit;
        Ok(CheckOutcome::Figure { imposed, measured, unit: self.unit, limit })
    }
}
