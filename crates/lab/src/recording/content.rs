//! Content of a recording disk, in memory or in a file. Once it has a base, overwritten blocks are saved, so that
//! restoring the base costs only as much as was changed.

use faults::image::Image;
use rustix::{
    fs::{FallocateFlags, MemfdFlags, SeekFrom, fallocate, memfd_create, seek},
    io::Errno,
};
use std::{
    collections::BTreeSet,
    fs::File,
    io,
    ops::Range,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
};

/// Unit of what is remembered, bytes.
const BLOCK: u64 = 4096;

/// Bytes of a disk.
#[derive(Debug)]
pub(super) struct Content {
    file: File,
    bytes: u64,
    is_in_memory: bool,
    base: Option<Base>,
}

/// What a content was, and which blocks may differ from it.
#[derive(Debug)]
struct Base {
    data: Vec<u8>,
    changed: Changed,
    /// The blocks of `data` that are not zeros.
    held: BTreeSet<u64>,
}

impl Base {
    /// Looks again at the blocks of `range`.
    fn look(&mut self, range: Range<u64>) {
        for block in range.start / BLOCK..range.end.div_ceil(BLOCK) {
            let end = ((block + 1) * BLOCK).min(self.data.len() as u64);
            let data = &self.data[(block * BLOCK) as usize..end as usize];
            if is_zeros(data) {
                self.held.remove(&block);
            } else {
                self.held.insert(block);
            }
        }
    }
}

/// Word by word, as most blocks of a disk are looked at.
fn is_zeros(data: &[u8]) -> bool {
    let (words, rest) = data.as_chunks::<8>();
    words.iter().all(|word| u64::from_ne_bytes(*word) == 0) && rest.iter().all(|byte| *byte == 0)
}

/// A set of blocks.
#[derive(Debug, Default)]
struct Changed {
    /// A bit for each block.
    bits: Vec<u64>,
    blocks: Vec<u64>,
}

impl Content {
    /// `bytes` zeros, which take no memory yet. The name is seen in `/proc` alone.
    pub(super) fn in_memory(name: &str, bytes: u64) -> io::Result<Content> {
        let file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
        file.set_len(bytes)?;
        Ok(Content { file, bytes, is_in_memory: true, base: None })
    }

    /// `bytes` zeros in a new file at `path`, which take no space yet.
    pub(super) fn in_file(path: &Path, bytes: u64) -> io::Result<Content> {
        let mut options = File::options();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(path)?;
        file.set_len(bytes)?;
        Ok(Content { file, bytes, is_in_memory: false, base: None })
    }

    /// Its length, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it is lost with this process.
    pub(super) fn is_in_memory(&self) -> bool {
        self.is_in_memory
    }

    /// The file that holds it.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Writes `data` at byte `offset`.
    ///
    /// # Errors
    /// It is not within the disk, or there is no memory.
    pub(super) fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.change(offset, data.len() as u64)?;
        self.file.write_all_at(data, offset)
    }

    /// Makes `length` bytes from `offset` zeros, and gives back their memory.
    ///
    /// # Errors
    /// They are not within the disk.
    pub(super) fn discard(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.check(offset, length)?;
        for held in self.held(offset..offset + length)? {
            self.change(held.start, held.end - held.start)?;
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        if length == 0 { Ok(()) } else { Ok(fallocate(&self.file, flags, offset, length)?) }
    }

    /// Makes the present content the base.
    ///
    /// # Errors
    /// The memory cannot be read.
    pub(super) fn set_base(&mut self) -> io::Result<()> {
        if let Some(base) = &mut self.base {
            for range in base.changed.take(self.bytes) {
                let place = range.start as usize..range.end as usize;
                self.file.read_exact_at(&mut base.data[place], range.start)?;
                base.look(range);
            }
            return Ok(());
        }
        // The kernel gives zeros, which take no memory until they are written.
        let mut data = vec![0; self.bytes as usize];
        let held = self.held(0..self.bytes)?;
        for held in &held {
            self.file
                .read_exact_at(&mut data[held.start as usize..held.end as usize], held.start)?;
        }
        let words = (self.bytes.div_ceil(BLOCK) as usize).div_ceil(64);
        let changed = Changed { bits: vec![0; words], blocks: Vec::new() };
        let mut base = Base { data, changed, held: BTreeSet::new() };
        held.into_iter().for_each(|held| base.look(held));
        self.base = Some(base);
        Ok(())
    }

    /// The base, by its pieces that are not zeros.
    pub(super) fn base(&self) -> Option<Image> {
        let base = self.base.as_ref()?;
        let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
        for block in &base.held {
            let (start, end) = (block * BLOCK, ((block + 1) * BLOCK).min(self.bytes));
            let data = &base.data[start as usize..end as usize];
            match pieces.last_mut() {
                Some((at, last)) if *at + last.len() as u64 == start => last.extend(data),
                _ => pieces.push((start, data.to_vec())),
            }
        }
        Some(Image { bytes: self.bytes, pieces })
    }

    /// The present content, by the pieces that take memory.
    ///
    /// # Errors
    /// The memory cannot be read.
    pub(super) fn image(&self) -> io::Result<Image> {
        let piece = |held: Range<u64>| {
            let mut data = vec![0; (held.end - held.start) as usize];
            self.file.read_exact_at(&mut data, held.start)?;
            Ok((held.start, data))
        };
        let held = self.held(0..self.bytes)?;
        Ok(Image {
            bytes: self.bytes,
            pieces: held.into_iter().map(piece).collect::<io::Result<_>>()?,
        })
    }

    /// Forgets the base, as changes that were not seen are made.
    pub(super) fn drop_base(&mut self) {
        self.base = None;
    }

    /// Gives back the base, and writes `patches` over it, each at its byte; false if there is no base.
    ///
    /// # Errors
    /// The memory cannot be written, or a patch is not within the disk.
    pub(super) fn show(
        &mut self,
        patches: impl IntoIterator<Item = (u64, Vec<u8>)>,
    ) -> io::Result<bool> {
        let Some(base) = &mut self.base else { return Ok(false) };
        for range in base.changed.take(self.bytes) {
            let place = range.start as usize..range.end as usize;
            self.file.write_all_at(&base.data[place], range.start)?;
        }
        for (offset, data) in patches {
            self.write(offset, &data)?;
        }
        Ok(true)
    }

    /// Remembers that the bytes are about to be changed.
    fn change(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.check(offset, length)?;
        if let Some(base) = &mut self.base {
            (offset / BLOCK..(offset + length).div_ceil(BLOCK))
                .for_each(|block| base.changed.add(block));
        }
        Ok(())
    }

    fn check(&self, offset: u64, length: u64) -> io::Result<()> {
        let end = offset.checked_add(length).filter(|end| *end <= self.bytes);
        end.map(drop).ok_or_else(|| Errno::INVAL.into())
    }

    /// The pieces of `range` that take memory.
    fn held(&self, range: Range<u64>) -> io::Result<Vec<Range<u64>>> {
        let mut held = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let start = match seek(&self.file, SeekFrom::Data(at)) {
                Ok(start) => start,
                Err(Errno::NXIO) => break,
                Err(errno) => return Err(errno.into()),
            };
            at = seek(&self.file, SeekFrom::Hole(start))?;
            let piece = start..at.min(range.end);
            if !piece.is_empty() {
                held.push(piece);
            }
        }
        Ok(held)
    }
}

impl Changed {
    fn add(&mut self, block: u64) {
        let (word, bit) = ((block / 64) as usize, 1 << (block % 64));
        if self.bits[word] & bit == 0 {
            self.bits[word] |= bit;
            self.blocks.push(block);
        }
    }

    /// Empties the set. Returns the bytes of its blocks, neighbours together, up to `end`.
    fn take(&mut self, end: u64) -> Vec<Range<u64>> {
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.iter().for_each(|block| self.bits[(block / 64) as usize] = 0);
        blocks.sort_unstable();
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for block in blocks {
            let range = block * BLOCK..((block + 1) * BLOCK).min(end);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BYTES: u64 = 10 * BLOCK + 512;

    #[derive(Clone, Debug)]
    enum Step {
        Write(u64, u8, u64),
        Discard(u64, u64),
        SetBase,
        Show(u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let place = (0..BYTES / 512).prop_flat_map(|at| (Just(at * 512), 1..=BYTES / 512 - at));
        let step = prop_oneof![
            4 => (place.clone(), any::<u8>()).prop_map(|((at, n), byte)| Step::Write(at, byte, n * 512)),
            2 => place.prop_map(|(at, n)| Step::Discard(at, n * 512)),
            1 => Just(Step::SetBase),
            1 => any::<u8>().prop_map(Step::Show),
        ];
        prop::collection::vec(step, 0..40)
    }

    fn all(content: &Content) -> Vec<u8> {
        let mut all = vec![0; BYTES as usize];
        content.file.read_exact_at(&mut all, 0).unwrap();
        all
    }

    fn whole(image: Image) -> Vec<u8> {
        let mut whole = vec![0; BYTES as usize];
        for (at, data) in image.pieces {
            whole[at as usize..at as usize + data.len()].copy_from_slice(&data);
        }
        whole
    }

    proptest! {
        #[test]
        fn the_base_comes_back_byte_for_byte(steps in steps()) {
            let mut content = Content::in_memory("test", BYTES).unwrap();
            let mut model = vec![0u8; BYTES as usize];
            let mut base: Option<Vec<u8>> = None;
            for step in steps {
                match step {
                    Step::Write(at, byte, length) => {
                        model[at as usize..(at + length) as usize].fill(byte);
                        content.write(at, &vec![byte; length as usize]).unwrap();
                    }
                    Step::Discard(at, length) => {
                        model[at as usize..(at + length) as usize].fill(0);
                        content.discard(at, length).unwrap();
                    }
                    Step::SetBase => {
                        base = Some(model.clone());
                        content.set_base().unwrap();
                        prop_assert!(whole(content.base().unwrap()) == model);
                    }
                    Step::Show(byte) => {
                        let patch = base.as_ref().map(|_| (512, vec![byte; 5000]));
                        if let Some(base) = &base {
                            model.clone_from(base);
                            model[512..5512].fill(byte);
                        }
                        prop_assert_eq!(content.show(patch).unwrap(), base.is_some());
                    }
                }
                prop_assert!(all(&content) == model);
                prop_assert!(whole(content.image().unwrap()) == model);
            }
        }
    }

    #[test]
    fn what_is_not_on_the_disk_is_refused() {
        let mut content = Content::in_memory("test", BYTES).unwrap();
        assert!(content.write(BYTES - 1, &[1, 2]).is_err());
        assert!(content.discard(u64::MAX, 2).is_err());
        content.discard(BYTES, 0).unwrap();
    }
}
