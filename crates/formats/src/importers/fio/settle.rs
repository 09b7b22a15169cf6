//! Reduces a record of fio to what its job did: removes duplicates and figures that were not requested, and passes the
//! rest to the gate.

use super::{
    run::{Direction, Flow, Job, Latency},
    work::Work,
};
use crate::gate::{Figures, Mode, in_flight};
use model::result::{Contradiction, Imported, Reason};

/// Said where reads were left out of a job that writes.
pub(super) const VERIFIED: &str = "For write jobs with `verify`, fio reads everything back: these \
                                   reads are not part of the work and are omitted.";

/// Said where operations were not those that fio counts.
pub(super) const OF_NAMES: &str = "Where fio creates, looks up or removes files, it counts the blocks that would fit into \
                                   each, and their bytes: operations are files here, and rates of bytes are omitted.";

impl Job {
    /// Leaves out what is no work of the job; and judges the rest. A note when
    /// something was left out.
    pub(super) fn settle(&mut self) -> Option<&'static str> {
        self.flows.retain(|(_, flow)| flow.iops > 0.0 || flow.bytes > 0.0 || flow.ops > 0.0);
        let parts = self.flows.iter().any(|(direction, _)| *direction != Direction::Mixed);
        self.flows.retain(|(direction, _)| !parts || *direction != Direction::Mixed);
        let note = self.without_verification().or(self.without_blocks());
        for (_, flow) in &mut self.flows {
            flow.latency.settle();
        }
        if !self.sync.as_mut().is_some_and(Latency::settle) {
            self.sync = None;
        }
        self.contradiction = self.judge().err();
        note
    }

    /// Counts files, where fio counts the blocks of files that it does not read or write. Each file is timed once.
    fn without_blocks(&mut self) -> Option<&'static str> {
        if !self.work.is_of_names() {
            return None;
        }
        let blocks = self.work.blocks_per_file();
        let mut note = None;
        for (_, flow) in self.flows.iter_mut().filter(|(_, flow)| flow.ops > 0.0) {
            // Where neither is known, fio's own count stays.
            let by_size = blocks.map(|blocks| flow.ops / blocks);
            let Some(files) = flow.latency.count.or(by_size) else { continue };
            flow.iops *= files / flow.ops;
            flow.ops = files;
            (flow.bytes, flow.bytes_per_s) = (0.0, 0.0);
            note = Some(OF_NAMES);
        }
        note
    }

    /// Leaves out the reads by which a job that writes verifies.
    fn without_verification(&mut self) -> Option<&'static str> {
        let writes = self.flows.iter().any(|(direction, _)| *direction == Direction::Write);
        let reads = self.flows.iter().position(|(direction, _)| *direction == Direction::Read)?;
        let verifies = self.work.mode() == Some(Mode::Writes) && self.work.may_verify() && writes;
        verifies.then(|| {
            self.flows.remove(reads);
            VERIFIED
        })
    }

    /// Whether the record can be true.
    fn judge(&self) -> Result<(), Reason> {
        let rate = |wanted| {
            let flow = self.flows.iter().find(|(direction, _)| *direction == wanted);
            flow.map_or(0.0, |(_, flow)| flow.iops)
        };
        let (reads, writes) = (rate(Direction::Read), rate(Direction::Write));
        if self.work.verifies() && self.work.mode().is_none() && reads > 0.0 && writes > 0.0 {
            return Err(Imported::FioVerifiedMix {}.into());
        }
        if let Some(mode) = self.work.mode() {
            let name = self.work.get("rw").unwrap_or_default();
            mode.judge(name, reads, writes).map_err(|why| self.blamed(why))?;
        }
        let told = self.flows.iter().try_for_each(|(d, flow)| flow.judge(*d, &self.work));
        told.and_then(|()| self.concurrency()).map_err(|why| self.blamed(why))
    }

    /// What a contradiction comes from: where jobs may share a record, from that.
    fn blamed(&self, why: Contradiction) -> Reason {
        match self.work.has("group_reporting") {
            true => Imported::FioMergedJobs {}.into(),
            false => why.into(),
        }
    }

    fn concurrency(&self) -> Result<(), Contradiction> {
        let (Some(depth), Some(members)) = (self.work.number("iodepth"), self.members) else {
            return Ok(());
        };
        let rates = self.flows.iter().map(|(_, flow)| (flow.iops, flow.latency.mean_ns));
        let rates = rates.filter_map(|(iops, mean_ns)| Some((iops, mean_ns? / 1e9)));
        in_flight(rates, depth.max(1.0) * f64::from(members))
    }
}

impl Flow {
    fn judge(&self, direction: Direction, work: &Work) -> Result<(), Contradiction> {
        let moves = matches!(direction, Direction::Read | Direction::Write);
        let told = |figure: f64| Some(figure).filter(|&figure| figure > 0.0);
        Figures {
            what: direction.as_str(),
            ops: told(self.ops),
            seconds: told(self.runtime_ms / 1000.0),
            per_s: told(self.iops),
            bytes: told(self.bytes),
            op_bytes: work.block_bytes().filter(|_| moves),
            times: Some(&self.latency.times()),
        }
        .judge()
    }
}
