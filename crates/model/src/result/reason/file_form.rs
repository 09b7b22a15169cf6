//! The form of a reason in files. In text it is compact JSON, and a reason in words from elsewhere is those words; in
//! JSON it is an object, and a reason in words is a string. Files written before there were such objects have words.

use super::Reason;
use serde::{Deserialize, Serialize};
use std::fmt;

impl fmt::Display for Reason {
    /// Writes the form in text, which [`Reason::of_text`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Said(text) if object(text).is_none() => f.write_str(text),
            _ => f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?),
        }
    }
}

impl Reason {
    /// Returns the reason that was written as `text`: words, unless it is the JSON of a reason.
    pub fn of_text(text: &str) -> Reason {
        object(text).unwrap_or_else(|| Reason::said(text))
    }
}

/// The reason whose JSON is `text`, if it is one.
fn object(text: &str) -> Option<Reason> {
    // Spares texts, which most of those without a brace are, the attempt to parse them.
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok())?
}

/// Form of the reason in the JSON of a [`Validity`](crate::result::Validity).
pub(in crate::result) mod in_json {
    use super::{Deserialize, Reason, Serialize};
    use serde::{Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Words(String),
        Known(Reason),
        /// Of a later version.
        Unknown(serde_json::Value),
    }

    pub(in crate::result) fn serialize<S: Serializer>(
        reason: &Reason,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match reason {
            Reason::Said(text) => serializer.serialize_str(text),
            known => known.serialize(serializer),
        }
    }

    pub(in crate::result) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Reason, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Words(text) => Reason::Said(text),
            Form::Known(reason) => reason,
            Form::Unknown(value) => Reason::Said(value.to_string()),
        })
    }
}
