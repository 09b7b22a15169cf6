//! Random blocks of the four large files: from long-lived maps, or with a fresh map for every block.

use super::{
    column::{self, Column, RANDOM},
    explain,
    get::{gather, get, map},
    measure,
    page::{Figures, Page},
    replace::distinct,
    row::Row,
    settings::Settings,
    sizes::{PAGE_WORDS, RANDOM_FILES, Sizes},
};
use crate::{Estimate, Measured, Meter, RandomReads, Run, Shift, Stretch, Test, TestError};
use engine::{
    data::derive_seed,
    map::{PAGE_BYTES, ReadMap},
    progress::Progress,
};
use model::{
    random::Rng,
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::{hint::black_box, path::PathBuf};

/// Bytes between two reports of progress, at most.
const BATCH_BYTES: u64 = 16 << 20;
const HEADER_BYTES: u64 = 16;

/// Random reads of blocks of one size.
pub(super) struct RandomTest {
    pub(super) row: Row,
    /// Nominal size of a block.
    pub(super) block_bytes: u64,
    /// Maps the file anew for every block.
    pub(super) remap: bool,
    /// The original suite's seed number, 1 to 6; the same for the cold and the hot test.
    pub(super) seed: u64,
    pub(super) cache: CacheNeed,
}

/// The position of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Block {
    pub(super) file: usize,
    pub(super) row: u64,
}

impl RandomTest {
    /// The blocks in the order in which they are read: distinct within a file, at multiples of a
    /// page, the same in every worker.
    pub(super) fn blocks(&self, job: &Job) -> Vec<Block> {
        let sizes = Sizes::new(job);
        let mut rng = Rng::new(derive_seed(job.seed, "random read").wrapping_add(self.seed));
        let mut blocks = Vec::new();
        for file in 0..RANDOM.len() {
            let count = sizes.blocks(self.block_bytes);
            let places = distinct(&mut rng, count, sizes.block_places(self.block_bytes));
            blocks.extend(places.into_iter().map(|p| Block { file, row: p * PAGE_WORDS }));
        }
        rng.shuffle(&mut blocks);
        blocks
    }

    /// Blocks that are read, those that are in memory as often as is asked for.
    fn count(&self, job: &Job) -> u64 {
        Sizes::new(job).blocks(self.block_bytes) * RANDOM_FILES * self.passes(job)
    }

    /// Passes over the blocks: more than one where they are in memory and there are fewer places than reads.
    fn passes(&self, job: &Job) -> u64 {
        let sizes = Sizes::new(job);
        let wanted = sizes.wanted_blocks(self.block_bytes);
        match self.cache {
            CacheNeed::Hot if job.work.is_some() => wanted.div_ceil(sizes.blocks(self.block_bytes)),
            _ => 1,
        }
    }
}

/// Bytes of the distinct pages that blocks of `block_rows` rows cover, and of the first pages, where
/// the headers are, when `headers` are read too.
pub(super) fn page_bytes(blocks: &[Block], block_rows: u64, headers: bool) -> u64 {
    let mut spans: Vec<_> = blocks
        .iter()
        .map(|b| {
            let first = (HEADER_BYTES + 8 * b.row) / PAGE_BYTES;
            let last = (HEADER_BYTES + 8 * (b.row + block_rows) - 1) / PAGE_BYTES;
            (b.file, first, last + 1)
        })
        .collect();
    if headers {
        spans.extend(blocks.iter().map(|b| (b.file, 0, 1)));
    }
    spans.sort_unstable();
    let (mut pages, mut covered) = (0, (usize::MAX, 0));
    for (file, first, end) in spans {
        let from = if covered.0 == file { first.max(covered.1) } else { first };
        if end > from || covered.0 != file {
            pages += end - from;
            covered = (file, end);
        }
    }
    pages * PAGE_BYTES
}

impl Test for RandomTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.row.rate("rate")]
    }

    fn cache(&self) -> CacheNeed {
        self.cache
    }

    fn stretch(&self) -> Stretch {
        Stretch::Times
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        RANDOM.iter().try_for_each(|file| Column::new(*file, job).fill())
    }

    fn random_reads(&self) -> Option<RandomReads> {
        Some(RandomReads::Mapped)
    }

    /// Around what is not in memory, the kernel still reads when they stop.
    fn can_be_held(&self, job: &Job) -> bool {
        self.threads(job) <= 1 && self.cache != CacheNeed::Cold
    }

    fn shift(&self) -> Shift {
        Shift::Reads
    }

    fn files(&self, job: &Job) -> Vec<PathBuf> {
        RANDOM.iter().map(|file| job.dir.join(file.path)).collect()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let blocks = self.blocks(job);
        Ok(Box::new(RandomRun {
            columns: RANDOM.iter().map(|file| Column::new(*file, job)).collect(),
            block_rows: Sizes::new(job).block_rows(self.block_bytes),
            first_words: Vec::with_capacity(blocks.len()),
            blocks,
            passes: self.passes(job),
            remap: self.remap,
            settings: Settings::new(job),
            threads: job.threads,
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let ops = self.count(job);
        let read_bytes = 8 * ops * Sizes::new(job).block_rows(self.block_bytes);
        Estimate { read_bytes, ops, ..Estimate::default() }
    }

    fn space(&self, job: &Job) -> Vec<(PathBuf, u64)> {
        column::space(&RANDOM, job)
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let elements = self.count(job) * Sizes::new(job).block_rows(self.block_bytes);
        vec![measure::read(self.row.id, pool, elements)]
    }

    fn explain(&self, _id: &str) -> String {
        page_of(self)
    }
}

struct RandomRun {
    columns: Vec<Column>,
    blocks: Vec<Block>,
    passes: u64,
    block_rows: u64,
    /// The first word of every block as it was last read.
    first_words: Vec<u64>,
    remap: bool,
    settings: Settings,
    threads: u32,
}

impl RandomRun {
    /// Builds the indices, gathers into fresh memory, lets go.
    fn read_block(&self, map: &ReadMap, block: Block) -> Result<u64, TestError> {
        let indices: Vec<u64> = (block.row..block.row + self.block_rows).collect();
        let parts = gather(map, HEADER_BYTES, &indices, self.threads)
            .map_err(TestError::io("read", &self.columns[block.file].path))?;
        Ok(black_box(parts)[0][0])
    }

    fn read_all(
        &self,
        maps: &[ReadMap],
        seen: &mut Vec<u64>,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let bytes = 8 * self.block_rows;
        let ops = self.passes * self.blocks.len() as u64;
        let batch = (BATCH_BYTES / bytes).min(measure::batch_ops(ops)).max(1);
        for blocks in self.blocks.chunks(batch as usize) {
            for &block in blocks {
                seen.push(if self.remap {
                    let map = get(&self.columns[block.file].path, &self.settings)?;
                    self.read_block(&map, block)?
                } else {
                    self.read_block(&maps[block.file], block)?
                });
            }
            progress.add(bytes * blocks.len() as u64, blocks.len() as u64);
        }
        Ok(())
    }
}

impl Run for RandomRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let mut maps = Vec::new();
        if !self.remap {
            for column in &self.columns {
                maps.push(map(&column.path, &self.settings, false)?);
            }
        }
        let mut seen = std::mem::take(&mut self.first_words);
        meter.phase(PhaseKind::Read, &mut |progress| {
            (0..self.passes).try_for_each(|_| {
                seen.clear();
                self.read_all(&maps, &mut seen, progress)
            })
        })?;
        self.first_words = seen;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), TestError> {
        for (block, &word) in self.blocks.iter().zip(&self.first_words) {
            let column = &self.columns[block.file];
            if word != column.word(block.row) {
                return Err(column.wrong(format!("row {} was read as {word:#x}", block.row)));
            }
        }
        if self.first_words.len() == self.blocks.len() {
            return Ok(());
        }
        Err(self.columns[0].wrong(format!("only {} blocks were read", self.first_words.len())))
    }

    fn footprint_bytes(&self) -> u64 {
        page_bytes(&self.blocks, self.block_rows, self.remap)
    }
}

/// The page of `assay explain`: calls, sizes, figures, caveats.
fn page_of(test: &RandomTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    page.about(&format!(
        "Blocks of {} bytes at random pages of four large files are gathered from memory maps, as a query that jumps through a column does. {}",
        test.block_bytes,
        if test.remap { "Every block maps its file anew." } else { "The files stay mapped all the time." }
    ));
    let gather = "build the vector of indices, gather the elements into fresh memory, free both";
    if test.remap {
        page.steps(
            "Read, for every block",
            &["open, fstat, mmap, close; load the header", gather, "munmap"],
        );
    } else {
        page.steps("Before the clock", &["map the four files; nothing of them is read"]);
        page.steps("Read, for every block", &[gather]);
    }
    page.size("blocks in each file", |job| Sizes::new(job).blocks(test.block_bytes));
    page.size("elements in a block", |job| Sizes::new(job).block_rows(test.block_bytes));
    page.size("bytes read", |job| test.estimate(job).read_bytes);
    page.longer(test.stretch());
    page.figures(Figures::Read);
    page.reading(if test.cache == CacheNeed::Cold {
        "Latency of the device at queue depth 1 in every worker, and read-around: the kernel reads more than it was asked for (`read_ahead_kb`) unless it learns that it misses. A fresh map forgets what was learned, so the `mmap` variant reads around every time. Device bytes over logical bytes tell how much."
    } else {
        "Page faults on resident pages and a gather; with a fresh map also the cost of mapping. 4k is ruled by faults, 1M by the copy."
    });
    page.caveats(&[
        "Places are multiples of 4096 bytes behind the header of 16, drawn without replacement in each file; blocks may overlap. Seed numbers 1 to 6 give every worker the same places in its own files, and the hot test those of the cold one.",
        if test.cache == CacheNeed::Cold { explain::RESIDENT } else { "All of the four files is made resident before, not only the blocks that are read; where memory is short they cannot be." },
        "At small scales files are short: a block is never longer than its file, and there are never more blocks than places.",
    ]);
    page.guesses("That no `MADV_RANDOM` is given is inferred from cold rates.", &["get_map"]);
    page.text()
}
