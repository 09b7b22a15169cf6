//! Structs of Thrift's compact protocol, as far as the metadata of Parquet needs them
//! (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>).

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that fields are added to, by ascending number.
#[derive(Clone, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    /// Number of the last field.
    last: u8,
}

impl Struct {
    pub(super) fn new() -> Struct {
        Struct::default()
    }

    pub(super) fn i32(self, field: u8, value: i32) -> Struct {
        self.with(field, I32, |bytes| varint(bytes, zigzag(value.into())))
    }

    pub(super) fn i64(self, field: u8, value: i64) -> Struct {
        self.with(field, I64, |bytes| varint(bytes, zigzag(value)))
    }

    pub(super) fn text(self, field: u8, value: &str) -> Struct {
        self.with(field, BINARY, |bytes| binary(bytes, value))
    }

    pub(super) fn inner(self, field: u8, value: &Struct) -> Struct {
        self.with(field, STRUCT, |bytes| bytes.extend(value.clone().ended()))
    }

    pub(super) fn i32s(self, field: u8, values: &[i32]) -> Struct {
        self.list(field, I32, values, |bytes, value| varint(bytes, zigzag((*value).into())))
    }

    pub(super) fn texts(self, field: u8, values: &[&str]) -> Struct {
        self.list(field, BINARY, values, |bytes, value| binary(bytes, value))
    }

    pub(super) fn structs(self, field: u8, values: &[Struct]) -> Struct {
        self.list(field, STRUCT, values, |bytes, value| bytes.extend(value.clone().ended()))
    }

    /// Its bytes.
    pub(super) fn ended(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn list<T>(self, field: u8, of: u8, values: &[T], add: fn(&mut Vec<u8>, &T)) -> Struct {
        self.with(field, LIST, |bytes| {
            match u8::try_from(values.len()) {
                Ok(count @ ..15) => bytes.push(count << 4 | of),
                _ => {
                    bytes.push(0xf0 | of);
                    varint(bytes, values.len() as u64);
                }
            }
            values.iter().for_each(|value| add(bytes, value));
        })
    }

    /// Fields are numbered by their distance to the one before, which is below 16 in all of Parquet's structs.
    fn with(mut self, field: u8, kind: u8, value: impl FnOnce(&mut Vec<u8>)) -> Struct {
        debug_assert!(field > self.last && field - self.last < 16);
        self.bytes.push((field - self.last) << 4 | kind);
        value(&mut self.bytes);
        self.last = field;
        self
    }
}

/// Small numbers of either sign as small numbers.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Seven bits a byte, the lowest first; the high bit says that more follow.
pub(super) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn binary(bytes: &mut Vec<u8>, text: &str) {
    varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_as_the_protocol_has_them() {
        let inner = Struct::new().i32(1, -1).i64(16, 150);
        let whole = Struct::new().text(2, "ab").inner(3, &inner).i32s(5, &[1; 15]).texts(6, &["c"]);
        let mut expected = vec![0x28, 2, b'a', b'b'];
        expected.extend([0x1c, 0x15, 1, 0xf6, 0xac, 2, 0]);
        expected.extend([0x29, 0xf5, 15]);
        expected.extend([2; 15]);
        expected.extend([0x19, 0x18, 1, b'c', 0]);
        assert_eq!(whole.ended(), expected);
    }
}
