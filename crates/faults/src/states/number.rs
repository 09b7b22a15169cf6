//! Numbers of states. Bits 44 to 63 are the epoch, bits 42 and 43 the form, and the rest is by the form:
//!
//! - whole: a mask of 16 bits of the writes that are kept, 12 bits for their order, 14 bits for how many sectors of the
//!   last one are there (0 for all). The orders of up to six writes are their permutations, and of more only which one
//!   is last.
//! - fixed: 2 bits that say which writes are kept, relative to one that 24 bits name, 14 bits for the sectors of the
//!   last one.
//! - drawn: a seed of 42 bits.

use super::{
    SECTOR_BYTES, State,
    epoch::{Epoch, Epochs},
};
use model::random::Rng;

const EPOCH_SHIFT: u32 = 44;
/// More epochs than this have no numbers.
pub(super) const EPOCHS_MAX: usize = 1 << 20;
const FORM_SHIFT: u32 = 42;
const VALUE: u64 = (1 << FORM_SHIFT) - 1;
const TORN_BITS: u32 = 14;
const TORN: u64 = (1 << TORN_BITS) - 1;
const ORDER_BITS: u32 = 12;
const ORDER: u64 = (1 << ORDER_BITS) - 1;
const MASK_BITS: u32 = 16;
const INDEX_BITS: u32 = 24;
const INDEX: u64 = (1 << INDEX_BITS) - 1;
/// Writes of an epoch whose subsets have numbers of their own.
pub(super) const WHOLE_MAX: usize = MASK_BITS as usize;
/// Kept writes whose permutations have numbers.
pub(super) const PERMUTED_MAX: usize = 6;
/// Sectors of a page, at whose borders a disk of large sectors tears.
const PAGE_SECTORS: u64 = 4096 / SECTOR_BYTES;

/// What the number of a state says of its epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The writes of `mask`, in this order.
    Whole { mask: u64, order: u64, torn: u64 },
    /// By a rule.
    Fixed { rule: Rule, index: u64, torn: u64 },
    /// By a seed.
    Drawn(u64),
}

/// Which writes are kept, relative to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Those before it.
    Before,
    /// It alone.
    Alone,
    /// All but it.
    AllBut,
}

pub(super) fn encode(epoch: usize, form: Form) -> u64 {
    let (kind, value) = match form {
        Form::Whole { mask, order, torn } => {
            (0, mask << (ORDER_BITS + TORN_BITS) | order << TORN_BITS | torn)
        }
        Form::Fixed { rule, index, torn } => {
            (1, (rule as u64) << (INDEX_BITS + TORN_BITS) | index << TORN_BITS | torn)
        }
        Form::Drawn(seed) => (2, seed & VALUE),
    };
    (epoch as u64) << EPOCH_SHIFT | kind << FORM_SHIFT | value
}

/// The epoch in which the power went in the state with this number.
pub fn epoch_of(number: u64) -> usize {
    usize::try_from(number >> EPOCH_SHIFT).unwrap_or(usize::MAX)
}

fn form(number: u64) -> Option<Form> {
    let value = number & VALUE;
    let torn = value & TORN;
    match number >> FORM_SHIFT & 3 {
        0 => {
            let order = value >> TORN_BITS & ORDER;
            Some(Form::Whole { mask: value >> (TORN_BITS + ORDER_BITS), order, torn })
        }
        1 => {
            let rule = match value >> (TORN_BITS + INDEX_BITS) {
                0 => Rule::Before,
                1 => Rule::Alone,
                2 => Rule::AllBut,
                _ => return None,
            };
            Some(Form::Fixed { rule, index: value >> TORN_BITS & INDEX, torn })
        }
        2 => Some(Form::Drawn(value)),
        _ => None,
    }
}

impl Epochs<'_> {
    /// The state with this number; `None` where this log has none.
    pub fn state(&self, number: u64) -> Option<State> {
        let at = usize::try_from(number >> EPOCH_SHIFT).ok()?;
        decode(number, at, self.epochs.get(at)?)
    }
}

fn decode(number: u64, at: usize, epoch: &Epoch) -> Option<State> {
    let count = epoch.writes.len();
    let (kept, torn) = match form(number)? {
        Form::Whole { mask, order, torn } => (ordered(whole(mask, count)?, order)?, torn),
        Form::Fixed { rule, index, torn } => (by_rule(rule, index, count)?, torn),
        Form::Drawn(seed) => drawn(seed, at, epoch),
    };
    let torn = (torn > 0).then_some(torn);
    if let Some(torn) = torn {
        let last = &epoch.writes[*kept.last()?];
        if torn >= last.length() {
            return None;
        }
    }
    Some(State { number, epoch: at, kept, torn, acknowledged: epoch.acknowledged })
}

fn whole(mask: u64, count: usize) -> Option<Vec<usize>> {
    if count > WHOLE_MAX || mask >> count != 0 {
        return None;
    }
    Some((0..count).filter(|at| mask >> at & 1 == 1).collect())
}

/// `rest` in the order with this number; 0 leaves it as it is. The most significant digit says which one is last.
fn ordered(mut rest: Vec<usize>, order: u64) -> Option<Vec<usize>> {
    let (mut order, mut back) = (order, Vec::with_capacity(rest.len()));
    while !rest.is_empty() && order > 0 {
        let block = orders_of_rest(rest.len());
        let digit = usize::try_from(order / block).ok()?;
        let last = rest.len().checked_sub(digit + 1)?;
        back.push(rest.remove(last));
        order %= block;
    }
    if order > 0 {
        return None;
    }
    back.reverse();
    rest.append(&mut back);
    Some(rest)
}

/// How many orders `count` writes have once the last one is chosen, of those that have numbers.
pub(super) fn orders_of_rest(count: usize) -> u64 {
    if count > PERMUTED_MAX { 1 } else { (1..count as u64).product() }
}

fn by_rule(rule: Rule, index: u64, count: usize) -> Option<Vec<usize>> {
    let index = usize::try_from(index).ok()?;
    let is_there = if rule == Rule::Before { index <= count } else { index < count };
    is_there.then(|| match rule {
        Rule::Before => (0..index).collect(),
        Rule::Alone => vec![index],
        Rule::AllBut => (0..count).filter(|at| *at != index).collect(),
    })
}

/// What a seed keeps: most often a disk has done what it was asked first, with some of it missing.
fn drawn(seed: u64, at: usize, epoch: &Epoch) -> (Vec<usize>, u64) {
    let mut rng = Rng::new(seed ^ (at as u64) << FORM_SHIFT);
    let count = epoch.writes.len();
    let reach = |rng: &mut Rng| usize::try_from(rng.below(count as u64 + 1)).unwrap_or(count);
    let (end, chance_of_8) = match rng.below(4) {
        0 => (reach(&mut rng), 7),
        1 => (count, 4),
        2 => (count, 1),
        _ => (count, 7),
    };
    let mut kept: Vec<usize> = (0..end).filter(|_| rng.below(8) < chance_of_8).collect();
    if rng.below(4) == 0 && kept.iter().any(|at| epoch.writes[*at].overlaps) {
        rng.shuffle(&mut kept);
    }
    let mut torn = 0;
    if rng.below(4) == 0 && !kept.is_empty() {
        let last = usize::try_from(rng.below(kept.len() as u64)).unwrap_or(0);
        let last = kept.remove(last);
        kept.push(last);
        let unit = if rng.below(2) == 0 { 1 } else { PAGE_SECTORS };
        let tears = (epoch.writes[last].length() - 1).min(TORN) / unit;
        torn = if tears == 0 { 0 } else { (1 + rng.below(tears)) * unit };
    }
    (kept, torn)
}

/// How many sectors of a write of `length` may be there where it is torn, by numbers.
pub(super) fn tears(length: u64) -> std::ops::RangeInclusive<u64> {
    1..=(length - 1).min(TORN)
}
