//! Lists samples that were taken while other processes used the same CPUs or the same disk, with the effect.

use super::invalid::{by_reason, table};
use crate::{block::Block, sections::Section};
use model::result::Dataset;
use stats::{description::Contention, evaluation::Findings};

pub(crate) struct Contended;

impl Section for Contended {
    fn title(&self) -> &'static str {
        "Contended samples"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let contention = Contention::of(dataset, findings.contention_limit_pct);
        let valid = || dataset.samples.iter().filter(|sample| sample.evidence.validity.is_valid());
        let mut said: Vec<_> = valid()
            .filter_map(|sample| Some((sample, String::new(), contention.why(sample)?)))
            .collect();
        said.sort_by(|a, b| {
            stats::description::shared_pct(b.0).total_cmp(&stats::description::shared_pct(a.0))
        });
        let entries = by_reason(dataset, said.into_iter());
        if entries.is_empty() {
            return None;
        }
        let count: usize = entries.values().map(|entry| entry.count).sum();
        let prose = format!(
            "{count} of {} valid samples shared the machine with other work. They are included in \
             the means; a ratio with more than 20 % of them is reported as unclear.",
            valid().count()
        );
        Some(vec![
            Block::Prose(prose),
            Block::Table(table(dataset, &entries, "of the most contended sample")),
        ])
    }

    fn of_whole(&self) -> bool {
        true
    }
}
