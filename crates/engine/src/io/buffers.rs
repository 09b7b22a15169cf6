//! The memory of a run: one block for each operation in flight to read into, and generated data to
//! write from.
//!
//! All of it is one resident region, so that a ring registers it once. Each slot owns some pieces of
//! the data and walks through them, therefore nothing that the kernel may still read is changed.
//! Before a piece is written its pages are stamped with the number of the write: no two pages of a
//! run are equal, which a file system that deduplicates or compresses would otherwise notice. Data
//! of zeros stays zeros.

use super::EngineError;
use crate::{data::Pattern, map::PAGE_BYTES};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use std::{io, ptr::NonNull};

/// Data to write, at least: more than the windows in which file systems look for repetition.
const CONTENT_BYTES: usize = 4 << 20;
/// Largest region; a ring registers no longer one.
const MAX_BYTES: usize = 1 << 30;
/// Low bits of a stamp, which say from which piece the page comes.
const PIECE_BITS: u32 = 16;
/// Words of a page.
const PAGE_WORDS: usize = PAGE_BYTES as usize / 8;

/// Resident anonymous memory that begins at a page, as `len` words.
#[derive(Debug)]
struct Region {
    words: NonNull<u64>,
    len: usize,
}

impl Region {
    fn zeroed(len: usize) -> io::Result<Region> {
        let prot = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses an unused address, so no other object is replaced.
        let address =
            unsafe { mmap_anonymous(std::ptr::null_mut(), len * 8, prot, MapFlags::PRIVATE)? };
        // Plain pages, whatever the machine prefers, as the buffers of most programs and of fio have:
        // contiguous ones make one long segment of a direct block of 128 KiB where plain ones make 32,
        // and a device that dislikes short segments is then almost twice as fast.
        // SAFETY: the range is the fresh mapping; the advice changes how it is backed.
        let _ = unsafe { madvise(address, len * 8, Advice::LinuxNoHugepage) };
        let words = NonNull::new(address.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut region = Region { words, len };
        // Touched, so that no page comes in while the clock runs.
        region.slice(0, len).fill(0);
        Ok(region)
    }

    /// `count` words from `first` on; none when they do not lie in the region.
    #[inline]
    fn slice(&mut self, first: usize, count: usize) -> &mut [u64] {
        if first.checked_add(count).is_none_or(|end| end > self.len) {
            return &mut [];
        }
        // SAFETY: the words lie in the mapping, which is writable, initialised by the kernel and
        // exclusively borrowed. The kernel writes only into blocks whose operation is in flight, and
        // their slots are not asked for.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_ptr().add(first), count) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: address and length are those of a mapping that this value alone owns.
        let _ = unsafe { munmap(self.words.as_ptr().cast(), self.len * 8) };
    }
}

/// The blocks of all slots, and the data to write.
#[derive(Debug)]
pub(super) struct Buffers {
    region: Region,
    /// Words of a block.
    block: usize,
    /// Words from one block to the next: whole pages.
    stride: usize,
    depth: usize,
    /// Pieces of data of each slot; 0 when nothing will be written.
    pieces: usize,
    /// The piece that each slot uses next.
    turns: Box<[usize]>,
    stamped: bool,
    writes: u64,
}

impl Buffers {
    /// Buffers for `depth` operations of `block_bytes`, a multiple of 8; writes take their data from
    /// `content`.
    pub(super) fn new(
        depth: u32,
        block_bytes: u32,
        content: Option<&Pattern>,
    ) -> Result<Buffers, EngineError> {
        if block_bytes == 0 || !block_bytes.is_multiple_of(8) {
            return Err(EngineError::Options(format!(
                "block size must be a multiple of 8 bytes, not {block_bytes}"
            )));
        }
        let (depth, block) = (depth as usize, block_bytes as usize / 8);
        let stride = block.next_multiple_of(PAGE_WORDS);
        let pieces = content.map_or(0, |_| (CONTENT_BYTES / 8).div_ceil(stride * depth));
        let len = stride * depth * (1 + pieces);
        if len > MAX_BYTES / 8 {
            return Err(EngineError::Options(format!(
                "{depth} blocks of {block_bytes} bytes in flight need too much memory; use a \
                 smaller depth"
            )));
        }
        let region = Region::zeroed(len)
            .map_err(|source| EngineError::System { what: "map memory for blocks", source })?;
        let turns = vec![0; depth].into();
        let mut buffers =
            Buffers { region, block, stride, depth, pieces, turns, stamped: false, writes: 0 };
        if let Some(pattern) = content {
            buffers.fill(pattern);
        }
        Ok(buffers)
    }

    fn fill(&mut self, pattern: &Pattern) {
        for piece in 0..self.pieces * self.depth {
            let first = (piece * self.block) as u64;
            let words = self.region.slice((self.depth + piece) * self.stride, self.block);
            for (word, i) in words.iter_mut().zip(first..) {
                *word = pattern.word(i);
                self.stamped |= *word != 0;
            }
        }
    }

    /// The block into which `slot` reads.
    #[inline]
    pub(super) fn read_block(&mut self, slot: u32) -> &mut [u8] {
        let first = slot as usize * self.stride;
        bytes_of_mut(self.region.slice(first, self.block))
    }

    /// The next data of `slot`; empty when the run was prepared without.
    #[inline]
    pub(super) fn write_block(&mut self, slot: u32) -> &[u8] {
        if self.pieces == 0 {
            return &[];
        }
        let turn = &mut self.turns[slot as usize];
        let piece = *turn * self.depth + slot as usize;
        *turn = if *turn + 1 == self.pieces { 0 } else { *turn + 1 };
        let words = self.region.slice((self.depth + piece) * self.stride, self.block);
        if self.stamped {
            self.writes += 1;
            let stamp = self.writes << PIECE_BITS | piece as u64;
            words.iter_mut().step_by(PAGE_WORDS).for_each(|word| *word = stamp);
        }
        bytes_of_mut(words)
    }

    /// Returns the start of the region and its length in bytes.
    pub(super) fn extent(&self) -> (*mut u8, usize) {
        (self.region.words.as_ptr().cast(), self.region.len * 8)
    }
}

fn bytes_of_mut(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: pointer and length in bytes are those of a live, exclusively borrowed slice; a byte
    // needs no alignment, and every value of it is a value of the word.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

/// Returns true if a run with the data of `pattern` wrote `block`, at any offset.
/// `block` is as long as the blocks of that run. A torn or misplaced page makes it false.
pub fn holds_written_block(pattern: &Pattern, block: &[u8]) -> bool {
    let words = || {
        block.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()))
    };
    let Some(stamp) = words().next() else { return false };
    let piece = stamp & ((1 << PIECE_BITS) - 1);
    let first = piece * (block.len() as u64 / 8);
    words().zip(first..).enumerate().all(|(at, (word, i))| match at % PAGE_WORDS {
        0 => word == stamp,
        _ => word == pattern.word(i),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::workload::DataKind;
    use std::collections::HashSet;

    fn pattern(kind: DataKind) -> Pattern {
        Pattern::new(&kind, 3, 0, 512)
    }

    #[test]
    fn no_page_is_written_twice() {
        let pattern = pattern(DataKind::Random);
        let mut buffers = Buffers::new(4, 8192, Some(&pattern)).unwrap();
        let mut pages = HashSet::new();
        for write in 0..4000 {
            let block = buffers.write_block(write % 4);
            assert!(holds_written_block(&pattern, block));
            assert!(block.chunks(4096).all(|page| pages.insert(page.to_vec())), "{write}");
        }
    }

    #[test]
    fn slots_never_share_memory() {
        let pattern = pattern(DataKind::Random);
        let mut buffers = Buffers::new(3, 512, Some(&pattern)).unwrap();
        let mut of_slot = [(); 3].map(|()| HashSet::new());
        for write in 0..9000u32 {
            let slot = write % 3;
            of_slot[slot as usize].insert(buffers.write_block(slot).as_ptr() as usize);
            of_slot[slot as usize].insert(buffers.read_block(slot).as_ptr() as usize);
        }
        assert!(of_slot[0].is_disjoint(&of_slot[1]) && of_slot[1].is_disjoint(&of_slot[2]));
        assert!(of_slot[0].iter().all(|address| address.is_multiple_of(4096)));
    }

    #[test]
    fn zeros_stay_zeros_and_damage_is_seen() {
        let mut buffers = Buffers::new(1, 4096, Some(&pattern(DataKind::Zeros))).unwrap();
        assert!(buffers.write_block(0).iter().all(|&byte| byte == 0));
        assert!(holds_written_block(&pattern(DataKind::Zeros), &[0; 4096]));

        let pattern = pattern(DataKind::Compressible);
        let mut buffers = Buffers::new(1, 8192, Some(&pattern)).unwrap();
        let mut block = buffers.write_block(0).to_vec();
        assert!(holds_written_block(&pattern, &block));
        block[4096] ^= 1;
        assert!(!holds_written_block(&pattern, &block));
        block[4096] ^= 1;
        block[8191] ^= 1;
        assert!(!holds_written_block(&pattern, &block));
    }

    #[test]
    fn odd_blocks_and_huge_queues_are_refused() {
        assert!(Buffers::new(1, 0, None).is_err());
        assert!(Buffers::new(1, 100, None).is_err());
        assert!(Buffers::new(4096, 1 << 20, None).is_err());
        assert!(Buffers::new(1, 4096, None).unwrap().write_block(0).is_empty());
    }
}
