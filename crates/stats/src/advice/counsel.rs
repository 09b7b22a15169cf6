//! The advice: its kind, what it rests on, and why it is refused.

use super::{advised::Advised, sensitivity::Sensitivity, work::GroupCover};
use crate::{
    description::{Comparison, Lead, Missing},
    kernel::Ratio,
    verdict::{CellLoss, Obstacle},
};
use model::workload::Tier;
use serde::Serialize;

/// The kind of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counsel {
    /// One target is better than every other by Holm's procedure, and leads by 3 % or more.
    Clear,
    /// The first and others are the same within the band: it does not matter which is chosen.
    Equivalent,
    /// The data does not decide.
    Insufficient,
    /// One block: the order of the points, and nothing about how sure it is.
    PointEstimate,
    /// All others that were measured are ruled out.
    OnlyOne,
    /// Only one target was measured by the tests of the profile.
    NoChoice,
    /// All are ruled out.
    NoneLeft,
    /// No cell of the profile is valid for all candidates.
    NothingMeasured,
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Name of the profile.
    pub profile: String,
    /// What it stands for.
    pub intent: String,
    /// Devices it was written for.
    pub device_class: String,
    /// Tier of a tiered store that it stands for.
    pub tier: Option<Tier>,
    /// The kind of answer.
    pub counsel: Counsel,
    /// Why the first two are not judged, where they are not.
    pub refusal: Option<Refusal>,
    /// What further blocks would resolve; `None` with one block or one candidate.
    pub more: Option<More>,
    /// Why the data does not decide although the interval of the lead excludes 1, where that is so.
    pub obstacle: Option<Obstacle>,
    /// Whether the profile counts operations, so that a target is scored by the time for all of them.
    pub counts_ops: bool,
    /// What the answer leaves out.
    pub remarks: Vec<Remark>,
    /// Share of the profile's weight that the campaign shows.
    pub covered: f64,
    /// The groups of the profile.
    pub groups: Vec<GroupCover>,
    /// What each group alone says, a sentence each.
    pub group_leads: Vec<GroupLead>,
    /// Candidates by score, best first, then what is ruled out.
    pub candidates: Vec<Advised>,
    /// Label of the candidate that their scores are over, as in the verdict: the baseline, or the first where that
    /// is not a candidate; empty without any.
    pub scored_over: String,
    /// The best score over the second.
    pub lead: Option<Ratio>,
    /// Targets that are the same within the band, best first, or the one that is clear.
    pub leaders: Vec<String>,
    /// Which of those that are the same features decide for, if they do.
    pub by_features: Option<Choice>,
    /// The cell on which the first loses most against any other, when that is outside the band.
    pub largest_loss: Option<CellLoss>,
    /// Blocks in which every candidate was measured.
    pub blocks: usize,
    /// Cells in the score: those valid for all candidates.
    pub cells: usize,
    /// Cells of the campaign that the profile asks for, with those that score nothing.
    pub of_cells: usize,
    /// The cells behind the lead of the first over the second.
    pub support: Vec<Support>,
    /// How much of the answer depends on the weights; `None` with fewer than two candidates.
    pub sensitivity: Option<Sensitivity>,
}

/// Why the figures of the first two are not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Other work had too much of the machine while these ran, or without what it disturbed another answer would be
    /// given: labels of the candidates that were disturbed.
    Contended(Vec<String>),
    /// The answer does not hold with what is missing of these candidates at the worst that was seen.
    Missing(Vec<(String, Missing)>),
    /// They went in the same order in every block, so that their difference may be that of their places.
    SamePlaces,
}

/// What more blocks would bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct More {
    /// Noise of one run, a share.
    pub noise: f64,
    /// A difference that the blocks so far do not resolve, a share.
    pub share: f64,
    /// Further blocks that would; `None` above 1 000 in all.
    pub blocks: Option<usize>,
    /// What one block takes.
    pub time: BlockTime,
}

/// What one block takes, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlockTime {
    /// On the clock, from blocks that were run.
    Whole(f64),
    /// Timed work and the waits after it, where only samples are known.
    Timed(f64),
}

/// What an answer leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The target of this label has no valid cell of the profile, or no block with all operations.
    NotScored(String),
    /// No test of the campaign is that of this floor.
    FloorNotMeasured(String),
}

/// What decides between targets that the figures cannot separate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Label.
    pub target: String,
    /// What speaks for it.
    pub merit: Merit,
}

/// What speaks for one of several targets that are the same within the band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merit {
    /// Preferred features that it has.
    Features(Vec<String>),
    /// Its score, by more than what the profile prefers.
    Score,
    /// More vendors support it.
    Support,
}

/// The first two of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupLead {
    /// Name of the group.
    pub group: String,
    /// The leader of it, the runner-up, and the lead.
    pub lead: Lead,
    /// Whether the two are not judged, as the machine was busy with other work.
    pub contended: bool,
}

/// One cell behind the lead.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Support {
    /// Group of the profile.
    pub group: String,
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// Unit of the values.
    pub unit: String,
    /// What the first and the second measured.
    pub values: [f64; 2],
    /// First over second.
    pub ratio: Ratio,
    /// What the ratio allows to say.
    #[serde(rename = "verdict")]
    pub comparison: Comparison,
    /// Its share in the score.
    pub weight: f64,
}

impl Advice {
    /// Takes back an answer that is not given without what other work disturbed in the samples of `targets`.
    pub(crate) fn refuse_unless(&mut self, calm: &Advice, targets: Vec<String>) {
        let is_decided = matches!(self.counsel, Counsel::Clear | Counsel::Equivalent);
        let is_same = calm.counsel == self.counsel
            && self.leaders.iter().all(|label| calm.leaders.contains(label));
        if is_decided && !is_same {
            self.counsel = Counsel::Insufficient;
            self.refusal = Some(Refusal::Contended(targets));
            (self.leaders, self.by_features) = (Vec::new(), None);
            self.candidates.iter_mut().for_each(Advised::forget);
        }
    }
}
