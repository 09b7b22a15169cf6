//! A series as bytes: varints ([varint](crate::varint)) but for the names. First the number of
//! intervals, then where they end; then for each column the length of its name, the name in UTF-8, and
//! its numbers. Ends and numbers are written as their difference from the one before (the first: from
//! 0), modulo 2^64, small ones of either sign in few bytes: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4.

use crate::varint::{put, take};
use model::figure::Series;

/// The bytes of `series`.
pub(crate) fn encode(series: &Series) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, series.end_ms.len() as u64);
    put_all(&mut bytes, &series.end_ms);
    for (name, column) in &series.columns {
        put(&mut bytes, name.len() as u64);
        bytes.extend_from_slice(name.as_bytes());
        put_all(&mut bytes, column);
    }
    bytes
}

/// The series of `bytes`; an error says what is wrong with them.
pub(crate) fn decode(mut bytes: &[u8]) -> Result<Series, &'static str> {
    let intervals = take(&mut bytes)?;
    let mut series = Series { end_ms: take_all(&mut bytes, intervals)?, ..Series::default() };
    while !bytes.is_empty() {
        let length = take(&mut bytes)?;
        let name = usize::try_from(length).ok().and_then(|n| bytes.split_at_checked(n));
        let (name, rest) = name.ok_or("the name of a column is truncated")?;
        bytes = rest;
        let name = str::from_utf8(name).map_err(|_| "the name of a column is not text")?;
        series.columns.insert(name.into(), take_all(&mut bytes, intervals)?);
    }
    Ok(series)
}

fn put_all(bytes: &mut Vec<u8>, numbers: &[u64]) {
    let mut before = 0;
    for &number in numbers {
        let difference = number.wrapping_sub(before) as i64;
        put(bytes, ((difference << 1) ^ (difference >> 63)) as u64);
        before = number;
    }
}

fn take_all(bytes: &mut &[u8], count: u64) -> Result<Vec<u64>, &'static str> {
    let mut number = 0u64;
    let mut next = || {
        let folded = take(bytes)?;
        number = number.wrapping_add((folded >> 1) ^ (folded & 1).wrapping_neg());
        Ok(number)
    };
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_bytes_are_those_of_the_description() {
        let columns = BTreeMap::from([("ops".into(), vec![5, 3])]);
        let series = Series { end_ms: vec![10, 20], columns };
        assert_eq!(encode(&series), [2, 20, 20, 3, b'o', b'p', b's', 10, 3]);
    }

    #[test]
    fn damage_is_named() {
        assert_eq!(decode(&[1]), Err("its last number is truncated"));
        assert_eq!(decode(&[0, 9, b'x']), Err("the name of a column is truncated"));
        assert_eq!(decode(&[0, 1, 0xff]), Err("the name of a column is not text"));
        let endless = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(decode(&endless), Err("its last number is truncated"));
    }

    proptest! {
        #[test]
        fn every_series_comes_back(
            rows in proptest::collection::vec(any::<(u64, u64, u64)>(), 0..20),
        ) {
            let column = |of: fn(&(u64, u64, u64)) -> u64| rows.iter().map(of).collect();
            let columns = BTreeMap::from([
                ("bytes".to_owned(), column(|row| row.1)),
                (String::new(), column(|row| row.2)),
            ]);
            let series = Series { end_ms: column(|row| row.0), columns };
            prop_assert_eq!(decode(&encode(&series)), Ok(series));
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = decode(&bytes);
        }
    }
}
