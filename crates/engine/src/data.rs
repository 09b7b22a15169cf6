//! Generated data: the word at each position of a vector of any length, from a buffer that is filled before the clock
//! starts, so that writing it costs no more than writing a slice.
//!
//! A vector is cut in runs, and a run is one slice of the buffer. Successive runs walk through the
//! buffer; no two of 512 successive passes begin at the same word of a page. Blocks of a file that are
//! aligned to 4 KiB therefore differ for 512 passes (8 GiB of words), which a file system that
//! deduplicates would otherwise notice. Any single word can be computed without the buffer, so a
//! reader can check what it finds.

pub mod like;
mod symbols;

pub use symbols::{Domain, SYMBOL_BYTES, SYMBOLS, Text};

use crate::map::PAGE_BYTES;
use model::workload::DataKind;
use rustix::mm::{Advice, madvise};
use std::{ffi::c_void, mem::MaybeUninit, ops::Range, sync::Arc};

/// Words in the default run: 16 MiB.
pub const RUN_WORDS: u64 = 2 << 20;

/// Elements after which a pass over the buffer ends; a multiple of a block.
const PASS: u64 = 2 << 20;
/// Words in a 4 KiB block, which is also the number of passes that differ.
const BLOCK_WORDS: u64 = 512;
/// Words after which the original suite's mixture begins again.
const MIXTURE: u64 = 1 << 14;
/// Increment of splitmix64: the golden ratio, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of splitmix64 (Steele, Lea and Flood, 2014): a bijection that passes for random.
#[inline]
fn mix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A seed for the thing called `name`, derived from `seed`.
pub fn derive_seed(seed: u64, name: &str) -> u64 {
    name.bytes()
        .fold(mix(seed ^ GOLDEN), |state, byte| mix(state.wrapping_add(GOLDEN) ^ u64::from(byte)))
}

/// The rule by which every word of a vector is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    kind: DataKind,
    seed: u64,
    run: u64,
    lead: u64,
    first: u64,
}

impl Pattern {
    /// The vector of `worker` in runs of `run` elements (at least 1).
    pub fn new(kind: &DataKind, seed: u64, worker: u32, run: u64) -> Pattern {
        let seed = mix(seed ^ mix(u64::from(worker).wrapping_add(GOLDEN)));
        Pattern { kind: kind.clone(), seed, run: run.max(1), lead: 0, first: 0 }
    }

    /// The same with a first run that is `lead` elements shorter, for what precedes the vector in
    /// its file: the other runs, and so the writes, then begin where the file is aligned.
    pub fn after(self, lead: u64) -> Pattern {
        Pattern { lead: lead % self.run, ..self }
    }

    /// The same for a vector that follows `number` others of `len` elements, each of which begins a run.
    pub fn behind(self, number: u64, len: u64) -> Pattern {
        let each = (len + self.lead).next_multiple_of(self.run);
        Pattern { first: number * each, ..self }
    }

    /// Returns true if a buffer of `held` elements of this pattern is one for `len` elements of `other`: the same but
    /// for where its vector begins.
    fn holds(&self, held: u64, other: &Pattern, len: u64) -> bool {
        *self == Pattern { first: self.first, ..other.clone() } && other.base_len(len) <= held
    }

    /// The word of element `i`.
    #[inline]
    pub fn word(&self, i: u64) -> u64 {
        self.base_word(self.index(i))
    }

    /// Length of the buffer from which a vector of `len` elements is written.
    fn base_len(&self, len: u64) -> u64 {
        (self.first + self.lead + len).min(PASS + self.run + BLOCK_WORDS)
    }

    /// Place of element `i` in the buffer.
    #[inline]
    fn index(&self, i: u64) -> u64 {
        let place = self.first + self.lead + i;
        let within = place % self.run;
        let start = place - within;
        start % PASS + shift(start / PASS) + within
    }

    /// Elements from `i` to the end of its run.
    #[inline]
    fn left_in_run(&self, i: u64) -> u64 {
        self.run - (i + self.lead) % self.run
    }

    /// Places in the buffer of the elements from `i` on of a vector of `len`: at most `max`, not beyond the run or
    /// the end.
    #[inline]
    fn piece(&self, len: u64, i: u64, max: u64) -> Range<usize> {
        let count = max.min(self.left_in_run(i)).min(len.saturating_sub(i)) as usize;
        let from = self.index(i) as usize;
        from..from + count
    }

    #[inline]
    fn base_word(&self, at: u64) -> u64 {
        let random = mix(self.seed.wrapping_add(at.wrapping_mul(GOLDEN)));
        match &self.kind {
            DataKind::Random => random,
            DataKind::Like(like) => like::word(like, self.seed, at),
            DataKind::Compressible if at % BLOCK_WORDS < BLOCK_WORDS / 2 => random,
            DataKind::Compressible | DataKind::Zeros => 0,
            DataKind::Ancestor => ancestor_word(at, random),
        }
    }
}

/// A quarter counting, a quarter 42, a quarter permuted, a quarter of digits, and a tail of -42.
fn ancestor_word(at: u64, random: u64) -> u64 {
    const QUARTER: u64 = MIXTURE / 4;
    let within = at % MIXTURE;
    match within / QUARTER {
        _ if within == MIXTURE - 1 => (-42i64) as u64,
        0 => at,
        1 => 42,
        // An odd multiplier permutes a power of two.
        2 => (within.wrapping_mul(GOLDEN | 1) >> 3) % QUARTER,
        _ => random % 10,
    }
}

/// A vector of words, ready to be written.
#[derive(Debug)]
pub struct Data {
    pattern: Pattern,
    len: u64,
    base: Arc<Vec<u64>>,
}

impl Data {
    /// `len_words` words of `worker` in runs of [`RUN_WORDS`].
    pub fn new(kind: &DataKind, seed: u64, worker: u32, len_words: u64) -> Data {
        Data::of(Pattern::new(kind, seed, worker, RUN_WORDS), len_words)
    }

    /// `len_words` words by `pattern`.
    pub fn of(pattern: Pattern, len_words: u64) -> Data {
        Data::mapped(pattern, len_words, |word| word)
    }

    /// The same vector with every word replaced by `f` of it. `f` gets the words of the buffer in their order, so that
    /// a value may depend on the one before.
    pub fn mapped(pattern: Pattern, len_words: u64, f: impl FnMut(u64) -> u64) -> Data {
        let len = pattern.base_len(len_words);
        let mut base = Vec::with_capacity(len as usize);
        prefer_huge_pages(base.spare_capacity_mut());
        base.extend((0..len).map(|at| pattern.base_word(at)).map(f));
        Data { pattern, len: len_words, base: Arc::new(base) }
    }

    /// The vector of `len_words` words by `pattern` out of the same buffer; `None` when that does not hold it.
    pub fn sharing(&self, pattern: &Pattern, len_words: u64) -> Option<Data> {
        let holds = self.pattern.holds(self.base.len() as u64, pattern, len_words);
        holds.then(|| Data {
            pattern: pattern.clone(),
            len: len_words,
            base: Arc::clone(&self.base),
        })
    }

    /// Number of words.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True when there are no words.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The word of element `i`; 0 beyond the end.
    #[inline]
    pub fn word(&self, i: u64) -> u64 {
        self.base.get(self.pattern.index(i) as usize).copied().unwrap_or(0)
    }

    /// The words from `i` on: at most `max`, not beyond the run or the end; empty beyond the end.
    #[inline]
    pub fn piece(&self, i: u64, max: u64) -> &[u64] {
        self.base.get(self.pattern.piece(self.len, i, max)).unwrap_or(&[])
    }

    /// [`Data::piece`] as bytes in memory order.
    #[inline]
    pub fn piece_bytes(&self, i: u64, max: u64) -> &[u8] {
        bytes_of(self.piece(i, max))
    }
}

/// By how many words pass `pass` is shifted: each of 0 to 511 once in 512 passes. The first 64 keep
/// the alignment to a cache line, without which the kernel's copy is slower.
#[inline]
fn shift(pass: u64) -> u64 {
    let pass = pass % BLOCK_WORDS;
    pass % 64 * 8 + pass / 64
}

/// Requests huge pages for `memory`, which is untouched: the copy out of them misses the TLB less,
/// and what is measured is the file system. A wish; a refusal changes nothing.
fn prefer_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    let first = (memory.as_ptr() as usize).next_multiple_of(PAGE_BYTES as usize);
    let end = (memory.as_ptr() as usize + size_of_val(memory)) & !(PAGE_BYTES as usize - 1);
    if first < end {
        // SAFETY: the pages from `first` to `end` lie inside `memory`, which is exclusively borrowed;
        // the advice changes how they are backed, not what they hold.
        let _ = unsafe { madvise(first as *mut c_void, end - first, Advice::LinuxHugepage) };
    }
}

/// The bytes of `words` in memory order.
#[inline]
pub fn bytes_of(words: &[u64]) -> &[u8] {
    // SAFETY: the pointer and the length in bytes are those of a live slice, a byte needs no
    // alignment, and every byte of a u64 is initialised.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const KINDS: [DataKind; 4] =
        [DataKind::Random, DataKind::Compressible, DataKind::Zeros, DataKind::Ancestor];

    #[test]
    fn the_buffer_and_the_rule_agree_over_many_runs() {
        for kind in KINDS {
            let pattern = Pattern::new(&kind, 7, 3, 1000).after(2);
            assert_eq!(Data::of(pattern.clone(), 5000).piece(0, 5000).len(), 998);
            let data = Data::of(pattern.clone(), 5 << 20);
            let mut i = 0;
            while i < data.len() {
                let piece = data.piece(i, 700);
                assert!(!piece.is_empty());
                assert_eq!(piece[0], pattern.word(i), "{kind} {i}");
                assert_eq!(piece[piece.len() - 1], pattern.word(i + piece.len() as u64 - 1));
                i += piece.len() as u64;
            }
            assert!(data.piece(data.len(), 1).is_empty());
        }
    }

    #[test]
    fn the_sequence_is_pinned() {
        let pattern = Pattern::new(&DataKind::Random, 1, 0, RUN_WORDS);
        assert_eq!(pattern, Pattern::new(&DataKind::Random, 1, 0, RUN_WORDS));
        assert_eq!(pattern.word(0), 5030171812741402187);
        assert_eq!(pattern.word((1 << 30) - 1), 8497367719916353251);
    }

    #[test]
    fn workers_and_seeds_differ() {
        let words: HashSet<u64> = [(1, 0), (1, 1), (2, 0), (2, 1)]
            .map(|(seed, worker)| Pattern::new(&DataKind::Random, seed, worker, 8).word(0))
            .into();
        assert_eq!(words.len(), 4);
        assert_ne!(derive_seed(1, "a"), derive_seed(1, "b"));
    }

    #[test]
    fn no_aligned_block_repeats_in_eight_gib() {
        // A block is named by the word it starts with; words are distinct within one buffer, and
        // blocks start two words early because of the file's header.
        for run in [RUN_WORDS, 64_512, 2047] {
            let pattern = Pattern::new(&DataKind::Random, 1, 0, run);
            let mut seen = HashSet::new();
            let mut at = BLOCK_WORDS - 2;
            while at < 1 << 30 {
                assert!(seen.insert(pattern.index(at)), "run {run}, element {at}");
                at += BLOCK_WORDS * 37;
            }
        }
    }

    #[test]
    fn a_clipped_buffer_holds_every_word() {
        for len in [1, 513, PASS - 1, PASS + 5, PASS + 4000] {
            let data = Data::of(Pattern::new(&DataKind::Random, 5, 0, 1024), len);
            for i in [0, len / 2, len - 1] {
                assert_eq!(data.word(i), data.pattern.word(i));
                assert_eq!(data.piece(i, 1), [data.pattern.word(i)]);
            }
        }
    }

    #[test]
    fn vectors_behind_one_another_share_a_buffer_and_no_word() {
        let pattern =
            |number| Pattern::new(&DataKind::Random, 5, 0, 1024).after(2).behind(number, 3000);
        let last = Data::of(pattern(3), 3000);
        let all: Vec<Data> = (0..4).map(|n| last.sharing(&pattern(n), 3000).unwrap()).collect();
        let mut seen = HashSet::new();
        for (data, number) in all.iter().zip(0..) {
            assert_eq!(data.piece(0, 5000).len(), 1022);
            for i in 0..3000 {
                assert_eq!(data.word(i), pattern(number).word(i));
                assert!(seen.insert(data.word(i)));
            }
        }
        assert!(all[0].sharing(&pattern(4), 3000).is_none());
        let other = Pattern::new(&DataKind::Random, 6, 0, 1024).after(2);
        assert!(last.sharing(&other, 3000).is_none());
    }

    #[test]
    fn kinds_look_as_they_say() {
        let half = Data::new(&DataKind::Compressible, 1, 0, 512);
        assert_eq!(half.piece(0, 512).iter().filter(|&&w| w == 0).count(), 256);
        assert!(Data::new(&DataKind::Zeros, 1, 0, 100).piece(0, 100).iter().all(|&w| w == 0));
        let ancestor = Data::new(&DataKind::Ancestor, 1, 0, MIXTURE);
        assert_eq!([ancestor.word(5), ancestor.word(5000)], [5, 42]);
        assert_eq!(ancestor.word(MIXTURE - 1) as i64, -42);
        assert!((3 * MIXTURE / 4..MIXTURE - 1).all(|i| ancestor.word(i) < 10));
    }
}
