//! The variants of a stage that may replace the default, on a board.

use crate::description::{Settings, StatsError, cell::select, durability, score::board::Board};
use model::result::Dataset;

/// The board of a stage, whose first target is the default. A variant that keeps less of what was synced than
/// the default is no candidate, however fast it is.
pub(super) fn with_board<T>(
    dataset: &Dataset,
    settings: &Settings,
    read: impl FnOnce(&Board<'_>) -> T,
) -> Result<T, StatsError> {
    let targets: Vec<String> = dataset.targets.iter().map(|t| t.label.clone()).collect();
    let cells = select::select(dataset, &targets, settings.contention_limit_pct)?;
    let promises = |column: &usize| durability(dataset, &targets[*column]);
    let keeps = |column: &usize| {
        let (own, default) = (promises(column), promises(&0));
        own < default || own.is_like(&default)
    };
    let columns = (0..targets.len()).filter(keeps);
    let board = Board::of_columns(dataset, columns, &cells);
    if board.columns.first() == Some(&0) && !board.cells.is_empty() {
        return Ok(read(&board));
    }
    Err(StatsError::NothingToCompareWith {
        campaign: dataset.campaign.id.clone(),
        label: targets.first().cloned().unwrap_or_default(),
    })
}
