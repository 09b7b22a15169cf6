//! The noise of the cells of a campaign: for two targets, the family of their ratios over all cells, from
//! which the variance of each is moderated; for one target, that of its own values.
//!
//! A family is of one pair, because pairs differ in noise, and follows a trend with the length of the timed
//! part, because short parts are noisier.

use crate::{
    prior::{Expected, Member, Prior},
    ratio::paired,
    select::{CellData, Point, mean},
};
use std::{cell::RefCell, collections::HashMap};

/// What the cells of a selection tell together. Nothing is learnt before it is asked for.
#[derive(Debug, Default)]
pub(crate) struct Noise {
    /// By cell, then by column.
    cells: Vec<Vec<Values>>,
    learnt: RefCell<HashMap<(usize, usize), Option<Prior>>>,
}

#[derive(Debug)]
struct Values {
    points: Vec<Point>,
    ln_seconds: Option<f64>,
}

impl Noise {
    /// Of these cells, which have the same columns.
    pub(crate) fn of(cells: &[CellData]) -> Noise {
        let values = |cell: &CellData| {
            let all = cell.series.iter();
            all.map(|s| Values { points: s.points.clone(), ln_seconds: s.ln_seconds }).collect()
        };
        Noise { cells: cells.iter().map(values).collect(), learnt: RefCell::default() }
    }

    /// What to expect of the ratio of two columns in `cell`.
    pub(crate) fn of_pair(&self, cell: &CellData, a: usize, b: usize) -> Option<Expected> {
        let both = cell.series[a].ln_seconds.zip(cell.series[b].ln_seconds);
        self.prior(a.min(b), a.max(b))?.at(both.map(|(a, b)| mean(&[a, b])))
    }

    /// What to expect of the values of a column in `cell`.
    pub(crate) fn of_column(&self, cell: &CellData, column: usize) -> Option<Expected> {
        self.prior(column, column)?.at(cell.series[column].ln_seconds)
    }

    fn prior(&self, a: usize, b: usize) -> Option<Prior> {
        let learn = || {
            let members: Vec<Member> = self.cells.iter().map(|cell| member(cell, a, b)).collect();
            Prior::fit(&members)
        };
        *self.learnt.borrow_mut().entry((a, b)).or_insert_with(learn)
    }
}

/// The ratio of two columns of a cell by block; of a column and itself its values.
fn member(cell: &[Values], a: usize, b: usize) -> Member {
    let (a, b, is_pair) = (&cell[a], &cell[b], a != b);
    Member {
        points: if is_pair { paired(&a.points, &b.points) } else { a.points.clone() },
        covariate: a.ln_seconds.zip(b.ln_seconds).map(|(a, b)| mean(&[a, b])),
    }
}
