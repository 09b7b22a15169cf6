//! Facts about file systems that need no measurement: features, limits, vendor support. Each fact has its scope, source
//! and date, because a veto must be open to appeal.

use crate::text::{Bytes, UnitError};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Everything known of one file system: one TOML file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactSheet {
    /// Its registered name, e.g. `ext4`.
    pub file_system: String,
    /// The facts.
    #[serde(rename = "fact")]
    pub facts: Vec<Fact>,
}

/// One researched fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// `snapshots`, `max_file`, `supported_on=rhel-10`.
    pub feature: String,
    /// Whether it is there, or how large.
    pub value: FactValue,
    /// Kernel, distribution or version for which it holds.
    pub scope: String,
    /// Counts only where this is required too, as `supported_on=rhel-10` for what a vendor limits.
    #[serde(default)]
    pub only_with: Option<String>,
    /// Options of which none may be in force, as `compression=off`: with one of them it does not hold.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Options of which one must be in force, as `compress`: without them it does not hold.
    #[serde(default)]
    pub with: Vec<String>,
    /// What is to be known by those who require it, e.g. `of subvolumes, not of users`.
    #[serde(default)]
    pub but: Option<String>,
    /// Document that says so.
    pub source: String,
    /// Date on which it was looked up, `2026-11-21`.
    pub as_of: String,
    /// The person or program that looked it up.
    pub checked_by: String,
}

/// The value of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FactValue {
    /// The feature is there, or not.
    Has(bool),
    /// A limit.
    Size(Bytes),
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactValue::Has(true) => f.write_str("yes"),
            FactValue::Has(false) => f.write_str("no"),
            FactValue::Size(size) => size.fmt(f),
        }
    }
}

/// A feature that is asked for: `snapshots`, `supported_on=rhel-10`, `max_file>=32TiB`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Feature of a fact.
    pub feature: String,
    /// Least size, for limits.
    pub at_least: Option<Bytes>,
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Requirement, RequirementError> {
        let (feature, size) = match text.split_once(">=") {
            Some((feature, size)) => (feature.trim(), Some(size.trim())),
            None => (text.trim(), None),
        };
        let word = |c: char| c.is_ascii_alphanumeric() || "_-.=".contains(c);
        if feature.is_empty() || !feature.chars().all(word) {
            return Err(RequirementError { text: text.into(), unit: None });
        }
        let at_least = size
            .map(str::parse)
            .transpose()
            .map_err(|unit| RequirementError { text: text.into(), unit: Some(unit) })?;
        Ok(Requirement { feature: feature.into(), at_least })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.feature)?;
        self.at_least.map_or(Ok(()), |size| write!(f, ">={size}"))
    }
}

/// A text that is not a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementError {
    text: String,
    unit: Option<UnitError>,
}

impl fmt::Display for RequirementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a requirement", self.text)?;
        if let Some(unit) = &self.unit {
            write!(f, " ({unit})")?;
        }
        f.write_str("; expected e.g. snapshots, supported_on=rhel-10 or max_file>=32TiB")
    }
}

impl std::error::Error for RequirementError {}

impl FactSheet {
    /// The facts that speak to `wanted` when all of `asked` are required.
    pub fn about<'a>(
        &'a self,
        wanted: &Requirement,
        asked: &[Requirement],
    ) -> impl Iterator<Item = &'a Fact> {
        let counts = move |fact: &&Fact| {
            let with = fact.only_with.as_ref();
            with.is_none_or(|with| asked.iter().any(|other| other.feature == *with))
        };
        self.facts.iter().filter(move |fact| fact.feature == wanted.feature).filter(counts)
    }
}

impl Fact {
    /// Whether this fact meets `wanted`, which is about its feature.
    pub fn meets(&self, wanted: &Requirement) -> bool {
        match (self.value, wanted.at_least) {
            (FactValue::Has(has), None) => has,
            (FactValue::Size(size), Some(least)) => size >= least,
            // A limit that exists, asked for without a size; or a size asked of a plain feature.
            (FactValue::Size(_), None) => true,
            (FactValue::Has(_), Some(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(feature: &str, value: FactValue, only_with: Option<&str>) -> Fact {
        Fact {
            feature: feature.into(),
            value,
            scope: "a kernel".into(),
            only_with: only_with.map(Into::into),
            unless: Vec::new(),
            with: Vec::new(),
            but: None,
            source: "a page".into(),
            as_of: "2026-11-21".into(),
            checked_by: "a test".into(),
        }
    }

    #[test]
    fn requirements_are_read_as_written() {
        for text in ["snapshots", "supported_on=rhel-10", "max_file>=32.0 TiB"] {
            assert_eq!(text.parse::<Requirement>().unwrap().to_string(), text);
        }
        for text in ["", "max_file>=", "max_file>=large", ">=1T", "a feature"] {
            let error = text.parse::<Requirement>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}` is not a requirement")), "{error}");
        }
    }

    #[test]
    fn a_vendors_limit_counts_only_on_that_vendors_system() {
        let tib = |n: u64| FactValue::Size(Bytes(n << 40));
        let facts = vec![
            fact("max_fs", tib(1 << 20), None),
            fact("max_fs", tib(45), Some("supported_on=rhel-10")),
        ];
        let sheet = FactSheet { file_system: "ext4".into(), facts };
        let large: Requirement = "max_fs>=100T".parse().unwrap();
        let rhel: Requirement = "supported_on=rhel-10".parse().unwrap();
        assert!(sheet.about(&large, &[]).all(|f| f.meets(&large)));
        assert!(!sheet.about(&large, &[rhel]).all(|f| f.meets(&large)));
    }

    #[test]
    fn a_feature_is_there_or_not() {
        let wanted: Requirement = "snapshots".parse().unwrap();
        assert!(fact("snapshots", FactValue::Has(true), None).meets(&wanted));
        assert!(!fact("snapshots", FactValue::Has(false), None).meets(&wanted));
        let sized: Requirement = "snapshots>=1T".parse().unwrap();
        assert!(!fact("snapshots", FactValue::Has(true), None).meets(&sized));
    }
}
