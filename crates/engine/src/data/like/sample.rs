//! A sample of the user's files: which parts are read, and what is counted of them.

use super::estimate::{self, BLOCK_BYTES, UNIT_BYTES};
use model::{random::Rng, workload::Like};
use rustix::fs::OFlags;
use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, ErrorKind},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Most that is read, units of 128 KiB: 64 MiB.
const MAX_UNITS: u64 = 512;
/// Most entries of folders that are looked at.
const MAX_ENTRIES: usize = 200_000;
/// More of a file than this says nothing more, bytes; the sum over all files stays a number.
const MAX_LENGTH: u64 = 1 << 46;
/// A shorter end of a file says nothing, bytes.
const MIN_BYTES: usize = 64;

/// Why there is no sample.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// It cannot be looked at.
    #[error("cannot sample {path}: {source}; choose a readable path")]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is nothing to measure.
    #[error("no readable file of at least {MIN_BYTES} bytes in {0}; choose a path with data")]
    Empty(PathBuf),
}

/// The result of sampling files.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// The numbers from which data like it is generated.
    pub like: Like,
    /// Files found, also those of which nothing was read.
    pub files: usize,
    /// Bytes that were read.
    pub read_bytes: u64,
    /// Share that finding repetitions alone would leave, 0 to 1.
    pub left: f64,
    /// Share that is left when the rest is also coded by frequency, 0 to 1.
    pub left_coded: f64,
}

/// Measures the regular files at or below `path`, without following links: all of them up to 64 MiB,
/// else one part in each of 512 equal strata of their bytes, drawn by `seed`. What cannot be read is
/// left out.
///
/// # Errors
/// `path` cannot be looked at, or holds nothing that can be measured.
pub fn sample(path: &Path, seed: u64) -> Result<Sampled, SampleError> {
    let files = files(path).map_err(|source| SampleError::Io { path: path.into(), source })?;
    let mut tally = Tally::default();
    for (file, offset) in units(&files, seed) {
        // What has gone meanwhile, or is not ours to read, is not part of the sample.
        if let Ok(unit) = read(&files[file].0, offset) {
            tally.add(&unit);
        }
    }
    let like = tally.like().ok_or_else(|| SampleError::Empty(path.into()))?;
    let (left, left_coded) = (tally.left(), tally.left_coded());
    Ok(Sampled { like, files: files.len(), read_bytes: tally.bytes, left, left_coded })
}

/// Regular files with their lengths, by name.
fn files(path: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let meta = fs::metadata(path)?;
    if !meta.is_dir() {
        let length = if meta.is_file() { meta.len().min(MAX_LENGTH) } else { 0 };
        return Ok(vec![(path.into(), length)]);
    }
    let (mut found, mut open) = (Vec::new(), vec![path.to_path_buf()]);
    fs::read_dir(path)?;
    let mut left = MAX_ENTRIES;
    while let Some(dir) = open.pop().filter(|_| left > 0) {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        let entries = entries.flatten().take(left);
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        left -= entries.len();
        entries.sort();
        for entry in entries {
            match fs::symlink_metadata(&entry) {
                Ok(meta) if meta.is_dir() => open.push(entry),
                Ok(meta) if meta.is_file() => found.push((entry, meta.len().min(MAX_LENGTH))),
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The parts to read: numbers of files, and offsets that are multiples of a unit.
fn units(files: &[(PathBuf, u64)], seed: u64) -> Vec<(usize, u64)> {
    let unit = UNIT_BYTES as u64;
    let total: u64 = files.iter().map(|(_, len)| len).sum();
    if total <= MAX_UNITS * unit {
        let of = |(file, (_, len)): (usize, &(_, u64))| {
            (0..len.div_ceil(unit)).map(move |n| (file, n * unit))
        };
        return files.iter().enumerate().flat_map(of).collect();
    }
    let mut rng = Rng::new(seed);
    let mut chosen: Vec<(usize, u64)> = Vec::new();
    let (mut file, mut before) = (0, 0);
    for stratum in 0..MAX_UNITS {
        let edge = |n: u64| (u128::from(total) * u128::from(n) / u128::from(MAX_UNITS)) as u64;
        let at = edge(stratum) + rng.below(edge(stratum + 1) - edge(stratum));
        while at >= before + files[file].1 {
            before += files[file].1;
            file += 1;
        }
        let part = (file, (at - before) / unit * unit);
        // A part across the edge of two strata may be drawn twice, and would be its own duplicate.
        if chosen.last() != Some(&part) {
            chosen.push(part);
        }
    }
    chosen
}

fn read(path: &Path, offset: u64) -> io::Result<Vec<u8>> {
    // It may have become another since it was looked at: no pipe is waited for.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut unit = vec![0; UNIT_BYTES];
    let mut len = 0;
    while len < unit.len() {
        match file.read_at(&mut unit[len..], offset + len as u64) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    unit.truncate(len);
    Ok(unit)
}

/// The counts of a sample.
#[derive(Debug, Default)]
pub(super) struct Tally {
    bytes: u64,
    blocks: u64,
    zero: u64,
    duplicate: u64,
    classes: BTreeMap<(u8, u8), u64>,
    seen: HashSet<u64>,
    left: f64,
    left_coded: f64,
}

impl Tally {
    /// Counts the blocks of `unit`, which would be compressed together.
    pub(super) fn add(&mut self, unit: &[u8]) {
        self.bytes += unit.len() as u64;
        for (block, left) in unit.chunks(BLOCK_BYTES).zip(estimate::left_of_blocks(unit)) {
            if block.len() < MIN_BYTES {
                continue;
            }
            self.blocks += 1;
            if block.iter().all(|&byte| byte == 0) {
                self.zero += 1;
                continue;
            }
            let len = block.len() as f64;
            // What does not get smaller is stored as it is.
            let (bytes, coded) = (left.bytes.min(len), (left.coded_bits / 8.0).min(len));
            self.left += bytes / len;
            self.left_coded += coded.min(bytes) / len;
            *self.classes.entry(class(bytes / len, coded.min(bytes) / len)).or_default() += 1;
            let mut hasher = DefaultHasher::new();
            block.hash(&mut hasher);
            self.duplicate += u64::from(!self.seen.insert(hasher.finish()));
        }
    }

    /// The numbers; `None` without a block.
    pub(super) fn like(&self) -> Option<Like> {
        Like::from_counts(self.zero, self.duplicate, &self.classes)
    }

    /// Mean share that finding repetitions alone leaves.
    pub(super) fn left(&self) -> f64 {
        self.left / self.blocks.max(1) as f64
    }

    /// Mean share that is left when the rest is also coded.
    pub(super) fn left_coded(&self) -> f64 {
        self.left_coded / self.blocks.max(1) as f64
    }
}

/// Sixteenths left and bits for each byte of them. Fewer than four bits cannot be generated, as so few
/// symbols repeat by chance; then less is left instead.
fn class(left: f64, coded: f64) -> (u8, u8) {
    let bits = if left > 0.0 { (8.0 * coded / left).round().clamp(4.0, 8.0) } else { 8.0 };
    let left = if 8.0 * coded < 4.0 * left { 2.0 * coded } else { left };
    ((16.0 * left).round() as u8, bits as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u64, len: usize) -> Vec<u8> {
        let mut rng = Rng::new(seed);
        (0..len.div_ceil(8)).flat_map(|_| rng.next_u64().to_le_bytes()).take(len).collect()
    }

    #[test]
    fn zeros_noise_and_copies_are_distinguished() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("a"), noise(1, UNIT_BYTES)).unwrap();
        fs::write(dir.path().join("d/copy"), noise(1, UNIT_BYTES)).unwrap();
        fs::write(dir.path().join("d/zero"), vec![0; 2 * UNIT_BYTES]).unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("d/loop")).unwrap();
        let found = sample(dir.path(), 1).unwrap();
        assert_eq!(found.like.to_string(), "like(zero=500,dup=500,16x8=500)");
        assert_eq!((found.files, found.read_bytes), (3, 4 * UNIT_BYTES as u64));
        assert!((found.left - 0.5).abs() < 0.01 && (found.left_coded - 0.5).abs() < 0.01);
    }

    #[test]
    fn text_is_left_in_part_and_codes_well() {
        let dir = tempfile::tempdir().unwrap();
        let words = ["ingest", "quote", "trade", "symbol", "time", "price", "the", "of", "\n"];
        let mut rng = Rng::new(4);
        let text: Vec<&str> = (0..40_000).map(|_| words[rng.below(9) as usize]).collect();
        fs::write(dir.path().join("t"), text.join(" ")).unwrap();
        let found = sample(&dir.path().join("t"), 1).unwrap();
        assert!(found.left < 0.6 && found.left_coded < found.left, "{found:?}");
        assert!((found.like.left() - found.left).abs() < 0.05, "{found:?}");
        assert!((found.like.left_coded() - found.left_coded).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn a_large_tree_is_sampled_in_strata_by_the_seed() {
        let unit = UNIT_BYTES as u64;
        let files: Vec<(PathBuf, u64)> =
            [3, 900 * unit, 0, 700 * unit + 5].map(|len| (PathBuf::new(), len)).into();
        let parts = units(&files, 9);
        assert_eq!(parts, units(&files, 9));
        assert_ne!(parts, units(&files, 10));
        assert!(parts.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(parts.iter().all(|&(file, offset)| offset < files[file].1));
        let first = parts.iter().filter(|(file, _)| *file == 1).count() as f64;
        assert!((first / parts.len() as f64 - 9.0 / 16.0).abs() < 0.01);
    }

    #[test]
    fn lengths_that_no_sum_holds_and_pipes_are_no_trouble() {
        let dir = tempfile::tempdir().unwrap();
        let named = |name: &str| dir.path().join(name);
        for name in ["a", "b", "c"] {
            // Some file systems have no room for so long a hole.
            let longest = [(1 << 63) - (1 << 20), 1 << 43, 1 << 30];
            let file = fs::File::create(named(name)).unwrap();
            assert!(longest.into_iter().any(|length| file.set_len(length).is_ok()));
        }
        fs::write(named("d"), noise(1, UNIT_BYTES)).unwrap();
        let found = files(dir.path()).unwrap();
        assert_eq!(found.len(), 4);
        assert!(!units(&found, 1).is_empty());
        let all = [u64::MAX; 3].map(|length| (PathBuf::new(), length.min(MAX_LENGTH)));
        assert_eq!(units(&all, 1).len() as u64, MAX_UNITS);
        assert!((MAX_ENTRIES as u64).checked_mul(MAX_LENGTH).is_some());
        let pipe = named("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert!(read(&pipe, 0).is_err());
        assert!(matches!(sample(&pipe, 1), Err(SampleError::Empty(_))));
    }

    #[test]
    fn nothing_to_sample_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("short"), "x").unwrap();
        let error = sample(dir.path(), 1).unwrap_err().to_string();
        assert!(error.starts_with("no readable file"), "{error}");
        assert!(matches!(sample(Path::new("/no/such"), 1), Err(SampleError::Io { .. })));
    }

    #[test]
    fn classes_keep_the_product_when_symbols_are_few() {
        assert_eq!(class(1.0, 1.0), (16, 8));
        assert_eq!(class(0.5, 0.3), (8, 5));
        assert_eq!(class(1.0, 0.25), (8, 4));
        assert_eq!(class(0.0, 0.0), (0, 8));
    }
}
