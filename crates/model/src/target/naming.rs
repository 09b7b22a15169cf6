//! Names of a campaign and its candidates: short words instead of ids and long targets.

use crate::{
    target::Target,
    text::{Name, NameKind},
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

/// Names of candidates, each with the target that it stands for.
pub type TargetNames = BTreeMap<String, Target>;

/// What no campaign can be called: it means the newest one.
pub const LAST: &str = "last";

/// A candidate as written: `fast=dir:/mnt/a`, or the target alone. No target has a `=` behind its first word, so that
/// the two cannot be taken for one another.
pub fn split_name(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    match text.split_once('=') {
        Some((name, target)) if !name.is_empty() && name.chars().all(is_of_name) => {
            (Some(name), target)
        }
        _ => (None, text),
    }
}

/// A label for each target: its name, else its text, with `#2`, `#3` added where the same target is entered again,
/// so that a file system can be compared with itself.
pub fn label_targets(targets: &[Target], names: &TargetNames) -> Vec<String> {
    let named: HashMap<&Target, &String> =
        names.iter().map(|(name, target)| (target, name)).collect();
    let mut entered = HashMap::<&Target, usize>::new();
    let label = |target| {
        let times = entered.entry(target).or_default();
        *times += 1;
        let text = named.get(target).map_or_else(|| target.to_string(), |name| (*name).clone());
        if *times == 1 { text } else { format!("{text}#{times}") }
    };
    targets.iter().map(label).collect()
}

/// A name or a tag that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamingError {
    /// It breaks the rule of its kind; says how.
    Rule(String),
    /// A campaign cannot be called so.
    Reserved(String),
    /// A name stands for a target that is no candidate.
    NoCandidate(String, String),
    /// Two names stand for one target.
    Twice(String, [String; 2]),
    /// A name is the text of another candidate.
    Taken(String),
}

impl fmt::Display for NamingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamingError::Rule(why) => f.write_str(why),
            NamingError::Reserved(name) => {
                write!(f, "{name} is reserved for the newest campaign; use another name")
            }
            NamingError::NoCandidate(name, target) => {
                write!(f, "{name} is the name of {target}, which is not a candidate")
            }
            NamingError::Twice(target, [a, b]) => write!(
                f,
                "{target} is named both {a} and {b}; use one name (to measure it twice, use --aa)"
            ),
            NamingError::Taken(name) => {
                write!(f, "{name} is another candidate; choose another name")
            }
        }
    }
}

/// Checks the name and the tags of a campaign.
pub(crate) fn check_campaign(
    name: Option<&String>,
    tags: &BTreeMap<String, String>,
) -> Result<(), NamingError> {
    name.into_iter().chain(tags.keys()).try_for_each(|name| rule(NameKind::Id, name))?;
    tags.values().try_for_each(|value| rule(NameKind::Label, value))?;
    match name.filter(|name| *name == LAST) {
        Some(name) => Err(NamingError::Reserved(name.clone())),
        None => Ok(()),
    }
}

/// Checks the names of candidates.
pub(crate) fn check_targets(targets: &[Target], names: &TargetNames) -> Result<(), NamingError> {
    let mut named = HashMap::<&Target, &String>::new();
    for (name, target) in names {
        rule(NameKind::Id, name)?;
        if !targets.contains(target) {
            return Err(NamingError::NoCandidate(name.clone(), target.to_string()));
        }
        if targets.iter().any(|other| other != target && other.to_string() == *name) {
            return Err(NamingError::Taken(name.clone()));
        }
        if let Some(other) = named.insert(target, name) {
            return Err(NamingError::Twice(target.to_string(), [other.clone(), name.clone()]));
        }
    }
    Ok(())
}

fn rule(kind: NameKind, text: &str) -> Result<(), NamingError> {
    Name::new(kind, text).map(drop).map_err(|why| NamingError::Rule(why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::parse::tests::target;
    use proptest::prelude::*;

    fn names(pairs: &[(&str, &str)]) -> TargetNames {
        pairs.iter().map(|(name, target)| (name.to_string(), target.parse().unwrap())).collect()
    }

    #[test]
    fn a_target_entered_twice_gets_two_labels() {
        let xfs = Target::named("xfs");
        let three = [xfs.clone(), Target::named("ext4"), xfs];
        assert_eq!(label_targets(&three, &TargetNames::new()), ["xfs", "ext4", "xfs#2"]);
        assert_eq!(label_targets(&three, &names(&[("fast", "xfs")])), ["fast", "ext4", "fast#2"]);
        // As many as a plan of 1 MiB can hold.
        let labels = label_targets(&vec![Target::named("xfs"); 150_000], &TargetNames::new());
        assert_eq!(labels[149_999], "xfs#150000");
    }

    #[test]
    fn name_is_before_the_first_equals_sign() {
        for (text, parts) in [
            ("fast=dir:/mnt/a=b,c", (Some("fast"), "dir:/mnt/a=b,c")),
            ("a.1=nfs[vers=4.2](ext4)", (Some("a.1"), "nfs[vers=4.2](ext4)")),
            ("nfs[vers=4.2](ext4)", (None, "nfs[vers=4.2](ext4)")),
            ("dir:/a=b", (None, "dir:/a=b")),
            ("xfs", (None, "xfs")),
            ("=xfs", (None, "=xfs")),
        ] {
            assert_eq!(split_name(text), parts);
        }
    }

    #[test]
    fn names_that_cannot_be_are_refused() {
        let targets = [Target::named("xfs"), Target::named("ext4")];
        let check = |pairs: &[(&str, &str)]| check_targets(&targets, &names(pairs));
        let refused = |pairs: &[(&str, &str)]| check(pairs).unwrap_err().to_string();
        assert_eq!(check(&[("fast", "xfs"), ("slow", "ext4")]), Ok(()));
        assert!(refused(&[("fast", "jfs")]).contains("not a candidate"));
        assert!(refused(&[("a", "xfs"), ("b", "xfs")]).contains("xfs is named both a and b"));
        assert!(refused(&[("ext4", "xfs")]).contains("another candidate"));
        assert!(refused(&[("a b", "xfs")]).contains("ids consist"));
        let last = check_campaign(Some(&"last".into()), &BTreeMap::new());
        assert!(last.unwrap_err().to_string().contains("newest"));
    }

    proptest! {
        #[test]
        fn no_target_is_taken_for_a_name(target in target()) {
            let text = target.to_string();
            prop_assert_eq!(split_name(&text), (None, &*text));
            let named = format!("fast={text}");
            prop_assert_eq!(split_name(&named), (Some("fast"), &*text));
        }
    }
}
