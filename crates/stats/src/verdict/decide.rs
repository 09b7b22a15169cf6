//! The verdict: which target to choose for this suite, or why that cannot be said.
//!
//! The score of a target in a block is the mean over groups of the mean over tests of the log
//! ratio: groups weigh the same, so that forty variants of one kind do not outvote four others.

use crate::{
    comparison::Incomparable,
    description::{
        Counts, Doubtful, Missing, Settings,
        cell::{
            data::{self, CellData},
            dropouts::{self, GivenUp},
            partial,
        },
        class::{classes::Class, durability},
        looks,
        score::board::Board,
    },
    kernel::{
        Ratio,
        fit::{Fit, order},
        significance::Bar,
    },
    verdict::evidence::{Alike, CrossChecks, Evidence, Judged, Obstacle, evidence},
};
use model::{random::Rng, result::Dataset};
use serde::Serialize;

/// How much can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// One target is better than every other by Holm's procedure, and leads by 3 % or more.
    Clear,
    /// The first and others are the same within the band: it does not matter which is chosen.
    Equivalent,
    /// The interval of the lead is narrow, but no difference worth a verdict is significant, nor are they shown to be
    /// the same within the band.
    NoSignificantDifference,
    /// The data is not sufficient to decide.
    Insufficient,
}

/// The reason for the verdict, with data that no other field has.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Other targets of the campaign keep synced data, and these do not.
    NotRanked(Vec<Doubtful>),
    /// Fewer than two targets have a valid sample.
    NothingToCompare,
    /// No test has a score: nothing of them is ranked.
    NothingScored,
    /// Every timed part is shorter than the floor of its preset.
    AllShort,
    /// One run for each cell, so that nothing has an interval.
    OneBlock,
    /// The machine was too busy with other work while these ran, or the verdict would differ without the disturbed
    /// samples: labels of the disturbed candidates.
    Contended(Vec<String>),
    /// The verdict does not hold if the missing samples of these candidates are set to the worst observed value.
    Missing(Vec<(String, Missing)>),
    /// One of the first two ran before the other in every block.
    SamePlaces,
    /// The first is the best.
    Clear,
    /// Labels of those that are the same within the band, the first among them.
    Equivalent(Vec<String>),
    /// The interval of the lead is too wide.
    Noisy {
        /// Noise of one run, a share.
        noise: f64,
        /// Further blocks after which a difference of twice the band is found with 80 % probability; `None`
        /// above 1 000 in all.
        blocks: Option<usize>,
    },
    /// The interval of the lead is narrow, and nothing is significant.
    NoSignificantDifference,
    /// Two sides were set against each other, which recommends nothing.
    Compared(Compared),
}

impl Reason {
    /// Whether the figures must not be judged, whatever they are: then no probability or rank may be reported.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Reason::Contended(_) | Reason::Missing(_) | Reason::SamePlaces)
    }
}

/// What setting two sides against each other found.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Ratios of B over A by what they allow to say; `None` where no target was set against another.
    pub counts: Option<Counts>,
    /// Whether any ratio has an interval.
    pub replicated: bool,
    /// Targets that cannot be compared.
    pub incomparable: Option<Incomparable>,
}

/// A note on a recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The target of this label has no valid sample and is not compared.
    NotCompared(String),
    /// The target of this label was measured in this many blocks, the others in more than twice as many, for the reason
    /// that is known: it is not ranked.
    GivenUp {
        /// Its label.
        target: String,
        /// Blocks in which it was measured.
        blocks: usize,
        /// Most blocks of any other.
        of: usize,
        /// Why it has no more.
        why: Option<String>,
    },
    /// Some samples of the target of this label did no work.
    Zeros(String, Missing),
    /// The target of this label has a valid sample in so few of the cells that it is left out of the score.
    Partial {
        /// Label.
        target: String,
        /// Scored cells in which it has one.
        cells: usize,
        /// Scored cells.
        of: usize,
    },
}

/// The recommendation.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// How much can be said.
    pub kind: VerdictKind,
    /// Why.
    pub reason: Reason,
    /// Why it is open although the interval of the lead excludes 1, where that is so.
    pub obstacle: Option<Obstacle>,
    /// Notes on it.
    pub notes: Vec<Note>,
    /// Measured targets by score, best first.
    pub candidates: Vec<Candidate>,
    /// Label of the target that their scores are over: the baseline, or the first measured target when that has
    /// no valid sample; empty without any.
    pub scored_over: String,
    /// The best score over the second.
    pub lead: Option<Ratio>,
    /// The test on which the first loses most against any other, when that is outside the band.
    pub largest_loss: Option<CellLoss>,
    /// Blocks that the first two share.
    pub blocks: usize,
    /// Cells (a test at a process count) in the score: those valid for all candidates.
    pub cells: usize,
    /// Cells of the campaign that would be in the score if they were valid and long enough.
    pub of_cells: usize,
}

/// One target in the comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Label.
    pub target: String,
    /// Overall score over [`Verdict::scored_over`].
    pub ratio: Ratio,
    /// Probability of being the best of these in repeated runs; `None` with one block.
    pub p_best: Option<f64>,
    /// Best and worst rank that Holm's procedure leaves open.
    pub ranks: Option<(usize, usize)>,
    /// Share by which choosing it is at most worse than the best, with 95 % probability by the model of P(best): a
    /// one-sided bound, of this target alone.
    pub regret_95: Option<f64>,
}

/// One cell by its names, with the ratio in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellRatio {
    /// Stable test id.
    pub test: String,
    /// Display name, after its group where another test has the same.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// The one over the other.
    pub ratio: Ratio,
}

impl CellRatio {
    /// `ratio` in `cell`.
    pub(crate) fn new(dataset: &Dataset, cell: &CellData, ratio: Ratio) -> CellRatio {
        let info = &dataset.tests[cell.test];
        let has_twin =
            dataset.tests.iter().any(|other| other.id != info.id && other.name == info.name);
        let name = match has_twin {
            true => format!("{}: {}", info.group.title(), info.name),
            false => info.name.clone(),
        };
        CellRatio { test: info.id.clone(), name, procs: cell.procs, ratio }
    }
}

/// A cell in which another candidate is ahead.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellLoss {
    /// The cell.
    #[serde(flatten)]
    pub cell: CellRatio,
    /// Label of the other.
    pub over: String,
    /// Whether others had too much of the machine, so that its interval says nothing.
    #[serde(skip)]
    pub contended: bool,
}

/// Judges all measured targets of `class`; `targets` are the labels of the columns of `cells`. Where others of
/// its lab keep more of what was synced there is nothing to choose from it, and it says why.
/// `calm` is `cells` without what other work disturbed, where it disturbed anything.
pub(crate) fn verdict(
    class: &Class<'_>,
    targets: &[String],
    cells: &[CellData],
    calm: Option<&[CellData]>,
) -> Verdict {
    let dataset = class.dataset.as_ref();
    if class.is_ranked {
        return of_ranked(dataset, targets, (cells, calm), &class.settings);
    }
    let board = Board::new(dataset, targets.len(), cells);
    let labels = targets.iter().map(String::as_str);
    let scored = cells.iter().filter(|cell| cell.is_scored).count();
    Verdict {
        candidates: Vec::new(),
        notes: Vec::new(),
        reason: Reason::NotRanked(durability::doubtful(dataset, labels)),
        ..unjudged(&board, targets, scored, looks::bar(&dataset.campaign))
    }
}

fn of_ranked(
    dataset: &Dataset,
    targets: &[String],
    (cells, calm): (&[CellData], Option<&[CellData]>),
    settings: &Settings,
) -> Verdict {
    let given_up = dropouts::given_up(dataset, targets, cells);
    let columns = partial::scored(cells, dropouts::kept(targets, &given_up));
    let board = Board::of_columns(dataset, columns.iter().copied(), cells);
    let means = board.means();
    let order = order(&means);
    let bar = looks::bar(&dataset.campaign);
    let scored = cells.iter().filter(|c| c.is_scored).count();
    let short = cells.iter().filter(|c| c.is_short()).count();
    let mut verdict = unjudged(&board, targets, scored + short, bar);
    verdict.notes = notes(targets, &board, cells, &given_up);
    let &[first, second, ..] = order.as_slice() else {
        if scored == 0 && !cells.is_empty() {
            verdict.reason = if short > 0 { Reason::AllShort } else { Reason::NothingScored };
            verdict.notes.clear();
        }
        return verdict;
    };
    verdict.largest_loss = largest_loss((dataset, targets), &board, first, settings.band);
    let lead = (means[first] - means[second]).exp();
    verdict.lead = Some(Ratio { point: lead, ..Ratio::ONE });
    let disturbed: Vec<usize> = board.disturbed().iter().map(|at| board.columns[*at]).collect();
    let calm = calm.map(|calm| Board::of_columns(dataset, columns.iter().copied(), calm));
    let checks = CrossChecks::scored(dataset, cells, calm);
    let evidence = evidence(dataset, targets, board, checks);
    if let Some(Evidence { fit, .. }) = &evidence {
        weigh(&mut verdict, fit, dataset.campaign.seed);
        verdict.blocks = fit.shared(first, second);
        verdict.lead = Some(fit.lead(first, second));
    }
    verdict.candidates = order.iter().map(|&i| verdict.candidates[i].clone()).collect();
    match evidence {
        Some(evidence) => {
            (verdict.kind, verdict.reason) = judge(&verdict, targets, &evidence, settings);
            let is_open =
                matches!(verdict.reason, Reason::Noisy { .. } | Reason::NoSignificantDifference);
            verdict.obstacle = evidence.obstacle(targets).filter(|_| is_open);
        }
        None if !disturbed.is_empty() => {
            verdict.reason = Reason::Contended(labels(targets, &disturbed));
        }
        None => verdict.reason = Reason::OneBlock,
    }
    if verdict.reason.is_refusal() {
        for candidate in &mut verdict.candidates {
            (candidate.p_best, candidate.ranks, candidate.regret_95) = (None, None, None);
        }
    }
    verdict
}

fn labels(targets: &[String], columns: &[usize]) -> Vec<String> {
    columns.iter().map(|column| targets[*column].clone()).collect()
}

/// Which targets are not compared, and which stood still in some samples.
fn notes(
    targets: &[String],
    board: &Board<'_>,
    cells: &[CellData],
    given_up: &[GivenUp],
) -> Vec<Note> {
    let note = |column: usize| {
        let target = targets[column].clone();
        if let Some(GivenUp { blocks, of, why, .. }) = given_up.iter().find(|g| g.column == column)
        {
            return Some(Note::GivenUp { target, blocks: *blocks, of: *of, why: why.clone() });
        }
        let missing = Missing::of(cells.iter().filter(|cell| cell.is_scored), column);
        match board.columns.contains(&column) {
            false => Some(not_compared(target, column, cells)),
            true => (missing.zeros > 0).then_some(Note::Zeros(target, missing)),
        }
    };
    (0..targets.len()).filter_map(note).collect()
}

/// Distinguishes a target with some of the cells from one with none.
fn not_compared(target: String, column: usize, cells: &[CellData]) -> Note {
    let scored = || cells.iter().filter(|cell| cell.is_scored);
    match scored().filter(|cell| cell.valid_for([column])).count() {
        0 => Note::NotCompared(target),
        own => Note::Partial { target, cells: own, of: scored().count() },
    }
}

fn unjudged(board: &Board<'_>, targets: &[String], of_cells: usize, bar: Bar) -> Verdict {
    let label = |column: usize| targets[column].clone();
    let ratios = board.columns.iter().zip(board.ratios(bar));
    let candidate = |(&column, ratio): (&usize, Ratio)| Candidate {
        target: label(column),
        ratio,
        p_best: None,
        ranks: None,
        regret_95: None,
    };
    Verdict {
        kind: VerdictKind::Insufficient,
        reason: Reason::NothingToCompare,
        obstacle: None,
        notes: Vec::new(),
        candidates: ratios.map(candidate).collect(),
        scored_over: board.columns.first().map_or_else(String::new, |&column| label(column)),
        lead: None,
        largest_loss: None,
        blocks: board.blocks(),
        cells: board.cells.len(),
        of_cells,
    }
}

/// Where the candidate at position `first` of `board` loses most against any other, when that is outside the band;
/// `targets` are the labels of all columns.
pub(crate) fn largest_loss(
    (dataset, targets): (&Dataset, &[String]),
    board: &Board<'_>,
    first: usize,
    band: f64,
) -> Option<CellLoss> {
    let (cell, ratio, other) = board.worst_against_any(first)?;
    let outside = ratio.point < 1.0 / (1.0 + band);
    outside.then(|| CellLoss {
        cell: CellRatio::new(dataset, cell, ratio),
        over: targets[board.columns[other]].clone(),
        contended: data::too_contended(&[cell], &[first, other].map(|at| board.columns[at])),
    })
}

/// Fills in what the posterior says of each candidate, in the order of the columns.
fn weigh(verdict: &mut Verdict, fit: &Fit, seed: u64) {
    let judged = fit.best(Rng::new(seed)).into_iter().zip(fit.ranks());
    for (candidate, (standing, ranks)) in verdict.candidates.iter_mut().zip(judged) {
        candidate.p_best = Some(standing.p_best);
        candidate.regret_95 = Some(1.0 - (-standing.regret_95).exp());
        candidate.ranks = Some(ranks);
    }
}

fn judge(
    verdict: &Verdict,
    targets: &[String],
    evidence: &Evidence<'_>,
    settings: &Settings,
) -> (VerdictKind, Reason) {
    match evidence.judge(settings.band, Alike::Near) {
        Judged::Best(_) => (VerdictKind::Clear, Reason::Clear),
        Judged::Same(same) => {
            let same = labels(targets, &same);
            let all = verdict.candidates.iter().map(|c| &c.target);
            let same = all.filter(|target| same.contains(target)).cloned().collect();
            (VerdictKind::Equivalent, Reason::Equivalent(same))
        }
        Judged::Contended(columns) => {
            (VerdictKind::Insufficient, Reason::Contended(labels(targets, &columns)))
        }
        Judged::Missing(of) => {
            let named = of.into_iter().map(|(column, missing)| (targets[column].clone(), missing));
            (VerdictKind::Insufficient, Reason::Missing(named.collect()))
        }
        Judged::SamePlaces => (VerdictKind::Insufficient, Reason::SamePlaces),
        Judged::Open => open(verdict, evidence, settings.band),
    }
}

/// What is said where the data does not decide.
fn open(verdict: &Verdict, evidence: &Evidence<'_>, band: f64) -> (VerdictKind, Reason) {
    let share = 2.0 * band;
    if evidence.half_width().is_none_or(|half| half > share.ln_1p()) {
        let blocks = evidence.more_blocks(share, verdict.blocks);
        return (VerdictKind::Insufficient, Reason::Noisy { noise: evidence.noise(), blocks });
    }
    (VerdictKind::NoSignificantDifference, Reason::NoSignificantDifference)
}
