//! One column: numbers, stored as their widths and, for each byte position, the bytes at that position.
//!
//! Times and offsets are noise in their low bytes and nearly constant in their high ones: separated, both compress
//! better.

use super::varint::{self, Bytes};

const PLACES: usize = 8;

/// A column that is being made.
#[derive(Default)]
pub(super) struct Column {
    widths: Vec<u8>,
    places: [Vec<u8>; PLACES],
}

impl Column {
    pub(super) fn put(&mut self, value: u64) {
        let width = (u64::BITS - value.leading_zeros()).div_ceil(8) as usize;
        self.widths.push(width as u8);
        for (place, byte) in self.places.iter_mut().zip(&value.to_le_bytes()[..width]) {
            place.push(*byte);
        }
    }

    /// Its parts, each to be compressed separately: the widths, then the places that some number reaches.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&self.widths).chain(&self.places).map(Vec::as_slice)
    }
}

/// A column that is being read.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    widths: Bytes<'a>,
    places: [Bytes<'a>; PLACES],
}

impl<'a> Numbers<'a> {
    /// Reads a column's parts, each behind its length.
    pub(super) fn parse(payload: &mut Bytes<'a>) -> Option<Self> {
        let mut part = || {
            let len = usize::try_from(payload.number()?).ok()?;
            Some(Bytes(payload.take(len)?))
        };
        let mut numbers = Numbers { widths: part()?, places: [Bytes(&[]); PLACES] };
        for place in &mut numbers.places {
            *place = part()?;
        }
        Some(numbers)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let width = usize::from(self.widths.byte()?);
        let mut bytes = [0; PLACES];
        for (byte, place) in bytes.get_mut(..width)?.iter_mut().zip(&mut self.places) {
            *byte = place.byte()?;
        }
        Some(u64::from_le_bytes(bytes))
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        self.number().map(varint::unzigzag)
    }

    pub(super) fn word(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(super) fn is_empty(self) -> bool {
        self.widths.is_empty() && self.places.iter().all(|place| place.is_empty())
    }
}
