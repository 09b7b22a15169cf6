//! Numbers of few bytes: seven bits a byte, the lowest first; signed ones with their sign in the lowest bit.

/// Appends `value`.
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number.
pub(super) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, zigzag(value));
}

/// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The number that [`zigzag`] made this of.
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Bytes that are read from the front. Everything returns `None` where the bytes end or make no number.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return None;
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        self.number().map(unzigzag)
    }

    /// A number of at most 32 bits.
    pub(super) fn word(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for value in [0, 1, -1, 63, -64, 64, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, value);
            put(&mut bytes, value as u64);
            let mut read = Bytes(&bytes);
            assert_eq!((read.signed(), read.number()), (Some(value), Some(value as u64)));
            assert!(read.is_empty());
        }
    }

    #[test]
    fn number_that_does_not_end_or_is_too_long_is_refused() {
        assert_eq!(Bytes(&[0x80]).number(), None);
        assert_eq!(Bytes(&[0xff; 10]).number(), None);
        assert_eq!(Bytes(&[0x80, 0x80, 0x80, 0x80, 0x10]).word(), None);
    }
}
