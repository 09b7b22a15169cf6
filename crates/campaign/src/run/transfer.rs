//! Runs a case that sends a tree to a second file system of the same kind: both are made for it, each on images of its
//! own, the commands come from the file system, and what was received is compared before a figure counts.

use super::{
    case::{self, CaseSlot},
    context::{RunContext, TargetRun},
};
use crate::evidence::{
    contention::{self, OwnCpu},
    durable::{self, Looks},
    judge::{self, CacheEvidence},
};
use anyhow::{Context, Result};
use fs::{End, ResolvedTarget, SendStep, Sending};
use lab::{
    error::LabError,
    instance::{Cold, InstanceOnImages},
    observe::{Census, Others, Snapshot, Usage, Watched},
    page_cache::Coldness,
    programs::{Piped, Run, pipe},
    setup::Lab,
};
use model::{
    figure::{Better, Durability, Metric, Synced},
    result::{Reason, Sample, Validity},
    text::Bytes,
    workload::{CacheNeed, Job},
};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};
use suites::{
    Measured, SentTree, Test,
    kinds::transfer::{WALL, difference, files},
};

/// Least size of an image, bytes: most file systems are usual there.
const LEAST_BYTES: u64 = 2 << 30;
/// Space that an image has for each byte of the tree, and besides: snapshots keep what changes, and file systems keep
/// room for themselves.
const TIMES: u64 = 3;
const SPARE_BYTES: u64 = 512 << 20;

/// The fact of a target that names its way.
const FACT: &str = "transfer";

/// What is sent, and where.
pub(super) struct TransferCase<'a> {
    pub(super) test: &'a dyn Test,
    pub(super) tree: &'a dyn SentTree,
    pub(super) job: &'a Job,
    pub(super) lab: &'a Lab,
    pub(super) target: &'a ResolvedTarget,
    /// Where the images are made; `None` where the user named disks.
    pub(super) dir: Option<PathBuf>,
    pub(super) stop: &'a AtomicBool,
}

/// One transfer.
struct Sent {
    /// From the start of both programs until what was received is synced, seconds.
    wall_s: f64,
    /// The sync.
    sync_s: f64,
    piped: Piped,
    /// What other processes did meanwhile.
    others: Others,
    /// Bytes of the files that were to be sent.
    data_bytes: u64,
    cold: Cold,
    /// What the sending end read, and the machine did.
    usage: Usage,
    /// What the receiving end wrote.
    written_bytes: Option<u64>,
    durability: Option<Durability>,
    /// How the two trees differ.
    difference: Option<String>,
}

/// The fact that names the way of a target, where a test sends a tree.
pub(super) fn fact(
    context: &RunContext<'_>,
    target_run: &TargetRun<'_>,
) -> Option<(String, String)> {
    let is_sent = context.placed.items_at(target_run.procs).any(|item| item.test.sends_tree());
    let way = way(target_run.target).filter(|_| is_sent)?;
    Some((FACT.into(), way.name().into()))
}

/// The way in which trees of `target` are sent; `None` for a directory.
fn way(target: &ResolvedTarget) -> Option<&'static dyn Sending> {
    Some(target.parts().last()?.fs.sending())
}

/// Sends a tree in full and then what has changed; `None` when it was stopped. A target of which no second one can be
/// made has invalid samples.
///
/// # Errors
/// The lab or the file system failed.
pub(super) fn run(case: &TransferCase<'_>, slot: &CaseSlot<'_>) -> Result<Option<Vec<Sample>>> {
    let refused = |what: &str| {
        let why = Reason::NotSupported { what: what.into() };
        let ids = case.test.infos().into_iter().map(|info| info.id);
        Ok(Some(ids.map(|id| case::invalid(&id, case.test, case.job, slot, &why)).collect()))
    };
    let Some(way) = way(case.target).filter(|_| case.target.disks() > 0) else {
        return refused("a second file system (it is not on disks)");
    };
    let Some(dir) = &case.dir else {
        return refused("a second file system (the named disks hold one; use images)");
    };
    if case.target.parts().iter().any(|part| part.fs.is_alone()) {
        return refused("a second file system (its server runs once on a machine)");
    }
    let part_bytes = case.target.parts().iter().map(|part| part.fs.about().min_bytes).max();
    let size = (case.tree.bytes().saturating_mul(TIMES) + SPARE_BYTES).max(LEAST_BYTES);
    let size = Bytes(size.max(part_bytes.unwrap_or(0)));
    let make = |label| case.lab.provision_on_images((dir, size), case.target, label, case.stop);
    let (from, to) = (make("sender")?, make("receiver")?);
    let sent = Transfer { case, way, from: &from, to: &to }.run();
    from.teardown()?;
    to.teardown()?;
    let Some(sent) = sent? else { return Ok(None) };
    let infos = case.test.infos();
    Ok(Some(
        infos
            .iter()
            .zip(&sent)
            .map(|(info, sent)| sample(case, way, slot, &info.id, sent))
            .collect(),
    ))
}

/// Two ends, and the way between them.
struct Transfer<'a> {
    case: &'a TransferCase<'a>,
    way: &'static dyn Sending,
    from: &'a InstanceOnImages<'a>,
    to: &'a InstanceOnImages<'a>,
}

impl Transfer<'_> {
    fn ends(&self) -> Result<[End<'_>; 2]> {
        let (from, to) = (self.from.end(), self.to.end());
        Ok([from.context("a directory cannot send")?, to.context("a directory cannot receive")?])
    }

    /// Both transfers; `None` when it was stopped.
    fn run(&self) -> Result<Option<Vec<Sent>>> {
        let [from, to] = self.ends()?;
        let commands = [self.way.prepare(&from), self.way.prepare_received(&to)].concat();
        commands.iter().try_for_each(|command| command.run().map(drop))?;
        let tree = self.way.tree(&from);
        let mut sent = Vec::new();
        for step in [SendStep(0), SendStep(1)] {
            if self.case.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let data_bytes = match step.before() {
                None => self.case.tree.create(&tree)?,
                Some(_) => self.case.tree.change(&tree)?,
            };
            sent.push(self.send(step, data_bytes)?);
        }
        Ok(Some(sent))
    }

    fn send(&self, step: SendStep, data_bytes: u64) -> Result<Sent> {
        let ([from, to], job) = (self.ends()?, self.case.job);
        let tree = self.way.tree(&from);
        sync(&tree)?;
        self.way.freeze(&from, step).iter().try_for_each(|command| command.run().map(drop))?;
        let files = files(&tree).map_err(LabError::io("list", &tree))?;
        let cold = self.from.make_cold_for(&files)?;
        self.to.quiesce()?;
        let (send, receive) = (self.way.send(&from, step), self.way.receive(&to, step));
        let look = || self.to.persistence().map(|own| own.look()).transpose();
        let (census, began, before) = (Census::take(), look()?, self.snapshots()?);
        let piped = pipe(&send, &receive)?;
        let written = self.snapshots()?;
        sync(to.root)?;
        let (after, ended) = (self.snapshots()?, look()?);
        let others = Census::take().others_since(&census, std::process::id());
        let received = self.way.received(&to, step);
        let differs = difference(&tree, &received).map_err(LabError::io("compare", &received))?;
        let usage = after[0].since(&before[0]);
        let synced = Synced::data(data_bytes, job.data.incompressible_share());
        let judged = |((persistence, began), ended)| {
            durable::judge(&synced, persistence, &Looks { began, synced: began, ended })
        };
        Ok(Sent {
            wall_s: usage.seconds,
            sync_s: after[0].since(&written[0]).seconds,
            piped,
            others,
            data_bytes,
            cold,
            written_bytes: after[1].since(&before[1]).device_write_bytes,
            usage,
            durability: self.to.persistence().zip(began).zip(ended).map(judged),
            difference: differs,
        })
    }

    /// Counters of both ends. Those of the disk below would take what the one moves for the work of another program.
    fn snapshots(&self) -> Result<[Snapshot; 2]> {
        let of = |instance: &InstanceOnImages<'_>| {
            let (devices, servers) = (instance.devices().into(), instance.servers());
            Snapshot::of(&Watched { devices, below: None, workers: Vec::new(), servers })
        };
        Ok([of(self.from)?, of(self.to)?])
    }
}

fn sync(dir: &Path) -> Result<(), LabError> {
    let opened = File::open(dir).map_err(LabError::io("open", dir))?;
    rustix::fs::syncfs(&opened).map_err(|error| LabError::io("sync", dir)(error.into()))
}

fn sample(
    case: &TransferCase<'_>,
    way: &dyn Sending,
    slot: &CaseSlot<'_>,
    id: &str,
    sent: &Sent,
) -> Sample {
    let TransferCase { test, job, .. } = *case;
    let is_whole = id == test.infos()[0].id;
    let seen = CacheEvidence {
        need: CacheNeed::Cold,
        residency: sent.cold.residency,
        declared: None,
        asset_bytes: 0,
        is_in_memory: sent.cold.coldness == Coldness::Impossible,
        usage: &sent.usage,
    };
    let measured = Measured {
        test: id.into(),
        metrics: metrics(way, sent),
        bytes: sent.data_bytes,
        ops: 1,
        seconds: sent.wall_s,
        skew_ms: 0.0,
        overlap: 1.0,
        phases: 0..1,
        histograms: Vec::new(),
        problem: None,
    };
    // What has to be read for a change depends on the way.
    let footprint = if is_whole { sent.data_bytes } else { 0 };
    let (cache, validity) = judge::cache_verdict(&seen, &measured, footprint);
    let validity = match &sent.difference {
        Some(why) => Validity::Invalid(Reason::said(format!("the received tree differs: {why}"))),
        None => validity,
    };
    let case = slot.case(id, test, job, cache);
    let mut sample = Sample::bare(slot.block, slot.position, case, measured.metrics)
        .timed(measured.bytes, measured.ops, measured.seconds)
        .judged(validity);
    let own = OwnCpu::of((sent.piped.user_s, sent.piped.system_s), &sent.usage);
    sample.numbers.add(&contention::foreign(&sent.usage, own, Some(sent.others)));
    (sample.covariates.cpu_user_s, sample.covariates.cpu_sys_s) = (own.user_s, own.sys_s);
    sample.covariates.device_read_bytes = sent.usage.device_read_bytes;
    sample.covariates.device_write_bytes = sent.written_bytes;
    sample.evidence.durability = sent.durability.clone();
    sample
}

fn metrics(way: &dyn Sending, sent: &Sent) -> Vec<Metric> {
    let lower = |name: &str, value: f64, unit: &str| Metric::new(name, value, unit, Better::Lower);
    let rate = sent.data_bytes as f64 / sent.wall_s.max(1e-9) / 1e6;
    vec![
        lower(WALL, sent.wall_s, "s"),
        lower("sync_s", sent.sync_s, "s"),
        lower("stream_bytes", sent.piped.bytes as f64, "B"),
        lower("data_bytes", sent.data_bytes as f64, "B"),
        Metric::new(Metric::RATE, rate, "MB/s", Better::Higher),
        Metric::new("is_native", f64::from(u8::from(way.is_native())), "1", Better::Higher),
    ]
}
