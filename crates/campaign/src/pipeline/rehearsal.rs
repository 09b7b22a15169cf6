//! Rehearses every target of this machine before anything is written for it, so that a plan whose options are wrong is
//! refused with the messages of the tools, and not after minutes of writing images.

use crate::{
    messages::{Notes, refusal},
    sizes::{free, space},
    stages::{Amount, Placed, images, place::TargetPlace},
};
use anyhow::Result;
use fs::ResolvedTarget;
use lab::{error::LabError, setup::Lab};
use model::text::Bytes;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// Failure of a rehearsed target.
#[derive(Clone, Debug, PartialEq)]
enum Failed {
    /// It can be made without its options: the plan is wrong.
    Plan(String),
    /// It cannot be made here at all.
    Machine(String),
}

/// Treatment of a target whose options are wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The plan is refused.
    Refuse,
    /// It is left out: a variant of a search, which the user did not write.
    LeaveOut,
}

/// Makes and mounts every target of this machine once, on sparse files. A target that this machine cannot make at all
/// is left out, like one that lacks a program: then the places of all targets are returned.
///
/// # Errors
/// Options of a target are wrong and the plan is refused, nothing is left to measure, no sparse file can be made, or a
/// signal asked to stop.
pub fn rehearse_all(
    placed: &Placed,
    wrong: Wrong,
    (state, stop): (&Path, &AtomicBool),
    notes: Notes<'_>,
) -> Result<Option<Vec<TargetPlace>>> {
    let failed = rehearse(placed, (state, stop), notes)?;
    if wrong == Wrong::Refuse {
        refuse_wrong(&failed)?;
    }
    Ok(leave_out(placed, &failed))
}

fn refuse_wrong(failed: &BTreeMap<String, Failed>) -> Result<()> {
    let wrong = failed.iter().filter_map(|(target, failed)| match failed {
        Failed::Plan(why) => Some(format!("`{target}` cannot be created: {why}")),
        Failed::Machine(_) => None,
    });
    let wrong: Vec<String> = wrong.collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(refusal::usage(format!(
            "{}; correct its options (nothing was written)",
            wrong.join("; ")
        ))),
    }
}

/// The places of all targets where some `failed`.
fn leave_out(placed: &Placed, failed: &BTreeMap<String, Failed>) -> Option<Vec<TargetPlace>> {
    if failed.is_empty() {
        return None;
    }
    let of = |target: &ResolvedTarget| {
        let own = placed.entrants.iter().find(|entrant| entrant.target == *target);
        let place = own.map_or(TargetPlace::Host, |own| own.place.clone());
        match failed.get(&target.to_string()) {
            Some(Failed::Plan(why) | Failed::Machine(why)) => TargetPlace::Nowhere(why.clone()),
            None => place,
        }
    };
    Some(placed.targets.iter().map(of).collect())
}

/// The targets that failed, by their names.
fn rehearse(
    placed: &Placed,
    (state, stop): (&Path, &AtomicBool),
    notes: Notes<'_>,
) -> Result<BTreeMap<String, Failed>> {
    let targets = rehearsed(placed);
    if targets.is_empty() {
        return Ok(BTreeMap::new());
    }
    let lab = Lab::open(state, &format!("rehearsal-{}", std::process::id()))?;
    lab.messages().iter().for_each(|line| notes(line));
    let stage = Stage { lab: &lab, dir: dir(placed, state), size: size(placed, state)? };
    let mut failed = BTreeMap::new();
    for target in targets {
        let tried = stage.lab.rehearse(target, &stage.dir, stage.size);
        if stop.load(Ordering::Relaxed) {
            lab.close()?;
            return Err(refusal::stopped("stopped; everything was cleaned up"));
        }
        match tried {
            Ok(()) => {}
            // An error of the sparse file or its folder, which affects every target.
            Err(error @ LabError::Disk(disk::Error::Io { .. })) => return Err(error.into()),
            Err(error) => drop(failed.insert(target.to_string(), stage.judged(target, &error))),
        }
    }
    lab.close()?;
    Ok(failed)
}

/// The targets to rehearse, each once.
fn rehearsed(placed: &Placed) -> Vec<&ResolvedTarget> {
    let mut targets = Vec::new();
    for entrant in placed.entrants.iter().filter(|own| matches!(own.place, TargetPlace::Host)) {
        let target = &entrant.target;
        if !targets.contains(&target) && target.unrehearsed().is_none() {
            targets.push(target);
        }
    }
    targets
}

/// The place where targets are rehearsed.
struct Stage<'a> {
    lab: &'a Lab,
    dir: PathBuf,
    size: Bytes,
}

impl Stage<'_> {
    /// Returns whether `error` is due to the options of `target` or to this machine.
    fn judged(&self, target: &ResolvedTarget, error: &LabError) -> Failed {
        match target.bare() {
            Ok(bare)
                if bare != *target && self.lab.rehearse(&bare, &self.dir, self.size).is_ok() =>
            {
                Failed::Plan(error.to_string())
            }
            _ => Failed::Machine(error.to_string()),
        }
    }
}

/// The folder of the campaign's images, whose disk determines their sector size.
fn dir(placed: &Placed, state: &Path) -> PathBuf {
    match placed.plan.backing.devices.is_empty() && placed.needs_image() {
        true => images::work_dir(placed, state),
        false => state.into(),
    }
}

/// The size of the image or disk for the targets of the campaign.
fn size(placed: &Placed, state: &Path) -> Result<Bytes> {
    if placed.plan.backing.devices.is_empty() {
        return space::image_size(placed, &Amount::scaled(placed.amount().scale));
    }
    free::room(placed, &images::work_dir(placed, state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{messages::Refusal, testing};
    use model::plan::Plan;

    fn placed(targets: &[&str]) -> Placed {
        let targets = targets.iter().map(|target| target.parse().unwrap()).collect();
        let plan = Plan { targets, suites: vec!["null".into()], ..Plan::default() };
        testing::placed(plan)
    }

    #[test]
    fn slow_or_remote_targets_are_not_rehearsed() {
        let placed = placed(&["dir:/tmp", "ext4", "zfs", "ext4[noatime]"]);
        let names: Vec<String> = rehearsed(&placed).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["ext4", "ext4[noatime]"]);
    }

    #[test]
    fn wrong_options_are_refused_and_unavailable_targets_left_out() {
        let wrong =
            BTreeMap::from([("xfs[agcount=x]".into(), Failed::Plan("Invalid value".into()))]);
        let refused = refuse_wrong(&wrong).unwrap_err();
        assert!(matches!(refused.downcast_ref(), Some(Refusal::Usage(_))), "{refused}");
        let lacking =
            || BTreeMap::from([("ext4".into(), Failed::Machine("no such device".into()))]);
        refuse_wrong(&lacking()).unwrap();
        let mut placed = placed(&["ext4", "dir:/tmp"]);
        let places = leave_out(&placed, &lacking()).unwrap();
        placed.settle(places).unwrap();
        assert_eq!(placed.entrants[0].place.nowhere(), Some("no such device"));
        assert_eq!(placed.available().collect::<Vec<_>>(), [1]);
    }
}
