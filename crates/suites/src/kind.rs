//! A kind of tests: its settings, how it creates a test, and the text shared by all declared tests.

use crate::Test;
use model::{
    figure::Better,
    target::Knob,
    workload::{Group, Shape, TestInfo},
};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// A kind of test.
pub struct Kind {
    /// The word after `kind =`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// The settings of a declaration, which `--knob` overrides.
    pub knobs: &'static [Knob],
    /// Makes a test of what every test says and of its settings.
    pub(crate) make: fn(Head, Table) -> Result<Box<dyn Test>, String>,
}

impl Kind {
    /// Returns true if `key` is one of its settings.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.knobs.iter().any(|knob| knob.name == key)
    }

    /// Names the first key that the kind does not know.
    pub(crate) fn check(&self, table: &Table) -> Result<(), String> {
        match table.keys().find(|key| !self.knows(key)) {
            None => Ok(()),
            Some(key) => {
                let known: Vec<_> = self.knobs.iter().map(|knob| knob.name).collect();
                Err(format!(
                    "kind {} has no setting `{key}` (settings: \
                             {})",
                    self.name,
                    known.join(", ")
                ))
            }
        }
    }
}

/// The declarations common to tests of every kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// Stable id; starts with the name of the suite.
    pub(crate) id: String,
    /// Name of the suite.
    pub(crate) suite: String,
    /// Display name; the kind has a default.
    pub(crate) name: Option<String>,
    /// A paragraph for the page of the test.
    pub(crate) about: Option<String>,
    /// Table; the kind has a default.
    pub(crate) group: Option<Group>,
    /// Test type; the kind has a default.
    pub(crate) testtype: Option<String>,
    /// The whole table as TOML, from which a worker makes the test again.
    pub(crate) declaration: String,
}

/// The defaults of a kind, which the declaration of a test overrides.
pub(crate) struct Defaults<'a> {
    pub(crate) name: String,
    pub(crate) testtype: &'a str,
    pub(crate) group: Group,
    pub(crate) metric: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) better: Better,
    pub(crate) shape: Shape,
}

impl Head {
    /// The test as the tables show it.
    pub(crate) fn info(&self, default: Defaults<'_>) -> TestInfo {
        TestInfo {
            id: self.id.clone(),
            suite: self.suite.clone(),
            name: self.name.clone().unwrap_or(default.name),
            testtype: self.testtype.clone().unwrap_or_else(|| default.testtype.into()),
            group: self.group.unwrap_or(default.group),
            metric: default.metric.into(),
            unit: default.unit.into(),
            better: default.better,
            shape: Some(default.shape),
        }
    }
}

/// Reads the settings of a kind: what `table` says, and of what it does not say the defaults of `knobs`. The message
/// names the key.
pub(crate) fn settings<T: DeserializeOwned>(mut table: Table, knobs: &[Knob]) -> Result<T, String> {
    for knob in knobs {
        if let Some(value) = default_of(knob) {
            table.entry(knob.name).or_insert(value);
        }
    }
    Value::Table(table).try_into().map_err(|e: toml::de::Error| {
        let message = e.to_string();
        message.trim().replace('\n', " ")
    })
}

/// Refuses a `value` of the setting `name` that is not from 1 to `most`.
pub(crate) fn check_count(name: &str, value: u64, most: u64) -> Result<(), String> {
    match (1..=most).contains(&value) {
        true => Ok(()),
        false => Err(format!("`{name}` must be from 1 to {most}, not {value}")),
    }
}

/// The default of a knob as a value; `None` if it has none, or if its text only says what the default depends on.
fn default_of(knob: &Knob) -> Option<Value> {
    let is_value = knob.range.is_empty() || knob.range.contains(&knob.default);
    let text = Some(knob.default).filter(|text| !text.is_empty() && is_value)?;
    let read = format!("value = {text}").parse::<Table>().ok();
    let read = read.and_then(|mut table| table.remove("value"));
    Some(read.unwrap_or_else(|| Value::String(text.into())))
}

/// `full` at `scale`, at least `least`.
pub(crate) fn scaled(full: u64, scale: f64, least: u64) -> u64 {
    ((full as f64 * scale).round() as u64).max(least)
}
