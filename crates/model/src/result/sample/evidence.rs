//! Tells whether a sample is a measurement of what was asked, and what limited it.

use super::rare::{Rare, Usual};
use crate::{
    figure::Durability,
    result::{
        AfterFault,
        reason::{Reason, in_json},
    },
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What tells whether a sample is a measurement of what was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// What limited it.
    pub limiter: Limiter,
    /// Whether it may enter a mean.
    pub validity: Rare<Validity>,
    /// Whether what it synced was seen to reach the medium; `None` if nothing was to be synced, or no code
    /// looked.
    pub durability: Option<Durability>,
    /// What was found after a fault that was made on purpose, where that is what was tried.
    pub after_fault: Option<Box<AfterFault>>,
}

impl Default for Evidence {
    /// Of a valid sample of which nothing else is known.
    fn default() -> Evidence {
        Evidence {
            limiter: Limiter::Unknown,
            validity: Rare::default(),
            durability: None,
            after_fault: None,
        }
    }
}

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
    /// None of these was busy: it waited for something that cannot be observed, e.g. a lock or a timer.
    None,
    /// Frequency, temperature or a quota slowed the machine.
    Throttled,
    /// The tool itself.
    Tool,
    /// Not enough data to tell.
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Validity {
    /// May be used.
    Valid,
    /// Measured, but the cold proof failed; the reason says by how much.
    Lukewarm(#[serde(with = "in_json")] Reason),
    /// Repeated, because other processes used too much of the machine; another sample of the same case was less
    /// disturbed.
    Disturbed(#[serde(with = "in_json")] Reason),
    /// Not a measurement of what was asked; the reason says why.
    Invalid(#[serde(with = "in_json")] Reason),
}

impl Usual for Validity {
    const USUAL: &'static Validity = &Validity::Valid;
}

impl Validity {
    /// True for samples that enter means.
    pub fn is_valid(&self) -> bool {
        *self == Validity::Valid
    }

    /// The word used in files, without the reason.
    pub fn word(&self) -> &'static str {
        match self {
            Validity::Valid => "valid",
            Validity::Lukewarm(_) => "lukewarm",
            Validity::Disturbed(_) => "disturbed",
            Validity::Invalid(_) => "invalid",
        }
    }

    /// Why it is not valid.
    pub fn why(&self) -> Option<&Reason> {
        match self {
            Validity::Valid => None,
            Validity::Lukewarm(why) | Validity::Disturbed(why) | Validity::Invalid(why) => {
                Some(why)
            }
        }
    }

    /// The same, to be changed.
    pub fn why_mut(&mut self) -> Option<&mut Reason> {
        match self {
            Validity::Valid => None,
            Validity::Lukewarm(why) | Validity::Disturbed(why) | Validity::Invalid(why) => {
                Some(why)
            }
        }
    }
}

impl fmt::Display for Validity {
    /// Writes the form in files. `report` words it for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why() {
            None => f.write_str(self.word()),
            Some(why) => write!(f, "{}: {why}", self.word()),
        }
    }
}

impl FromStr for Validity {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "valid" {
            Ok(Validity::Valid)
        } else if let Some(why) = text.strip_prefix("lukewarm: ") {
            Ok(Validity::Lukewarm(Reason::of_text(why)))
        } else if let Some(why) = text.strip_prefix("disturbed: ") {
            Ok(Validity::Disturbed(Reason::of_text(why)))
        } else if let Some(why) = text.strip_prefix("invalid: ") {
            Ok(Validity::Invalid(Reason::of_text(why)))
        } else {
            Err(format!(
                "`{text}` is not a validity; use valid, lukewarm: WHY, disturbed: WHY or invalid: WHY"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validity_survives_text() {
        for v in [
            Validity::Valid,
            Validity::Lukewarm(Reason::said("3 %")),
            Validity::Disturbed(Reason::OthersUsed { pct: 60.0.into() }),
            Validity::Invalid(Reason::said("x")),
        ] {
            assert_eq!(v.to_string().parse(), Ok(v));
        }
        assert!("invalid".parse::<Validity>().is_err());
    }
}
