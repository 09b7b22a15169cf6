//! Draws distinct states. Small epochs are enumerated completely; for large ones, all prefixes, each write alone, and
//! all writes but one are included, and random subsets fill the rest.

use super::{
    State,
    digest::{Digests, Scratch},
    epoch::{Epoch, Epochs},
    number::{self, EPOCHS_MAX, Form, PERMUTED_MAX, Rule, WHOLE_MAX},
};
use model::random::Rng;
use std::collections::{HashMap, hash_map::Entry};

/// Most states of an epoch that is enumerated.
const ENUMERATED_MAX: usize = 8192;
/// Draws in a row that find nothing new before the search ends.
const IN_VAIN_MAX: u32 = 10_000;

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The same one draws the same states.
    pub seed: u64,
    /// Most states.
    pub limit: usize,
    /// What the disk writes whole or not at all: 512 bytes, or 4096.
    pub atomic_bytes: u64,
}

/// Distinct states.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// No two of them have the same blocks; of those that have, the one with the later mark is here.
    pub states: Vec<State>,
    /// Whether there are no others.
    pub is_complete: bool,
}

/// Draws distinct states of `epochs`. Each epoch gives as many as the others while it has some.
pub fn draw(epochs: &Epochs<'_>, asked: Draw) -> Drawn {
    let mut found = Distinct::new(epochs, asked);
    let mut rng = Rng::new(asked.seed);
    let numbered = &epochs.epochs[..epochs.count().min(EPOCHS_MAX)];
    let mut listed: Vec<Listed> =
        numbered.iter().enumerate().map(|(at, epoch)| list(at, epoch, &mut rng)).collect();
    // From behind, as what comes first has the later mark.
    let mut is_left = true;
    while is_left && !found.is_full() {
        is_left = false;
        for own in listed.iter_mut().rev() {
            if let Some(number) = own.numbers.pop() {
                is_left = true;
                found.add(number);
            }
        }
    }
    let is_listed = listed.iter().all(|own| own.numbers.is_empty());
    let large: Vec<usize> = (0..listed.len()).filter(|at| !listed[*at].is_whole).collect();
    let mut in_vain = 0;
    while !large.is_empty() && !found.is_full() && in_vain < IN_VAIN_MAX {
        let at = usize::try_from(rng.below(large.len() as u64)).unwrap_or(0);
        let number = number::encode(large[at], Form::Drawn(rng.next_u64()));
        in_vain = if found.add(number) { 0 } else { in_vain + 1 };
    }
    let is_whole = is_listed && large.is_empty() && numbered.len() == epochs.count();
    let is_complete = is_whole && !found.has_refused;
    Drawn { states: found.states, is_complete }
}

/// The states found so far.
struct Distinct<'a, 'log> {
    epochs: &'a Epochs<'log>,
    digests: Digests,
    scratch: Scratch,
    /// Places in `states`, by digest.
    places: HashMap<u64, usize>,
    states: Vec<State>,
    asked: Draw,
    /// Whether one more than the limit was found.
    has_refused: bool,
}

impl<'a, 'log> Distinct<'a, 'log> {
    fn new(epochs: &'a Epochs<'log>, asked: Draw) -> Distinct<'a, 'log> {
        Distinct {
            epochs,
            digests: Digests::new(epochs),
            scratch: Scratch::default(),
            places: HashMap::new(),
            states: Vec::new(),
            asked,
            has_refused: false,
        }
    }

    fn is_full(&self) -> bool {
        self.states.len() >= self.asked.limit
    }

    /// Whether its blocks were not there yet.
    fn add(&mut self, number: u64) -> bool {
        let Some(state) = self.epochs.state(number) else { return false };
        if !self.epochs.tears_at(&state, self.asked.atomic_bytes) {
            return false;
        }
        let digest = self.digests.of(&state, self.epochs, &mut self.scratch);
        match self.places.entry(digest) {
            Entry::Occupied(known) => {
                let known = &mut self.states[*known.get()];
                if known.epoch < state.epoch {
                    *known = state;
                }
                false
            }
            Entry::Vacant(free) if self.states.len() < self.asked.limit => {
                free.insert(self.states.len());
                self.states.push(state);
                true
            }
            Entry::Vacant(_) => {
                self.has_refused = true;
                false
            }
        }
    }
}

/// Numbers that are tried before any is drawn, the last ones first.
struct Listed {
    numbers: Vec<u64>,
    /// Whether the epoch has no other states.
    is_whole: bool,
}

/// Those of the epoch `at`: nothing, everything, and the others as they are drawn.
fn list(at: usize, epoch: &Epoch, rng: &mut Rng) -> Listed {
    let count = epoch.writes.len();
    let whole = enumerate(at, epoch);
    let is_whole = whole.is_some();
    let mut numbers = whole.unwrap_or_else(|| fixed(at, count));
    rng.shuffle(&mut numbers);
    for index in [count, 0] {
        let (rule, index) = (Rule::Before, index as u64);
        numbers.push(number::encode(at, Form::Fixed { rule, index, torn: 0 }));
    }
    Listed { numbers, is_whole }
}

/// Prefixes, each alone, and all but each.
fn fixed(at: usize, count: usize) -> Vec<u64> {
    let rules = [Rule::Before, Rule::Alone, Rule::AllBut];
    let all = (0..count as u64).flat_map(|index| rules.map(|rule| (rule, index)));
    all.map(|(rule, index)| number::encode(at, Form::Fixed { rule, index, torn: 0 })).collect()
}

/// All states of an epoch; `None` where there are too many.
fn enumerate(at: usize, epoch: &Epoch) -> Option<Vec<u64>> {
    let writes = &epoch.writes;
    if writes.len() > WHOLE_MAX {
        return None;
    }
    let mut numbers = Vec::new();
    for mask in 0..1u64 << writes.len() {
        let kept: Vec<usize> = (0..writes.len()).filter(|own| mask >> own & 1 == 1).collect();
        let overlap = kept.iter().any(|own| writes[*own].overlaps);
        if overlap && kept.len() > PERMUTED_MAX {
            return None;
        }
        // Where no two share a sector it matters only which one is last.
        let step = if overlap { 1 } else { number::orders_of_rest(kept.len()).max(1) };
        let orders = number::orders_of_rest(kept.len()) * kept.len() as u64;
        for order in (0..orders.max(1)).step_by(usize::try_from(step).ok()?) {
            numbers.push(number::encode(at, Form::Whole { mask, order, torn: 0 }));
            let digit = usize::try_from(order / number::orders_of_rest(kept.len()).max(1)).ok()?;
            let Some(last) = kept.len().checked_sub(digit + 1) else { continue };
            let torn = number::tears(writes[kept[last]].length());
            let torn = torn.map(|torn| Form::Whole { mask, order, torn });
            numbers.extend(torn.map(|form| number::encode(at, form)));
            if numbers.len() > ENUMERATED_MAX {
                return None;
            }
        }
    }
    Some(numbers)
}
