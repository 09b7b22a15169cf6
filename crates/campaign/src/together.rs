//! Which candidates stand side by side, and on which images or parts of disks; whether they do, where that is
//! left to the program.

use super::{
    guest, images,
    prepare::{self, Prepared},
    room,
    shared_device::SharedDevice,
    sizes::Range,
    sizing,
};
use crate::refusal;
use anyhow::Result;
use lab::{Device, ResolvedTarget};
use model::{Bytes, Order};
use std::{ops, path::Path};

/// Most candidates that are side by side unasked: all hold their files, and their share of the page cache.
const MOST: usize = 6;
/// Memory that each needs for itself.
const LEAST_MEMORY: Bytes = Bytes(1 << 30);

/// Decides the order of `prepared` where its plan leaves it open: interleaved where there are several candidates
/// that can be there at once, and disk and memory hold them all.
///
/// # Errors
/// Room or memory cannot be asked for; candidates are asked for side by side that cannot be.
pub fn choose(prepared: &mut Prepared, state: &Path) -> Result<()> {
    let caps = prepared.entrants.iter().any(ResolvedTarget::has_caps);
    if prepared.is_interleaved() && prepared.plan.backing.split && caps {
        return Err(refusal::usage(
            "a cap is on a whole disk, and would hold for all candidates that are side by side on its parts; \
             take --order in-turn, or loop images",
        ));
    }
    let rebuilt = prepared.entrants.iter().any(ResolvedTarget::is_rebuilt);
    if rebuilt && prepared.plan.order == Some(Order::Interleaved) {
        return Err(refusal::usage(
            "a mirror that is rebuilt goes on while others beside it are measured, and takes their time; leave \
             --order out, or take --order in-turn",
        ));
    }
    if prepared.plan.order == Some(Order::Interleaved) && prepared.at_once() < 2 {
        return Err(refusal::usage(
            "the candidates cannot be side by side: there is one, each has the whole disk, or their guests do \
             not fit into memory together; leave --order out, or divide the disk by --split",
        ));
    }
    prepared.shared_device = match prepared.plan.order {
        Some(Order::InTurn) => None,
        _ => shared_device(prepared, state)?,
    };
    if let (Some(shared), Some(Order::Interleaved)) = (&prepared.shared_device, prepared.plan.order)
    {
        return Err(refusal::usage(format!(
            "{shared}, so that nothing tells whose traffic it is side by side; leave --order out, or take --order \
             in-turn"
        )));
    }
    if prepared.plan.order.is_some() {
        return Ok(());
    }
    let mut together = prepared.clone();
    together.plan.order = Some(Order::Interleaved);
    let may_be = !rebuilt && prepared.shared_device.is_none();
    let order = match may_be && can_be(&together, state)? {
        true => Order::Interleaved,
        false => Order::InTurn,
    };
    prepared.plan.order = Some(order);
    Ok(())
}

impl Prepared {
    /// How many sets of images there are, of this machine and of guests.
    pub fn image_sets(&self) -> u32 {
        let of = |in_guests| if self.disks_of(in_guests) > 0 { self.sets_of(in_guests) } else { 0 };
        (of(false) + of(true)).max(1)
    }

    /// How many sets of images this machine, or guests, need: one for every entrant on disks where all are
    /// there at once.
    pub fn sets_of(&self, in_guests: bool) -> u32 {
        let own = self.plan.backing.devices.is_empty() && self.is_together(in_guests);
        let sets = (0..self.entrants.len()).filter(|at| self.has_images(*at, in_guests)).count();
        if own { sets.max(1) as u32 } else { 1 }
    }

    /// Whether the entrant `at` is made on images, of this machine or of guests.
    fn has_images(&self, at: usize, in_guests: bool) -> bool {
        self.entrants[at].disks() > 0 && self.places.get(at).is_some_and(|p| p.is_of(in_guests))
    }

    /// Labels of the entrants that are directories.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        let own = self.entrants.iter().zip(&self.labels);
        own.filter(|(entrant, _)| entrant.directory().is_some()).map(|(_, label)| label.as_str())
    }

    /// How many entrants are measured in guests.
    pub fn guests(&self) -> usize {
        self.places.iter().filter(|place| place.is_of(true)).count()
    }

    /// Whether each test is run on all candidates before the next one. They cannot be there at once on disks
    /// that each has as a whole.
    pub fn is_interleaved(&self) -> bool {
        let backing = &self.plan.backing;
        let side_by_side = backing.devices.is_empty() || backing.split;
        self.plan.order == Some(Order::Interleaved) && side_by_side
    }

    /// Whether candidates exchange images or parts of disks from block to block, and `target` is on one of them.
    pub fn exchanges_parts(&self, target: &ResolvedTarget) -> bool {
        target.disks() > 0 && (self.parts().is_some() || self.sets_of(false) > 1)
    }

    /// The same of the candidates of this machine, or of those in guests, for which its memory may not do.
    pub fn is_together(&self, in_guests: bool) -> bool {
        self.is_interleaved() && (!in_guests || guest::fit_together(self.guests()))
    }

    /// How many candidates are there at the same time at most.
    pub fn at_once(&self) -> usize {
        let here = self.places.iter().filter(|place| place.is_of(false)).count();
        let of = |count: usize, in_guests| if self.is_together(in_guests) { count } else { 1 };
        of(here, false).max(of(self.guests(), true)).max(1)
    }

    /// Which of the guests' images the guest of the entrant at `position` has in `block`; none for what is on no
    /// disk, whose guest is up beside that of another.
    pub fn guest_images(&self, seed: u64, block: u32, position: usize) -> ops::Range<usize> {
        if !self.has_images(position, true) {
            return 0..0;
        }
        let (set, disks) = (self.part(seed, block, position) as usize, self.disks_of(true));
        set * disks..(set + 1) * disks
    }

    /// The part of split disks or the set of images, from 0, that the entrant at `position` has in `block`; 0
    /// for what is on no disk, and where all have the same.
    pub fn part(&self, seed: u64, block: u32, position: usize) -> u32 {
        let in_guests = self.places.get(position).is_some_and(|place| place.is_of(true));
        let is_other = |at: &usize| match self.parts() {
            Some(_) => self.entrants[*at].disks() > 0,
            None => self.has_images(*at, in_guests),
        };
        let parts = self.parts().unwrap_or_else(|| self.sets_of(in_guests));
        if !is_other(&position) || parts < 2 {
            return 0;
        }
        let before = (0..position).filter(is_other).count();
        model::part_in_block(seed, block, before as u32, parts)
    }
}

/// The first two candidates of this machine of which one is charged with what the other does: it is a directory, and
/// its device is also that of the other, or below it.
///
/// # Errors
/// A directory cannot be looked at.
fn shared_device(prepared: &Prepared, state: &Path) -> Result<Option<SharedDevice>> {
    let directory = |at: &usize| prepared.entrants[*at].directory();
    let here: Vec<usize> =
        prepared.available().filter(|at| prepared.places[*at].is_of(false)).collect();
    if here.len() < 2 || here.iter().all(|at| directory(at).is_none()) {
        return Ok(None);
    }
    let images = match prepared.plan.backing.devices.is_empty() {
        true => lab::counted_on(&images::work_dir(prepared, state))?,
        false => Vec::new(),
    };
    let counted = |at: &usize| match directory(at) {
        Some(path) => Ok(lab::counted_on(path)?),
        None if prepared.entrants[*at].disks() > 0 => Ok(images.clone()),
        None => Ok(Vec::new()),
    };
    let counted = here.iter().map(counted).collect::<Result<Vec<Vec<Device>>>>()?;
    let is_below = |own: usize, other: usize| {
        directory(&here[own]).is_some()
            && counted[own].first().is_some_and(|own| counted[other].contains(own))
    };
    let pairs = (0..here.len()).flat_map(|a| (a + 1..here.len()).map(move |b| (a, b)));
    let label = |at: usize| prepared.labels[here[at]].clone();
    Ok(pairs.into_iter().find(|(a, b)| is_below(*a, *b) || is_below(*b, *a)).map(|(a, b)| {
        let of_dir = if is_below(a, b) { a } else { b };
        SharedDevice { first: label(a), second: label(b), device: counted[of_dir][0].name() }
    }))
}

fn can_be(together: &Prepared, state: &Path) -> Result<bool> {
    let memory = prepare::memory()?;
    let count = together.at_once();
    if !(2..=MOST).contains(&count) || memory.0 / (count as u64) < LEAST_MEMORY.0 {
        return Ok(false);
    }
    // The parts of a disk are there whatever the order, but a cap is on the whole disk.
    if !together.plan.backing.devices.is_empty() {
        return Ok(!together.entrants.iter().any(ResolvedTarget::has_caps));
    }
    if together.needs_sizes() {
        let free = sizing::room(together, &images::work_dir(together, state))?;
        return Ok(Range::holds(together, free, memory));
    }
    room::fits(together, state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Place;
    use lab::{
        Cmd, LabError,
        guest::{Guest, Machine, Shared, Stranger, Venue, host},
    };
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

    /// Of `dirs`, prepared for this machine.
    fn of_dirs(dirs: &[&Path], order: Option<Order>) -> Prepared {
        let target = |dir: &&Path| format!("dir:{}", dir.display()).parse().unwrap();
        let targets: Vec<model::Target> = dirs.iter().map(target).collect();
        let plan = model::Plan { targets, order, ..model::Plan::default() };
        let mut prepared = Prepared::new(crate::asked::Asked::by_user(plan), &|_| ()).unwrap();
        prepared.settle(vec![Place::Host; dirs.len()]).unwrap();
        prepared
    }

    #[test]
    fn directories_of_one_device_go_in_turn() {
        let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dirs = ["a", "b"].map(|name| dir.path().join(name));
        dirs.iter().for_each(|dir| std::fs::create_dir(dir).unwrap());
        let dirs = [dirs[0].as_path(), dirs[1].as_path()];
        if lab::counted_on(dir.path()).unwrap().is_empty() {
            return needs::skip(needs::Need::Other, "temporary files are in memory");
        }
        let mut prepared = of_dirs(&dirs, None);
        choose(&mut prepared, state.path()).unwrap();
        assert_eq!(prepared.plan.order, Some(Order::InTurn));
        let note = prepared.shared_device.unwrap().note();
        assert!(note.contains("share a device") && note.contains("in turn"), "{note}");
        let asked = choose(&mut of_dirs(&dirs, Some(Order::Interleaved)), state.path());
        let why = asked.unwrap_err().to_string();
        assert!(why.contains("share a device") && why.contains("--order in-turn"), "{why}");
        let mut prepared = of_dirs(&dirs, Some(Order::InTurn));
        choose(&mut prepared, state.path()).unwrap();
        assert_eq!(prepared.shared_device, None, "what was asked for needs no reason");
        // One that has the device for itself, beside one in memory.
        let mut prepared = of_dirs(&[dirs[0], Path::new("/dev/shm")], None);
        choose(&mut prepared, state.path()).unwrap();
        assert_eq!(prepared.shared_device, None);
    }

    #[test]
    fn no_two_guests_that_are_up_at_once_have_the_same_disk() {
        let targets = ["ext4", "tmpfs", "raid1(xfs)"].map(|target| target.parse().unwrap());
        let plan = model::Plan {
            targets: targets.to_vec(),
            order: Some(Order::Interleaved),
            ..model::Plan::default()
        };
        let mut prepared = Prepared::new(crate::asked::Asked::by_user(plan), &|_| ()).unwrap();
        prepared.settle(targets.map(|_| Place::Guest(Arc::new(Never))).to_vec()).unwrap();
        for block in 1..5 {
            let images = [0, 1, 2].map(|at| prepared.guest_images(7, block, at));
            assert!(images[1].is_empty(), "{images:?}");
            let mut all: Vec<usize> = images.into_iter().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3], "two on two disks each, one on none");
        }
    }
}
