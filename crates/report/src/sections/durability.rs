//! Which targets do not keep what was synced, for whatever their rates say.

use crate::{block::Block, sections::Section};
use model::{Dataset, Environment, NOT_DURABLE};
use stats::Findings;

pub(crate) struct Durability;

impl Section for Durability {
    fn title(&self) -> &'static str {
        "Durability"
    }

    fn build(&self, dataset: &Dataset, _findings: &Findings) -> Option<Vec<Block>> {
        let targets = dataset.targets.iter().map(|target| (&*target.label, &target.facts));
        warning(targets).map(|text| vec![Block::Callout(text)])
    }

    fn brief(&self, dataset: &Dataset, findings: &Findings, _: usize) -> Option<Vec<Block>> {
        self.build(dataset, findings)
    }
}

/// Names the targets whose facts say so, with the reason; `None` when all keep what was synced.
fn warning<'t>(targets: impl Iterator<Item = (&'t str, &'t Environment)>) -> Option<String> {
    let losers: Vec<String> = targets
        .filter_map(|(label, facts)| Some((label, facts.0.get(NOT_DURABLE)?)))
        .map(|(label, why)| format!("{label} may lose with the power what it synced ({why})."))
        .collect();
    let rank = "Compare the durable rate of such a target only with that of another.";
    (!losers.is_empty()).then(|| format!("{} {rank}", losers.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_targets_that_lose_synced_data_are_named() {
        let mut loses = Environment::default();
        let keeps = Environment::default();
        loses.0.insert(NOT_DURABLE.into(), "tmpfs: all of it is in memory".into());
        assert_eq!(warning([("ext4", &keeps)].into_iter()), None);
        assert_eq!(
            warning([("ext4", &keeps), ("tmpfs", &loses)].into_iter()).as_deref(),
            Some(
                "tmpfs may lose with the power what it synced (tmpfs: all of it is in memory). \
                 Compare the durable rate of such a target only with that of another."
            )
        );
    }
}
