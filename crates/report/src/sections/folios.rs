//! Names hot tests whose files were in memory in folios of different sizes on different candidates.

use crate::{block::Block, sections::Section};
use model::{result::Dataset, text::Bytes};
use stats::{description::unequal_folios, evaluation::Findings};

/// Tests that are named; of more only the number is.
const NAMED: usize = 6;

pub(crate) struct Folios;

impl Section for Folios {
    fn title(&self) -> &'static str {
        "Folios of hot files"
    }

    fn build(&self, dataset: &Dataset, _: &Findings) -> Option<Vec<Block>> {
        let labels: Vec<&str> =
            dataset.targets.iter().map(|target| target.label.as_str()).collect();
        let cases = unequal_folios(&labels, &dataset.samples);
        if cases.is_empty() {
            return None;
        }
        let case = |case: &stats::description::UnequalFolios| {
            let sizes = case
                .targets
                .iter()
                .map(|(label, bytes)| format!("{label} {}", Bytes(*bytes as u64)));
            let sizes: Vec<String> = sizes.collect();
            let plural = if case.procs == 1 { "" } else { "es" };
            format!("{} with {} process{plural}: {}", case.test, case.procs, sizes.join(", "))
        };
        let mut named: Vec<String> = cases.iter().take(NAMED).map(case).collect();
        if let Some(more) = cases.len().checked_sub(NAMED).filter(|more| *more > 0) {
            named.push(format!("and {more} more"));
        }
        Some(vec![Block::Prose(format!(
            "The page cache held the files of these hot tests in folios of different sizes, and a page of a large folio \
             costs less to read. This is a property of the file system if it holds in every block; it is not if \
             another process dropped the cache between filling and reading. Median folio of the files: {}.",
            named.join("; ")
        ))])
    }
}
