//! Parses values on the command line: times, shares, lists of targets.

use clap::builder::{PathBufValueParser, TypedValueParser};
use model::{
    plan::{Price, PriceError},
    target::{Target, TargetError, TargetNames, split_name},
};
use std::{ffi::OsString, path::Path, str::FromStr};

/// A time such as `2h` or `90m`, seconds.
pub(crate) fn duration_s(text: &str) -> Result<u64, String> {
    let parsed = humantime::parse_duration(text).ok().map(|time| time.as_secs());
    parsed.filter(|s| *s > 0).ok_or_else(|| "expected a time of at least 1s, e.g. 2h or 90m".into())
}

/// A file or a folder to write to. Refuses `-`, which means stdout elsewhere and would create a file of that name here.
pub(super) fn path_to_write() -> impl TypedValueParser<Value = std::path::PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("`-` would create a file of that name; omit --out to print to stdout"),
        false => Ok(path),
    })
}

/// A number of additional blocks, e.g. `+5`. The sign is required because a bare number could mean the total.
pub(super) fn more_blocks(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('+').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    let more =
        digits.and_then(|digits| digits.parse().ok()).filter(|more| (1..=1000).contains(more));
    more.ok_or_else(|| "expected +N, e.g. +5 for five more blocks".into())
}

/// A whole number, 0 or above, e.g. `12`.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| match text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() {
        true => "the number is too large".into(),
        false => "expected a whole number, 0 or above".into(),
    })
}

/// A share between 0 and 1, written `5%` or `0.05`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 0.01),
        None => (text.trim(), 1.0),
    };
    let share = number.parse::<f64>().map(|n| n * unit);
    share
        .ok()
        .filter(|s| *s > 0.0 && *s < 1.0)
        .ok_or_else(|| "expected a share above 0 and below 1, e.g. 5% or 0.05".into())
}

/// Candidates with the names that some of them were given.
#[derive(Debug, Default)]
pub struct Candidates {
    pub targets: Vec<Target>,
    pub names: TargetNames,
}

/// Splits `--on ext4,fast=dir:/a` at commas that are outside brackets, and reads each part.
///
/// # Errors
/// A part is no target, or two have one name.
pub fn candidates(arguments: &[String]) -> Result<Candidates, String> {
    let mut all = Candidates::default();
    for part in arguments.iter().flat_map(|argument| split_outside_brackets(argument)) {
        let (name, text) = split_name(part);
        if Path::new(text).is_dir() && text.contains('/') {
            return Err(format!("`{text}` is a directory; to measure in it, write dir:{text}"));
        }
        let target: Target = text.parse().map_err(|error: TargetError| error.to_string())?;
        if let Some(name) = name
            && let Some(other) = all.names.insert(name.into(), target.clone())
        {
            return Err(format!(
                "both {other} and {target} are named {name}; choose different names"
            ));
        }
        all.targets.push(target);
    }
    Ok(all)
}

/// What a target costs, `TARGET=PRICE`. Labels of targets may have a `=` in them.
pub(super) fn price(text: &str) -> Result<(String, Price), String> {
    let (label, price) = text.rsplit_once('=').ok_or("expected TARGET=PRICE")?;
    Ok((label.into(), price.parse().map_err(|error: PriceError| error.to_string())?))
}

/// A tag, `KEY=VALUE`.
pub(super) fn tag(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
    let (key, value) = pair.ok_or("expected KEY=VALUE, e.g. firmware=1.4")?;
    Ok((key.into(), value.into()))
}

fn split_outside_brackets(text: &str) -> Vec<&str> {
    if split_name(text).1.trim_start().starts_with("dir:") {
        return vec![text];
    }
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// What to say of `arguments`, one of which must be UTF-8 and is not: a name that is stored is text, and only the paths
/// of some options may be any bytes.
pub fn not_utf8(arguments: &[OsString]) -> String {
    let wrong: Vec<String> = arguments
        .iter()
        .filter(|argument| argument.to_str().is_none())
        .map(|argument| format!("`{}`", argument.display()))
        .collect();
    format!(
        "the name {} is not UTF-8, and names that are stored with a campaign must be; rename the file, or give it \
         another name with `ln -s`",
        wrong.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_percentage_or_a_fraction() {
        assert_eq!(
            ["5%", " 5 % ", "0.05", "2.5%"].map(|t| share(t).unwrap()),
            [0.05, 0.05, 0.05, 0.025]
        );
        for text in ["5", "0%", "100%", "-1%", "NaN", "a lot", ""] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_whole_number_is_explained() {
        assert_eq!(whole::<u32>("12"), Ok(12));
        for text in ["x", "-1", "1.5", ""] {
            assert_eq!(whole::<u32>(text), Err("expected a whole number, 0 or above".into()));
        }
        assert_eq!(whole::<u32>("4294967296"), Err("the number is too large".into()));
    }

    #[test]
    fn further_blocks_have_a_sign() {
        assert_eq!((more_blocks("+5"), more_blocks("+1000")), (Ok(5), Ok(1000)));
        for text in ["5", "+0", "-5", "++5", "+1001", "+", "+2.5", ""] {
            assert!(more_blocks(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_has_a_unit_and_is_not_nothing() {
        assert_eq!((duration_s("2h"), duration_s("1h 30m")), (Ok(7200), Ok(5400)));
        for text in ["2", "0s", "10ms", "-1h", "soon"] {
            assert!(duration_s(text).is_err(), "{text}");
        }
    }

    #[test]
    fn commas_separate_targets_only_outside_brackets() {
        let texts = ["ext4[noatime,discard],fast=xfs", "dir:/a,b", "slow=dir:/c,d"];
        let read = candidates(&texts.map(String::from)).unwrap();
        let labels: Vec<_> = read.targets.iter().map(ToString::to_string).collect();
        assert_eq!(labels, ["ext4[discard,noatime]", "xfs", "dir:/a,b", "dir:/c,d"]);
        let labels = model::target::label_targets(&read.targets, &read.names);
        assert_eq!(labels, ["ext4[discard,noatime]", "fast", "dir:/a,b", "slow"]);
        let folder = candidates(&["/tmp".into()]).unwrap_err();
        assert_eq!(folder, "`/tmp` is a directory; to measure in it, write dir:/tmp");
        let twice = candidates(&["a=xfs,a=ext4".into()]).unwrap_err();
        assert_eq!(twice, "both xfs and ext4 are named a; choose different names");
    }
}
