//! Operating systems whose vendors' support is known, by the names that people write.

use crate::exit;
use anyhow::Result;
use model::target::{FactSheet, Requirement};
use std::collections::BTreeSet;

/// What the support of a vendor begins with, among the features.
const SUPPORTED: &str = "supported_on=";

/// The requirement of support on each of `systems`: `rhel-9` is also `rhel9`, `RHEL 9` and `rhel-9.4`.
///
/// # Errors
/// No fact is about one of them; those that are known are listed.
pub(super) fn supported(systems: &[String], facts: &[FactSheet]) -> Result<Vec<Requirement>> {
    let features = facts.iter().flat_map(|sheet| &sheet.facts).map(|fact| fact.feature.as_str());
    let known: BTreeSet<&str> = features.filter_map(|name| name.strip_prefix(SUPPORTED)).collect();
    let one = |system: &String| match known.iter().find(|name| is_meant(system, name)) {
        Some(name) => Ok(Requirement { feature: format!("{SUPPORTED}{name}"), at_least: None }),
        None => Err(exit::usage(format!(
            "unknown system `{system}` of --os; expected {}",
            known.iter().copied().collect::<Vec<_>>().join(", ")
        ))),
    };
    systems.iter().map(one).collect()
}

/// Whether `written` is the system `name`, or a minor release of it.
fn is_meant(written: &str, name: &str) -> bool {
    let bare = |text: &str| -> String {
        let kept = text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.');
        kept.collect::<String>().to_ascii_lowercase()
    };
    let (written, name) = (bare(written), bare(name));
    written.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::shipped;

    #[test]
    fn a_system_is_found_by_the_ways_to_write_it() {
        let of = |text: &str| supported(&[text.into()], &shipped::facts().unwrap());
        for text in ["rhel-9", "rhel9", "RHEL 9.4", "rhel-9.4"] {
            assert_eq!(of(text).unwrap()[0].feature, "supported_on=rhel-9", "{text}");
        }
        assert_eq!(of("Ubuntu 24.04.1").unwrap()[0].feature, "supported_on=ubuntu-24.04");
        assert_eq!(of("rhel-10").unwrap()[0].feature, "supported_on=rhel-10");
        for text in ["rhel-1", "rhel", "ubuntu-24", "windows"] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains("expected debian-12, oracle-linux-9, rhel-10"), "{error}");
        }
    }
}
