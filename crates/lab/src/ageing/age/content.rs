//! Generates the content of aged and filled files: incompressible, and no page like another, so that no file system
//! stores less.

use model::random::Rng;
use std::io::{self, Write};

const CHUNK_BYTES: usize = 1 << 20;
const PAGE_BYTES: usize = 4096;

/// An endless supply.
#[derive(Debug)]
pub(crate) struct Content {
    chunk: Vec<u8>,
    stamp: u64,
}

impl Content {
    pub(crate) fn new(seed: u64) -> Content {
        let mut rng = Rng::new(seed);
        let words = std::iter::repeat_with(|| rng.next_u64().to_le_bytes());
        Content { chunk: words.take(CHUNK_BYTES / 8).flatten().collect(), stamp: 0 }
    }

    /// Writes `len` bytes that were never written before.
    pub(crate) fn write(&mut self, to: &mut impl Write, len: u64) -> io::Result<()> {
        let mut left = len;
        while left > 0 {
            let piece = left.min(CHUNK_BYTES as u64) as usize;
            for page in (0..piece).step_by(PAGE_BYTES) {
                self.stamp += 1;
                self.chunk[page..page + 8].copy_from_slice(&self.stamp.to_le_bytes());
            }
            to.write_all(&self.chunk[..piece])?;
            left -= piece as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_page_is_like_another() {
        let mut content = Content::new(1);
        let mut bytes = Vec::new();
        content.write(&mut bytes, 3 * CHUNK_BYTES as u64).unwrap();
        content.write(&mut bytes, 8192).unwrap();
        let pages: HashSet<&[u8]> = bytes.chunks(PAGE_BYTES).collect();
        assert_eq!(pages.len(), bytes.len() / PAGE_BYTES);
    }
}
