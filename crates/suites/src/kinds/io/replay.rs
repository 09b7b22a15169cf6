//! Replays a run from its seed: the pages it read, and whether its writes are in the files.

use super::{
    layout::{Layout, Share},
    load::ThreadWork,
    settings::Settings,
};
use crate::TestError;
use engine::{
    data::Pattern,
    io::{Op, holds_written_block},
};
use std::{collections::HashMap, fs::File, os::unix::fs::FileExt, path::PathBuf};

/// Blocks that are read back, about.
const CHECKED_BLOCKS: u64 = 1024;
/// Bytes of them, at most about.
const CHECKED_BYTES: u64 = 64 << 20;
/// A file system reads at least this much at a time.
const PAGE_BYTES: u64 = 4096;

/// The operations that a thread did: the first N of its source.
fn done<'a>(share: &'a Share, ended: &ThreadWork) -> impl Iterator<Item = (usize, Op)> + 'a {
    let first = share.files.start;
    share.source().take(ended.ops as usize).map(move |op| (first + op.file as usize, op))
}

fn all<'a>(shares: &'a [Share], ended: &'a [ThreadWork]) -> impl Iterator<Item = (usize, Op)> + 'a {
    shares.iter().zip(ended).flat_map(|(share, ended)| done(share, ended))
}

/// Distinct bytes, in whole pages, that were read.
pub(super) fn footprint_bytes(shares: &[Share], ended: &[ThreadWork], layout: &Layout) -> u64 {
    PAGE_BYTES * pages(shares, ended, layout, false)
}

/// Distinct bytes that were written.
pub(super) fn written_bytes(shares: &[Share], ended: &[ThreadWork], layout: &Layout) -> u64 {
    let least = shares.iter().map(|share| u64::from(share.access.block_bytes)).min();
    PAGE_BYTES.min(least.unwrap_or(0)) * pages(shares, ended, layout, true)
}

/// Distinct pages that were touched by reads, or by writes.
fn pages(shares: &[Share], ended: &[ThreadWork], layout: &Layout, writes: bool) -> u64 {
    // Of a shared file as if the part of the worker were a file: pages that it has in common with others count once.
    let pages = layout.own_bytes.div_ceil(PAGE_BYTES);
    let mut touched = vec![false; (pages * layout.paths.len() as u64) as usize];
    for share in shares.iter().zip(ended) {
        let block_bytes = u64::from(share.0.access.block_bytes);
        let source = share.0.own_source().take(share.1.ops as usize);
        for op in source.filter(|op| op.write == writes) {
            let first = (share.0.files.start as u64 + u64::from(op.file)) * pages;
            let of_op = op.offset / PAGE_BYTES..(op.offset + block_bytes).div_ceil(PAGE_BYTES);
            touched[(first + of_op.start) as usize..(first + of_op.end) as usize].fill(true);
        }
    }
    touched.iter().filter(|touched| **touched).count() as u64
}

/// Returns the expected length of the newly written file number `nth`.
pub(super) fn end_of_file(shares: &[Share], ended: &[ThreadWork], nth: usize) -> u64 {
    let of_file = shares.iter().zip(ended).filter(|(share, _)| share.files.contains(&nth));
    let ends = of_file.flat_map(|(share, ended)| {
        let block_bytes = u64::from(share.access.block_bytes);
        done(share, ended)
            .filter(move |(file, _)| *file == nth)
            .map(move |(_, op)| op.offset + block_bytes)
    });
    ends.max().unwrap_or(0)
}

/// Reads blocks back that were written, and checks that they hold data of this run.
pub(super) fn verify(
    shares: &[Share],
    ended: &[ThreadWork],
    paths: &[PathBuf],
    settings: &Settings,
) -> Result<(), TestError> {
    let block_bytes = settings.block.0;
    let patterns: Vec<&Pattern> = shares.iter().filter_map(|s| s.content.as_ref()).collect();
    let mut block = vec![0; block_bytes as usize];
    let files: Vec<File> = paths
        .iter()
        .map(|path| File::open(path).map_err(TestError::io("open", path)))
        .collect::<Result<_, _>>()?;
    for (file, offset) in sample(shares, ended, settings) {
        let (path, open) = (&paths[file], &files[file]);
        open.read_exact_at(&mut block, offset).map_err(TestError::io("read", path))?;
        if !patterns.iter().any(|pattern| holds_written_block(pattern, &block)) {
            let why =
                format!("the block of {block_bytes} bytes at {offset} is not what was written");
            return Err(TestError::Wrong { path: path.clone(), why });
        }
    }
    Ok(())
}

/// Some of the blocks that were written, in the order of file and offset. Two writes to one block that
/// were under way at the same time may leave a part of each; such blocks say nothing.
fn sample(shares: &[Share], ended: &[ThreadWork], settings: &Settings) -> Vec<(usize, u64)> {
    // A page goes to the disk as a whole.
    let one_by_one = settings.rw.sequential()
        || settings.depth == 1 && settings.threads == 1
        || settings.block.0 <= PAGE_BYTES;
    let ops: u64 = ended.iter().map(|ended| ended.ops).sum();
    let blocks: u64 = shares.iter().map(|share| share.blocks).fold(0, u64::saturating_add);
    let wanted = CHECKED_BLOCKS.min(CHECKED_BYTES / settings.block.0).max(1);
    let stride = (ops.min(blocks) / wanted).max(1);
    let mut times = HashMap::<(usize, u64), u64>::new();
    for (file, op) in all(shares, ended).filter(|(_, op)| op.write) {
        // By place and not by turn, so that every write to the block is counted.
        if scattered(op.offset / settings.block.0, file).is_multiple_of(stride) {
            *times.entry((file, op.offset)).or_default() += 1;
        }
    }
    let mut blocks: Vec<_> =
        times.into_iter().filter(|(_, n)| one_by_one || *n == 1).map(|(at, _)| at).collect();
    blocks.sort_unstable();
    blocks
}

/// A number for a block that has nothing to do with its neighbours'.
fn scattered(block: u64, file: usize) -> u64 {
    let state = block.wrapping_add((file as u64) << 40);
    model::random::Rng::new(state).next_u64()
}
