//! A campaign whose every test has its size.

use super::{resolved::Amount, stored::Stored};
use anyhow::Result;
use model::{
    plan::Plan,
    result::{Campaign, Dataset},
};
use std::ops::Deref;
use store::Store;

/// A stored campaign that can run. It is read like [`Stored`].
pub struct Sized {
    stored: Stored,
    amount: Amount,
}

impl Sized {
    /// Returns `stored` with the sizes of `amount`, which the store keeps from now on, as well as that of its images;
    /// `mark` makes the mark of a changed campaign.
    ///
    /// # Errors
    /// The store cannot be written, or the mark cannot be made.
    pub fn new(
        mut stored: Stored,
        amount: Amount,
        mark: impl FnOnce(&Campaign, &Dataset) -> Result<String>,
        store: &mut Store,
    ) -> Result<Sized> {
        let plan = Plan { sizes: amount.sizes.clone(), ..stored.campaign.plan };
        stored.campaign = Campaign { scale: amount.scale, plan, ..stored.campaign };
        stored.ordered.set_sizes(amount.sizes);
        let mark = mark(&stored.campaign, &store.dataset(&stored.campaign.id)?)?;
        store.replan(&stored.campaign, &mark, None)?;
        let amount = stored.amount();
        Ok(Sized { stored, amount })
    }

    /// How much each test does.
    pub fn amount(&self) -> &Amount {
        &self.amount
    }
}

impl Deref for Sized {
    type Target = Stored;

    fn deref(&self) -> &Stored {
        &self.stored
    }
}
