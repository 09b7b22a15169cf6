//! The contents of a disk, as the pieces of it that are not zeros.

/// The content of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Length of the disk, bytes.
    pub bytes: u64,
    /// Pieces that do not overlap, each with its first byte, in order; all else is zeros.
    pub pieces: Vec<(u64, Vec<u8>)>,
}

impl Image {
    /// Bytes of all pieces.
    pub fn held_bytes(&self) -> u64 {
        self.pieces.iter().map(|(_, data)| data.len() as u64).sum()
    }
}
