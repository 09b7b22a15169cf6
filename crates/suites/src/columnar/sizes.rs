//! Computes vector lengths and repetitions for p workers: the original suite's formulae, scaled by one factor; or, for
//! tests sized individually, vectors that keep their kind (tiny, small and medium in full, large ones scaled) and
//! enough repetitions for the test to be long enough.

use model::workload::{Job, Work};

/// Files that the small appends fill, and the random reads read.
pub(super) const RANDOM_FILES: u64 = 4;
/// Words in a page: the grain of the offsets of the random reads.
pub(super) const PAGE_WORDS: u64 = 512;

/// No vector is shorter than a page: a file system may keep smaller files inside its metadata (Btrfs
/// does), where they come to memory with the mount and can never be proven cold.
const SHORTEST: u64 = PAGE_WORDS;

/// Appends to a column and to a random file at full scale, where tests are sized one by one; and the least
/// that leaves room for random reads.
const SIZED_LARGE_APPENDS: u64 = 2;
const SIZED_SMALL_APPENDS: f64 = 1600.0;
const LEAST_SMALL_APPENDS: u64 = 16;

const TINY: f64 = 2047.0;
const SMALL: f64 = 63.0 * 1024.0;
const MEDIUM: f64 = 4.0 * 127.0 * 1024.0;
const LARGE: f64 = 31.0 * 1_048_576.0;
const HUGE: f64 = 1_073_741_824.0;

/// A vector; its length follows from the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// 2047 elements.
    Tiny,
    /// 63 Ki elements.
    Small,
    /// 508 Ki elements.
    Medium,
    /// 31 Mi elements.
    Large,
    /// 1 Gi elements, less where memory is small.
    Huge,
    /// A column of the table: one large vector and its appends.
    Table,
    /// One of the files that the small appends fill.
    RandomFile,
    /// The file read as bytes: 64 small vectors.
    Binary,
}

/// The sizes of one job. All lengths are in elements, all at least `SHORTEST`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sizes {
    scale: f64,
    /// Repetitions of a test that was sized separately.
    work: Option<Work>,
    /// 1 + log2 of the number of workers: by what the original suite divides repeats.
    decay: f64,
    tiny: u64,
    small: u64,
    medium: u64,
    large: u64,
    huge: u64,
}

impl Sizes {
    pub(super) fn new(job: &Job) -> Sizes {
        let workers = u64::from(job.workers.max(1));
        let scaled = |length: f64| ((length * job.scale) as u64).max(SHORTEST);
        let short = |length: f64| if job.work.is_some() { length as u64 } else { scaled(length) };
        let (mut large, mut huge) = (scaled(LARGE), scaled(HUGE));
        if job.work.is_some() {
            large = large.max(2 * short(MEDIUM));
            huge = huge.max(4 * large);
        }
        // Twice the vector must fit in memory for every worker; 0 is an unknown memory.
        if job.memory.0 > 0 && job.memory.0 < workers.saturating_mul(16).saturating_mul(huge) {
            huge = (job.memory.0 / (32 * workers)).max(SHORTEST);
        }
        Sizes {
            scale: job.scale,
            work: job.work,
            decay: 1.0 + (workers as f64).log2(),
            tiny: short(TINY),
            small: short(SMALL),
            medium: short(MEDIUM),
            large,
            huge,
        }
    }

    /// Elements of a vector.
    pub(super) fn rows(&self, length: Length) -> u64 {
        match length {
            Length::Tiny => self.tiny,
            Length::Small => self.small,
            Length::Medium => self.medium,
            Length::Large => self.large,
            Length::Huge => self.huge,
            Length::Table => self.large * (1 + self.large_appends()),
            Length::RandomFile => self.small * self.small_appends(),
            Length::Binary => 64 * self.small,
        }
    }

    /// Files of a kind that a test works on.
    pub(super) fn copies(&self) -> u32 {
        self.work.map_or(1, |work| work.copies)
    }

    /// `count`, which is the original suite's, as often as this test does it.
    pub(super) fn repeated(&self, count: u64) -> u64 {
        self.work.map_or(count, |work| at_least_one((count as f64 * work.times).round()))
    }

    /// Passes over files that are in memory.
    pub(super) fn passes(&self) -> u64 {
        self.repeated(1)
    }

    /// Appends of a large vector to a column: 8 for one worker, 1 for 64. Copies take their place where tests
    /// are sized one by one.
    pub(super) fn large_appends(&self) -> u64 {
        if self.work.is_some() {
            return SIZED_LARGE_APPENDS;
        }
        at_least_one((self.scale * 250e6 / (self.large as f64 * self.decay)).round())
    }

    /// Appends of a small vector to each of the random files: 15501 for one worker. A fifth of that where
    /// tests are sized one by one, as random reads then need no more room to be distinct.
    pub(super) fn small_appends(&self) -> u64 {
        if self.work.is_some() {
            return ((self.scale * SIZED_SMALL_APPENDS) as u64).max(LEAST_SMALL_APPENDS);
        }
        let bytes = 8.0 * self.small as f64 * RANDOM_FILES as f64;
        at_least_one((self.scale * 32e9 / (bytes * self.decay)).round())
    }

    /// Cycles of a replace test.
    pub(super) fn replaces(&self, length: Length) -> u64 {
        let full = match length {
            Length::Tiny => 20_000.0,
            Length::Small => 2_000.0,
            Length::Medium => 500.0,
            _ => 1.0,
        };
        self.repeated(at_least_one((full / self.decay).max(1.0)))
    }

    /// Elements replaced in one cycle.
    pub(super) fn replaced(&self, length: Length) -> u64 {
        let rows = self.rows(length);
        match length {
            Length::Tiny | Length::Small | Length::Medium => (rows / 5).max(1),
            Length::Huge => at_least_one(rows as f64 / (5000.0 * self.decay)),
            _ => at_least_one(rows as f64 / (100.0 * self.decay)),
        }
    }

    /// Operations of a metadata test.
    pub(super) fn meta_ops(&self) -> u64 {
        match self.work {
            Some(_) => self.repeated(50_000),
            None => at_least_one(50_000.0 * self.scale),
        }
    }

    /// Elements in a random block of nominally `bytes`; never more than a file has.
    pub(super) fn block_rows(&self, bytes: u64) -> u64 {
        (bytes / 8).min(self.rows(Length::RandomFile)).max(1)
    }

    /// Distinct places, in pages, where such a block may start.
    pub(super) fn block_places(&self, bytes: u64) -> u64 {
        let free = self.rows(Length::RandomFile) - self.block_rows(bytes);
        (free / PAGE_WORDS).max(1)
    }

    /// Random blocks that are asked of each file; there may be no more places than fewer.
    pub(super) fn wanted_blocks(&self, bytes: u64) -> u64 {
        let factor = self.work.map_or(self.scale, |work| work.times);
        at_least_one(factor * 800e6 / (bytes * RANDOM_FILES) as f64)
    }

    /// Distinct random blocks read from each file.
    pub(super) fn blocks(&self, bytes: u64) -> u64 {
        self.wanted_blocks(bytes).min(self.block_places(bytes))
    }
}

fn at_least_one(count: f64) -> u64 {
    (count as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columnar::tests::job;
    use model::text::Bytes;
    use proptest::prelude::*;

    fn sizes(scale: f64, workers: u32, memory: u64) -> Sizes {
        let job =
            Job { scale, workers, memory: Bytes(memory), ..job("", std::path::Path::new("/")) };
        Sizes::new(&job)
    }

    #[test]
    fn full_scale_is_the_original_suites() {
        let one = sizes(1.0, 1, 1 << 40);
        assert_eq!([one.tiny, one.small, one.medium, one.large], [2047, 64512, 520192, 32505856]);
        assert_eq!(one.huge, 1 << 30);
        assert_eq!([one.small_appends(), one.large_appends()], [15501, 8]);
        assert_eq!(one.rows(Length::Table), 9 * 32505856);
        assert_eq!(one.replaced(Length::Small), 12902);
        assert_eq!(one.replaced(Length::Large), 325_058);
        assert_eq!(one.replaced(Length::Huge), 214_748);
        assert_eq!([1_000_000, 64_000, 4_000].map(|b| one.blocks(b)), [200, 3125, 50_000]);
        let many = sizes(1.0, 64, 1 << 44);
        assert_eq!([many.large_appends(), many.replaces(Length::Tiny)], [1, 2857]);
    }

    #[test]
    fn memory_limits_the_largest_vector_only() {
        assert_eq!(sizes(1.0, 4, 16 << 30).huge, (16 << 30) / 128);
        assert_eq!(sizes(1.0, 1, 0).huge, 1 << 30);
        assert_eq!(sizes(1.0, 4, 1 << 30).large, 32505856);
    }

    proptest! {
        #[test]
        fn every_size_is_usable(scale in 0.0005f64..4.0, workers in 1u32..1024, memory in 0u64..1 << 42) {
            let s = sizes(scale, workers, memory);
            for bytes in [1_000_000, 64_000, 4_000] {
                let last = (s.block_places(bytes) - 1) * PAGE_WORDS + s.block_rows(bytes);
                prop_assert!(last <= s.rows(Length::RandomFile));
                prop_assert!((1..=s.block_places(bytes)).contains(&s.blocks(bytes)));
            }
            for length in [Length::Tiny, Length::Small, Length::Medium, Length::Large, Length::Huge] {
                prop_assert!((1..=s.rows(length)).contains(&s.replaced(length)));
                prop_assert!(s.replaces(length) >= 1 && s.meta_ops() >= 1);
            }
        }
    }
}
