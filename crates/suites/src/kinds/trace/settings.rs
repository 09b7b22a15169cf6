//! Settings of the kind `trace`.

use model::{target::Knob, workload::AssetName};
use serde::Deserialize;
use std::str::FromStr;

pub(super) static KNOBS: [Knob; 4] = [
    Knob::new("trace", "", "", "name of the asset, a trace made by `assay record`"),
    Knob::new(
        "pace",
        "",
        "full",
        "full: each call when those that it waits for are done; think: after the pause that the thread made when \
         recorded; recorded, 2x: when it was due, at the recorded speed or twice that",
    )
    .one_of(&["full", "think", "recorded", "2x"]),
    Knob::new(
        "window",
        "",
        "",
        "part that is timed, e.g. 60s..120s from the start of the recording; calls before it are made untimed",
    ),
    Knob::new(
        "cache",
        "",
        "recorded",
        "cache state before the timed part; recorded: as much of each file as was cached when the recording began",
    )
    .one_of(&["cold", "hot", "recorded"]),
];

/// When calls are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Pace {
    /// As fast as they go.
    #[serde(rename = "full")]
    Full,
    /// After the recorded pauses.
    #[serde(rename = "think")]
    Think,
    /// At the recorded times.
    #[serde(rename = "recorded")]
    Recorded,
    /// In half the recorded time.
    #[serde(rename = "2x")]
    Double,
}

impl Pace {
    /// By how much recorded times are divided; `None` where calls are not due at a time.
    pub(super) fn speed(self) -> Option<u64> {
        match self {
            Pace::Full | Pace::Think => None,
            Pace::Recorded => Some(1),
            Pace::Double => Some(2),
        }
    }
}

/// The cache before the timed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Cache {
    Cold,
    Hot,
    Recorded,
}

/// A part of a recording, nanoseconds from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Window {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
}

/// All of a recording.
pub(super) const ALL: Window = Window { from_ns: 0, to_ns: u64::MAX };

impl Window {
    /// Whether a call at `at_ns` comes before it.
    pub(super) fn is_before(self, at_ns: u64) -> bool {
        at_ns < self.from_ns
    }

    /// Whether a call at `at_ns` comes after it.
    pub(super) fn is_over(self, at_ns: u64) -> bool {
        at_ns >= self.to_ns
    }
}

impl TryFrom<String> for Window {
    type Error = String;

    fn try_from(text: String) -> Result<Window, String> {
        text.parse()
    }
}

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Window, String> {
        let wrong = || format!("`{text}` is not a window; write e.g. 60s..120s");
        let ns = |text: &str| {
            let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse().ok()?;
            (0.0..1e9).contains(&seconds).then_some((seconds * 1e9) as u64)
        };
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let end = |text: &str, open| if text.is_empty() { Some(open) } else { ns(text) };
        let (from_ns, to_ns) =
            end(from, 0).zip(end(to, u64::MAX)).filter(|(from, to)| from < to).ok_or_else(wrong)?;
        Ok(Window { from_ns, to_ns })
    }
}

/// The settings of one test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) trace: AssetName,
    pub(super) pace: Pace,
    #[serde(default = "all")]
    pub(super) window: Window,
    pub(super) cache: Cache,
}

fn all() -> Window {
    ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_is_read_in_seconds() {
        let window = |text: &str| text.parse::<Window>().map(|w| (w.from_ns, w.to_ns));
        assert_eq!(window("60s..120s"), Ok((60_000_000_000, 120_000_000_000)));
        assert_eq!(window("1.5.."), Ok((1_500_000_000, u64::MAX)));
        for wrong in ["", "60s", "2..1", "1..1", "-1..2", "a..b", "0..1e99"] {
            assert!(window(wrong).unwrap_err().contains("60s..120s"), "{wrong}");
        }
    }
}
