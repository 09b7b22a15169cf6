//! Self-describing content: each word of eight bytes encodes its file, the write that produced it and its position,
//! keyed by the seed. So whatever is found afterwards can be identified word by word.

use std::ops::Range;

/// Bytes of a word. Offsets and lengths of writes are multiples of it.
pub const WORD_BYTES: u64 = 8;

const MAGIC: u64 = 0xa55a;
const FILE_BITS: u32 = 12;
const WRITE_BITS: u32 = 16;
const PLACE_BITS: u32 = 20;
/// Files are shorter than this, bytes.
pub const LONGEST: u64 = WORD_BYTES << PLACE_BITS;

/// The write that a piece of data is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Author {
    /// The number of the file, below 4096.
    pub file: u16,
    /// The number of the write within the workload.
    pub write: u16,
}

/// Where a piece of data is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// All bytes are 0.
    Zeros,
    /// This write put it here.
    Written(Author),
    /// This write put it at another place.
    Displaced(Author),
    /// No write of this workload.
    Foreign,
}

/// Bytes of a file with one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its place in the file, bytes.
    pub bytes: Range<u64>,
    /// Where it is from.
    pub origin: Origin,
}

/// The content of one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    key: u64,
}

impl Content {
    /// That of `seed`.
    pub fn new(seed: u64) -> Content {
        Content { key: model::random::Rng::new(seed).next_u64() }
    }

    /// What `author` writes at byte `offset` of its file, a multiple of [`WORD_BYTES`] as is the length.
    pub fn bytes(self, author: Author, offset: u64, length: u64) -> Vec<u8> {
        let places = offset / WORD_BYTES..(offset + length) / WORD_BYTES;
        places.flat_map(|place| self.word(author, place).to_le_bytes()).collect()
    }

    fn word(self, author: Author, place: u64) -> u64 {
        let names = (u64::from(author.file) << WRITE_BITS | u64::from(author.write)) << PLACE_BITS;
        mixed((MAGIC << (FILE_BITS + WRITE_BITS + PLACE_BITS) | names | place) ^ self.key)
    }

    /// Where `bytes`, a whole file, are from.
    pub fn recognise(self, bytes: &[u8]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let words = bytes.chunks(usize::try_from(WORD_BYTES).unwrap_or(8));
        for (place, word) in (0u64..).zip(words) {
            let origin = self.origin(word, place);
            let start = place * WORD_BYTES;
            let end = start + word.len() as u64;
            match runs.last_mut() {
                Some(run) if run.origin == origin => run.bytes.end = end,
                _ => runs.push(Run { bytes: start..end, origin }),
            }
        }
        runs
    }

    fn origin(self, word: &[u8], place: u64) -> Origin {
        if word.iter().all(|byte| *byte == 0) {
            return Origin::Zeros;
        }
        let Ok(word) = word.try_into().map(u64::from_le_bytes) else { return Origin::Foreign };
        let plain = unmixed(word) ^ self.key;
        if plain >> (FILE_BITS + WRITE_BITS + PLACE_BITS) != MAGIC {
            return Origin::Foreign;
        }
        let bits = |shift: u32, count: u32| plain >> shift & ((1 << count) - 1);
        let number = |bits: u64| u16::try_from(bits).unwrap_or(u16::MAX);
        let file = number(bits(PLACE_BITS + WRITE_BITS, FILE_BITS));
        let author = Author { file, write: number(bits(PLACE_BITS, WRITE_BITS)) };
        if bits(0, PLACE_BITS) == place {
            Origin::Written(author)
        } else {
            Origin::Displaced(author)
        }
    }
}

/// The finaliser of splitmix64, which hits each value once, so that it can be undone.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn unmixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 31) ^ (z >> 62)).wrapping_mul(0x3196_42b2_d24d_8ec3);
    z = (z ^ (z >> 27) ^ (z >> 54)).wrapping_mul(0x96de_1b17_3f11_9089);
    z ^ (z >> 30) ^ (z >> 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn mixing_is_invertible(z: u64) {
            prop_assert_eq!(unmixed(mixed(z)), z);
        }

        #[test]
        fn each_word_is_recognised(seed: u64, file in 0u16..4096, write: u16, at in 0u64..1000) {
            let content = Content::new(seed);
            let author = Author { file, write };
            let bytes = content.bytes(author, at * 8, 64);
            // One word in 65 536 looks like content by chance; this one does not.
            let foreign = mixed((MAGIC ^ 1) << (FILE_BITS + WRITE_BITS + PLACE_BITS) ^ content.key);
            let mut file = vec![0; at as usize * 8];
            file.extend(&bytes);
            file.extend([foreign.to_le_bytes(); 2].concat());
            file.extend(&bytes[8..16]);
            file.extend([9, 0, 0]);
            let origins: Vec<Run> = content.recognise(&file);
            let (start, end) = (at * 8, at * 8 + 64);
            let run = |bytes, origin| Run { bytes, origin };
            let zeros = (at > 0).then(|| run(0..start, Origin::Zeros));
            let expected: Vec<Run> = zeros.into_iter().chain([
                run(start..end, Origin::Written(author)),
                run(end..end + 16, Origin::Foreign),
                run(end + 16..end + 24, Origin::Displaced(author)),
                run(end + 24..end + 27, Origin::Foreign),
            ]).collect();
            prop_assert_eq!(origins, expected);
            let other = Content::new(seed ^ 1).recognise(&bytes);
            let foreign = other.iter().filter(|run| run.origin == Origin::Foreign);
            let foreign: u64 = foreign.map(|run| run.bytes.end - run.bytes.start).sum();
            prop_assert!(foreign >= 48, "{other:?}");
        }
    }
}
