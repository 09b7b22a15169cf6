//! Measures the folios in which the page cache holds files: a page of a large folio costs less to read. Needs root.

use rustix::{
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap},
    param::page_size,
};
use std::{fs::File, io, os::unix::fs::FileExt, ptr};

/// Pages that are looked at, over all files.
const LOOKS: u64 = 1024;
/// Pages of the largest folio, which begins at a multiple of its own size.
const LARGEST_PAGES: u64 = 512;

/// Of an entry of /proc/self/pagemap (admin-guide/mm/pagemap of the kernel): its frame, and that it has one.
const FRAME: u64 = (1 << 55) - 1;
const IS_PRESENT: u64 = 1 << 63;
/// Of an entry of /proc/kpageflags: the page is in a folio behind its first one.
const IS_TAIL: u64 = 1 << 16;

/// Where the kernel shows the frames of this process, and what each frame is part of.
struct Frames {
    own: File,
    flags: File,
}

impl Frames {
    fn open() -> io::Result<Frames> {
        Ok(Frames {
            own: File::open("/proc/self/pagemap")?,
            flags: File::open("/proc/kpageflags")?,
        })
    }

    /// Bytes of the folio of the page at `address`, which is mapped; `None` where the frame is not shown.
    fn folio_bytes(&self, address: usize, page: u64) -> io::Result<Option<u64>> {
        let entry = entries(&self.own, address as u64 / page, 1)?.first().copied().unwrap_or(0);
        let frame = entry & FRAME;
        if entry & IS_PRESENT == 0 || frame == 0 {
            return Ok(None);
        }
        let first = frame - frame % LARGEST_PAGES;
        let around = entries(&self.flags, first, LARGEST_PAGES)?;
        let is_tail: Vec<bool> = around.iter().map(|flags| flags & IS_TAIL != 0).collect();
        let at = (frame - first) as usize;
        Ok((at < is_tail.len()).then(|| pages_of_folio(&is_tail, at) * page))
    }
}

/// Pages of the folio that has the page at `at`, among pages of which each is a tail of a folio or not.
fn pages_of_folio(is_tail: &[bool], at: usize) -> u64 {
    let before = is_tail[..=at].iter().rev().take_while(|tail| **tail).count();
    let after = is_tail[at + 1..].iter().take_while(|tail| **tail).count();
    (1 + before + after) as u64
}

/// `count` entries of eight bytes of `file`, from entry `first` on; fewer at its end, which is that of the memory.
fn entries(file: &File, first: u64, count: u64) -> io::Result<Vec<u64>> {
    let mut bytes = vec![0; 8 * count as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], 8 * first + filled as u64)? {
            0 => break,
            more => filled += more,
        }
    }
    bytes.truncate(filled);
    let word = |eight: &[u8]| eight.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    Ok(bytes.chunks_exact(8).map(word).collect())
}

/// A file, mapped.
struct Map {
    base: *mut std::ffi::c_void,
    len: usize,
}

impl Map {
    fn of(file: &File, len: u64) -> io::Result<Map> {
        let len = len as usize;
        // SAFETY: a new mapping at an address of the kernel's choice, which no code reads through.
        let base =
            unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::PRIVATE, file, 0) }?;
        Ok(Map { base, len })
    }

    /// The address of page `number`, which is brought into the mapping.
    fn bring(&self, number: u64, page: u64) -> io::Result<usize> {
        let address = self.base.addr() + (number * page) as usize;
        let at = self.base.with_addr(address);
        // SAFETY: the page lies in the mapping; the advice maps it, and a file that shrank is an error.
        unsafe { madvise(at, page as usize, Advice::LinuxPopulateRead) }?;
        Ok(address)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: `of` made this mapping with this length, and gave out no pointer that is read through.
        let _ = unsafe { munmap(self.base, self.len) };
    }
}

/// The folio, bytes, that half of the pages of `files` are in one of that size or larger. Looks at pages that are
/// evenly spread; one that is not in memory is read. `None` where the kernel shows no frames: without root.
///
/// # Errors
/// A file cannot be mapped.
pub(crate) fn median_bytes(files: &[File]) -> io::Result<Option<u64>> {
    let Ok(frames) = Frames::open() else { return Ok(None) };
    let page = page_size() as u64;
    let mut lens = Vec::with_capacity(files.len());
    for file in files {
        lens.push(file.metadata()?.len());
    }
    let total: u64 = lens.iter().map(|len| len.div_ceil(page)).sum();
    let looks = LOOKS.min(total);
    let mut places = (0..looks).map(|look| place(look, looks, total)).peekable();
    let (mut found, mut first) = (Vec::new(), 0);
    for (file, len) in files.iter().zip(lens) {
        let end = first + len.div_ceil(page);
        if places.peek().is_some_and(|place| *place < end) {
            let map = Map::of(file, len)?;
            while let Some(place) = places.next_if(|place| *place < end) {
                found.extend(frames.folio_bytes(map.bring(place - first, page)?, page)?);
            }
        }
        first = end;
    }
    found.sort_unstable();
    Ok(found.get(found.len() / 2).copied())
}

/// The page of look number `look` of `looks` among `total` pages: ascending, and at no fixed distance, which the size
/// of folios could be a multiple of.
fn place(look: u64, looks: u64, total: u64) -> u64 {
    /// 2^16 times the golden ratio, whose multiples are spread evenly.
    const STEP: u64 = 40_503;
    let (from, to) = (look * total / looks, (look + 1) * total / looks);
    from + (look * STEP % 65_536) * (to - from) / 65_536
}

#[cfg(test)]
mod tests {
    use super::*;
    use needs::{Need, skip};
    use std::{fs::OpenOptions, io::Write};

    #[test]
    fn a_folio_is_a_page_that_is_no_tail_with_the_tails_behind_it() {
        // Folios of 1, 4, 1 and 2 pages.
        let tails = [false, false, true, true, true, false, false, true];
        let pages: Vec<u64> = (0..tails.len()).map(|at| pages_of_folio(&tails, at)).collect();
        assert_eq!(pages, [1, 4, 4, 4, 4, 1, 2, 2]);
    }

    #[test]
    fn memory_may_end_within_a_large_folio() {
        let mut flags = tempfile::tempfile().unwrap();
        for entry in [7u64, 8, 9] {
            flags.write_all(&entry.to_le_bytes()).unwrap();
        }
        assert_eq!(entries(&flags, 1, LARGEST_PAGES).unwrap(), [8, 9]);
        assert!(entries(&flags, 3, 1).unwrap().is_empty());
    }

    #[test]
    fn looks_are_in_order_and_spread_over_all_pages() {
        for (looks, total) in [(1, 1), (7, 7), (1024, 1024), (1024, 100_000)] {
            let places: Vec<u64> = (0..looks).map(|look| place(look, looks, total)).collect();
            assert!(places.windows(2).all(|two| two[0] < two[1]), "{looks} of {total}");
            assert!(
                places.last().is_some_and(|last| *last < total && *last >= total - total / looks)
            );
        }
    }

    #[test]
    fn files_written_in_small_pieces_are_in_small_folios() {
        let dir = tempfile::tempdir().unwrap();
        let written = |name: &str, piece: usize| {
            let path = dir.path().join(name);
            let open = OpenOptions::new().read(true).write(true).create_new(true).open(path);
            let mut file = open.unwrap();
            (0..(8 << 20) / piece).for_each(|_| file.write_all(&vec![7; piece]).unwrap());
            file
        };
        let files = [written("small", 4096), written("large", 4 << 20)];
        let of = |file: usize| median_bytes(&files[file..=file]).unwrap();
        let (Some(small), Some(large)) = (of(0), of(1)) else {
            return skip(Need::Root, "frames of memory are shown to root alone");
        };
        assert_eq!(small, page_size() as u64);
        assert!(large >= small);
        assert_eq!(median_bytes(&[]).unwrap(), None);
    }
}
