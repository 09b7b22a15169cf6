//! A sample is one measurement of one case in one block: raw, never averaged.

use crate::{
    figure::{Durability, Histogram, Metric, Series},
    plan::LabKind,
    result::evidence,
    workload::Case,
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What limited a timed part, judged from device bytes and processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limiter {
    /// The device moved less than a tenth of the bytes.
    Cache,
    /// A worker was on a processor more than 95 % of the time, the device below 60 %.
    Cpu,
    /// The device was busy more than 90 % of the time.
    Device,
    /// None of these was busy: it waited for something that is not seen, as a lock or a timer.
    None,
    /// Frequency, temperature or a quota slowed the machine.
    Throttled,
    /// The tool itself.
    Tool,
    /// Not enough was seen to tell.
    Unknown,
}

impl Limiter {
    const ALL: [Limiter; 7] = [
        Limiter::Cache,
        Limiter::Cpu,
        Limiter::Device,
        Limiter::None,
        Limiter::Throttled,
        Limiter::Tool,
        Limiter::Unknown,
    ];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Limiter::Cache => "cache",
            Limiter::Cpu => "cpu",
            Limiter::Device => "device",
            Limiter::None => "none",
            Limiter::Throttled => "throttled",
            Limiter::Tool => "tool",
            Limiter::Unknown => "unknown",
        }
    }
}

impl FromStr for Limiter {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Limiter::ALL.into_iter().find(|limiter| limiter.as_str() == text).ok_or_else(|| {
            let known = Limiter::ALL.map(Limiter::as_str).join(", ");
            format!("`{text}` is not a limiter; use one of {known}")
        })
    }
}

/// Whether a sample may enter a mean. One that may not is still stored and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Validity {
    /// May be used.
    Valid,
    /// Measured, but the cold proof failed; the reason says by how much.
    Lukewarm(String),
    /// Taken again, as other work had too much of the machine; another one of the same case was less disturbed.
    Disturbed(String),
    /// Not a measurement of what was asked; the reason says why.
    Invalid(String),
}

impl Validity {
    /// True for samples that enter means.
    pub fn is_valid(&self) -> bool {
        *self == Validity::Valid
    }

    /// Why it is not valid.
    pub fn why(&self) -> Option<&String> {
        match self {
            Validity::Valid => None,
            Validity::Lukewarm(why) | Validity::Disturbed(why) | Validity::Invalid(why) => {
                Some(why)
            }
        }
    }

    /// The same, to be changed.
    pub fn why_mut(&mut self) -> Option<&mut String> {
        match self {
            Validity::Valid => None,
            Validity::Lukewarm(why) | Validity::Disturbed(why) | Validity::Invalid(why) => {
                Some(why)
            }
        }
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Validity::Valid => f.write_str("valid"),
            Validity::Lukewarm(why) => write!(f, "lukewarm: {why}"),
            Validity::Disturbed(why) => write!(f, "disturbed: {why}"),
            Validity::Invalid(why) => write!(f, "invalid: {why}"),
        }
    }
}

impl FromStr for Validity {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "valid" {
            Ok(Validity::Valid)
        } else if let Some(why) = text.strip_prefix("lukewarm: ") {
            Ok(Validity::Lukewarm(why.into()))
        } else if let Some(why) = text.strip_prefix("disturbed: ") {
            Ok(Validity::Disturbed(why.into()))
        } else if let Some(why) = text.strip_prefix("invalid: ") {
            Ok(Validity::Invalid(why.into()))
        } else {
            Err(format!(
                "`{text}` is not a validity; use valid, lukewarm: WHY, disturbed: WHY or invalid: WHY"
            ))
        }
    }
}

/// One measurement of one case in one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Block number, from 0.
    pub block: u32,
    /// Position of the target in its block, from 0. One that is not below the number of targets says that
    /// it was run again after its block.
    pub position: u32,
    /// What was measured.
    pub case: Case,
    /// Where it was measured; samples of two labs are never ranked against each other.
    #[serde(default)]
    pub lab: LabKind,
    /// Every number of it; the first is the one its table ranks by. Empty only when not valid.
    pub metrics: Vec<Metric>,
    /// Logical bytes of the timed part, all workers.
    pub bytes: u64,
    /// Operations of the timed part, all workers.
    pub ops: u64,
    /// From the first worker's start to the last worker's end, seconds.
    pub seconds: f64,
    /// Latest start minus earliest start, milliseconds.
    pub skew_ms: f64,
    /// Share of `seconds` in which every worker ran, 0 to 1.
    pub overlap: f64,
    /// Bytes that the device under the target read; `None` where it has no device.
    pub device_read_bytes: Option<u64>,
    /// Bytes that the device under the target wrote.
    pub device_write_bytes: Option<u64>,
    /// Processor time of the workers and of the target's own servers in user mode, seconds.
    pub cpu_user_s: f64,
    /// The same in the kernel, seconds.
    pub cpu_sys_s: f64,
    /// What limited it.
    pub limiter: Limiter,
    /// Whether it may enter a mean.
    pub validity: Validity,
    /// Whether what it synced was seen to reach the medium; `None` if nothing was to be synced, or no code
    /// looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// Latencies of its operations, all workers, one histogram for each kind of operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histograms: Vec<Histogram>,
    /// How it went, interval by interval; `None` where it was too short for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}

impl Sample {
    /// A valid sample of which only the metrics are known; all else stands as 0 or unknown.
    pub fn bare(block: u32, position: u32, case: Case, metrics: Vec<Metric>) -> Sample {
        Sample {
            block,
            position,
            case,
            lab: LabKind::Host,
            metrics,
            bytes: 0,
            ops: 0,
            seconds: 0.0,
            skew_ms: 0.0,
            overlap: 0.0,
            device_read_bytes: None,
            device_write_bytes: None,
            cpu_user_s: 0.0,
            cpu_sys_s: 0.0,
            limiter: Limiter::Unknown,
            validity: Validity::Valid,
            durability: None,
            histograms: Vec::new(),
            series: None,
        }
    }

    /// The value of the metric `name`, when the sample has it.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|m| m.name == name).map(|m| m.value)
    }

    /// Share of the operations, percent, that found in memory what others had made the kernel read, of a sample
    /// that is "cold, read ahead"; `None` of all others.
    pub fn read_ahead_pct(&self) -> Option<f64> {
        self.metric(evidence::READ_AHEAD_HITS).filter(|pct| *pct > evidence::READ_AHEAD_PCT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validity_survives_text() {
        for v in [
            Validity::Valid,
            Validity::Lukewarm("3 %".into()),
            Validity::Disturbed("60 %".into()),
            Validity::Invalid("x".into()),
        ] {
            assert_eq!(v.to_string().parse(), Ok(v));
        }
        assert!("invalid".parse::<Validity>().is_err());
    }
}
