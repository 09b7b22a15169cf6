//! Generates the content of small files: different in each, by a rule that allows checking any of them alone.

use engine::data::{Data, Pattern, RUN_WORDS, derive_seed};
use model::workload::Job;

/// The rule.
#[derive(Clone, Debug)]
pub(in crate::kinds) struct Content {
    pattern: Pattern,
    file_words: u64,
    file_bytes: usize,
}

impl Content {
    /// Files of `file_bytes` that `worker` writes; another `label` gives other bytes.
    pub(in crate::kinds) fn new(job: &Job, label: &str, worker: u32, file_bytes: u64) -> Content {
        let file_words = file_bytes.div_ceil(8);
        // Whole files to a run, so that each is one slice of the buffer.
        let run = file_words * (RUN_WORDS / file_words.max(1)).max(1);
        let pattern = Pattern::new(&job.data, derive_seed(job.seed, label), worker, run);
        Content { pattern, file_words, file_bytes: file_bytes as usize }
    }

    /// The bytes of file `index` by the rule alone.
    pub(in crate::kinds) fn of(&self, index: u64) -> Vec<u8> {
        let words = index * self.file_words..(index + 1) * self.file_words;
        let bytes = words.flat_map(|at| self.pattern.word(at).to_ne_bytes());
        bytes.take(self.file_bytes).collect()
    }

    /// The bytes of files 0 to `files`, ready to be written.
    pub(in crate::kinds) fn source(self, files: u64) -> Source {
        Source {
            data: Data::of(self.pattern, files * self.file_words),
            file_words: self.file_words,
            file_bytes: self.file_bytes,
        }
    }
}

/// The bytes of many files in memory.
pub(in crate::kinds) struct Source {
    data: Data,
    file_words: u64,
    file_bytes: usize,
}

impl Source {
    /// The bytes of file `index`.
    #[inline]
    pub(in crate::kinds) fn of(&self, index: u64) -> &[u8] {
        let words = self.data.piece_bytes(index * self.file_words, self.file_words);
        &words[..self.file_bytes.min(words.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use std::path::Path;

    #[test]
    fn buffer_and_rule_agree_and_files_differ() {
        let job = testing::job("x", Path::new("/"));
        for bytes in [0, 1, 3901, 4096, 128 << 10] {
            let content = Content::new(&job, "a", 0, bytes);
            let source = content.clone().source(300);
            for index in [0, 1, 150, 299] {
                assert_eq!(source.of(index), content.of(index), "{bytes}");
                assert_eq!(source.of(index).len() as u64, bytes);
            }
        }
        let first = |label, worker| Content::new(&job, label, worker, 4096).of(0);
        assert_ne!(first("a", 0), first("b", 0));
        assert_ne!(first("a", 0), first("a", 1));
        let content = Content::new(&job, "a", 0, 4096);
        assert_ne!(content.of(0), content.of(1));
    }
}
