//! The contents that a file may have.

use crate::{
    content::{Author, Origin, Run},
    ideal::{Change, Ideal, Node},
};
use model::result::Harm;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Bytes of a file with the same past.
#[derive(Clone, Debug)]
struct Segment {
    bytes: Range<u64>,
    /// Writes that may be there.
    authors: Vec<Author>,
    /// Whether there may be zeros.
    zeros: bool,
}

/// What one file may hold.
#[derive(Clone, Debug)]
pub(super) struct FileRule {
    node: Node,
    sizes: Range<u64>,
    segments: Vec<Segment>,
}

impl FileRule {
    /// Of `node`, synced after the first `since` operations if it was at all, when the first `begun` have begun. Of
    /// Each of `parts` was synced separately, after that number of operations.
    pub(super) fn new(
        ideal: &Ideal,
        node: Node,
        (since, parts): (Option<usize>, &[(usize, Range<u64>)]),
        begun: usize,
    ) -> FileRule {
        let from = since.unwrap_or(0);
        let sizes = (from..=begun).map(|done| ideal.size(node, done));
        let (min, max) =
            sizes.fold((u64::MAX, 0), |(min, max), size| (size.min(min), size.max(max)));
        // A part that was synced is within the file, unless that was made shorter since then.
        let ends = parts.iter().map(|(at, part)| {
            let sizes = (*at..=begun).map(|done| ideal.size(node, done));
            sizes.min().unwrap_or(0).min(part.end)
        });
        let min = ends.fold(min, u64::max);
        let changes: Vec<&Change> = ideal.changes(node, 0..begun).collect();
        let borders = changes.iter().filter_map(|change| match change {
            Change::Written(bytes, _) | Change::Zeroed(bytes) => Some([bytes.start, bytes.end]),
            Change::Size(_) | Change::Attribute(_) => None,
        });
        let of_parts = parts.iter().flat_map(|(_, part)| [part.start, part.end]);
        let borders: BTreeSet<u64> = borders.flatten().chain(of_parts).chain([0]).collect();
        let borders: Vec<u64> = borders.into_iter().collect();
        let segments = borders.windows(2).map(|pair| {
            let is_of = |part: &Range<u64>| part.start <= pair[0] && pair[1] <= part.end;
            let own = parts.iter().filter(|(_, part)| is_of(part)).map(|(at, _)| *at);
            let from = own.fold(from, usize::max);
            let (durable, later) = (ideal.changes(node, 0..from), ideal.changes(node, from..begun));
            segment(pair[0]..pair[1], durable, later)
        });
        FileRule { node, sizes: min..max, segments: segments.collect() }
    }

    /// Whether a file is this one as it was when it was synced, and nothing has begun since.
    pub(super) fn is_exact(&self, size: u64, runs: &[Run]) -> bool {
        self.wrong(size, runs, &|_| false).is_empty()
    }

    /// Whether a file may be this one, with all that is promised of it or not.
    pub(super) fn may_be(&self, size: u64, runs: &[Run]) -> bool {
        let is_own = |author: &Author| usize::from(author.file) == self.node;
        let mut origins = runs.iter().map(|run| &run.origin);
        origins.any(|origin| matches!(origin, Origin::Written(author) if is_own(author)))
            || self.is_exact(size, runs)
    }

    /// All that is wrong with a file, once for each kind. `is_own` says which files its name has led to.
    pub(super) fn wrong(&self, size: u64, runs: &[Run], is_own: &dyn Fn(Node) -> bool) -> Wrong {
        let mut wrong: BTreeMap<Harm, String> = BTreeMap::new();
        if size < self.sizes.start {
            let least = self.sizes.start;
            wrong.insert(Harm::Lost, format!("{size} bytes long, and {least} were synced"));
        }
        if size > self.sizes.end {
            let most = self.sizes.end;
            wrong.insert(Harm::Size, format!("{size} bytes long, and never more than {most}"));
        }
        for run in runs {
            for bytes in self.not_allowed(run) {
                let harm = self.harm(&run.origin, is_own);
                let detail = || format!("bytes {} to {}: {:?}", bytes.start, bytes.end, run.origin);
                wrong.entry(harm).or_insert_with(detail);
                if harm == Harm::Zeros {
                    // What was never synced may be zeros, so this was.
                    wrong.entry(Harm::Lost).or_insert_with(detail);
                }
            }
        }
        wrong.into_iter().collect()
    }

    /// The parts of a run that may not be where they are.
    fn not_allowed(&self, run: &Run) -> Vec<Range<u64>> {
        let mut parts = Vec::new();
        let mut at = run.bytes.start;
        for segment in &self.segments {
            let end = segment.bytes.end.min(run.bytes.end);
            if end > at && segment.bytes.start < run.bytes.end {
                if !segment.allows(&run.origin) {
                    parts.push(at..end);
                }
                at = end;
            }
        }
        // Behind all that was ever written.
        if at < run.bytes.end && run.origin != Origin::Zeros {
            parts.push(at..run.bytes.end);
        }
        parts
    }

    fn harm(&self, origin: &Origin, is_own: &dyn Fn(Node) -> bool) -> Harm {
        match origin {
            Origin::Zeros => Harm::Zeros,
            Origin::Foreign => Harm::Foreign,
            Origin::Displaced(_) => Harm::OtherFile,
            Origin::Written(author) => {
                let file = usize::from(author.file);
                if file == self.node || is_own(file) { Harm::Old } else { Harm::OtherFile }
            }
        }
    }
}

/// What is wrong with a file.
pub(super) type Wrong = Vec<(Harm, String)>;

impl Segment {
    fn allows(&self, origin: &Origin) -> bool {
        match origin {
            Origin::Zeros => self.zeros,
            Origin::Written(author) => self.authors.contains(author),
            Origin::Displaced(_) | Origin::Foreign => false,
        }
    }
}

fn segment<'a>(
    bytes: Range<u64>,
    durable: impl Iterator<Item = &'a Change>,
    later: impl Iterator<Item = &'a Change>,
) -> Segment {
    let covers = |range: &Range<u64>| range.start <= bytes.start && bytes.end <= range.end;
    let author = |change: &Change| match change {
        Change::Written(range, author) if covers(range) => Some(Some(*author)),
        Change::Zeroed(range) if covers(range) => Some(None),
        _ => None,
    };
    // Nothing was there at first, which reads as zeros.
    let kept = durable.filter_map(author).last().unwrap_or(None);
    let all: Vec<Option<Author>> = later.filter_map(author).chain([kept]).collect();
    let zeros = all.contains(&None);
    Segment { bytes, authors: all.into_iter().flatten().collect(), zeros }
}

/// What is wrong with a file that had to be one of `rules`, whole. `is_own` says which files its name has led to.
pub(super) fn harm_of_whole(
    size: u64,
    runs: &[Run],
    is_own: &dyn Fn(Node) -> bool,
    rules: &[FileRule],
) -> (Harm, String) {
    let zeros = runs.iter().find(|run| run.origin == Origin::Zeros);
    let files = runs.iter().filter_map(|run| match run.origin {
        Origin::Written(author) => Some(usize::from(author.file)),
        _ => None,
    });
    let files: BTreeSet<Node> = files.collect();
    let is_strange = |run: &&Run| matches!(run.origin, Origin::Foreign | Origin::Displaced(_));
    let is_older = |file: &Node| is_own(*file) && !rules.iter().any(|rule| rule.node == *file);
    let (harm, why) = if size == 0 {
        (Harm::Empty, String::new())
    } else if let Some(run) = zeros {
        (Harm::Zeros, format!(", zeros at bytes {} to {}", run.bytes.start, run.bytes.end))
    } else if runs.iter().find(is_strange).is_some() {
        (Harm::Foreign, ", with data that was never written there".into())
    } else if !files.iter().all(|file| is_own(*file)) {
        (Harm::OtherFile, String::new())
    } else if files.len() == 1 && files.iter().all(is_older) {
        (Harm::Old, ", as it was before an acknowledged replacement".into())
    } else {
        (Harm::Torn, format!(", of files {files:?}"))
    };
    (harm, format!("{size} bytes long{why}"))
}
