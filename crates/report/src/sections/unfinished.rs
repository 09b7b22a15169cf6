//! Warns that a campaign is not finished, before any figures.

use crate::{
    block::Block,
    sections::{Brief, Section},
};
use model::result::{CampaignState, Dataset, Origin};
use stats::evaluation::Findings;

pub(crate) struct Unfinished;

impl Section for Unfinished {
    fn title(&self) -> &'static str {
        "Not finished"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, _: &Findings) -> Option<Vec<Block>> {
        let campaign = &dataset.campaign;
        if campaign.origin != Origin::Run || campaign.state == CampaignState::Done {
            return None;
        }
        Some(vec![Block::Callout(format!(
            "Not finished: these are the results so far. If it was interrupted, continue with \
             `assay resume {}`.",
            campaign.id
        ))])
    }

    fn brief(&self, dataset: &Dataset, findings: &Findings, _: Brief) -> Option<Vec<Block>> {
        self.build(dataset, findings)
    }

    fn of_whole(&self) -> bool {
        true
    }
}
