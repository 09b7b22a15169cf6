//! The order in which the tests of a block run on its candidates.

use crate::text::did_you_mean;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The order in which the tests of a block run on its candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All tests of a candidate, then all of the next, which may be made on the same disks.
    InTurn,
    /// Each test on all candidates, one right after the other, so that the pairs of a ratio lie close in
    /// time. All candidates are there at once, each on disks of its own.
    Interleaved,
}

impl Order {
    /// As written in arguments and plans.
    pub fn name(self) -> &'static str {
        match self {
            Order::InTurn => "in-turn",
            Order::Interleaved => "interleaved",
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Order {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Order::InTurn, Order::Interleaved];
        all.into_iter().find(|order| order.name() == text).ok_or_else(|| {
            let meant = did_you_mean(text, all.map(Order::name));
            format!("invalid order `{text}`{meant}; expected in-turn or interleaved")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_names() {
        for order in [Order::InTurn, Order::Interleaved] {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        assert!("shuffled".parse::<Order>().is_err());
    }
}
