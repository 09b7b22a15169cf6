//! The operations of a thread: blocks as the engine draws them, some of which are written back after
//! they were read.

use engine::io::{Access, Offsets, Op, OpSource};

/// The blocks that are written back after they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteBack {
    Never,
    /// Every N operations, the last of them.
    Every(u64),
}

/// The part of a worker in a file that all workers share: blocks at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    /// The offset of its first block.
    pub(super) first_byte: u64,
    /// Bytes of a block.
    pub(super) block_bytes: u64,
    /// From the start of a block to that of the next, bytes.
    pub(super) stride_bytes: u64,
}

impl Slice {
    /// Returns the offset in the file of byte `own` of the part.
    #[inline]
    pub(super) fn place(&self, own: u64) -> u64 {
        let (block, rest) = (own / self.block_bytes, own % self.block_bytes);
        self.first_byte + block * self.stride_bytes + rest
    }
}

/// The operations of a thread from the first on.
#[derive(Clone, Debug)]
pub(super) struct Source {
    offsets: Offsets,
    /// Blocks left.
    left: u64,
    /// Reads from one write to the next; 0 for no writes.
    stride: u64,
    until_write: u64,
    pending: Option<Op>,
    /// The position of the blocks if the file is shared.
    slice: Option<Slice>,
}

impl Source {
    /// The operations on `blocks` blocks of `access`.
    pub(super) fn new(access: &Access, write_back: WriteBack, blocks: u64) -> Source {
        let stride = match write_back {
            WriteBack::Never => 0,
            WriteBack::Every(blocks) => blocks,
        };
        let offsets = Offsets::new(access);
        Source { offsets, left: blocks, stride, until_write: stride, pending: None, slice: None }
    }

    /// The same with its blocks in `slice` of a shared file.
    pub(super) fn within(self, slice: Option<Slice>) -> Source {
        Source { slice, ..self }
    }
}

impl OpSource for Source {
    #[inline]
    fn next_op(&mut self) -> Option<Op> {
        if let Some(op) = self.pending.take() {
            return Some(op);
        }
        self.left = self.left.checked_sub(1)?;
        let mut op = self.offsets.next_op()?;
        if let Some(slice) = self.slice {
            op.offset = slice.place(op.offset);
        }
        if self.stride > 0 {
            self.until_write -= 1;
            if self.until_write == 0 {
                self.until_write = self.stride;
                self.pending = Some(Op { write: true, ..op });
            }
        }
        Some(op)
    }
}

/// All operations, as often as they are asked for.
impl Iterator for Source {
    type Item = Op;
    fn next(&mut self) -> Option<Op> {
        self.next_op()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::io::Order;

    fn source(write_back: WriteBack, blocks: u64) -> Source {
        let access = Access {
            files: 1,
            file_bytes: 64 << 10,
            block_bytes: 4096,
            blocks: None,
            order: Order::Sequential,
            read_percent: 100,
            passes: None,
            seed: 1,
        };
        Source::new(&access, write_back, blocks)
    }

    #[test]
    fn a_block_is_written_right_after_it_was_read() {
        let ops: Vec<(bool, u64)> =
            source(WriteBack::Every(2), 4).map(|op| (op.write, op.offset / 4096)).collect();
        assert_eq!(ops, [(false, 0), (false, 1), (true, 1), (false, 2), (false, 3), (true, 3)]);
        assert_eq!(source(WriteBack::Every(1), 3).count(), 6);
    }

    #[test]
    fn in_a_shared_file_blocks_lie_in_the_part_of_the_worker() {
        let places = |first_block: u64, stride: u64| {
            let slice = Slice {
                first_byte: first_block * 4096,
                block_bytes: 4096,
                stride_bytes: stride * 4096,
            };
            let source = Source { slice: Some(slice), ..source(WriteBack::Every(2), 4) };
            source.map(|op| (op.write, op.offset / 4096)).collect::<Vec<_>>()
        };
        let written_back = |at: [u64; 4]| {
            [
                (false, at[0]),
                (false, at[1]),
                (true, at[1]),
                (false, at[2]),
                (false, at[3]),
                (true, at[3]),
            ]
        };
        assert_eq!(places(16, 1), written_back([16, 17, 18, 19]));
        assert_eq!(places(1, 3), written_back([1, 4, 7, 10]));
        assert_eq!(Slice { first_byte: 10, block_bytes: 8, stride_bytes: 24 }.place(17), 59);
    }

    #[test]
    fn it_ends_after_its_blocks_and_else_goes_round() {
        assert_eq!(source(WriteBack::Never, 16).count(), 16);
        let offsets: Vec<u64> = source(WriteBack::Never, 18).map(|op| op.offset).collect();
        assert_eq!(offsets[..2], offsets[16..]);
    }
}
