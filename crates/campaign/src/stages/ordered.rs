//! Candidates in their order: side by side or in turn.

use super::{
    place::TargetPlace,
    placed::{Entrant, Placed},
    shared_device::SharedDevice,
};
use model::{text::Bytes, workload::TestSize};
use std::ops::Deref;

/// A campaign that passed every check. It is read like [`Placed`].
pub struct Ordered {
    pub(crate) placed: Placed,
    /// Reason why candidates that could run side by side run in turn.
    pub shared_device: Option<SharedDevice>,
}

impl Ordered {
    /// Drops the targets of this machine, or of guests, that need `disks` or more, which are unavailable because of
    /// `why`. `None` when nothing is left, or nothing to compare it with.
    pub fn give_up(mut self, in_guests: bool, disks: usize, why: &str) -> Option<Ordered> {
        for Entrant { target, place, .. } in &mut self.placed.entrants {
            if place.is_of(in_guests) && target.disks() >= disks {
                *place = TargetPlace::Nowhere(why.into());
            }
        }
        (self.available().next().is_some() && self.check_comparison().is_ok()).then_some(self)
    }

    /// Sets the size of its images.
    pub(super) fn set_image_size(&mut self, size: Bytes) {
        self.placed.resolved.plan.backing.made = Some(size);
    }

    /// Returns the plan with these sizes.
    pub(super) fn set_sizes(&mut self, sizes: Vec<TestSize>) {
        self.placed.resolved.plan.sizes = sizes;
    }
}

impl Deref for Ordered {
    type Target = Placed;

    fn deref(&self) -> &Placed {
        &self.placed
    }
}
