//! Just enough of the zip format for wheels: stored entries, no extensions, below 4 GiB and 65 536
//! entries. After PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.

const VERSION: u16 = 20;
/// 1 January 1980, the first day that a zip can name.
const DOS_DATE: u16 = 0x0021;
/// A regular file, rw-r--r--, in the attributes of unix.
const ATTRIBUTES: u32 = 0o100_644 << 16;
/// Made by unix, which is what the attributes are of.
const MADE_BY: u16 = 3 << 8 | VERSION;

/// An archive as it grows.
#[derive(Default)]
pub(super) struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

impl Zip {
    /// Adds a file.
    pub(super) fn add(&mut self, path: &str, content: &[u8]) {
        let offset = self.bytes.len() as u32;
        let common = common(path, content);
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&common);
        self.bytes.extend(path.as_bytes());
        self.bytes.extend(content);
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(MADE_BY.to_le_bytes());
        self.directory.extend(&common);
        // Length of the comment, number of the disk, internal attributes.
        self.directory.extend([0; 6]);
        self.directory.extend(ATTRIBUTES.to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(path.as_bytes());
        self.entries += 1;
    }

    /// The bytes of the archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let (start, length) = (self.bytes.len() as u32, self.directory.len() as u32);
        self.bytes.extend(&self.directory);
        self.bytes.extend(b"PK\x05\x06");
        self.bytes.extend([0; 4]);
        self.bytes.extend(self.entries.to_le_bytes());
        self.bytes.extend(self.entries.to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend([0; 2]);
        self.bytes
    }
}

/// The fields that stand alike before a file and in the directory: version to length of the extras.
fn common(path: &str, content: &[u8]) -> Vec<u8> {
    let mut fields = Vec::with_capacity(26);
    // No flags, stored, midnight.
    for field in [VERSION, 0, 0, 0, DOS_DATE] {
        fields.extend(field.to_le_bytes());
    }
    let size = content.len() as u32;
    for field in [crc32(content), size, size] {
        fields.extend(field.to_le_bytes());
    }
    fields.extend((path.len() as u16).to_le_bytes());
    fields.extend([0; 2]);
    fields
}

/// The table of the polynomial 0xEDB88320 (IEEE 802.3, reflected).
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| crc >> 8 ^ TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_the_catalogue() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
