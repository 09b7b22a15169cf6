//! Names and texts under which a campaign stores its evidence, shared by the code that writes and the code that judges
//! it.

use crate::result::Environment;
use std::{collections::BTreeMap, fmt, str::FromStr};

/// Metric of direct I/O in blocks that the file system took through the page cache instead: the multiple that it
/// takes directly, bytes.
pub const BUFFERED_BELOW: &str = "buffered_below_bytes";

/// Share of places in memory, percent, above which a cold sample is called read ahead.
pub const READ_AHEAD_PCT: f64 = 10.0;

/// What the keys of costs begin with among the facts of a target.
const COST: &str = "cost.";

/// The fact of an instance that is on one part of split disks: `2 of 3`.
pub const PART: &str = "device.part";

/// Key of the fact that keeps [`PART`] of the instances in `block`.
pub fn part_fact(block: u32) -> String {
    format!("{PART}.block.{}", block + 1)
}

/// A figure that each instance of a target has, by block and process count. As text `0/1 12.5, 0/64
/// 13`: block, processes, figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings(pub BTreeMap<(u32, u32), f64>);

impl Readings {
    /// Those that are kept among `facts` as the cost `name`; none when they are not there.
    pub fn of(facts: &Environment, name: &str) -> Readings {
        let text = facts.0.get(&format!("{COST}{name}"));
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// Keeps them among `facts` as the cost `name`.
    pub fn keep(&self, facts: &mut Environment, name: &str) {
        facts.0.insert(format!("{COST}{name}"), self.to_string());
    }

    /// Arithmetic mean; `None` of none.
    pub fn mean(&self) -> Option<f64> {
        let n = self.0.len() as f64;
        (n > 0.0).then(|| self.0.values().sum::<f64>() / n)
    }
}

/// Whether a fact is a cost: a figure that was measured, no property of the target.
pub fn is_cost(key: &str) -> bool {
    key.starts_with(COST)
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, ((block, procs), value)) in self.0.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{block}/{procs} {value}")?;
        }
        Ok(())
    }
}

impl FromStr for Readings {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let reading = |word: &str| {
            let (place, value) = word.split_once(' ')?;
            let (block, procs) = place.split_once('/')?;
            let value = value.parse().ok().filter(|v: &f64| v.is_finite())?;
            Some(((block.parse().ok()?, procs.parse().ok()?), value))
        };
        let words = text.split(", ").filter(|word| !word.is_empty());
        let read =
            |word| reading(word).ok_or_else(|| format!("`{word}` is not BLOCK/PROCS FIGURE"));
        words.map(read).collect::<Result<_, _>>().map(Readings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_survive_text_and_a_repeated_block_replaces_its_own() {
        let mut readings = Readings(BTreeMap::from([((0, 1), 12.5), ((10, 64), 13.0)]));
        readings.0.insert((0, 1), 11.5);
        assert_eq!(readings.to_string(), "0/1 11.5, 10/64 13");
        assert_eq!(readings.to_string().parse(), Ok(readings.clone()));
        assert_eq!(readings.mean(), Some(12.25));
        let mut facts = Environment::default();
        readings.keep(&mut facts, "mkfs_ms");
        assert!(facts.0.keys().all(|key| is_cost(key)));
        assert_eq!(Readings::of(&facts, "mkfs_ms"), readings);
        assert_eq!(Readings::of(&facts, "mount_ms"), Readings::default());
        for bad in ["0/1", "x/1 2", "0/1 inf", "0 2"] {
            assert!(bad.parse::<Readings>().is_err(), "{bad}");
        }
    }
}
