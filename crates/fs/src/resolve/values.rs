//! Values of options that have no list of what is allowed: if the option has a unit, the value must be a number, so
//! that a wrong one is refused before anything is made.

use crate::options::MKFS;
use model::target::{Knob, KnobError, Options};

/// Refuses a value that its knob cannot take.
///
/// # Errors
/// The first such option, and what it takes.
pub(super) fn check(owner: &str, knobs: &[Knob], options: &Options) -> Result<(), KnobError> {
    let whole = options.iter().map(|(key, value)| (key.clone(), &**value));
    let parts = options.iter().filter(|(key, _)| key.starts_with(MKFS)).flat_map(|(key, value)| {
        let parts = value.split(',').filter_map(|part| part.split_once('='));
        parts.map(move |(name, value)| (format!("{key}={name}"), value))
    });
    for (key, value) in whole.chain(parts) {
        let Some(knob) = knobs.iter().find(|knob| knob.name == key) else { continue };
        if knob.range.is_empty() && !takes(knob.unit, value) {
            return Err(KnobError::Value {
                owner: owner.into(),
                value: value.into(),
                allowed: examples(knob.unit),
                key,
            });
        }
    }
    Ok(())
}

/// Returns true if `value` is valid for `unit`; without a unit, any word is.
fn takes(unit: &str, value: &str) -> bool {
    let digits = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_digits = digits.len() < value.len();
    // With a fraction.
    let rest = match digits.strip_prefix('.') {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => digits,
    };
    match unit {
        "" => !value.is_empty(),
        _ if is_size(unit) => value == OFF || has_digits && is_suffix(rest),
        "%" => has_digits && ["", "%"].contains(&rest),
        "duration" => has_digits && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '.'),
        _ => has_digits && rest.is_empty(),
    }
}

/// The word for no size.
const OFF: &str = "off";

fn is_size(unit: &str) -> bool {
    // tmpfs takes thousands of inodes and pages, too.
    ["bytes", "kB", "MB", "MiB", "MiB/s", "GB", "Mbit/s", "inodes", "pages"].contains(&unit)
}

/// A binary or decimal prefix, blocks or sectors of mkfs.xfs, or a part of memory.
fn is_suffix(text: &str) -> bool {
    let prefix = text.trim_start_matches(|c: char| "kKmMgGtTpPeE".contains(c));
    text.len() - prefix.len() <= 1 && ["", "i", "iB", "B", "b", "s", "%"].contains(&prefix)
}

fn examples(unit: &str) -> String {
    match unit {
        "" => "a word",
        _ if is_size(unit) => "50M, 1048576, ...",
        "duration" => "1s, 5m, ...",
        _ => "1, 2, 3, ...",
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    #[test]
    fn a_unit_takes_numbers() {
        for (unit, value) in [
            ("s", "60"),
            ("s", "1.5"),
            ("bytes", "256k"),
            ("bytes", "1048576"),
            ("bytes", "128Mi"),
            ("bytes", "50%"),
            ("bytes", "off"),
            ("inodes", "10k"),
            ("%", "5"),
            ("duration", "1m30s"),
            ("", "bind:0"),
        ] {
            assert!(takes(unit, value), "{value} of {unit}");
        }
        for (unit, value) in [
            ("s", ""),
            ("s", "abc"),
            ("ms", "-1"),
            ("s", "5 6"),
            ("blocks", "1k"),
            ("bytes", "k"),
            ("bytes", "4kk"),
            ("%", "x"),
            ("duration", "soon"),
            ("", ""),
        ] {
            assert!(!takes(unit, value), "{value} of {unit}");
        }
    }

    #[test]
    fn wrong_values_are_refused_before_anything_is_made() {
        let refusal = |target: &str| {
            let refused = resolve(&target.parse().unwrap()).err();
            refused.unwrap_or_else(|| panic!("{target} is taken")).to_string()
        };
        for target in [
            "ext4[commit=often]",
            "ext4[commit]",
            "ext4[mkfs.J=size=big]",
            "xfs[mkfs.d=agcount=many]",
            "xfs[sunit=a,swidth=b]",
            "btrfs[thread_pool=x]",
            "nfs[timeo=ten](ext4)",
            "f2fs[compress_extension]",
            "tmpfs[mpol]",
        ] {
            assert!(refusal(target).contains("is not allowed; use one of"), "{target}");
        }
        assert!(refusal("ext4[noatime=1]").contains("takes no value"));
    }
}
