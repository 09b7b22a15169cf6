//! Parameters of generated data that resembles a user's files: shares of blocks by compressibility. The numbers are
//! part of the plan, so the files are not needed again.

use crate::target::parse::excerpt;
use std::{collections::BTreeMap, fmt, str::FromStr};

/// The total that shares refer to.
const MILLE: u16 = 1000;

/// Blocks of 4 KiB that compress alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LikeClass {
    /// What finding repetitions alone leaves of a block (LZ4, LZO), sixteenths, 0 to 16.
    pub left_16: u8,
    /// Bits that coding by frequency then spends on each byte left (zlib, zstd), 4 to 8.
    pub bits: u8,
    /// Blocks of this class, per mille of all.
    pub share: u16,
}

/// Data like a sample: `like(zero=120,dup=30,9x5=380,16x8=500)`, all numbers per mille.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    zero: u16,
    duplicate: u16,
    /// Ascending; with `zero` they make up the whole.
    classes: Vec<LikeClass>,
}

impl Like {
    /// From numbers of blocks: `zero` of zeros, `duplicate` of the others that repeat an earlier one,
    /// and the others by `(left_16, bits)`. `None` without blocks, or with a class that cannot be.
    pub fn from_counts(
        zero: u64,
        duplicate: u64,
        classes: &BTreeMap<(u8, u8), u64>,
    ) -> Option<Like> {
        let counts: Vec<u64> = std::iter::once(zero).chain(classes.values().copied()).collect();
        let shares = per_mille(&counts)?;
        let others: u64 = counts[1..].iter().sum();
        let duplicate = (duplicate * u64::from(MILLE)).checked_div(others).unwrap_or(0);
        let class = |(&(left_16, bits), &share)| LikeClass { left_16, bits, share };
        let classes = classes.keys().zip(&shares[1..]).map(class);
        let classes = classes.filter(|class| class.share > 0).collect();
        Like { zero: shares[0], duplicate: duplicate.min(1000) as u16, classes }.checked()
    }

    fn checked(self) -> Option<Like> {
        let whole: u64 = self.classes.iter().map(|class| u64::from(class.share)).sum();
        let possible = |c: &LikeClass| c.left_16 <= 16 && (4..=8).contains(&c.bits) && c.share > 0;
        let fits = whole + u64::from(self.zero) == u64::from(MILLE)
            && self.duplicate <= MILLE
            && self.classes.is_sorted_by(|a, b| (a.left_16, a.bits) < (b.left_16, b.bits))
            && self.classes.iter().all(possible);
        fits.then_some(self)
    }

    /// Blocks of zeros, per mille.
    pub fn zero(&self) -> u16 {
        self.zero
    }

    /// Blocks that repeat another, per mille of those that are not zero.
    pub fn duplicate(&self) -> u16 {
        self.duplicate
    }

    /// The class at `place`, 0 to 999 per mille of the blocks in order; `None` for zeros.
    pub fn class_at(&self, place: u16) -> Option<&LikeClass> {
        let mut end = self.zero;
        (place >= end).then_some(())?;
        self.classes.iter().find(|class| {
            end += class.share;
            place < end
        })
    }

    /// Share of the bytes that is left when repetitions alone are found, 0 to 1.
    pub fn left(&self) -> f64 {
        self.mean(|_| 1.0)
    }

    /// Share of the bytes that is left when what remains is also coded by frequency, 0 to 1.
    pub fn left_coded(&self) -> f64 {
        self.mean(|class| f64::from(class.bits) / 8.0)
    }

    fn mean(&self, factor: impl Fn(&LikeClass) -> f64) -> f64 {
        let part = |c: &LikeClass| f64::from(c.share) * f64::from(c.left_16) / 16.0 * factor(c);
        self.classes.iter().map(part).sum::<f64>() / f64::from(MILLE)
    }
}

/// `counts` per mille of their sum, by the largest remainders, so that they make up the whole.
fn per_mille(counts: &[u64]) -> Option<Vec<u16>> {
    let whole = u128::from(counts.iter().sum::<u64>());
    let scaled = |count: &u64| u128::from(*count) * u128::from(MILLE);
    let floor = |count: &u64| Some(scaled(count).checked_div(whole)? as u16);
    let mut shares: Vec<u16> = counts.iter().map(floor).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(scaled(&counts[i]) % whole));
    let missing = MILLE - shares.iter().sum::<u16>();
    order.iter().take(usize::from(missing)).for_each(|&i| shares[i] += 1);
    Some(shares)
}

impl fmt::Display for Like {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "like(zero={},dup={}", self.zero, self.duplicate)?;
        for class in &self.classes {
            write!(f, ",{}x{}={}", class.left_16, class.bits, class.share)?;
        }
        f.write_str(")")
    }
}

impl FromStr for Like {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        read(text).and_then(Like::checked).ok_or_else(|| {
            let text = excerpt(text);
            format!(
                "`{text}` does not describe data; expected like(zero=Z,dup=D,LxB=S,...) with L of \
                 0 to 16, B of 4 to 8, and Z plus all S equal to 1000"
            )
        })
    }
}

fn read(text: &str) -> Option<Like> {
    let inside = text.strip_prefix("like(")?.strip_suffix(')')?;
    let mut like = Like { zero: 0, duplicate: 0, classes: Vec::new() };
    for part in inside.split(',') {
        let (key, value) = part.split_once('=')?;
        let share: u16 = value.parse().ok()?;
        match key {
            "zero" => like.zero = share,
            "dup" => like.duplicate = share,
            _ => {
                let (left, bits) = key.split_once('x')?;
                let (left_16, bits) = (left.parse().ok()?, bits.parse().ok()?);
                like.classes.push(LikeClass { left_16, bits, share });
            }
        }
    }
    Some(like)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Like {
        let classes = BTreeMap::from([((4, 6), 1), ((16, 8), 1), ((0, 5), 0)]);
        Like::from_counts(1, 1, &classes).unwrap()
    }

    #[test]
    fn counts_become_shares_of_a_whole() {
        assert_eq!(some().to_string(), "like(zero=334,dup=500,4x6=333,16x8=333)");
        assert_eq!(Like::from_counts(0, 0, &BTreeMap::new()), None);
        let zeros = Like::from_counts(9, 0, &BTreeMap::new()).unwrap();
        assert_eq!((zeros.zero(), zeros.class_at(999)), (1000, None));
    }

    #[test]
    fn text_reads_back_and_nonsense_is_refused() {
        assert_eq!(some().to_string().parse(), Ok(some()));
        for text in [
            "like()",
            "like(zero=999,dup=0)",
            "like(zero=0,dup=0,17x8=1000)",
            "like(zero=0,dup=0,3x3=1000)",
            "like(zero=0,dup=1001,3x4=1000)",
            "like(zero=0,dup=0,3x4=500,3x4=500)",
            "like:/home",
        ] {
            assert!(text.parse::<Like>().is_err(), "{text}");
        }
    }

    #[test]
    fn places_and_means_follow_the_shares() {
        let like = some();
        assert_eq!(like.class_at(333), None);
        assert_eq!(like.class_at(334).unwrap().left_16, 4);
        assert_eq!(like.class_at(999).unwrap().left_16, 16);
        assert!((like.left() - 0.333 * 1.25).abs() < 1e-12);
        assert!((like.left_coded() - 0.333 * (0.25 * 0.75 + 1.0)).abs() < 1e-12);
    }
}
