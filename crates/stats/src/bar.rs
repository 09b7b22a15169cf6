//! How sure a call must be, which hangs on whether anybody looked before it: a campaign that goes on until its
//! call is decided has as many chances of a false one as it has looks.

#[cfg(test)]
mod tests;

use model::Campaign;

/// What a call is measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Level of Holm's procedure over the pairs of candidates.
    pub(crate) alpha: f64,
    /// Nominal confidence of the interval of the lead, which then covers 95 % whenever it is looked at.
    pub(crate) confidence: f64,
}

impl Bar {
    /// Of a number of blocks that was fixed beforehand.
    pub(crate) const ONCE: Bar = Bar { alpha: 0.05, confidence: 0.95 };

    /// Of a campaign that is looked at after [`model::QUICK_LOOKS`] and ends when its call is decided. Of two
    /// equal candidates one is then called best in at most 5 % of campaigns, and the interval of their lead
    /// covers in 93 to 98 %, by the simulation in `bar/tests.rs`; with 5 % at each look it would be 20 %.
    pub(crate) const LOOKED_AT: Bar = Bar { alpha: 0.01, confidence: 0.975 };

    /// Of `campaign`. What other tools measured has no targets in its plan, and nobody asked it to go on.
    pub(crate) fn of(campaign: &Campaign) -> Bar {
        let plan = &campaign.plan;
        let is_own = !plan.targets.is_empty();
        if is_own && plan.is_looked_at() { Bar::LOOKED_AT } else { Bar::ONCE }
    }
}
