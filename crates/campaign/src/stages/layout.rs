//! Layout of candidates: the images, partitions or guests' disks that they are on, and which candidates exist at the
//! same time.

use super::placed::Placed;
use crate::machine;
use fs::ResolvedTarget;
use model::Order;
use std::ops;

impl Placed {
    /// True when a target is made on a loop image.
    pub fn needs_image(&self) -> bool {
        self.disks() > 0
    }

    /// Disks that the most demanding target is made on.
    pub fn disks(&self) -> usize {
        self.disks_of(false).max(self.disks_of(true))
    }

    /// Disks that the most demanding target of this machine, or of guests, is made on.
    pub fn disks_of(&self, in_guests: bool) -> usize {
        let own = self.entrants.iter().filter(|entrant| entrant.place.is_of(in_guests));
        own.map(|entrant| entrant.target.disks()).max().unwrap_or(0)
    }

    /// Into how many parts each disk is divided, where the plan splits them: one for every entrant on
    /// disks, so that it follows from the plan alone, whatever can be made when a campaign is resumed.
    pub fn parts(&self) -> Option<u32> {
        let on_disks = self.entrants.iter().filter(|entrant| entrant.target.disks() > 0);
        self.plan.backing.split.then(|| on_disks.count() as u32)
    }

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
        let entrant = &self.entrants[at];
        entrant.target.disks() > 0 && entrant.place.is_of(in_guests)
    }

    /// How many entrants are measured in guests.
    pub fn guests(&self) -> usize {
        self.entrants.iter().filter(|entrant| entrant.place.is_of(true)).count()
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
        self.is_interleaved() && (!in_guests || machine::fit_together(self.guests()))
    }

    /// How many candidates are there at the same time at most.
    pub fn at_once(&self) -> usize {
        let here = self.entrants.iter().filter(|entrant| entrant.place.is_of(false)).count();
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
        model::part_in_block(seed, block, before as u32, parts)
    }
}
