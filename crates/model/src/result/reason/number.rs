//! A figure within a reason, which may be one that JSON has no number for.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

/// A floating-point figure with a total order. What is not finite is a text in files: `"NaN"`, `"inf"`, `"-inf"`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Number(pub f64);

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number(value)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    /// Every NaN is one number, as in files.
    fn cmp(&self, other: &Number) -> Ordering {
        match (self.0.is_nan(), other.0.is_nan()) {
            (true, true) => Ordering::Equal,
            _ => self.0.total_cmp(&other.0),
        }
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let value = if self.0.is_nan() { f64::NAN } else { self.0 };
        value.to_bits().hash(state);
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => serializer.serialize_f64(self.0),
            false => serializer.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Finite(f64),
            Other(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Finite(value) => Ok(Number(value)),
            Form::Other(text) => match text.as_str() {
                "NaN" => Ok(Number(f64::NAN)),
                "inf" => Ok(Number(f64::INFINITY)),
                "-inf" => Ok(Number(f64::NEG_INFINITY)),
                _ => Err(D::Error::custom("not a number")),
            },
        }
    }
}
