//! Symbols: names of four letters, and columns of them as text.

use super::{Pattern, prefer_huge_pages};
use model::random::Rng;
use std::{ops::Range, sync::Arc};

/// Bytes of one symbol in a text column: four letters and a NUL.
pub const SYMBOL_BYTES: usize = 5;
/// Number of distinct symbols.
pub const SYMBOLS: usize = 10_000;

/// 10 000 distinct names of four letters `a` to `p`, in alphabetical order; a name's place is its id.
#[derive(Clone, Debug)]
pub struct Domain {
    names: Vec<[u8; 4]>,
    /// Id by the 16 bits that four letters make; `u16::MAX` where there is no such name.
    ids: Vec<u16>,
}

impl Domain {
    /// The names drawn by `seed`.
    pub fn new(seed: u64) -> Domain {
        let mut codes: Vec<u16> = (0..=u16::MAX).collect();
        Rng::new(seed).shuffle(&mut codes);
        codes.truncate(SYMBOLS);
        codes.sort_unstable();
        let mut ids = vec![u16::MAX; 1 << 16];
        for (id, code) in codes.iter().enumerate() {
            ids[usize::from(*code)] = id as u16;
        }
        let letter = |code: u16, shift: u16| b'a' + (code >> shift & 15) as u8;
        let names = codes.iter().map(|&c| [12, 8, 4, 0].map(|shift| letter(c, shift))).collect();
        Domain { names, ids }
    }

    /// The names by id.
    pub fn names(&self) -> &[[u8; 4]] {
        &self.names
    }

    /// The id of a random word.
    #[inline]
    pub fn id_of_word(word: u64) -> u64 {
        ((u128::from(word) * SYMBOLS as u128) >> 64) as u64
    }

    /// The id of `name`, when it is one of the names.
    #[inline]
    pub fn id_of_name(&self, name: &[u8]) -> Option<u16> {
        if name.len() != 4 || name.iter().any(|c| !(b'a'..=b'p').contains(c)) {
            return None;
        }
        let code = name.iter().fold(0usize, |code, c| code << 4 | usize::from(c - b'a'));
        self.ids.get(code).copied().filter(|&id| id != u16::MAX)
    }

    /// The name of `id` as written in a text column; ids beyond the last give the last name.
    #[inline]
    pub fn text(&self, id: u64) -> [u8; SYMBOL_BYTES] {
        let [a, b, c, d] = self.names[(id as usize).min(SYMBOLS - 1)];
        [a, b, c, d, 0]
    }
}

/// A vector of symbols as text, ready to be written.
#[derive(Debug)]
pub struct Text {
    pattern: Pattern,
    len: u64,
    base: Arc<Vec<u8>>,
}

impl Text {
    /// The names in `domain` that the first `len` words of `pattern` stand for.
    pub fn of(domain: &Domain, pattern: Pattern, len: u64) -> Text {
        let base_len = pattern.base_len(len);
        let mut base = Vec::with_capacity(base_len as usize * SYMBOL_BYTES);
        prefer_huge_pages(base.spare_capacity_mut());
        for at in 0..base_len {
            base.extend_from_slice(&domain.text(Domain::id_of_word(pattern.base_word(at))));
        }
        Text { pattern, len, base: Arc::new(base) }
    }

    /// The names that the first `len` words of `pattern` stand for, out of the same buffer; `None` when that does
    /// not hold them.
    pub fn sharing(&self, pattern: &Pattern, len: u64) -> Option<Text> {
        let symbols = (self.base.len() / SYMBOL_BYTES) as u64;
        let holds = self.pattern.holds(symbols, pattern, len);
        holds.then(|| Text { pattern: pattern.clone(), len, base: Arc::clone(&self.base) })
    }

    /// The text of the symbols from `i` on; as [`super::Data::piece`].
    #[inline]
    pub fn piece_bytes(&self, i: u64, max: u64) -> &[u8] {
        let Range { start, end } = self.pattern.piece(self.len, i, max);
        self.base.get(start * SYMBOL_BYTES..end * SYMBOL_BYTES).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use model::workload::DataKind;

    #[test]
    fn symbols_are_distinct_sorted_and_found_again() {
        let domain = Domain::new(9);
        assert_eq!(domain.names().len(), SYMBOLS);
        assert!(domain.names().windows(2).all(|w| w[0] < w[1]));
        for (id, name) in domain.names().iter().enumerate() {
            assert_eq!(domain.id_of_name(name), Some(id as u16));
        }
        assert_eq!(domain.id_of_name(b"zzzz"), None);
        assert_eq!(Domain::id_of_word(u64::MAX), SYMBOLS as u64 - 1);
    }

    #[test]
    fn text_is_the_names_of_the_ids() {
        let domain = Domain::new(9);
        let pattern = || Pattern::new(&DataKind::Random, 1, 0, 100);
        let ids = Data::of(pattern(), 250);
        let text = Text::of(&domain, pattern(), 250);
        let piece = text.piece_bytes(120, 1000);
        assert_eq!(piece.len(), 80 * SYMBOL_BYTES);
        assert_eq!(piece[..5], domain.text(Domain::id_of_word(ids.word(120))));
    }
}
