//! The bins of a histogram as bytes. For each bin two numbers, each as a [varint](crate::varint):
//!
//! 1. its latency, nanoseconds, minus that of the bin before it, modulo 2^64; of the first, minus 0;
//! 2. its count of operations.
//!
//! Bins ascend in narrow steps and most hold few operations, so most take three or four bytes where
//! two plain numbers take sixteen.

use crate::varint::{put, take};

/// The bytes of `bins`.
pub(crate) fn encode(bins: &[(u64, u64)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * bins.len());
    let mut before = 0;
    for &(latency_ns, count) in bins {
        put(&mut bytes, latency_ns.wrapping_sub(before));
        put(&mut bytes, count);
        before = latency_ns;
    }
    bytes
}

/// The bins of `bytes`; an error says what is wrong with them.
pub(crate) fn decode(mut bytes: &[u8]) -> Result<Vec<(u64, u64)>, &'static str> {
    let mut bins = Vec::with_capacity(bytes.len() / 3);
    let mut latency_ns = 0u64;
    while !bytes.is_empty() {
        latency_ns = latency_ns.wrapping_add(take(&mut bytes)?);
        bins.push((latency_ns, take(&mut bytes)?));
    }
    Ok(bins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bytes_are_those_of_the_description() {
        assert_eq!(encode(&[(1, 2), (300, 5)]), [1, 2, 0xab, 0x02, 5]);
        assert_eq!(encode(&[(u64::MAX, 0)]).len(), 11);
    }

    #[test]
    fn damage_is_named() {
        assert_eq!(decode(&[1]), Err("its last number is truncated"));
        assert_eq!(decode(&[1, 0x80]), Err("its last number is truncated"));
        let above = "it contains a number above 64 bits";
        assert_eq!(decode(&[0xff; 20]), Err(above));
        let two_to_the_64 = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2];
        assert_eq!(decode(&two_to_the_64), Err(above));
    }

    proptest! {
        #[test]
        fn every_list_comes_back(bins in proptest::collection::vec(any::<(u64, u64)>(), 0..40)) {
            prop_assert_eq!(decode(&encode(&bins)), Ok(bins));
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = decode(&bytes);
        }
    }
}
