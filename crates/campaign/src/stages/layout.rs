//! Layout of candidates: the images, partitions or guests' disks that they are on, and which candidates exist at the
//! same time.

use super::{Item, placed::Placed};
use crate::machine::memory;
use fs::ResolvedTarget;
use model::plan::Order;
use std::ops;

impl Placed {
    /// Returns whether a target is made on a loop image.
    pub fn needs_image(&self) -> bool {
        self.disks() > 0
    }

    /// Disks that the most demanding target is made on.
    pub fn disks(&self) -> usize {
        self.disks_of(false).max(self.disks_of(true))
    }

    /// Whether any test is done on an instance of its target; all others make disks of their own. Disks of the user are
    /// used as asked.
    pub fn needs_instances(&self) -> bool {
        let is_on_instance = |item: &Item| !item.test.makes_own_disk();
        !self.plan.backing.devices.is_empty() || self.items.iter().any(is_on_instance)
    }

    /// Disks that the most demanding target of this machine, or of guests, is made on.
    pub fn disks_of(&self, in_guests: bool) -> usize {
        if !self.needs_instances() {
            return 0;
        }
        let own = self.entrants.iter().filter(|entrant| entrant.place.is_of(in_guests));
        own.map(|entrant| entrant.target.disks()).max().unwrap_or(0)
    }

    /// Returns the number of partitions of each disk, if the plan splits them: one for every entrant on disks, so
    /// that it follows from the plan alone, whichever targets can be made when a campaign is resumed.
    pub fn parts(&self) -> Option<u32> {
        let on_disks = self.entrants.iter().filter(|entrant| entrant.target.disks() > 0);
        self.plan.backing.split.then(|| on_disks.count() as u32)
    }

    /// Returns the number of sets of images, of this machine and of guests.
    pub fn image_sets(&self) -> u32 {
        let of = |in_guests| if self.disks_of(in_guests) > 0 { self.sets_of(in_guests) } else { 0 };
        (of(false) + of(true)).max(1)
    }

    /// Returns the number of sets of images that this machine, or guests, need: one for every entrant on disks if all
    /// exist at once.
    pub fn sets_of(&self, in_guests: bool) -> u32 {
        let own = self.plan.backing.devices.is_empty() && self.is_together(in_guests);
        let sets = (0..self.entrants.len()).filter(|at| self.has_images(*at, in_guests)).count();
        if own { sets.max(1) as u32 } else { 1 }
    }

    /// Returns whether the entrant `at` is made on images, of this machine or of guests.
    fn has_images(&self, at: usize, in_guests: bool) -> bool {
        let entrant = &self.entrants[at];
        entrant.target.disks() > 0 && entrant.place.is_of(in_guests)
    }

    /// Returns the number of entrants that are measured in guests.
    pub fn guests(&self) -> usize {
        self.entrants.iter().filter(|entrant| entrant.place.is_of(true)).count()
    }

    /// Returns whether each test is run on all candidates before the next one. They cannot coexist on whole disks.
    pub fn is_interleaved(&self) -> bool {
        let backing = &self.plan.backing;
        let side_by_side = backing.devices.is_empty() || backing.split;
        self.plan.order == Some(Order::Interleaved) && side_by_side
    }

    /// Returns whether candidates exchange images or partitions from block to block, and `target` is on one of them.
    pub fn exchanges_parts(&self, target: &ResolvedTarget) -> bool {
        target.disks() > 0 && (self.parts().is_some() || self.sets_of(false) > 1)
    }

    /// The same for the candidates of this machine, or for those in guests, for which its memory may not suffice.
    pub fn is_together(&self, in_guests: bool) -> bool {
        self.is_interleaved() && (!in_guests || memory::holds_guests(self.guests()))
    }

    /// Returns the most candidates that exist at the same time.
    pub fn at_once(&self) -> usize {
        let here = self.entrants.iter().filter(|entrant| entrant.place.is_of(false)).count();
        let of = |count: usize, in_guests| if self.is_together(in_guests) { count } else { 1 };
        of(here, false).max(of(self.guests(), true)).max(1)
    }

    /// Returns the number of the guests' image that the guest of the entrant at `position` has in `block`; none for a
    /// target without a disk, whose guest is up at the same time as another.
    pub fn guest_images(&self, seed: u64, block: u32, position: usize) -> ops::Range<usize> {
        if !self.has_images(position, true) {
            return 0..0;
        }
        let (set, disks) = (self.part(seed, block, position) as usize, self.disks_of(true));
        set * disks..(set + 1) * disks
    }

    /// Returns the partition of split disks or the set of images, from 0, that the entrant at `position` has in
    /// `block`; 0 for a target without a disk, and where all have the same.
    pub fn part(&self, seed: u64, block: u32, position: usize) -> u32 {
        let in_guests = self.entrants[position].place.is_of(true);
        let is_other = |at: &usize| match self.parts() {
            Some(_) => self.entrants[*at].target.disks() > 0,
            None => self.has_images(*at, in_guests),
        };
        let parts = self.parts().unwrap_or_else(|| self.sets_of(in_guests));
        if !is_other(&position) || parts < 2 {
            return 0;
        }
        let before = (0..position).filter(is_other).count();
        model::random::part_in_block(seed, block, before as u32, parts)
    }
}
