//! One word for a ratio: does the interval exclude 1, and is the ratio outside the practical band? Only a ratio that is
//! contended has a word that its interval does not show.

use crate::kernel::Ratio;
use serde::Serialize;
use std::fmt;

/// What a ratio with its interval allows to say. JSON has it under the key `verdict`, which scripts read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// The interval excludes 1 and the ratio is above the band.
    Better,
    /// The interval excludes 1, but the ratio is inside the band.
    SlightlyBetter,
    /// The whole interval is inside the band.
    Same,
    /// The interval excludes 1, but the ratio is inside the band.
    SlightlyWorse,
    /// The interval excludes 1 and the ratio is below the band.
    Worse,
    /// None of these: more blocks are needed, or a quieter machine.
    Unclear,
    /// Not judged, whatever its interval: other processes had too much of the machine. Scripts read that it is unclear.
    #[serde(rename = "unclear")]
    Contended,
}

impl Comparison {
    /// Whether it says which of the two is ahead.
    pub fn is_difference(self) -> bool {
        !self.is_open() && self != Comparison::Same
    }

    /// Whether it says nothing of the two.
    pub fn is_open(self) -> bool {
        matches!(self, Comparison::Unclear | Comparison::Contended)
    }

    /// The words printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Comparison::Better => "better",
            Comparison::SlightlyBetter => "slightly better",
            Comparison::Same => "same",
            Comparison::SlightlyWorse => "slightly worse",
            Comparison::Worse => "worse",
            Comparison::Unclear | Comparison::Contended => "unclear",
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The word for `ratio` where others did not have too much of the machine: what is `contended` is not judged.
pub(crate) fn judge_unless(contended: bool, ratio: &Ratio, band: f64) -> Comparison {
    if contended { Comparison::Contended } else { judge(ratio, band) }
}

/// The word for `ratio` with a band of 1/(1 + `band`) to 1 + `band`. The band is symmetric for
/// logarithms, so that exchanging candidate and baseline gives the opposite word.
pub fn judge(ratio: &Ratio, band: f64) -> Comparison {
    let (Some(low), Some(high)) = (ratio.low, ratio.high) else {
        return Comparison::Unclear;
    };
    let edge = band.ln_1p();
    let (point, low, high) = (ratio.point.ln(), low.ln(), high.ln());
    let decided = low > 0.0 || high < 0.0;
    match (decided, point.abs() > edge) {
        (true, true) if point > 0.0 => Comparison::Better,
        (true, true) => Comparison::Worse,
        _ if -low <= edge && high <= edge => Comparison::Same,
        (true, false) if point > 0.0 => Comparison::SlightlyBetter,
        (true, false) => Comparison::SlightlyWorse,
        (false, _) => Comparison::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(point: f64, low: f64, high: f64) -> Comparison {
        judge(&Ratio { point, low: Some(low), high: Some(high), p: None }, 0.05)
    }

    #[test]
    fn each_word_has_its_interval() {
        assert_eq!(word(1.42, 1.31, 1.54), Comparison::Better);
        assert_eq!(word(0.70, 0.65, 0.76), Comparison::Worse);
        assert_eq!(word(1.04, 1.01, 1.07), Comparison::SlightlyBetter);
        assert_eq!(word(0.96, 0.93, 0.99), Comparison::SlightlyWorse);
        assert_eq!(word(1.00, 0.98, 1.02), Comparison::Same);
        // Detectable, but certainly too small to matter.
        assert_eq!(word(1.02, 1.01, 1.03), Comparison::Same);
        assert_eq!(word(1.10, 0.95, 1.27), Comparison::Unclear);
    }

    #[test]
    fn a_single_block_decides_nothing() {
        let single = Ratio { point: 9.0, low: None, high: None, p: None };
        assert_eq!(judge(&single, 0.05), Comparison::Unclear);
    }
}
