//! Measurement effort: a preset sets repetitions and durations, a scale sets sizes.

use crate::plan::PlanError;
use crate::text::did_you_mean;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// How much to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Preset {
    /// One block of the smallest sizes: does it work?
    Smoke,
    /// Three blocks or more, until the verdict is reached or ten minutes are over.
    #[default]
    Quick,
    /// Five blocks or more, until the ratios are precise; with an A/A pair.
    Standard,
    /// Ten blocks or more, so twelve at the first look, until the ratios are precise; with an A/A pair.
    Publish,
}

impl Preset {
    const ALL: [(&str, Preset); 4] = [
        ("smoke", Preset::Smoke),
        ("quick", Preset::Quick),
        ("standard", Preset::Standard),
        ("publish", Preset::Publish),
    ];
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = Preset::ALL.into_iter().find(|(_, preset)| preset == self);
        f.write_str(own.map_or("", |(name, _)| name))
    }
}

impl FromStr for Preset {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Preset::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, preset)| preset).ok_or_else(|| {
            let meant = did_you_mean(text, Preset::ALL.map(|(name, _)| name));
            format!("unknown preset `{text}`{meant}; expected smoke, quick, standard or publish")
        })
    }
}

impl TryFrom<String> for Preset {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Numbers of blocks after which an adaptive campaign looks whether it may end. Looking more often
/// would find differences where there are none: each look is a chance of its own.
pub const LOOKS: &[u32] = &[5, 8, 12, 20];

/// The same of a quick campaign, which asks for its verdict alone and asks it more strictly.
pub const QUICK_LOOKS: &[u32] = &[3, 4, 5, 6, 8, 12, 20];

impl Preset {
    /// Number of blocks, the least where it is adaptive.
    pub fn blocks(self) -> u32 {
        match self {
            Preset::Smoke => 1,
            Preset::Quick => 3,
            Preset::Standard => 5,
            Preset::Publish => 10,
        }
    }

    /// Time for all blocks together where neither it nor their number is given, seconds: of ten minutes a rest is for
    /// tear-down and report.
    pub fn budget_s(self) -> Option<u64> {
        (self == Preset::Quick).then_some(590)
    }

    /// True when precision decides the number of blocks, and an A/A pair is carried along.
    pub fn is_evidence(self) -> bool {
        matches!(self, Preset::Standard | Preset::Publish)
    }

    /// Least length of a timed part, the median over the cells of a test, seconds. No single one is below a
    /// third of it.
    pub fn floor_s(self) -> f64 {
        match self {
            Preset::Smoke | Preset::Quick => 0.05,
            Preset::Standard | Preset::Publish => 1.0,
        }
    }

    /// Least length of a single timed part, seconds: what is shorter is evidence of the moment, not of a target.
    pub fn least_s(self) -> f64 {
        self.floor_s() / 3.0
    }

    /// Length for which a timed part is sized, seconds: above the floor, because candidates differ. Blocks narrow an
    /// interval at less cost than longer parts do; the shortest ones are those of which the start of the workers is
    /// still a small share (bench/README.md).
    pub fn aim_s(self) -> f64 {
        match self {
            Preset::Smoke | Preset::Quick => 0.07,
            Preset::Standard | Preset::Publish => 1.8,
        }
    }

    /// Factor on the large vectors of the original suite where tests are sized one by one.
    pub fn large_scale(self) -> f64 {
        match self {
            Preset::Smoke | Preset::Quick => 1.0 / 32.0,
            Preset::Standard => 0.25,
            Preset::Publish => 1.0,
        }
    }
}

/// The factor on the original suite's sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Scale {
    /// None: each test is made as long as the preset asks for, by trying it.
    #[default]
    Auto,
    /// A given factor; 1 is full.
    Factor(f64),
}

impl FromStr for Scale {
    type Err = PlanError;
    fn from_str(text: &str) -> Result<Self, PlanError> {
        let factor = match text {
            "auto" => return Ok(Scale::Auto),
            "double" => 2.0,
            "full" => 1.0,
            "small" => 0.2,
            "tiny" => 0.05,
            "smoke" => 0.002,
            _ => text.parse().map_err(|_| PlanError::Scale(text.into()))?,
        };
        if (0.0005..=4.0).contains(&factor) {
            Ok(Scale::Factor(factor))
        } else {
            Err(PlanError::Scale(text.into()))
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scale::Auto => f.write_str("auto"),
            Scale::Factor(factor) => write!(f, "{factor}"),
        }
    }
}

impl TryFrom<String> for Scale {
    type Error = PlanError;
    fn try_from(text: String) -> Result<Self, PlanError> {
        text.parse()
    }
}

impl From<Scale> for String {
    fn from(scale: Scale) -> String {
        scale.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_names() {
        assert_eq!("small".parse(), Ok(Scale::Factor(0.2)));
        assert_eq!("auto".parse(), Ok(Scale::Auto));
        for text in ["0", "-1", "nan", "big"] {
            assert!(text.parse::<Scale>().is_err(), "{text}");
        }
    }
}
