//! Decides whether candidates are measured side by side or in turn; `model::random::balance` has their order in a
//! block.

use crate::{
    machine::memory,
    messages::{Notes, refusal},
    sizes::{free, range::Range, space},
    stages::{Asked, Ordered, Placed, Resolved, images, shared_device::SharedDevice},
};
use anyhow::Result;
use disk::Device;
use model::{
    plan::{LabChoice, Order, Plan},
    text::Bytes,
};
use std::{collections::BTreeMap, path::Path};

/// Most candidates that run side by side by default: each has its files, and its share of the page cache.
const MOST: usize = 6;
/// Memory that each candidate needs.
const LEAST_MEMORY: Bytes = Bytes(1 << 30);

impl Ordered {
    /// Decides the order where the plan leaves it open: interleaved where there are several candidates that can exist
    /// at once, and disk and memory hold them all.
    ///
    /// # Errors
    /// Free space or memory cannot be determined, or the candidates cannot run side by side as requested.
    pub fn new(mut placed: Placed, state: &Path) -> Result<Ordered> {
        check(&placed)?;
        let asked = placed.plan.order;
        let shared_device = match asked {
            Some(Order::InTurn) => None,
            _ => shared_device(&placed, state)?,
        };
        if let (Some(shared), Some(Order::Interleaved)) = (&shared_device, asked) {
            return Err(refusal::usage(format!(
                "{shared}, so their traffic cannot be told apart side by side; omit --order, or \
                 use --order in-turn"
            )));
        }
        if asked.is_none() {
            let may_be = !is_rebuilt(&placed) && shared_device.is_none();
            placed.resolved.plan.order = Some(Order::Interleaved);
            if !(may_be && fits_side_by_side(&placed, state)?) {
                placed.resolved.plan.order = Some(Order::InTurn);
            }
        }
        Ok(Ordered { placed, shared_device })
    }

    /// Returns the part of a campaign that a guest runs, each test at the process `counts` of its host, which has
    /// checked all of it.
    ///
    /// # Errors
    /// The guest does not know a name that the host knows.
    pub fn in_guest(
        plan: Plan,
        counts: &BTreeMap<String, Vec<u32>>,
        unconfined: bool,
        notes: Notes<'_>,
    ) -> Result<Ordered> {
        let plan = Plan { lab: LabChoice::Host, ..plan };
        let resolved = Resolved::new(Asked::by_user(plan), notes)?.with_counts(counts);
        Ok(Ordered { placed: Placed::in_guest(resolved, unconfined, notes)?, shared_device: None })
    }
}

fn is_rebuilt(placed: &Placed) -> bool {
    placed.entrants.iter().any(|entrant| entrant.target.is_rebuilt())
}

fn has_caps(placed: &Placed) -> bool {
    placed.entrants.iter().any(|entrant| entrant.target.has_caps())
}

/// Refuses an impossible order.
fn check(placed: &Placed) -> Result<()> {
    let asked = placed.plan.order == Some(Order::Interleaved);
    if placed.is_interleaved() && placed.plan.backing.split && has_caps(placed) {
        return Err(refusal::usage(
            "I/O caps apply to the whole disk, so its parts cannot run side by side; use --order in-turn or loop images",
        ));
    }
    if asked && is_rebuilt(placed) {
        return Err(refusal::usage(
            "a resync would continue while other candidates are measured; drop --order, or use --order in-turn",
        ));
    }
    if asked && placed.at_once() < 2 {
        return Err(refusal::usage(
            "the candidates cannot run side by side: there is only one, each has the whole disk, or their guests do not \
             fit into memory together; drop --order, or divide the disk with --split",
        ));
    }
    Ok(())
}

/// Returns the first two candidates of this machine of which one is charged with the traffic of the other: it is a
/// directory, and its device is also that of the other, or below it.
///
/// # Errors
/// A directory cannot be examined.
fn shared_device(placed: &Placed, state: &Path) -> Result<Option<SharedDevice>> {
    let directory = |at: &usize| placed.entrants[*at].target.directory();
    let here: Vec<usize> =
        placed.available().filter(|at| placed.entrants[*at].place.is_of(false)).collect();
    if here.len() < 2 || here.iter().all(|at| directory(at).is_none()) {
        return Ok(None);
    }
    let images = match placed.plan.backing.devices.is_empty() {
        true => lab::observe::counted_on(&images::work_dir(placed, state))?,
        false => Vec::new(),
    };
    let counted = |at: &usize| match directory(at) {
        Some(path) => Ok(lab::observe::counted_on(path)?),
        None if placed.entrants[*at].target.disks() > 0 => Ok(images.clone()),
        None => Ok(Vec::new()),
    };
    let counted = here.iter().map(counted).collect::<Result<Vec<Vec<Device>>>>()?;
    let is_below = |own: usize, other: usize| {
        directory(&here[own]).is_some()
            && counted[own].first().is_some_and(|own| counted[other].contains(own))
    };
    let pairs = (0..here.len()).flat_map(|a| (a + 1..here.len()).map(move |b| (a, b)));
    let label = |at: usize| placed.entrants[here[at]].label.clone();
    Ok(pairs.into_iter().find(|(a, b)| is_below(*a, *b) || is_below(*b, *a)).map(|(a, b)| {
        let of_dir = if is_below(a, b) { a } else { b };
        SharedDevice { first: label(a), second: label(b), device: counted[of_dir][0].name() }
    }))
}

/// Returns whether the candidates of `together`, which is interleaved, fit on disk and in memory at once.
fn fits_side_by_side(together: &Placed, state: &Path) -> Result<bool> {
    let memory = memory::total()?;
    let count = together.at_once();
    if !(2..=MOST).contains(&count) || memory.0 / (count as u64) < LEAST_MEMORY.0 {
        return Ok(false);
    }
    // The partitions of a disk exist in any order, but a cap applies to the whole disk.
    if !together.plan.backing.devices.is_empty() {
        return Ok(!has_caps(together));
    }
    if together.needs_sizes() {
        let free = free::room(together, &images::work_dir(together, state))?;
        return Ok(Range::holds(together, free, memory));
    }
    space::fits(together, state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{stages::place::TargetPlace, testing};
    use fs::Cmd;
    use lab::{
        error::LabError,
        guest::{Guest, Machine, Shared, Stranger, Venue, host},
    };
    use model::result::Note;
    use std::{path::PathBuf, sync::Arc};

    #[derive(Debug)]
    struct Never;

    impl Guest for Never {
        fn venue(&self) -> Venue {
            host()
        }
        fn disk(&self, _number: usize) -> PathBuf {
            PathBuf::new()
        }
        fn prepare(&self, _out: &Shared) -> Result<(), LabError> {
            Ok(())
        }
        fn boot(&self, _machine: &Machine, _stranger: Option<Stranger>) -> Cmd {
            Cmd::new("true")
        }
    }

    /// `dirs` as candidates, in the requested order.
    fn ordered(dirs: [&Path; 2], order: Option<Order>, state: &Path) -> Result<Ordered> {
        let targets = dirs.map(|dir| format!("dir:{}", dir.display()).parse().unwrap()).to_vec();
        Ordered::new(testing::placed(Plan { targets, order, ..Plan::default() }), state)
    }

    #[test]
    fn directories_on_one_device_run_in_turn() {
        let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dirs = ["a", "b"].map(|name| dir.path().join(name));
        dirs.iter().for_each(|dir| std::fs::create_dir(dir).unwrap());
        let dirs = [dirs[0].as_path(), dirs[1].as_path()];
        if lab::observe::counted_on(dir.path()).unwrap().is_empty() {
            return needs::skip(needs::Need::Other, "temporary files are in memory");
        }
        let ordered = |dirs, order| ordered(dirs, order, state.path());
        let by_device = ordered(dirs, None).unwrap();
        assert_eq!(by_device.plan.order, Some(Order::InTurn));
        let note = by_device.shared_device.unwrap().note();
        assert!(matches!(note, Note::SharedDevice { .. }), "{note:?}");
        let why = ordered(dirs, Some(Order::Interleaved)).err().unwrap().to_string();
        assert!(why.contains("share a device") && why.contains("--order in-turn"), "{why}");
        let asked = ordered(dirs, Some(Order::InTurn)).unwrap();
        assert_eq!(asked.shared_device, None, "what was asked for needs no reason");
        // One with a device of its own, and one in memory.
        let apart = ordered([dirs[0], Path::new("/dev/shm")], None).unwrap();
        assert_eq!(apart.shared_device, None);
    }

    #[test]
    fn concurrent_guests_have_different_disks() {
        let targets = ["ext4", "tmpfs", "raid1(xfs)"].map(|target| target.parse().unwrap());
        let plan =
            Plan { targets: targets.to_vec(), order: Some(Order::Interleaved), ..Plan::default() };
        let mut placed = testing::placed(plan);
        placed.settle(targets.map(|_| TargetPlace::Guest(Arc::new(Never))).to_vec()).unwrap();
        for block in 1..5 {
            let images = [0, 1, 2].map(|at| placed.guest_images(7, block, at));
            assert!(images[1].is_empty(), "{images:?}");
            let mut all: Vec<usize> = images.into_iter().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3], "two on two disks each, one on none");
        }
    }
}
