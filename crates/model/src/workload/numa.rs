//! The NUMA nodes to which workers are pinned.

use crate::text::did_you_mean;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The NUMA nodes to which workers are pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numa {
    /// On none: the kernel decides.
    #[default]
    None,
    /// Worker i, from 0, on node i modulo the number of nodes: its processors and its memory.
    RoundRobin,
}

impl Numa {
    /// As written in arguments and plans.
    pub fn name(self) -> &'static str {
        match self {
            Numa::None => "none",
            Numa::RoundRobin => "round-robin",
        }
    }
}

impl fmt::Display for Numa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Numa {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Numa::None, Numa::RoundRobin];
        all.into_iter().find(|numa| numa.name() == text).ok_or_else(|| {
            let meant = did_you_mean(text, all.map(Numa::name));
            format!("unknown NUMA binding `{text}`{meant}; expected none or round-robin")
        })
    }
}

/// The node that one worker is kept on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaNode {
    /// Its number, as the kernel gives it: where memory comes from.
    pub number: u32,
    /// Its processors.
    pub cpus: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_have_names() {
        for numa in [Numa::None, Numa::RoundRobin] {
            assert_eq!(numa.to_string().parse(), Ok(numa));
        }
        assert!("roundrobin".parse::<Numa>().unwrap_err().contains("round-robin"));
    }
}
