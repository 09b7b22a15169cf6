//! The shape of findings in JSON, which is a file format: keys and their order stay. Sentences are next to the data
//! that they describe.

mod advice;

pub(super) use advice::AdviceView;

use crate::{Commands, words};
use model::plan::LabKind;
use serde::Serialize;
use stats::{
    comparison::CampaignComparison,
    description::{
        CampaignFacts, DiskCell, Doubt, Durability, FailedWriteCell, FaultCell, FullCell, HostCell,
        Io500, Latencies, MirrorCell, Scaling, SelfCheck, SnapshotCell, Steadiness, Table, Timed,
        TurnedBitCell,
    },
    evaluation::{Failure, Findings},
    kernel::Ratio,
    tuning::SweepEffects,
    verdict::{Candidate, CellLoss, Cost, Leaders, Next, VerdictKind},
};

/// [`Findings`].
#[derive(Serialize)]
pub(super) struct View<'a> {
    #[serde(skip_serializing_if = "is_host")]
    lab: LabKind,
    #[serde(skip_serializing_if = "is_kept")]
    durability: &'a Durability,
    #[serde(skip_serializing_if = "is_true")]
    is_ranked: bool,
    campaign: &'a CampaignFacts,
    targets: &'a [String],
    baseline: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_instead: Option<&'a String>,
    #[serde(skip_serializing_if = "is_empty")]
    failures: &'a [Failure],
    band: f64,
    contention_limit_pct: f64,
    tables: &'a [Table],
    /// Under the name that readers of the file know.
    #[serde(rename = "call")]
    verdict: VerdictView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a Next>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaders: Option<&'a Leaders>,
    latencies: &'a [Latencies],
    #[serde(skip_serializing_if = "is_empty")]
    scalings: &'a [Scaling],
    #[serde(skip_serializing_if = "is_empty")]
    io500: &'a [Io500],
    costs: &'a [Cost],
    steadiness: &'a [Steadiness],
    #[serde(skip_serializing_if = "<[FaultCell]>::is_empty")]
    after_faults: &'a [FaultCell],
    #[serde(skip_serializing_if = "is_empty")]
    failed_writes: &'a [FailedWriteCell],
    #[serde(skip_serializing_if = "is_empty")]
    turned_bits: &'a [TurnedBitCell],
    #[serde(skip_serializing_if = "is_empty")]
    full: &'a [FullCell],
    #[serde(skip_serializing_if = "is_empty")]
    mirrors: &'a [MirrorCell],
    #[serde(skip_serializing_if = "is_empty")]
    snapshots: &'a [SnapshotCell],
    #[serde(skip_serializing_if = "is_empty")]
    hosts: &'a [HostCell],
    #[serde(skip_serializing_if = "is_empty")]
    disks: &'a [DiskCell],
    #[serde(skip_serializing_if = "is_empty")]
    doubts: &'a [Doubt],
    selfcheck: &'a SelfCheck,
    #[serde(skip_serializing_if = "is_empty")]
    sweeps: &'a [SweepEffects],
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a CampaignComparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<AdviceView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timed: Option<&'a Timed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<View<'a>>,
}

impl View<'_> {
    pub(super) fn of<'a>(findings: &'a Findings, commands: &Commands) -> View<'a> {
        View {
            lab: findings.lab,
            durability: &findings.durability,
            is_ranked: findings.is_ranked,
            campaign: &findings.campaign,
            targets: &findings.targets,
            baseline: &findings.baseline,
            baseline_instead: findings.baseline_instead.as_ref(),
            failures: &findings.failures,
            band: findings.band,
            contention_limit_pct: findings.contention_limit_pct,
            tables: &findings.tables,
            verdict: VerdictView::of(findings),
            next: findings.next.as_ref(),
            leaders: findings.leaders.as_ref(),
            latencies: &findings.latencies,
            scalings: &findings.scalings,
            io500: &findings.io500,
            costs: &findings.costs,
            steadiness: &findings.steadiness,
            after_faults: &findings.fault_cells,
            failed_writes: &findings.failed_writes,
            turned_bits: &findings.turned_bits,
            full: &findings.full,
            mirrors: &findings.mirrors,
            snapshots: &findings.snapshots,
            hosts: &findings.hosts,
            disks: &findings.disks,
            doubts: &findings.doubts,
            selfcheck: &findings.selfcheck,
            sweeps: &findings.sweeps,
            comparison: findings.comparison.as_ref(),
            advice: AdviceView::of(findings, commands),
            timed: findings.timed.as_ref(),
            others: findings.others.iter().map(|own| View::of(own, commands)).collect(),
        }
    }
}

/// [`Verdict`](stats::verdict::Verdict).
#[derive(Serialize)]
struct VerdictView<'a> {
    kind: VerdictKind,
    sentence: String,
    notes: Vec<String>,
    candidates: &'a [Candidate],
    scored_over: &'a str,
    lead: Option<Ratio>,
    largest_loss: Option<&'a CellLoss>,
    blocks: usize,
    cells: usize,
    of_cells: usize,
}

impl VerdictView<'_> {
    fn of(findings: &Findings) -> VerdictView<'_> {
        let verdict = &findings.verdict;
        VerdictView {
            kind: verdict.kind,
            sentence: words::verdict(findings),
            notes: words::verdict_notes(verdict),
            candidates: &verdict.candidates,
            scored_over: &verdict.scored_over,
            lead: verdict.lead,
            largest_loss: verdict.largest_loss.as_ref(),
            blocks: verdict.blocks,
            cells: verdict.cells,
            of_cells: verdict.of_cells,
        }
    }
}

fn is_host(lab: &LabKind) -> bool {
    *lab == LabKind::Host
}

fn is_true(flag: &bool) -> bool {
    *flag
}

fn is_kept(durability: &&Durability) -> bool {
    durability.is_kept()
}

fn is_empty<T>(all: &&[T]) -> bool {
    all.is_empty()
}
