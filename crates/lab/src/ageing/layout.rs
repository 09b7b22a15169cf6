//! Scores how contiguous files are on the device: the layout score of Smith and Seltzer ("File system aging",
//! SIGMETRICS 1997), from the extents that FIEMAP reports.

use crate::{
    error::LabError,
    ownership::private_dir,
    page_cache::extents::{BLOCK_BYTES, ENCODED, Extent, INLINE, extents},
};
use rustix::io::Errno;
use std::{fs::File, ops::AddAssign, path::Path};

/// Layout of a set of files on the device. Files that have no blocks are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Files.
    pub files: u64,
    /// Files in one piece.
    pub whole_files: u64,
    /// Blocks of 4 KiB.
    pub blocks: u64,
    /// Pieces: runs of blocks that follow each other on the device.
    pub pieces: u64,
}

impl Layout {
    /// The layout score, 0 to 1: of the blocks that have one before them in their file, the share that
    /// is also behind it on the device, (blocks - pieces) / (blocks - files). 1 when every file is in
    /// one piece; `None` when no file has two blocks.
    pub fn score(&self) -> Option<f64> {
        let second = self.blocks - self.files;
        (second > 0).then(|| (self.blocks - self.pieces) as f64 / second as f64)
    }
}

impl AddAssign for Layout {
    fn add_assign(&mut self, other: Layout) {
        self.files += other.files;
        self.whole_files += other.whole_files;
        self.blocks += other.blocks;
        self.pieces += other.pieces;
    }
}

/// The layout of the regular files below `dir`, written back first; `None` where the file system does
/// not tell it, as in memory.
///
/// # Errors
/// A file cannot be opened or asked.
pub fn layout(dir: &Path) -> Result<Option<Layout>, LabError> {
    let mut sum = Layout::default();
    for path in private_dir::files(dir)? {
        let file = File::open(&path).map_err(LabError::io("open", &path))?;
        match extents(&file) {
            Ok(extents) => sum += of_extents(&extents),
            Err(Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS) => return Ok(None),
            Err(errno) => return Err(LabError::errno("ask for the extents of", &path)(errno)),
        }
    }
    Ok(Some(sum))
}

fn of_extents(extents: &[Extent]) -> Layout {
    let own: Vec<&Extent> = extents.iter().filter(|e| e.flags & INLINE == 0).collect();
    if own.is_empty() {
        return Layout::default();
    }
    let breaks = own.windows(2).filter(|pair| !follows(pair[0], pair[1])).count() as u64;
    Layout {
        files: 1,
        whole_files: u64::from(breaks == 0),
        blocks: own.iter().map(|extent| extent.length.div_ceil(BLOCK_BYTES)).sum(),
        pieces: breaks + 1,
    }
}

/// Returns true if `next` is right behind `extent`. Of one that is encoded only the longest is known that it can
/// be.
fn follows(extent: &Extent, next: &Extent) -> bool {
    let end = extent.physical + extent.length;
    match extent.flags & ENCODED {
        0 => next.physical == end,
        _ => next.physical > extent.physical && next.physical <= end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn extent(logical: u64, physical: u64, blocks: u64, flags: u32) -> Extent {
        let [logical, physical, length] = [logical, physical, blocks].map(|n| n * BLOCK_BYTES);
        Extent { logical, physical, length, flags, ..Extent::default() }
    }

    #[test]
    fn the_score_is_the_share_of_blocks_that_follow_their_predecessor() {
        let mut all = of_extents(&[extent(0, 100, 4, 0), extent(4, 104, 4, 0)]);
        assert_eq!(all, Layout { files: 1, whole_files: 1, blocks: 8, pieces: 1 });
        assert_eq!(all.score(), Some(1.0));
        all += of_extents(&[extent(0, 200, 1, 0), extent(1, 300, 1, 0), extent(2, 400, 2, 0)]);
        assert_eq!(all, Layout { files: 2, whole_files: 1, blocks: 12, pieces: 4 });
        assert_eq!(all.score(), Some(0.8), "8 of the 10 blocks that have one before them");
    }

    #[test]
    fn single_blocks_and_inline_data_have_no_score() {
        assert_eq!(of_extents(&[extent(0, 9, 1, 0)]).score(), None);
        assert_eq!(of_extents(&[extent(0, 9, 1, INLINE)]), Layout::default());
        assert_eq!(of_extents(&[]), Layout::default());
    }

    #[test]
    fn compressed_extents_follow_when_they_can() {
        let packed = extent(0, 100, 32, ENCODED);
        assert_eq!(of_extents(&[packed, extent(32, 110, 32, ENCODED)]).pieces, 1);
        assert_eq!(of_extents(&[packed, extent(32, 140, 32, ENCODED)]).pieces, 2);
        assert_eq!(of_extents(&[packed, extent(32, 90, 32, ENCODED)]).pieces, 2);
    }

    #[test]
    fn files_here_have_as_many_blocks_as_they_are_long() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), vec![1; 5 * 4096]).unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/empty"), "").unwrap();
        match layout(dir.path()).unwrap() {
            Some(layout) => assert_eq!((layout.files, layout.blocks), (1, 5), "{layout:?}"),
            None => {
                let why = format!("{} does not tell extents", dir.path().display());
                needs::skip(needs::Need::Other, why);
            }
        }
    }
}
