//! Facts about a campaign that readers of a table need.

use crate::description::cell::data::CellData;
use model::result::Dataset;
use serde::Serialize;
use std::collections::BTreeSet;

/// A campaign by its names, its blocks and its scale.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CampaignFacts {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// RFC 3339.
    pub created: String,
    /// Where it came from.
    pub origin: model::result::Origin,
    /// Suites, separated by commas.
    pub suite: String,
    /// Blocks with at least one valid sample.
    pub blocks: usize,
    /// Factor on the sizes.
    pub scale: f64,
}

impl CampaignFacts {
    /// Of the campaign whose targets have these columns of `cells`.
    pub(crate) fn of(dataset: &Dataset, cells: &[CellData], columns: &[usize]) -> CampaignFacts {
        let campaign = &dataset.campaign;
        let series = cells.iter().flat_map(|c| columns.iter().map(|&column| &c.series[column]));
        let points = series.flat_map(|s| &s.points);
        CampaignFacts {
            id: campaign.id.clone(),
            title: campaign.title.clone(),
            created: campaign.created.clone(),
            origin: campaign.origin,
            suite: dataset.suites(),
            blocks: points.map(|p| p.block).collect::<BTreeSet<_>>().len(),
            scale: campaign.scale,
        }
    }
}
