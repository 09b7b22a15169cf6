//! Generates variants: the default with one setting changed, or several.

use crate::exit;
use anyhow::Result;
use fs::{FileSystem, Layer, TrialSetting};
use model::{
    target::{Options, Target},
    text::did_you_mean,
};
use std::collections::BTreeSet;

/// The default with some settings changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// What is changed.
    pub trials: Vec<TrialSetting>,
    /// The default with these changes.
    pub target: Target,
}

impl Variant {
    /// What a crash or a bad disk may cost with it, a sentence for each change that costs something.
    pub fn risks(&self) -> impl Iterator<Item = &'static str> {
        self.trials.iter().map(|trial| trial.risk).filter(|risk| !risk.is_empty())
    }

    /// With `trial` added; `None` where that is settled already or cannot be.
    fn with(&self, trial: TrialSetting) -> Option<Variant> {
        let (_, name, options) = made(&self.target).ok()?;
        let (name, kernel) = (name.into(), self.target.kernel().cloned());
        let target = Target::Made { name, options: trial.on(options)?, inner: None, kernel };
        fs::resolve(&target).ok()?;
        let trials = self.trials.iter().copied().chain([trial]).collect();
        Some(Variant { trials, target })
    }
}

/// Which variants are asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Settings or keys to try; empty means all.
    pub only: Vec<String>,
    /// Also those that give up a promise of the file system.
    pub risky: bool,
}

/// Every variant of `default` that changes one setting, the most promising first. One that may lose synced
/// data is none, unless the default does: nothing could be said for it.
///
/// # Errors
/// The target has no settings to try, or `wanted` names none of them.
pub fn field(default: &Target, wanted: &Wanted) -> Result<Vec<Variant>> {
    let (fs, name, _) = made(default)?;
    let trials = fs.about().trials;
    if trials.is_empty() {
        return Err(exit::usage(format!(
            "{name} has no settings to tune; choose one of {}",
            tunable().join(", ")
        )));
    }
    let named = |trial: &TrialSetting, name: &str| trial.key == name || trial.setting() == name;
    if let Some(unknown) = wanted.only.iter().find(|n| !trials.iter().any(|t| named(t, n))) {
        let known: BTreeSet<String> = trials.iter().map(TrialSetting::setting).collect();
        let meant = did_you_mean(unknown, known.iter().map(String::as_str));
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(exit::usage(format!(
            "{name} has no setting `{unknown}`{meant} (settings: {known})"
        )));
    }
    let plain = Variant { trials: Vec::new(), target: default.clone() };
    let asked =
        |t: &&TrialSetting| wanted.only.is_empty() || wanted.only.iter().any(|n| named(t, n));
    let allowed = |t: &&TrialSetting| wanted.risky || t.risk.is_empty();
    let field: Vec<Variant> = trials
        .iter()
        .filter(asked)
        .filter(allowed)
        .filter_map(|trial| plain.with(*trial))
        .filter(|variant| loses(default) || !loses(&variant.target))
        .collect();
    if field.is_empty() {
        return Err(exit::usage(format!(
            "no settings of {default} are left to try; remove options from --on, or add \
             --allow-unsafe (settings that may lose synced data are never tried)"
        )));
    }
    Ok(field)
}

/// Every change of `best` that goes with those before it, in one variant; `None` when that is only
/// one change.
pub fn combined(default: &Target, best: &[Variant]) -> Option<Variant> {
    let plain = Variant { trials: Vec::new(), target: default.clone() };
    let changes = best.iter().flat_map(|variant| &variant.trials);
    let all = changes.fold(plain, |sum, trial| sum.with(*trial).unwrap_or(sum));
    (all.trials.len() > 1).then_some(all)
}

/// The file system of a target that is made, with its name and options; of one that is on another
/// by default, its own.
fn made(target: &Target) -> Result<(&'static dyn FileSystem, &str, &Options)> {
    let usage = |error: fs::Error| exit::usage(error.to_string());
    fs::resolve(target).map_err(usage)?;
    match target {
        Target::Made { name, options, inner: None, .. } => {
            Ok((fs::find(name).map_err(usage)?, name, options))
        }
        _ => Err(exit::usage(format!(
            "{target} has no options of its own to tune; choose one of {}",
            tunable().join(", ")
        ))),
    }
}

/// Whether its own options give up what is synced to it.
fn loses(target: &Target) -> bool {
    match target {
        Target::Made { name, options, .. } => Layer::written(name, options).loss().is_some(),
        Target::Dir(_) => false,
    }
}

fn tunable() -> Vec<&'static str> {
    fs::ALL.iter().filter(|fs| !fs.about().trials.is_empty()).map(|fs| fs.about().name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(target: &str, risky: bool) -> Vec<String> {
        let wanted = Wanted { risky, ..Wanted::default() };
        let field = field(&target.parse().unwrap(), &wanted).unwrap();
        field.iter().map(|v| v.target.to_string()).collect()
    }

    fn refusal(target: &str, only: &[&str]) -> String {
        let only = only.iter().map(ToString::to_string).collect();
        let wanted = Wanted { only, ..Wanted::default() };
        field(&target.parse().unwrap(), &wanted).unwrap_err().to_string()
    }

    #[test]
    fn options_of_the_default_are_kept_and_not_tried() {
        let variants = all("xfs[noatime]", false);
        assert!(variants.contains(&"xfs[logbsize=256k,noatime]".to_string()), "{variants:?}");
        assert!(variants.iter().all(|v| v.contains("noatime") && *v != "xfs[noatime]"));
    }

    #[test]
    fn all_variants_have_the_kernel_of_the_default() {
        let variants = all("xfs@6.12", false);
        assert!(variants.contains(&"xfs[logbsize=256k]@6.12".to_string()), "{variants:?}");
        assert!(variants.iter().all(|variant| variant.ends_with("@6.12")), "{variants:?}");
    }

    #[test]
    fn promises_are_given_up_only_when_that_is_allowed() {
        for (fs, risky) in [("ext4", "commit=60"), ("btrfs", "nodatacow")] {
            let target = format!("{fs}[{risky}]");
            assert!(!all(fs, false).contains(&target) && all(fs, true).contains(&target));
        }
        let wanted = Wanted { risky: true, ..Wanted::default() };
        let field = field(&"ext4".parse().unwrap(), &wanted).unwrap();
        let commit = field.iter().find(|v| v.target.to_string() == "ext4[commit=60]").unwrap();
        assert_eq!(commit.risks().count(), 1);
    }

    #[test]
    fn what_loses_synced_data_is_not_tried_where_the_default_keeps_it() {
        for (default, loses) in
            [("ext4", "barrier=0"), ("zfs", "sync=disabled"), ("f2fs", "fsync_mode=nobarrier")]
        {
            let target = format!("{default}[{loses}]");
            assert!(!all(default, true).contains(&target), "{target}");
        }
        assert!(refusal("ext4", &["barrier"]).contains("may lose synced data are never tried"));
        assert!(all("ext4[barrier=0]", false).contains(&"ext4[barrier=0,noatime]".to_string()));
    }

    #[test]
    fn what_cannot_be_together_is_left_out() {
        let variants = all("ext4[mkfs.O=^has_journal]", true);
        assert!(variants.iter().any(|v| v == "ext4[mkfs.O=\"^has_journal,bigalloc\"]"));
        assert!(!variants.iter().any(|v| v.contains("data=") || v.contains("fast_commit")));
    }

    #[test]
    fn changes_that_go_together_are_combined() {
        let default: Target = "btrfs".parse().unwrap();
        let wanted = Wanted { risky: true, ..Wanted::default() };
        let field = field(&default, &wanted).unwrap();
        let pick =
            |text: &str| field.iter().find(|v| v.target.to_string() == text).cloned().unwrap();
        let best = ["btrfs[nodatacow]", "btrfs[compress=lzo]", "btrfs[noatime]"].map(pick);
        let sum = combined(&default, &best).unwrap();
        assert_eq!(sum.target.to_string(), "btrfs[noatime,nodatacow]");
        assert_eq!(combined(&default, &best[..2]), None);
        let metadata = ["btrfs[mkfs.nodesize=4096]", "btrfs[mkfs.nodesize=65536]"].map(pick);
        assert_eq!(combined(&default, &metadata), None);
    }

    #[test]
    fn invalid_requests_are_reported() {
        assert!(refusal("null", &[]).contains("choose one of ext4, xfs, btrfs"));
        assert!(refusal("dir:/tmp", &[]).contains("no options of its own"));
        let unknown = refusal("xfs", &["logsize"]);
        assert!(unknown.contains("no setting `logsize`") && unknown.contains("mkfs.d=agcount"));
        assert!(refusal("ext4", &["barrier"]).contains("--allow-unsafe"));
    }
}
