//! Options of a target, as a file system reads them, and the knobs that several file systems have.
//!
//! One rule reads them: `mkfs.X=V` becomes the mkfs flag `-X V` (`--X V` when X
//! is longer than a letter), `o.X=V` becomes the mount option `X=V` unchecked, `cap.X=V` is imposed on
//! the device by the lab, and every other key is a mount option that must be one of the file system's
//! knobs. Short names, such as `agcount`, are spelled out before (`resolve::short_names`).

use crate::{Cmd, Exclusion, cap::is_cap, trial::not_both};
use model::target::{Knob, Options};
use std::path::Path;

/// The prefix of options for mkfs.
pub(crate) const MKFS: &str = "mkfs.";
/// The prefix of mount options that no knob describes.
pub const OTHER: &str = "o.";

/// Value of the mkfs flag `flag`, where the target carries it.
pub(crate) fn mkfs_value<'a>(options: &'a Options, flag: &str) -> Option<&'a str> {
    options.get(&format!("{MKFS}{flag}")).map(String::as_str)
}

/// The mkfs flags of a target, without those in `merged`, which the file system places itself.
pub(crate) fn mkfs_flags(options: &Options, merged: &[&str]) -> Vec<String> {
    let mut flags = Vec::new();
    for (key, value) in options {
        let Some(flag) = key.strip_prefix(MKFS).filter(|flag| !merged.contains(flag)) else {
            continue;
        };
        flags.push(if flag.chars().count() == 1 {
            format!("-{flag}")
        } else {
            format!("--{flag}")
        });
        if !value.is_empty() {
            flags.push(value.clone());
        }
    }
    flags
}

/// The mount options of a target after `defaults`, joined by commas; `None` when there are none.
pub(crate) fn mount_options(options: &Options, defaults: &[&str]) -> Option<String> {
    let own = |key: &str| !key.starts_with(MKFS) && !is_cap(key);
    let asked = options.iter().filter(|(key, _)| own(key)).map(|(key, value)| {
        let key = key.strip_prefix(OTHER).unwrap_or(key);
        if value.is_empty() { key.to_string() } else { format!("{key}={value}") }
    });
    let all: Vec<String> = defaults.iter().map(|d| d.to_string()).chain(asked).collect();
    (!all.is_empty()).then(|| all.join(","))
}

/// Returns `nodiscard` if the target sets no discard option, so that no candidate discards by default while others
/// do not.
pub(crate) fn no_discard(options: &Options) -> &'static [&'static str] {
    let said = options.contains_key("discard") || options.contains_key("nodiscard");
    if said { &[] } else { &["nodiscard"] }
}

/// `mount -t KIND [-o OPTIONS] SOURCE DIR`.
pub(crate) fn mount_command(
    kind: &str,
    source: &Path,
    dir: &Path,
    options: Option<String>,
) -> Vec<Cmd> {
    let mut cmd = Cmd::new("mount").args(["-t", kind]);
    if let Some(options) = options {
        cmd = cmd.args(["-o", &options]);
    }
    vec![cmd.arg(source).arg(dir)]
}

/// The options `keys` of a target as long options of a program: `--key=value`, or `--key`.
pub(crate) fn long_options(options: &Options, keys: &[&str]) -> Vec<String> {
    let given = keys.iter().filter_map(|key| Some((key, options.get(*key)?)));
    given
        .map(|(key, value)| match &**value {
            "" => format!("--{key}"),
            value => format!("--{key}={value}"),
        })
        .collect()
}

/// The lines `KEY: VALUE` of `output` whose key is in `kept`, under the names given there.
pub(crate) fn kept_lines(output: &str, kept: &[(&str, &str)]) -> Vec<(String, String)> {
    let lines = output.lines().filter_map(|line| line.split_once(':'));
    lines
        .filter_map(|(key, value)| {
            let (_, name) = kept.iter().find(|(kept, _)| *kept == key.trim())?;
            Some((name.to_string(), value.trim().to_string()))
        })
        .collect()
}

/// A knob for a mount option without a value.
pub(crate) const fn flag(name: &'static str, help: &'static str) -> Knob {
    Knob { name, unit: "", help, default: "not given", range: &[""] }
}

/// A knob for a mount option with a value.
pub(crate) const fn value(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    default: &'static str,
    range: &'static [&'static str],
) -> Knob {
    Knob { name, unit, help, default, range }
}

pub(crate) const NOATIME: Knob = flag("noatime", "never update access times");
pub(crate) const STRICTATIME: Knob = flag("strictatime", "update access times at every read");
pub(crate) const LAZYTIME: Knob = flag(
    "lazytime",
    "keep timestamp updates in memory until the inode is written for another reason",
);
pub(crate) const DISCARD: Knob = flag("discard", "discard blocks as they are freed");
pub(crate) const NODISCARD: Knob = flag("nodiscard", "never discard freed blocks");
pub(crate) const BOTH_ATIMES: Exclusion =
    not_both("noatime", "strictatime", "noatime and strictatime contradict each other; drop one");
/// The reaction of a file system to damage, which no measured one has. The third value of most stops
/// the machine.
pub(crate) const ERRORS: Knob =
    value("errors", "", "reaction to errors", "set by mkfs", &["continue", "remount-ro"]);
/// Why what a crash leaves is not asked about.
pub(crate) const FRESH: &str = "for recovery after a crash, and a fresh file system has nothing \
                                to recover; omit it";
/// The group of a new file.
pub(crate) const GRPID: Knob = flag("grpid", "new files get the group of their directory");
pub(crate) const ANY_MKFS: Knob = value(
    "mkfs.*",
    "",
    "any mkfs flag: mkfs.X=V becomes -X V, or --X V for a long name; sub-options as mkfs.X=PART=V",
    "",
    &[],
);
pub(crate) const ANY_MOUNT: Knob =
    value("o.*", "", "any other mount option, unchecked: o.X=V becomes X=V", "", &[]);

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> Options {
        pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    }

    #[test]
    fn mkfs_flags_are_short_or_long() {
        let given =
            options(&[("mkfs.K", ""), ("mkfs.csum", "xxhash"), ("mkfs.m", "dup"), ("ssd", "")]);
        assert_eq!(mkfs_flags(&given, &[]), ["-K", "--csum", "xxhash", "-m", "dup"]);
        assert_eq!(mkfs_flags(&given, &["m", "K"]), ["--csum", "xxhash"]);
    }

    #[test]
    fn mount_options_follow_the_defaults() {
        let given =
            options(&[("noatime", ""), ("o.commit", "5"), ("mkfs.K", ""), ("cap.read_iops", "9")]);
        assert_eq!(
            mount_options(&given, &["nodiscard"]).as_deref(),
            Some("nodiscard,noatime,commit=5")
        );
        assert_eq!(mount_options(&Options::new(), &[]), None);
    }
}
