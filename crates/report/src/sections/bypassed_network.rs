//! Lists targets of NFS whose reads and writes bypass the network, because then they do not measure a server elsewhere.

use crate::{
    block::Block,
    sections::{Brief, Section},
};
use model::result::{Dataset, TargetRecord};
use stats::evaluation::Findings;

pub(crate) struct BypassedNetwork;

/// The fact of a target that has a server of its own.
const LOCALIO: &str = "geometry.nfs.localio";

impl Section for BypassedNetwork {
    fn title(&self) -> &'static str {
        "NFS without a network"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, _: &Findings) -> Option<Vec<Block>> {
        let is_local = |record: &&TargetRecord| {
            record.facts.0.get(LOCALIO).is_some_and(|state| state == "yes")
        };
        let local = dataset.targets.iter().filter(is_local);
        let labels: Vec<&str> = local.map(|record| record.label.as_str()).collect();
        (!labels.is_empty()).then(|| {
            vec![Block::Prose(format!(
                "{}: client and server are in one kernel, which reads and writes the files of the server directly \
                 (LOCALIO). For a server on another host, measure without it: `echo N > \
                 /sys/module/nfs/parameters/localio_enabled`, which is for all mounts of the machine, before the run.",
                labels.join(", ")
            ))]
        })
    }

    fn brief(&self, dataset: &Dataset, findings: &Findings, _: Brief) -> Option<Vec<Block>> {
        self.build(dataset, findings)
    }

    fn of_whole(&self) -> bool {
        true
    }
}
