//! Identifies states by a sum over sectors of hashes of their position and contents. It is incremental: the share of
//! each write is computed once, and a state costs no more than the writes that it keeps.

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
    /// What was at the start in each sector that several of its writes have.
    shared: Vec<u64>,
}

#[derive(Clone, Debug)]
struct WriteDigest {
    /// What its first n sectors change of the sum, where no other write of the epoch has them.
    change: Vec<u64>,
    /// Of each sector, where another one has some: its place among the shared ones, and what it writes.
    sectors: Vec<(usize, u64)>,
}

impl Digests {
    pub(super) fn new(epochs: &Epochs<'_>) -> Digests {
        // A sector that was not written yet counts as 0, whatever it holds.
        let mut disk: HashMap<u64, u64> = HashMap::new();
        let mut sum = 0u64;
        let epochs = epochs.epochs.iter().map(|epoch| {
            let mut shared = Shared::default();
            let of = |write: &Write| write_digest(epochs.log, write, &disk, &mut shared);
            let writes = epoch.writes.iter().map(of).collect();
            let digest = EpochDigest { start: sum, writes, shared: shared.old };
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
        scratch.begin(digest.shared.len());
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
            for (place, new) in one.sectors.iter().take(length) {
                let old = scratch.replace(*place, *new).unwrap_or(digest.shared[*place]);
                sum = sum.wrapping_add(*new).wrapping_sub(old);
            }
        }
        sum
    }
}

/// What the state at hand has in the shared sectors.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Values, each with the number of the state that it is of.
    values: Vec<(u64, u64)>,
    state: u64,
}

impl Scratch {
    fn begin(&mut self, shared: usize) {
        self.state += 1;
        if self.values.len() < shared {
            self.values.resize(shared, (0, 0));
        }
    }

    /// What this state has had there.
    fn replace(&mut self, place: usize, new: u64) -> Option<u64> {
        let (state, old) = std::mem::replace(&mut self.values[place], (self.state, new));
        (state == self.state).then_some(old)
    }
}

/// Sectors that several writes have.
#[derive(Default)]
struct Shared {
    places: HashMap<u64, usize>,
    old: Vec<u64>,
}

impl Shared {
    fn place(&mut self, sector: u64, old: u64) -> usize {
        *self.places.entry(sector).or_insert_with(|| {
            self.old.push(old);
            self.old.len() - 1
        })
    }
}

fn write_digest(
    log: &Log,
    write: &Write,
    disk: &HashMap<u64, u64>,
    shared: &mut Shared,
) -> WriteDigest {
    let sectors = (0..write.length()).map(|at| {
        let sector = write.sectors.start + at;
        (sector, disk.get(&sector).copied().unwrap_or(0), sector_hash(log, write, at))
    });
    if write.overlaps {
        let sectors = sectors.map(|(sector, old, new)| (shared.place(sector, old), new));
        return WriteDigest { change: Vec::new(), sectors: sectors.collect() };
    }
    let mut change = vec![0u64];
    let mut sum = 0u64;
    for (_, old, new) in sectors {
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
