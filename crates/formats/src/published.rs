//! Tables of published studies, shipped with the program as campaigns: one run in each cell.

mod cloud;
mod matrix;
mod nano;

pub use nano::{SummaryKind, SummaryRow, summary_rows};

use crate::{FormatError, ImportOptions, gather::Gather};
use model::{Dataset, Origin};

/// The shipped campaigns. An error means that the program itself was built from a damaged table.
pub fn published() -> Result<Vec<Dataset>, FormatError> {
    let mut all = nano::datasets()?;
    all.extend(cloud::datasets()?);
    all.push(matrix::dataset()?);
    Ok(all)
}

/// What is known of a study beside its table.
struct Study {
    id: &'static str,
    title: &'static str,
    /// The month, as the first of it: RFC 3339.
    created: &'static str,
    text: &'static str,
    notes: &'static [&'static str],
}

/// Said of every study.
const NOTES: [&str; 2] = [
    "One run in each cell: the spread between runs is not known.",
    "Cache states, bytes, start skew and overlap are not in the source.",
];

impl Study {
    /// The campaign, whose measurements `fill` adds; its first target is the baseline.
    fn dataset(
        &self,
        fill: impl FnOnce(&mut Gather<'_>) -> Result<(), FormatError>,
    ) -> Result<Dataset, FormatError> {
        let options =
            ImportOptions { target: None, created: self.created.into(), ..Default::default() };
        let mut gather = Gather::of("published", &options);
        fill(&mut gather)?;
        let notes: Vec<&str> = NOTES.iter().chain(self.notes).copied().collect();
        let mut data = gather.finish(&notes)?;
        data.campaign.id = self.id.into();
        data.campaign.title = self.title.into();
        data.campaign.origin = Origin::Published;
        data.campaign.plan.baseline = data.targets.first().map(|target| target.label.clone());
        Ok(data)
    }
}
