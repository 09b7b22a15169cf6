//! Numbers of few bytes when they are small: varints (LEB128: seven bits in a byte, low bits first, the
//! high bit set in all bytes but the last).

/// The longest varint of a `u64`, bytes.
const LONGEST: u32 = 10;

/// Adds `number` to `bytes`.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front of `bytes`; an error says what is wrong with them.
pub(crate) fn take(bytes: &mut &[u8]) -> Result<u64, &'static str> {
    let mut number = 0;
    for place in 0..LONGEST {
        let (&byte, rest) = bytes.split_first().ok_or("its last number is truncated")?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if (bits << (7 * place)) >> (7 * place) != bits {
            break;
        }
        number |= bits << (7 * place);
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("it contains a number above 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_comes_back() {
        let numbers: Vec<u64> = (0..64).map(|bit| 1 << bit).chain([0, u64::MAX]).collect();
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put(&mut bytes, *number));
        let mut rest = bytes.as_slice();
        for number in numbers {
            assert_eq!(take(&mut rest), Ok(number));
        }
        assert_eq!(take(&mut rest), Err("its last number is truncated"));
    }
}
