//! The identity of states: a sum over sectors of hashes of their places and contents. It is incremental: what a write
//! adds is computed once, and a state costs no more than the writes that it keeps.

use super::{
    State,
    epoch::{Epochs, Write},
};
use crate::log::Log;
use std::collections::HashMap;

/// Hashes of all writes of a log.
#[derive(Clone, Debug)]
pub(super) struct Digests {
    epochs: Vec<EpochDigest>,
}

#[derive(Clone, Debug, Default)]
struct EpochDigest {
    /// Of the disk when the epoch began.
    start: u64,
    writes: Vec<WriteDigest>,
}

#[derive(Clone, Debug)]
struct WriteDigest {
    /// What its first n sectors change of the sum, where no other write of the epoch has them.
    change: Vec<u64>,
    /// Of each sector, where another one has some: what was there at the start, and what it writes.
    sectors: Vec<(u64, u64)>,
}

impl Digests {
    pub(super) fn new(epochs: &Epochs<'_>) -> Digests {
        // A sector that was not written yet counts as 0, whatever it holds.
        let mut disk: HashMap<u64, u64> = HashMap::new();
        let mut sum = 0u64;
        let epochs = epochs.epochs.iter().map(|epoch| {
            let of = |write: &Write| write_digest(epochs.log, write, &disk);
            let digest = EpochDigest { start: sum, writes: epoch.writes.iter().map(of).collect() };
            for write in &epoch.writes {
                for at in 0..write.length() {
                    let new = sector_hash(epochs.log, write, at);
                    let old = disk.insert(write.sectors.start + at, new).unwrap_or(0);
                    sum = sum.wrapping_add(new).wrapping_sub(old);
                }
            }
            digest
        });
        Digests { epochs: epochs.collect() }
    }

    /// Equal for states whose blocks are equal.
    pub(super) fn of(&self, state: &State, epochs: &Epochs<'_>, scratch: &mut Scratch) -> u64 {
        let (digest, own) = (&self.epochs[state.epoch], &epochs.epochs[state.epoch].writes);
        scratch.0.clear();
        let mut sum = digest.start;
        for (place, kept) in state.kept.iter().enumerate() {
            let (write, one) = (&own[*kept], &digest.writes[*kept]);
            let is_last = place + 1 == state.kept.len();
            let length = state.torn.filter(|_| is_last).unwrap_or(write.length());
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if !write.overlaps {
                sum = sum.wrapping_add(one.change[length]);
                continue;
            }
            for (sector, (old, new)) in write.sectors.clone().zip(&one.sectors).take(length) {
                let old = scratch.0.insert(sector, *new).unwrap_or(*old);
                sum = sum.wrapping_add(*new).wrapping_sub(old);
            }
        }
        sum
    }
}

/// Memory that the hash of one state after the other needs.
#[derive(Debug, Default)]
pub(super) struct Scratch(HashMap<u64, u64>);

fn write_digest(log: &Log, write: &Write, disk: &HashMap<u64, u64>) -> WriteDigest {
    let sectors = (0..write.length()).map(|at| {
        let old = disk.get(&(write.sectors.start + at)).copied().unwrap_or(0);
        (old, sector_hash(log, write, at))
    });
    if write.overlaps {
        return WriteDigest { change: Vec::new(), sectors: sectors.collect() };
    }
    let mut change = vec![0u64];
    let mut sum = 0u64;
    for (old, new) in sectors {
        sum = sum.wrapping_add(new).wrapping_sub(old);
        change.push(sum);
    }
    WriteDigest { change, sectors: Vec::new() }
}

fn sector_hash(log: &Log, write: &Write, at: u64) -> u64 {
    let place = mixed((write.sectors.start + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let words = write.sector(log, at).unwrap_or_default().chunks_exact(8);
    let content = words.fold(0u64, |hash, word| {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        (hash.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93)
    });
    mixed(place ^ content)
}

/// The finaliser of splitmix64, which hits each value once.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
