//! What a machine was, as a record that two can be compared by.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the machine was: key to value, both plain text, ordered so that two can be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Environment(pub BTreeMap<String, String>);
