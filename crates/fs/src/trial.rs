//! Settings that are worth a try on a file system, and settings that exclude each other. Both are
//! data of the file system, so that a search knows what is possible before anything is made.
//!
//! The value of an mkfs flag may be a list of parts (`reflink=0,rmapbt=1`, `bigalloc,^has_journal`);
//! two trials on different parts of one flag are joined by a comma.

use model::target::{Knob, KnobError, Options};

/// One value of one setting, to be tried instead of the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialSetting {
    /// Key as in a target: a mount option, or `mkfs.X`.
    pub key: &'static str,
    /// Value, or the part of the list that an mkfs flag takes.
    pub value: &'static str,
    /// The loss that a crash or a bad disk may cause with it and not without; empty if none.
    pub risk: &'static str,
}

/// A trial that changes no promise of the file system.
pub(crate) const fn safe(key: &'static str, value: &'static str) -> TrialSetting {
    TrialSetting { key, value, risk: "" }
}

/// A trial that weakens a guarantee.
pub(crate) const fn risky(
    key: &'static str,
    value: &'static str,
    risk: &'static str,
) -> TrialSetting {
    TrialSetting { key, value, risk }
}

impl TrialSetting {
    /// The setting that it is a value of: the key, with the name of the part where it has one.
    pub fn setting(&self) -> String {
        match part_name(self.key, self.value) {
            Some(name) => format!("{}={name}", self.key),
            None => self.key.into(),
        }
    }

    /// `options` with it; `None` where they settle the same already.
    pub fn on(&self, options: &Options) -> Option<Options> {
        with_part(options, self.key, self.value)
    }
}

/// `options` with `key=value`, which joins the list of a flag that is given already; `None` where
/// they settle the same already.
pub fn with_part(options: &Options, key: &str, value: &str) -> Option<Options> {
    let mut options = options.clone();
    let Some(given) = options.get_mut(key) else {
        options.insert(key.into(), value.into());
        return Some(options);
    };
    let name = part_name(key, value)?;
    if given.split(',').any(|part| part_name(key, part) == Some(name)) {
        return None;
    }
    *given = format!("{given},{value}");
    Some(options)
}

/// The name inside one part of a list: `rmapbt` of `rmapbt=1`, `has_journal` of `^has_journal`.
/// `None` if the value is not a list, as in `mkfs.I=512` and every mount option.
pub(crate) fn part_name<'v>(key: &str, value: &'v str) -> Option<&'v str> {
    let list =
        key.starts_with("mkfs.") && (value.contains('=') || ["mkfs.O", "mkfs.R"].contains(&key));
    list.then(|| value.split('=').next().unwrap_or(value).trim_start_matches('^'))
}

/// Two settings that cannot be together, each a pattern:
///
/// ```text
/// key            it is given, whatever its value        !pattern   it is not so
/// key=value      it has this value
/// key:part       its list has this part; `key:name=` for any value of the part
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The one.
    pub one: &'static str,
    /// The other.
    pub other: &'static str,
    /// The reason and what to do, after `TARGET cannot be made: `.
    pub why: &'static str,
}

/// An exclusion, in a table.
pub(crate) const fn not_both(
    one: &'static str,
    other: &'static str,
    why: &'static str,
) -> Exclusion {
    Exclusion { one, other, why }
}

/// Why `options` cannot be, when two of them exclude each other.
pub(crate) fn excluded(exclusions: &[Exclusion], options: &Options) -> Option<&'static str> {
    let both = |e: &&Exclusion| holds(e.one, options) && holds(e.other, options);
    exclusions.iter().find(both).map(|e| e.why)
}

fn holds(pattern: &str, options: &Options) -> bool {
    if let Some(inner) = pattern.strip_prefix('!') {
        return !holds(inner, options);
    }
    if let Some((key, wanted)) = pattern.split_once(':') {
        let fits = |part: &str| part == wanted || wanted.ends_with('=') && part.starts_with(wanted);
        return options.get(key).is_some_and(|value| value.split(',').any(fits));
    }
    match pattern.split_once('=') {
        Some((key, value)) => options.get(key).is_some_and(|given| given == value),
        None => options.contains_key(pattern),
    }
}

/// Checks the parts of mkfs flags against the knobs that describe them, as `mkfs.m=rmapbt`.
pub(crate) fn check_parts(owner: &str, knobs: &[Knob], options: &Options) -> Result<(), KnobError> {
    let parts = options.iter().flat_map(|(key, value)| value.split(',').map(move |p| (key, p)));
    for (key, (name, value)) in parts.filter_map(|(key, p)| Some((key, p.split_once('=')?))) {
        let name = format!("{key}={name}");
        let Some(knob) = knobs.iter().find(|knob| knob.name == name) else { continue };
        if !knob.range.is_empty() && !knob.range.contains(&value) {
            return Err(KnobError::Value {
                owner: owner.into(),
                key: name,
                value: value.into(),
                allowed: knob.range.join(", "),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, resolve};
    use model::target::Target;

    fn options(target: &str) -> Options {
        match target.parse().unwrap() {
            Target::Made { options, .. } => options,
            Target::Dir(_) => panic!("{target} is a directory"),
        }
    }

    #[test]
    fn trials_are_joined_by_part_and_refused_where_the_setting_is_settled() {
        let rmapbt = safe("mkfs.m", "rmapbt=1");
        let joined = |base: &str| rmapbt.on(&options(base)).map(|o| o["mkfs.m"].clone());
        assert_eq!(joined("xfs").as_deref(), Some("rmapbt=1"));
        assert_eq!(joined("xfs[mkfs.m=reflink=0]").as_deref(), Some("reflink=0,rmapbt=1"));
        assert_eq!(joined("xfs[mkfs.m=rmapbt=0]"), None);
        let bigalloc = safe("mkfs.O", "bigalloc");
        assert!(bigalloc.on(&options("ext4[mkfs.O=^has_journal]")).is_some());
        assert_eq!(bigalloc.on(&options("ext4[mkfs.O=^bigalloc]")), None);
        assert_eq!(safe("mkfs.I", "512").on(&options("ext4[mkfs.I=1024]")), None);
        assert_eq!(safe("logbsize", "256k").on(&options("xfs[logbsize=32k]")), None);
    }

    #[test]
    fn settings_are_named_by_key_and_part() {
        assert_eq!(safe("mkfs.m", "rmapbt=1").setting(), "mkfs.m=rmapbt");
        assert_eq!(safe("mkfs.O", "^has_journal").setting(), "mkfs.O=has_journal");
        assert_eq!(safe("mkfs.nodesize", "4k").setting(), "mkfs.nodesize");
        assert_eq!(safe("noatime", "").setting(), "noatime");
    }

    #[test]
    fn patterns_see_keys_values_parts_and_absence() {
        let given = options(r#"xfs[noatime,logbsize=64k,mkfs.m="crc=0,reflink=1"]"#);
        for pattern in
            ["noatime", "logbsize=64k", "mkfs.m:crc=0", "mkfs.m:reflink=", "!lazytime", "mkfs.m"]
        {
            assert!(holds(pattern, &given), "{pattern}");
            assert!(!holds(&format!("!{pattern}"), &given), "{pattern}");
        }
        for pattern in ["logbsize=32k", "mkfs.m:crc=1", "mkfs.m:rmapbt=", "mkfs.d:crc=0"] {
            assert!(!holds(pattern, &given), "{pattern}");
        }
    }

    #[test]
    fn every_trial_is_allowed_alone_and_once() {
        for fs in ALL {
            for (i, trial) in fs.about().trials.iter().enumerate() {
                let options = trial.on(&Options::new()).unwrap();
                let name = fs.about().name.into();
                let target = Target::Made { name, options, inner: None, kernel: None };
                assert!(resolve(&target).is_ok(), "{target}");
                assert!(!fs.about().trials[..i].contains(trial), "{target} stands twice");
            }
        }
    }

    #[test]
    fn every_exclusion_has_an_example() {
        for fs in ALL {
            for exclusion in fs.about().exclusions {
                let mut options = Options::new();
                let given = [exclusion.one, exclusion.other];
                for pattern in given.into_iter().filter(|pattern| !pattern.starts_with('!')) {
                    let Some((key, value)) = pattern.split_once([':', '=']) else {
                        options.insert(pattern.into(), String::new());
                        continue;
                    };
                    let value =
                        if value.ends_with('=') { format!("{value}1") } else { value.into() };
                    let given = options.entry(key.into()).or_default();
                    *given = if given.is_empty() { value } else { format!("{given},{value}") };
                }
                assert!(excluded(&[*exclusion], &options).is_some(), "{exclusion:?}");
            }
        }
    }
}
