//! A device that candidates share, so that they run in turn although they could exist at the same time.

use model::result::Note;
use std::fmt;

/// Two candidates on one device, whose counters are the only measure of a directory's traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDevice {
    pub(crate) first: String,
    pub(crate) second: String,
    pub(crate) device: String,
}

impl SharedDevice {
    /// The reason why candidates run in turn, for the plan and the report.
    pub fn note(&self) -> Note {
        let SharedDevice { first, second, device } = self.clone();
        Note::SharedDevice { first, second, device }
    }
}

impl fmt::Display for SharedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SharedDevice { first, second, device } = self;
        write!(f, "{first} and {second} share a device ({device}) and its counters")
    }
}
