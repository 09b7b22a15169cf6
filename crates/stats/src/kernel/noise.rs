//! The noise of the cells of a campaign: for two targets, the family of their ratios over all cells, from
//! which the variance of each is moderated; for one target, that of its own values.
//!
//! A family is of one pair, because pairs differ in noise, and follows a trend with the length of the timed
//! part, because short parts are noisier.

use crate::kernel::{
    point::{Point, mean},
    prior::{Expected, Member, Prior},
    ratio::paired,
};
use std::{cell::RefCell, collections::HashMap};

/// What the cells of a selection tell together. Nothing is learnt before it is asked for.
#[derive(Debug, Default)]
pub(crate) struct Noise {
    /// By cell, then by column.
    cells: Vec<Vec<Values>>,
    learnt: RefCell<HashMap<(usize, usize), Option<Prior>>>,
}

/// A column of a cell: one value for each block, and the length of its timed part where every sample tells it.
#[derive(Debug)]
pub(crate) struct Values {
    pub(crate) points: Vec<Point>,
    pub(crate) ln_seconds: Option<f64>,
}

impl Noise {
    /// Of these cells, which have the same columns.
    pub(crate) fn of(cells: Vec<Vec<Values>>) -> Noise {
        Noise { cells, learnt: RefCell::default() }
    }

    /// What to expect of the ratio of two columns in a cell in which their timed parts have these lengths.
    pub(crate) fn of_pair(
        &self,
        a: usize,
        b: usize,
        lengths: [Option<f64>; 2],
    ) -> Option<Expected> {
        let both = lengths[0].zip(lengths[1]);
        self.prior(a.min(b), a.max(b))?.at(both.map(|(a, b)| mean(&[a, b])))
    }

    /// What to expect of the values of a column in a cell in which its timed part has this length.
    pub(crate) fn of_column(&self, column: usize, length: Option<f64>) -> Option<Expected> {
        self.prior(column, column)?.at(length)
    }

    /// What the cells tell of the ratio of columns `a` and `b`, `a` the lower; of equal ones of the values of one.
    pub(crate) fn prior(&self, a: usize, b: usize) -> Option<Prior> {
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
