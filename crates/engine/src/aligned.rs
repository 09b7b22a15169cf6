//! Memory that direct I/O accepts.

/// Alignment of buffers for direct I/O; no device asks for more.
const ALIGN: usize = 4096;

/// Bytes that begin at a multiple of a page.
#[derive(Debug)]
pub struct Aligned {
    memory: Vec<u8>,
    from: usize,
    len: usize,
}

impl Aligned {
    /// `len` bytes of zeros.
    pub fn new(len: usize) -> Aligned {
        let memory = vec![0; len + ALIGN];
        let from = memory.as_ptr().align_offset(ALIGN).min(ALIGN);
        Aligned { memory, from, len }
    }

    /// All of them.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.from..self.from + self.len]
    }

    /// The first `len` of them, or all.
    #[inline]
    pub fn first(&mut self, len: usize) -> &mut [u8] {
        &mut self.memory[self.from..self.from + len.min(self.len)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_begin_at_a_page() {
        for len in [1, 4096, 100_000] {
            let mut aligned = Aligned::new(len);
            assert_eq!(aligned.bytes().len(), len);
            assert_eq!(
                [0, 1, len, len + 1].map(|first| aligned.first(first).len()),
                [0, 1, len, len]
            );
            assert!(aligned.bytes().as_ptr().addr().is_multiple_of(ALIGN));
        }
    }
}
