//! Estimates the compressed size of a block without compressing it. It looks for repetitions as LZ77
//! coders do (Ziv and Lempel, 1977; one candidate by a hash table, taken greedily, as LZ4), and takes
//! the entropy of the bytes that are left (Shannon, 1948) for what coding by frequency adds.

/// The unit of compression of Btrfs, and of ZFS by default, bytes.
pub(super) const UNIT_BYTES: usize = 128 << 10;
/// A block, bytes.
pub(super) const BLOCK_BYTES: usize = 4096;
/// Shortest repetition that is worth telling, bytes. Shorter ones also occur by chance.
const MIN_MATCH: usize = 6;
/// The cost of a repetition without entropy coding, bytes: token and offset of LZ4.
const MATCH_BYTES: f64 = 3.0;
/// What lengths of a repetition and of the bytes before it cost when they are coded, bits; its
/// distance costs its logarithm.
const MATCH_BITS: f64 = 8.0;
const HASH_BITS: u32 = 16;

/// The compressed size of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Left {
    /// The size with repetitions removed only, bytes.
    pub(super) bytes: f64,
    /// The size with the rest entropy-coded as well, bits.
    pub(super) coded_bits: f64,
}

/// Returns the compressed size of each block of `unit`, at most [`UNIT_BYTES`] compressed together.
pub(super) fn left_of_blocks(unit: &[u8]) -> Vec<Left> {
    let mut blocks = vec![Left::default(); unit.len().div_ceil(BLOCK_BYTES)];
    let mut literals = Vec::with_capacity(unit.len());
    let mut seen = vec![usize::MAX; 1 << HASH_BITS];
    let mut at = 0;
    while at < unit.len() {
        let block = &mut blocks[at / BLOCK_BYTES];
        let before = note(&mut seen, unit, at);
        let Some((len, distance)) = before.and_then(|before| repetition(unit, before, at)) else {
            block.bytes += 1.0;
            literals.push(at);
            at += 1;
            continue;
        };
        block.bytes += MATCH_BYTES;
        block.coded_bits += MATCH_BITS + (distance as f64).log2();
        for within in at + 1..at + len {
            note(&mut seen, unit, within);
        }
        at += len;
    }
    charge_literals(&mut blocks, unit, &literals);
    blocks
}

/// Notes that the word at `at` was seen, and tells where one with its hash was seen before.
fn note(seen: &mut [usize], unit: &[u8], at: usize) -> Option<usize> {
    let key = u64::from_le_bytes(unit.get(at..at + 8)?.try_into().ok()?) << (64 - 8 * MIN_MATCH);
    let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HASH_BITS);
    let before = std::mem::replace(&mut seen[hash as usize], at);
    (before != usize::MAX).then_some(before)
}

/// Length and distance of what repeats at `at` from `before` on, when it is long enough.
fn repetition(unit: &[u8], before: usize, at: usize) -> Option<(usize, usize)> {
    let equal = unit[before..].iter().zip(&unit[at..]).take_while(|(a, b)| a == b).count();
    (equal >= MIN_MATCH).then_some((equal, at - before))
}

/// Adds the entropy of the bytes at `literals` to their blocks.
fn charge_literals(blocks: &mut [Left], unit: &[u8], literals: &[usize]) {
    let mut counts = [0u32; 256];
    literals.iter().for_each(|&at| counts[usize::from(unit[at])] += 1);
    let bits = counts.map(|count| (literals.len() as f64 / f64::from(count.max(1))).log2());
    literals
        .iter()
        .for_each(|&at| blocks[at / BLOCK_BYTES].coded_bits += bits[usize::from(unit[at])]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::random::Rng;

    fn random(len: usize, symbols: u64) -> Vec<u8> {
        let mut rng = Rng::new(3);
        (0..len).map(|_| rng.below(symbols) as u8).collect()
    }

    fn shares(unit: &[u8]) -> (f64, f64) {
        let blocks = left_of_blocks(unit);
        let bytes: f64 = blocks.iter().map(|left| left.bytes).sum();
        let bits: f64 = blocks.iter().map(|left| left.coded_bits).sum();
        (bytes / unit.len() as f64, bits / 8.0 / unit.len() as f64)
    }

    #[test]
    fn random_bytes_stay_and_zeros_go() {
        let (left, coded) = shares(&random(UNIT_BYTES, 256));
        assert!(left > 0.999 && (0.99..1.001).contains(&coded), "{left} {coded}");
        assert!(shares(&[0; UNIT_BYTES]).0 < 0.001);
    }

    #[test]
    fn few_symbols_without_repetition_are_a_matter_of_entropy() {
        // Five bits in each byte, 32 symbols: six of them hardly ever repeat.
        let (left, coded) = shares(&random(UNIT_BYTES, 32));
        assert!(left > 0.99 && (coded - 5.0 / 8.0).abs() < 0.01, "{left} {coded}");
    }

    #[test]
    fn a_second_copy_costs_nothing_and_only_within_the_unit() {
        let half = random(UNIT_BYTES / 2, 256);
        let blocks = left_of_blocks(&[half.clone(), half].concat());
        assert!(blocks[..16].iter().all(|left| left.bytes > 4000.0));
        assert!(blocks[17..].iter().all(|left| left.bytes == 0.0));
    }

    #[test]
    fn short_pieces_are_literal() {
        assert_eq!(left_of_blocks(&[]), []);
        assert_eq!(left_of_blocks(b"aaa")[0], Left { bytes: 3.0, coded_bits: 0.0 });
    }
}
