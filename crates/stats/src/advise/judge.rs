//! From a question to an answer: what the scores of the candidates allow to say, and what decides where
//! they do not.

use super::{
    Advice, Advised, Choice, Counsel, Question,
    field::Field,
    floors,
    mix::Mix,
    vetoes::Judged,
    words::{self, BlockTime, More},
    work,
};
use crate::{
    Settings, StatsError, bar::Bar, decide::order, model_fit::Fit, race, select::CellData,
};
use model::Dataset;
use std::collections::BTreeSet;

/// Metric of the wait until the file system was quiet, seconds.
const SETTLE: &str = "settle_s";

/// The advice on the campaign whose columns are `targets`.
pub(super) fn judge(
    dataset: &Dataset,
    question: &Question<'_>,
    targets: &[String],
    cells: &[CellData],
    settings: &Settings,
) -> Result<Advice, StatsError> {
    let mix = Mix::of(dataset, question.profile, targets, cells);
    let question = Question {
        profile: mix.as_ref().map_or(question.profile, |mix| &mix.profile),
        ..*question
    };
    let mixed = mix.as_ref().map(|mix| &mix.cell);
    let field = Field::new(dataset, &question, mixed, targets, cells, settings)?;
    let mut advice = field.blank();
    let board = field.board(&field.columns, &field.used);
    let means = board.means();
    let order = order(&means);
    advice.blocks = board.blocks();
    let fit = match order.as_slice() {
        &[first, second, ..] => {
            let left = race::left(dataset, targets, &field.columns, first);
            let fit = board.fit(&left, Bar::of(&dataset.campaign));
            advice.blocks = fit.as_ref().map_or(advice.blocks, |fit| fit.shared(first, second));
            fit
        }
        _ => None,
    };
    advice.candidates = field.candidates(&order, &means, fit.as_ref());
    field.lead(&mut advice, &order, &means, fit.as_ref());
    let contended = work::contended(&field.used, &leading(&field.columns, &order));
    let is_best = |fit: &Fit| fit.is_best(order[0], dataset.campaign.seed);
    advice.counsel = field.counsel(&advice, fit.as_ref().is_some_and(is_best), contended);
    advice.leaders = field.leaders(&advice);
    advice.by_features = field.by_features(&advice);
    let time = match question.block_s {
        Some(block_s) => BlockTime::Whole(block_s),
        None => BlockTime::Timed(timed_s(dataset)),
    };
    let fitted = fit.as_ref().filter(|_| order.len() > 1);
    let more = fitted.map(|fit| more(fit, (order[0], order[1]), advice.blocks, time, settings));
    advice.sentence = words::answer(dataset, &advice, more.as_ref(), contended, settings);
    advice.notes = words::notes(&advice, mix.is_some(), settings);
    advice.notes.extend(field.remarks(&question, cells, fit.as_ref()));
    Ok(advice)
}

fn leading(columns: &[usize], order: &[usize]) -> Vec<usize> {
    order.iter().take(2).map(|&i| columns[i]).collect()
}

/// What further blocks would resolve: the coarsest difference between the first two that these do not.
fn more(
    fit: &Fit,
    (first, second): (usize, usize),
    blocks: usize,
    time: BlockTime,
    settings: &Settings,
) -> More {
    let needed = |share: f64| (share, fit.blocks_needed(first, second, share.ln_1p()));
    let shares = [2.0, 1.0, 0.5].map(|bands| bands * settings.band);
    let open = shares.into_iter().map(needed).find(|(_, n)| n.is_none_or(|n| n > blocks));
    let (share, needed) = open.unwrap_or((shares[2], Some(blocks + 1)));
    More {
        noise: fit.noise(first, second).exp_m1(),
        share,
        blocks: needed.map(|n| n - blocks),
        time,
    }
}

/// Timed work of one block with the waits after it, seconds.
fn timed_s(dataset: &Dataset) -> f64 {
    let of = |s: &model::Sample| s.seconds + s.metric(SETTLE).unwrap_or(0.0);
    let blocks: BTreeSet<u32> = dataset.samples.iter().map(|s| s.block).collect();
    dataset.samples.iter().map(of).sum::<f64>() / blocks.len().max(1) as f64
}

impl Field<'_> {
    fn counsel(&self, advice: &Advice, is_best: bool, contended: bool) -> Counsel {
        let band = self.settings.band;
        let first = advice.candidates.first();
        let p_best = first.and_then(|c| c.p_best);
        match (self.measured.len(), self.columns.len()) {
            (0, _) => Counsel::NothingMeasured,
            (_, 0) => Counsel::NoneLeft,
            (1, 1) => Counsel::NoChoice,
            (_, 1) => Counsel::OnlyOne,
            _ if self.used.is_empty() => Counsel::NothingMeasured,
            _ if p_best.is_none() => Counsel::PointEstimate,
            _ if contended => Counsel::Insufficient,
            _ if is_best => Counsel::Clear,
            _ if within(advice, band).count() >= 2 => Counsel::Tied,
            _ => Counsel::Insufficient,
        }
    }

    fn leaders(&self, advice: &Advice) -> Vec<String> {
        match advice.counsel {
            Counsel::Clear | Counsel::OnlyOne => {
                advice.candidates.iter().take(1).map(|c| c.target.clone()).collect()
            }
            Counsel::Tied => within(advice, self.settings.band).cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Which of the tied the preferred features decide for, else the number of vendors behind them;
    /// `None` when neither differs.
    fn by_features(&self, advice: &Advice) -> Option<Choice> {
        if advice.counsel != Counsel::Tied {
            return None;
        }
        let tied: Vec<(&Judged, f64, &String)> = advice
            .leaders
            .iter()
            .filter_map(|name| {
                let column = self.targets.iter().position(|t| t == name)?;
                let candidate = advice.candidates.iter().find(|c| c.target == *name)?;
                Some((&self.facts[column], candidate.ratio.map_or(0.0, |r| r.point.ln()), name))
            })
            .collect();
        let choice = |name: &String, why| Some(Choice { target: name.clone(), why });
        if tied.iter().any(|(facts, ..)| facts.worth != tied[0].0.worth) {
            let merit = |t: &&(&Judged, f64, &String)| t.0.worth + t.1;
            let (facts, _, name) = tied.iter().max_by(|a, b| merit(a).total_cmp(&merit(b)))?;
            let has = match facts.preferred.is_empty() {
                true => "its score outweighs what the profile prefers".into(),
                false => facts.preferred.join(", "),
            };
            return choice(name, has);
        }
        let most = tied.iter().map(|t| t.0.supported).max()?;
        match tied.iter().filter(|t| t.0.supported == most).collect::<Vec<_>>().as_slice() {
            [(_, _, name)] => choice(name, "more vendors support it".into()),
            _ => None,
        }
    }

    /// Remarks on what the answer leaves out.
    fn remarks(
        &self,
        question: &Question<'_>,
        cells: &[CellData],
        fit: Option<&Fit>,
    ) -> Vec<String> {
        let absent = (0..self.targets.len()).filter(|c| !self.measured.contains(c));
        let mut remarks: Vec<String> = absent
            .map(|c| match self.mix {
                None => format!("{} has no valid cell of this profile.", self.targets[c]),
                Some(_) => format!("{} has no block with all operations.", self.targets[c]),
            })
            .collect();
        remarks.extend(
            floors::unmeasured(self.dataset, question, cells)
                .iter()
                .map(|test| format!("Floor {test} is not measured in this campaign.")),
        );
        if fit.is_some_and(Fit::is_pairwise) {
            remarks.push(
                "The noise of the candidates differs more than threefold, so P(best) is a lower bound from \
                 the pairs."
                    .into(),
            );
        }
        remarks
    }
}

/// Candidates that cost, with 95 % probability, at most `band` against the best.
fn within(advice: &Advice, band: f64) -> impl Iterator<Item = &String> {
    let close = move |c: &&Advised| c.regret_95.is_some_and(|regret| regret <= band);
    advice.candidates.iter().filter(close).map(|c| &c.target)
}
