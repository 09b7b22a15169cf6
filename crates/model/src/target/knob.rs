//! A knob is one thing that can be set, described once: help, validation, documentation, the
//! stored parameters and the report all read it from here.

use crate::text::{did_you_mean, nearest};
use std::{collections::BTreeMap, fmt};

/// Options by key. A flag without a value (`noatime`) has an empty value.
pub type Options = BTreeMap<String, String>;

/// One setting of a file system or of a suite.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// The key as written in a target or with `--knob`; a trailing `*` accepts a family (`mkfs.*`).
    pub name: &'static str,
    /// What the value counts (`bytes`, `s`), or empty.
    pub unit: &'static str,
    /// One sentence: what it changes.
    pub help: &'static str,
    /// The value used when nothing is said.
    pub default: &'static str,
    /// Allowed values; empty means any text.
    pub range: &'static [&'static str],
}

/// An option that no knob accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnobError {
    /// No knob has this name.
    Unknown {
        /// What the option was given to.
        owner: String,
        /// The key as written.
        key: String,
        /// The names that exist.
        known: String,
        /// What else to know, a clause each.
        further: Vec<String>,
    },
    /// The value is outside the range.
    Value {
        /// What the option was given to.
        owner: String,
        /// The key.
        key: String,
        /// The value as written.
        value: String,
        /// What is allowed.
        allowed: String,
    },
}

impl fmt::Display for KnobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnobError::Unknown { owner, key, known, further } => {
                let meant = meant(key, known);
                write!(f, "{owner} has no option `{key}`{meant} (options: {known})")?;
                further.iter().try_for_each(|clause| write!(f, "; {clause}"))
            }
            KnobError::Value { owner, key, value, allowed } if allowed.is_empty() => {
                write!(f, "{owner}: `{key}={value}` is not allowed; {key} takes no value")
            }
            KnobError::Value { owner, key, value, allowed } => {
                let meant = did_you_mean(value, allowed.split(", "));
                let (alone, allowed) = match allowed.strip_prefix(", ") {
                    Some(others) => (format!(", or `{key}` alone"), others),
                    None => (String::new(), allowed.as_str()),
                };
                let refused = format!("{owner}: `{key}={value}` is not allowed{meant}");
                write!(f, "{refused}; use one of {allowed}{alone}")
            }
        }
    }
}

impl std::error::Error for KnobError {}

/// As [`did_you_mean`]; `agcount` is also known as `mkfs.d=agcount`, and `nodelay` is not meant by `delay`.
fn meant(key: &str, known: &str) -> String {
    let is_opposite =
        |name: &str| name.strip_prefix("no") == Some(key) || key.strip_prefix("no") == Some(name);
    let whole = || known.split(", ").filter(|name| !is_opposite(name));
    let short = |name: &str| name.split_once('=').map(|(_, short)| short.to_string());
    let shorts: Vec<String> = whole().filter_map(short).collect();
    let near = nearest(key, whole().chain(shorts.iter().map(String::as_str)));
    let full = near.and_then(|near| whole().find(|name| name.rsplit('=').next() == Some(near)));
    full.or(near).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

impl Knob {
    /// A knob that takes any text.
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        default: &'static str,
        help: &'static str,
    ) -> Knob {
        Knob { name, unit, help, default, range: &[] }
    }

    /// The same that takes one of these words.
    pub const fn one_of(self, range: &'static [&'static str]) -> Knob {
        Knob { range, ..self }
    }

    fn accepts(&self, key: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(prefix) => key.starts_with(prefix) && key.len() > prefix.len(),
            None => key == self.name,
        }
    }
}

/// Checks that every option of `owner` is one of its knobs and has an allowed value.
pub fn check_options(owner: &str, knobs: &[Knob], options: &Options) -> Result<(), KnobError> {
    for (key, value) in options {
        let Some(knob) = knobs.iter().find(|k| k.accepts(key)) else {
            return Err(unknown(owner, knobs, key));
        };
        if !knob.range.is_empty() && !knob.range.contains(&value.as_str()) {
            return Err(KnobError::Value {
                owner: owner.into(),
                key: key.clone(),
                value: value.clone(),
                allowed: knob.range.join(", "),
            });
        }
    }
    Ok(())
}

/// The error for `key`, with the names of `knobs`; of a family of names how to write one of it.
fn unknown(owner: &str, knobs: &[Knob], key: &str) -> KnobError {
    let is_family = |knob: &&Knob| knob.name.ends_with('*');
    let known = knobs.iter().filter(|knob| !is_family(knob)).map(|knob| knob.name);
    let passes_on = knobs.iter().any(|knob| knob.name == ANY_OTHER);
    let further = passes_on.then(|| PASSED_ON.to_string());
    KnobError::Unknown {
        owner: owner.into(),
        key: key.into(),
        known: known.collect::<Vec<_>>().join(", "),
        further: further.into_iter().collect(),
    }
}

/// The family of what is passed on unchecked.
const ANY_OTHER: &str = "o.*";
const PASSED_ON: &str = "pass other options as o.NAME";

#[cfg(test)]
mod tests {
    use super::*;

    const KNOBS: &[Knob] =
        &[Knob::new("mode", "", "a", "").one_of(&["a", "b"]), Knob::new("mkfs.*", "", "", "")];

    #[test]
    fn options_are_checked_against_knobs() {
        let set = |k: &str, v: &str| Options::from([(k.to_string(), v.to_string())]);
        assert!(check_options("x", KNOBS, &set("mode", "b")).is_ok());
        assert!(check_options("x", KNOBS, &set("mkfs.O", "anything")).is_ok());
        assert!(check_options("x", KNOBS, &set("mkfs.", "")).is_err());
        let error = check_options("x", KNOBS, &set("mode", "c")).unwrap_err();
        assert_eq!(error.to_string(), "x: `mode=c` is not allowed; use one of a, b");
        let either = [Knob::new("mode", "", "", "").one_of(&["", "a", "b"])];
        let error = check_options("x", &either, &set("mode", "c")).unwrap_err();
        let said = "x: `mode=c` is not allowed; use one of a, b, or `mode` alone";
        assert_eq!(error.to_string(), said);
        let flag = [Knob::new("fast", "", "", "").one_of(&[""])];
        let error = check_options("x", &flag, &set("fast", "1")).unwrap_err();
        assert_eq!(error.to_string(), "x: `fast=1` is not allowed; fast takes no value");
    }

    #[test]
    fn unknown_option_names_the_way_through_and_never_its_opposite() {
        const ALL: &[Knob] = &[
            Knob::new("barrier", "", "", ""),
            Knob::new("noclean", "", "", ""),
            Knob::new("mkfs.*", "", "", ""),
            Knob::new("o.*", "", "", ""),
        ];
        let refusal = |key: &str| {
            let options = Options::from([(key.to_string(), String::new())]);
            check_options("x", ALL, &options).unwrap_err().to_string()
        };
        assert_eq!(
            refusal("nobarrier"),
            "x has no option `nobarrier` (options: barrier, noclean); pass other options as o.NAME"
        );
        assert!(!refusal("clean").contains("did you mean"), "{}", refusal("clean"));
        assert!(refusal("barier").contains("did you mean `barrier`"));
    }
}
