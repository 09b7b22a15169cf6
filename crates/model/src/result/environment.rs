//! Record of a machine, for comparison.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the machine was: key to value, both plain text, ordered so that two can be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Environment(pub BTreeMap<String, String>);

/// How the facts begin that tell of what kind a machine is.
const OF_KIND: [&str; 8] =
    ["kernel.", "cpu.", "memory.", "os.", "virtualization", "thp", "backing.", "tool."];

/// Bytes that the memory of equal machines may be apart by.
const GIB: u64 = 1 << 30;

impl Environment {
    /// What tells of what kind the machine is: kernel, processors, memory in whole GiB, backing and tools.
    pub fn of_kind(&self) -> Environment {
        let is_of_kind = |key: &str| OF_KIND.iter().any(|start| key.starts_with(start));
        let own = self.0.iter().filter(|(key, _)| is_of_kind(key));
        let fact = |(key, value): (&String, &String)| match value.parse::<u64>() {
            // A few pages are no difference.
            Ok(bytes) if key == "memory.bytes" => {
                (key.clone(), format!("{} GiB", (bytes + GIB / 2) / GIB))
            }
            _ => (key.clone(), value.clone()),
        };
        Environment(own.map(fact).collect())
    }

    /// A short name of that kind: equal machines have the same.
    pub fn class(&self) -> String {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for (key, value) in self.of_kind().0 {
            // FNV-1a.
            for byte in key.bytes().chain([0]).chain(value.bytes()).chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        format!("{:06x}", (hash ^ (hash >> 24) ^ (hash >> 48)) & 0x00ff_ffff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_one_kind_have_one_class() {
        let of = |facts: &[(&str, &str)]| {
            let facts = facts.iter().map(|(key, value)| (key.to_string(), value.to_string()));
            Environment(facts.collect()).class()
        };
        let first = of(&[("kernel.release", "6.1"), ("memory.bytes", "8589934592")]);
        // A few pages less, and what says nothing of the machine.
        let same = [("kernel.release", "6.1"), ("memory.bytes", "8589930496"), ("left_out.x", "1")];
        assert_eq!(of(&same), first);
        assert_eq!(first.len(), 6);
        for other in [
            [("kernel.release", "6.5"), ("memory.bytes", "8589934592")],
            [("kernel.release", "6.1"), ("memory.bytes", "17179869184")],
            [("kernel.release", "6.1"), ("cpu.count", "8589934592")],
        ] {
            assert_ne!(of(&other), first, "{other:?}");
        }
    }
}
