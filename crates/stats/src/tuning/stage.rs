//! Computes how many variants and blocks a stage gets from the turns left in the budget. A turn is one candidate in one
//! block.

/// Most variants that are confirmed.
const FINALISTS: usize = 3;
/// Fewest and most blocks of a confirmation: a default campaign, and the last of the fixed looks.
const CONFIRM_BLOCKS: (u32, u32) = (5, 20);
/// Most of the budget that screening may take.
const SCREEN_SHARE: f64 = 0.35;
/// Blocks of the screening, where they fit.
const SCREEN_BLOCKS: u32 = 2;
/// Turns of the smallest confirmation: the default and one variant.
const LEAST_CONFIRM: f64 = 2.0 * CONFIRM_BLOCKS.0 as f64;
/// Turns of the smallest search: one variant screened in one block, then confirmed.
pub(super) const LEAST_TURNS: f64 = LEAST_CONFIRM + 2.0;

/// What a stage is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageKind {
    /// Every variant, briefly.
    Screening,
    /// Those that are left, longer.
    Halving,
    /// The finalists, for the record.
    Confirmation,
}

/// A part of the search that is measured as one campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What it is for.
    pub kind: StageKind,
    /// Variants in it, besides the default.
    pub variants: usize,
    /// Blocks.
    pub blocks: u32,
}

impl Stage {
    /// The first stage for a field of this many variants; `None` if `turns` are too few for any.
    pub(super) fn first(field: usize, turns: f64) -> Option<Stage> {
        if field <= FINALISTS
            && let Some(direct) = Stage::confirmation(field, turns)
            && direct.variants == field
        {
            return Some(direct);
        }
        if turns < LEAST_TURNS || field == 0 {
            return None;
        }
        let room = (turns * SCREEN_SHARE).max(2.0).min(turns - LEAST_CONFIRM);
        let variants = field.min(room as usize - 1);
        let blocks = ((room / (variants + 1) as f64) as u32).clamp(1, SCREEN_BLOCKS);
        Some(Stage { kind: StageKind::Screening, variants, blocks })
    }

    /// How many of the `promising` variants continue: half of the stage, and no fewer than can be
    /// confirmed.
    pub(super) fn survivors(&self, promising: usize) -> usize {
        promising.min(self.variants.div_ceil(2).max(FINALISTS))
    }

    /// The stage after this one, for `field` variants; `None` when no confirmation fits.
    pub(super) fn next(&self, field: usize, turns: f64) -> Option<Stage> {
        self.halving(field, turns).or_else(|| Stage::confirmation(field, turns))
    }

    /// Twice the blocks of this stage, or what is left besides a confirmation of all finalists;
    /// `None` when that is not more than this stage had, or when all could be confirmed.
    fn halving(&self, field: usize, turns: f64) -> Option<Stage> {
        if field <= FINALISTS {
            return None;
        }
        let reserve = f64::from(CONFIRM_BLOCKS.0) * (FINALISTS + 1) as f64;
        let fitting = ((turns - reserve) / (field + 1) as f64).max(0.0) as u32;
        let blocks = fitting.min(2 * self.blocks);
        (blocks > self.blocks).then_some(Stage {
            kind: StageKind::Halving,
            variants: field,
            blocks,
        })
    }

    /// As many finalists as can have the fewest blocks, then as many blocks as fit.
    fn confirmation(field: usize, turns: f64) -> Option<Stage> {
        let (least, most) = CONFIRM_BLOCKS;
        let blocks = |variants: usize| (turns / (variants + 1) as f64) as u32;
        let variants = (1..=field.min(FINALISTS)).rev().find(|&v| blocks(v) >= least)?;
        let blocks = blocks(variants).min(most);
        Some(Stage { kind: StageKind::Confirmation, variants, blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(kind: StageKind, variants: usize, blocks: u32) -> Stage {
        Stage { kind, variants, blocks }
    }

    #[test]
    fn screening_takes_what_fits_and_leaves_room_to_confirm() {
        let first = |field, turns| Stage::first(field, turns).unwrap();
        assert_eq!(first(20, 200.0), stage(StageKind::Screening, 20, 2));
        assert_eq!(first(20, 80.0), stage(StageKind::Screening, 20, 1));
        assert_eq!(first(20, 30.0), stage(StageKind::Screening, 9, 1));
        assert_eq!(first(20, 12.0), stage(StageKind::Screening, 1, 1));
        assert_eq!(Stage::first(20, 11.9), None);
        assert_eq!(Stage::first(0, 1e3), None);
    }

    #[test]
    fn a_field_that_can_be_confirmed_needs_no_screening() {
        assert_eq!(Stage::first(3, 41.0), Some(stage(StageKind::Confirmation, 3, 10)));
        assert_eq!(Stage::first(1, 10.0), Some(stage(StageKind::Confirmation, 1, 5)));
        assert_eq!(Stage::first(3, 15.0), Some(stage(StageKind::Screening, 3, 1)));
    }

    #[test]
    fn every_search_ends_in_a_confirmation_that_fits() {
        for field in 1..40 {
            for turns in 12..300 {
                let mut left = f64::from(turns);
                let mut stage = Stage::first(field, left).unwrap();
                let mut stages = 0;
                loop {
                    left -= (stage.variants as f64 + 1.0) * f64::from(stage.blocks);
                    assert!(left >= 0.0, "{field} variants, {turns} turns: {stage:?}");
                    if stage.kind == StageKind::Confirmation {
                        break;
                    }
                    let kept = stage.survivors(stage.variants);
                    stage = stage.next(kept, left).unwrap();
                    stages += 1;
                    assert!(stages < 10, "{stage:?}");
                }
                assert!(stage.blocks >= 5 && stage.variants <= 3);
            }
        }
    }
}
