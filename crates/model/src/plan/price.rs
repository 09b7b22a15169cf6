//! Monthly price of a target, given by the user: per GB, per provisioned IOPS and per provisioned MB/s.
//! `0.08*500GB+0.005*3000IOPS+0.04*125MB/s`, each part at most once, in any order.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// An amount at a price per unit and month.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Charge {
    /// Price of one for a month.
    pub each: f64,
    /// How many are paid for.
    pub units: f64,
}

impl Charge {
    fn month(self) -> f64 {
        self.each * self.units
    }
}

/// The price of a target for a month, in one currency for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Price {
    /// Of its space, GB.
    pub gb: Option<Charge>,
    /// Of operations in a second that are set aside for it.
    pub iops: Option<Charge>,
    /// Of the throughput that is set aside for it, MB/s.
    pub mb_per_s: Option<Charge>,
}

impl Price {
    /// All of it.
    pub fn month(&self) -> f64 {
        [self.gb, self.iops, self.mb_per_s].into_iter().flatten().map(Charge::month).sum()
    }
}

/// A text that is no price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceError(String);

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid price `{}`; expected e.g. 0.08*500GB+0.005*3000IOPS+0.04*125MB/s, where \
             parts may be omitted",
            self.0
        )
    }
}

impl std::error::Error for PriceError {}

impl TryFrom<String> for Price {
    type Error = PriceError;

    fn try_from(text: String) -> Result<Price, PriceError> {
        text.parse()
    }
}

impl From<Price> for String {
    fn from(price: Price) -> String {
        price.to_string()
    }
}

impl FromStr for Price {
    type Err = PriceError;

    fn from_str(text: &str) -> Result<Price, PriceError> {
        let wrong = || PriceError(text.into());
        let mut price = Price::default();
        for part in text.split('+') {
            let (each, rest) = part.trim().split_once('*').ok_or_else(wrong)?;
            let end = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
            let (units, unit) = rest.split_at(end);
            let place = match unit.trim() {
                "GB" => &mut price.gb,
                "IOPS" => &mut price.iops,
                "MB/s" => &mut price.mb_per_s,
                _ => return Err(wrong()),
            };
            let number = |text: &str| text.trim().parse::<f64>().ok();
            let number = |text| number(text).filter(|n| n.is_finite() && *n >= 0.0);
            let charge = Charge {
                each: number(each).ok_or_else(wrong)?,
                units: number(units).ok_or_else(wrong)?,
            };
            if place.replace(charge).is_some() {
                return Err(wrong());
            }
        }
        // What costs nothing has no cost to compare with.
        (price.month() > 0.0).then_some(price).ok_or_else(wrong)
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.gb, "GB"), (self.iops, "IOPS"), (self.mb_per_s, "MB/s")];
        let text = |(charge, unit): (Option<Charge>, &str)| {
            charge.map(|charge| format!("{}*{}{unit}", charge.each, charge.units))
        };
        f.write_str(&parts.into_iter().filter_map(text).collect::<Vec<_>>().join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_has_up_to_three_parts() {
        let text = "0.08*500GB+0.005*3000IOPS+0.04*125MB/s";
        let price: Price = text.parse().unwrap();
        assert!((price.month() - (40.0 + 15.0 + 5.0)).abs() < 1e-9);
        assert_eq!(price.to_string(), text);
        let one: Price = " 0.3 * 100 GB ".parse().unwrap();
        assert!((one.month() - 30.0).abs() < 1e-9);
        for wrong in [
            "",
            "0.08",
            "0.08*GB",
            "x*5GB",
            "0.08*5TB",
            "1*1GB+1*1GB",
            "-1*1GB",
            "0*5GB",
            "inf*1GB",
        ] {
            assert!(wrong.parse::<Price>().is_err(), "{wrong}");
        }
    }
}
