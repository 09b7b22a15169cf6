//! Computes how sure a verdict on a campaign must be, by the looks that its plan allows.

use crate::kernel::significance::Bar;
use model::result::Campaign;

/// The bar of `campaign`. What other tools measured has no targets in its plan, and had no stopping rule. Who
/// raised a number of blocks after a look may do so as often as they please.
pub(crate) fn bar(campaign: &Campaign) -> Bar {
    let plan = &campaign.plan;
    if plan.targets.is_empty() {
        return Bar::ONCE;
    }
    let raised = if plan.looked_at.is_empty() { 0 } else { usize::MAX };
    Bar::of_looks(plan.looks().len().max(raised))
}
