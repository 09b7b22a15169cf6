//! Everything that was concluded of a campaign, or of two.

use super::Since;
use crate::{
    advice::{Advice, FeatureDifference, Workloads, features::differing},
    comparison::CampaignComparison,
    description::{
        CampaignFacts, DiskCell, Doubt, Durability, FailedWriteCell, FaultCell, FullCell, HostCell,
        Io500, Latencies, MirrorCell, Scaling, SelfCheck, SnapshotCell, Steadiness, Table, Timed,
        TurnedBitCell, class::classes,
    },
    tuning::SweepEffects,
    verdict::{Cost, Leaders, Next, Reason, Verdict},
};
use model::{
    plan::LabKind,
    result::{Dataset, TargetRecord, TargetState},
    target::FactSheet,
};
use serde::Serialize;
use std::borrow::Cow;

/// Everything that was concluded.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The kind of lab in which everything here was measured.
    pub lab: LabKind,
    /// Whether the targets of everything here keep what was synced to them.
    pub durability: Durability,
    /// False where others of the lab keep more of what was synced: then nothing here is ranked.
    pub is_ranked: bool,
    /// Which campaign.
    pub campaign: CampaignFacts,
    /// Labels in the order of the cells of every row: the baseline first.
    pub targets: Vec<String>,
    /// Label of the baseline.
    pub baseline: String,
    /// Why it is not the first target, if no other was requested: the rest of a sentence.
    pub baseline_instead: Option<String>,
    /// Targets that could not be made, or failed on the way, with the reason.
    pub failures: Vec<Failure>,
    /// Half-width of the practical band, a share.
    pub band: f64,
    /// Share of others in processors or disk above which a sample is contended, percent.
    pub contention_limit_pct: f64,
    /// Tables by group, then by processes.
    pub tables: Vec<Table>,
    /// Which target to choose, if that can be said.
    pub verdict: Verdict,
    /// What would settle the verdict, where it is open.
    pub next: Option<Next>,
    /// Where the first two candidates differ most.
    pub leaders: Option<Leaders>,
    /// How long operations took, where it was recorded.
    pub latencies: Vec<Latencies>,
    /// How rates grow with processes, where there are several counts.
    pub scalings: Vec<Scaling>,
    /// The score of IO500 for each process count, where its phases were run.
    pub io500: Vec<Io500>,
    /// What each target costs, where it was measured.
    pub costs: Vec<Cost>,
    /// Whether sustained runs had reached a steady state, where they were long enough to tell.
    pub steadiness: Vec<Steadiness>,
    /// What was found after faults, by test and target; empty where none was made.
    pub fault_cells: Vec<FaultCell>,
    /// What was seen of requests that failed, by test and target; empty where none was made to.
    pub failed_writes: Vec<FailedWriteCell>,
    /// What was read of silent damage, by test and target; empty where none was done.
    pub turned_bits: Vec<TurnedBitCell>,
    /// What was seen of full disks, by test and target; empty where none was filled.
    pub full: Vec<FullCell>,
    /// What was read of mirrors with a faulty leg, by test and target; empty where none had one.
    pub mirrors: Vec<MirrorCell>,
    /// What was seen of snapshots, by test and target; empty where none were made.
    pub snapshots: Vec<SnapshotCell>,
    /// How far hosts and ranks were apart, where several hosts worked.
    pub hosts: Vec<HostCell>,
    /// What each disk did of targets that have several.
    pub disks: Vec<DiskCell>,
    /// Targets of which it was not seen in every sample that what they synced reached the medium.
    pub doubts: Vec<Doubt>,
    /// What the campaign says of itself.
    pub selfcheck: SelfCheck,
    /// What the options of a file system do, for each sweep of the plan.
    pub sweeps: Vec<SweepEffects>,
    /// What lies between two campaigns, when the dataset is two of them.
    pub comparison: Option<CampaignComparison>,
    /// What a profile advises, when that was asked instead of tables.
    pub advice: Option<Advice>,
    /// How much of the campaign's time was measured, where the time of its blocks is known: that is no part of
    /// a dataset, so the caller with the store adds it.
    pub timed: Option<Timed>,
    /// What changed since the last campaign of the same name; added by the caller with the store.
    pub since: Option<Since>,
    /// What each profile, and equal weights, make of these; added by the caller with the profiles.
    pub workloads: Workloads,
    /// Features in which the candidates differ that are the same, where the verdict says so; added by the caller with
    /// the facts.
    pub features: Vec<FeatureDifference>,
    /// The findings of the other classes of the campaign: of other labs, and of targets that do not keep what
    /// was synced. Nothing is ranked across classes.
    pub others: Vec<Findings>,
}

/// A target that could not be made, or not every time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Label of the target.
    pub target: String,
    /// Why, in one line.
    pub why: String,
}

/// Every failure in `dataset`, in the order of its targets.
pub(crate) fn failures(dataset: &Dataset) -> Vec<Failure> {
    let failure = |record: &TargetRecord| match &record.state {
        TargetState::Failed(why) => {
            Some(Failure { target: record.label.clone(), why: why.clone() })
        }
        TargetState::Ok => None,
    };
    dataset.targets.iter().filter_map(failure).collect()
}

impl Findings {
    /// The same, knowing where the time of the blocks went.
    pub fn with_time(mut self, timed: Option<Timed>) -> Findings {
        self.timed = timed;
        self.others.iter_mut().for_each(|class| class.timed = timed);
        self
    }

    /// The same, knowing what changed since the last campaign of the same name.
    pub fn with_since(self, since: Option<Since>) -> Findings {
        Findings { since, ..self }
    }

    /// The same, knowing what each profile makes of them.
    pub fn with_workloads(self, workloads: Workloads) -> Findings {
        Findings { workloads, ..self }
    }

    /// The same on `dataset`, knowing by `facts` in which features those candidates differ that are the same.
    pub fn with_features(mut self, dataset: &Dataset, facts: &[FactSheet]) -> Findings {
        if let Reason::Equivalent(same) = &self.verdict.reason {
            self.features = differing(dataset, same, facts);
        }
        let others = self.others.into_iter();
        self.others = others.map(|class| class.with_features(dataset, facts)).collect();
        self
    }

    /// Whether they are those of a campaign itself, and of no comparison or advice.
    pub fn is_of_campaign(&self) -> bool {
        self.comparison.is_none() && self.advice.is_none()
    }

    /// These findings, then those of each other class.
    pub fn classes(&self) -> impl Iterator<Item = &Findings> {
        std::iter::once(self).chain(&self.others)
    }

    /// Why the target called `label` failed; `None` where it did not.
    pub fn failure_of(&self, label: &str) -> Option<&str> {
        self.failures.iter().find(|f| f.target == label).map(|f| f.why.as_str())
    }

    /// Whether these and those of the other classes are of several labs.
    pub fn has_labs(&self) -> bool {
        self.others.iter().any(|class| class.lab != self.lab)
    }

    /// What tells these findings from those of the other classes, for headings, as `in User-Mode Linux, may
    /// lose synced data`: of `whole`, which holds them; `None` where nothing does.
    pub fn class_name(&self, whole: &Findings) -> Option<String> {
        let lab = whole.has_labs().then(|| self.lab.place());
        let of_lab = whole.classes().filter(|class| class.lab == self.lab).count();
        let words = self.durability.words().filter(|_| of_lab > 1);
        let parts: Vec<&str> = lab.into_iter().chain(words).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Blocks of the campaign that the target called `label` is of.
    pub fn blocks_of(&self, label: &str) -> usize {
        self.comparison.as_ref().map_or(self.campaign.blocks, |c| c.blocks_of(label))
    }
}

/// The part of `dataset` that `findings` are about.
pub fn part<'a>(dataset: &'a Dataset, findings: &Findings) -> Cow<'a, Dataset> {
    classes::part(dataset, findings.lab, &findings.durability)
}
