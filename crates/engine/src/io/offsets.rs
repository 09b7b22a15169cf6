//! Generates the offsets of operations.

use super::{Op, OpSource};
use model::random::Rng;
use std::ops::Range;

/// The order in which blocks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// From the first to the last.
    Sequential,
    /// Each drawn from all, independently: some repeat, some are never taken. What sysbench does.
    Uniform,
    /// In a random order that takes each once in every pass. What fio does with its random map, but
    /// without the map.
    Permuted,
}

/// The blocks that an operation source takes, and the operation on each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Number of files, all equally long. Their blocks are numbered on from file to file.
    pub files: u32,
    /// Bytes of each file; what is left behind the last whole block is not touched.
    pub file_bytes: u64,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// The blocks that are taken; `None` for all.
    pub blocks: Option<Range<u64>>,
    /// Their order.
    pub order: Order,
    /// The percentage of operations that read, drawn for each; the others write.
    pub read_percent: u8,
    /// After how many passes the source ends; a pass has as many operations as there are blocks.
    /// `None` for never.
    pub passes: Option<u64>,
    /// Equal seeds give equal operations.
    pub seed: u64,
}

impl Access {
    /// Whole blocks in all files.
    pub fn total_blocks(&self) -> u64 {
        u64::from(self.files) * self.blocks_of_a_file()
    }

    fn blocks_of_a_file(&self) -> u64 {
        self.file_bytes / u64::from(self.block_bytes.max(1))
    }
}

/// The operations of an [`Access`].
#[derive(Clone, Debug)]
pub struct Offsets {
    order: Order,
    first: u64,
    count: u64,
    block_bytes: u64,
    /// Blocks of a file; 0 when there is one file.
    split: u64,
    read_percent: u64,
    passes_left: u64,
    /// Operations left in this pass.
    left: u64,
    rng: Rng,
    permutation: Permutation,
}

impl Offsets {
    /// A source that begins with the first operation of `access`.
    pub fn new(access: &Access) -> Offsets {
        let total = access.total_blocks();
        let range = access.blocks.clone().unwrap_or(0..total);
        let count = range.end.min(total).saturating_sub(range.start);
        let mut rng = Rng::new(access.seed);
        Offsets {
            order: access.order,
            first: range.start,
            count,
            block_bytes: u64::from(access.block_bytes),
            split: if access.files > 1 { access.blocks_of_a_file() } else { 0 },
            read_percent: u64::from(access.read_percent),
            passes_left: if count == 0 { 0 } else { access.passes.unwrap_or(u64::MAX) },
            left: 0,
            permutation: Permutation::new(count, &mut rng),
            rng,
        }
    }

    /// False when all passes are done.
    fn next_pass(&mut self) -> bool {
        if self.passes_left == 0 {
            return false;
        }
        self.passes_left -= 1;
        self.left = self.count;
        if self.order == Order::Permuted {
            self.permutation = Permutation::new(self.count, &mut self.rng);
        }
        true
    }

    #[inline]
    fn writes(&mut self) -> bool {
        match self.read_percent {
            0 => true,
            100.. => false,
            share => self.rng.below(100) >= share,
        }
    }
}

impl OpSource for Offsets {
    #[inline]
    fn next_op(&mut self) -> Option<Op> {
        if self.left == 0 && !self.next_pass() {
            return None;
        }
        let within = match self.order {
            Order::Sequential => self.count - self.left,
            Order::Uniform => self.rng.below(self.count),
            Order::Permuted => self.permutation.next_below(),
        };
        self.left -= 1;
        let block = self.first + within;
        let (file, block) = match self.split {
            0 => (0, block),
            split => ((block / split) as u32, block % split),
        };
        Some(Op { write: self.writes(), file, offset: block * self.block_bytes })
    }
}

/// A random order of `0..count` without a list: a counter runs through the next power of two, a
/// bijection of that many bits scatters it, and what falls beyond `count` is left out. That is less
/// than half of it.
#[derive(Clone, Debug)]
struct Permutation {
    count: u64,
    counter: u64,
    mask: u64,
    shift: u32,
    keys: [u64; 4],
}

impl Permutation {
    fn new(count: u64, rng: &mut Rng) -> Permutation {
        let mask = count.max(1).checked_next_power_of_two().map_or(u64::MAX, |power| power - 1);
        let shift = mask.count_ones().div_ceil(2).max(1);
        Permutation { count, counter: 0, mask, shift, keys: [(); 4].map(|()| rng.next_u64()) }
    }

    /// Multiplication with an odd number and an exclusive or with the own upper half are bijections
    /// of `0..=mask`, and so is their composition.
    #[inline]
    fn scatter(&self, counter: u64) -> u64 {
        let [key, odd @ ..] = self.keys;
        odd.into_iter().fold((counter ^ key) & self.mask, |x, odd| {
            let x = x.wrapping_mul(odd | 1) & self.mask;
            x ^ x >> self.shift
        })
    }

    /// The next of `count` numbers; to be called at most `count` times.
    #[inline]
    fn next_below(&mut self) -> u64 {
        loop {
            let x = self.scatter(self.counter);
            self.counter = self.counter.wrapping_add(1);
            if x < self.count {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests;
