//! A campaign in the store.

use super::{ordered::Ordered, resolved::Amount};
use anyhow::Result;
use model::{result::Campaign, text::Bytes};
use std::ops::Deref;
use store::Store;

/// A campaign in a store, with its mark. It is read like [`Ordered`].
pub struct Stored {
    pub(super) ordered: Ordered,
    pub(super) campaign: Campaign,
}

impl Stored {
    /// Stores the new `campaign` of `ordered`, with the `mark` by which it may be resumed.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn new(
        ordered: Ordered,
        campaign: Campaign,
        mark: &str,
        store: &mut Store,
    ) -> Result<Stored> {
        store.create_campaign(&campaign, &ordered.records(), &ordered.infos())?;
        store.set_mark(&campaign.id, mark)?;
        Ok(Stored { ordered, campaign })
    }

    /// Wraps the `campaign` of a store that is resumed.
    pub fn resumed(ordered: Ordered, campaign: Campaign) -> Stored {
        Stored { ordered, campaign }
    }

    /// The campaign.
    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    /// How much each test does as far as the campaign states it.
    pub fn amount(&self) -> Amount {
        Amount { scale: self.campaign.scale, sizes: self.plan.sizes.clone() }
    }

    /// Sets the size of its images; the store keeps it with the sizes of the tests, so that a resumed campaign has the
    /// same.
    pub fn set_image_size(&mut self, size: Bytes) {
        self.ordered.set_image_size(size);
        self.campaign.plan.backing.made = Some(size);
    }

    /// As [`Ordered::give_up`].
    pub fn give_up(self, in_guests: bool, disks: usize, why: &str) -> Option<Stored> {
        let Stored { ordered, campaign } = self;
        Some(Stored { ordered: ordered.give_up(in_guests, disks, why)?, campaign })
    }
}

impl Deref for Stored {
    type Target = Ordered;

    fn deref(&self) -> &Ordered {
        &self.ordered
    }
}
