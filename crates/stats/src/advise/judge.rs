//! From a question to an answer: vetoes, floors, score, call.

use super::{
    Advice, Advised, Choice, Counsel, GroupLead, Question, Standing, Support, floors,
    mix::Mix,
    sensitivity,
    vetoes::{self, Judged},
    words::{self, BlockTime, More},
    work::{self, Entry},
};
use crate::{
    CellRatio, Lead, Ratio, Settings, StatsError, Verdict,
    board::Board,
    decide::{CLEAR_LEAD, CLEAR_P},
    model_fit::Fit,
    select::CellData,
    verdict::judge as verdict,
    versus::versus,
};
use model::{Dataset, Profile};

/// Metric of the wait until the file system was quiet, seconds.
const SETTLE: &str = "settle_s";

/// The candidates with all that is known of them.
struct Field<'a> {
    dataset: &'a Dataset,
    profile: &'a Profile,
    /// Where the profile counts operations: the time for all of them.
    mix: Option<&'a CellData>,
    settings: &'a Settings,
    targets: &'a [String],
    /// By column.
    facts: Vec<Judged>,
    /// By column: floors that are broken, and that may be.
    floors: Vec<floors::Verdicts>,
    /// Columns with a valid cell of the profile.
    measured: Vec<usize>,
    /// Columns that may be chosen.
    columns: Vec<usize>,
    /// Every cell of the profile.
    all: Vec<Entry<'a>>,
    /// Those that all candidates have.
    used: Vec<Entry<'a>>,
}

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
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
    let scores = board.scores();
    advice.blocks = scores.first().map_or(0, Vec::len);
    let fit = (order.len() > 1 && advice.blocks > 1).then(|| Fit::new(means.clone(), scores));
    advice.candidates = field.candidates(&order, &means, fit.as_ref());
    field.lead(&mut advice, &order, &means, fit.as_ref());
    let contended = work::contended(&field.used, &leading(&field.columns, &order));
    advice.counsel = field.counsel(&advice, contended);
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
    let blocks: std::collections::BTreeSet<u32> = dataset.samples.iter().map(|s| s.block).collect();
    dataset.samples.iter().map(of).sum::<f64>() / blocks.len().max(1) as f64
}

impl<'a> Field<'a> {
    fn new(
        dataset: &'a Dataset,
        question: &Question<'a>,
        mix: Option<&'a CellData>,
        targets: &'a [String],
        cells: &'a [CellData],
        settings: &'a Settings,
    ) -> Result<Field<'a>, StatsError> {
        let required = vetoes::requirements(question)?;
        let facts: Vec<Judged> = targets
            .iter()
            .filter_map(|label| dataset.targets.iter().find(|t| t.label == *label))
            .map(|record| vetoes::judge(record, question, &required, settings.band))
            .collect();
        let all = work::matched(dataset, question.profile, cells);
        let has = |column: &usize| match mix {
            Some(mix) => mix.valid_for([*column]),
            None => all.iter().any(|e| e.cell.valid_for([*column])),
        };
        let measured: Vec<usize> = (0..targets.len()).filter(has).collect();
        let free = measured.iter().copied().filter(|&c| facts[c].vetoes.is_empty());
        let free: Vec<usize> = free.collect();
        let mut verdicts = vec![floors::Verdicts::default(); targets.len()];
        let judged = floors::judge(dataset, question, targets, cells, &free);
        free.iter().zip(judged).for_each(|(&c, verdict)| verdicts[c] = verdict);
        let columns: Vec<usize> =
            free.into_iter().filter(|&c| verdicts[c].broken.is_empty()).collect();
        let used = if columns.is_empty() { vec![] } else { work::shared(&all, &columns) };
        let profile = question.profile;
        let floors = verdicts;
        Ok(Field {
            dataset,
            profile,
            mix,
            settings,
            targets,
            facts,
            floors,
            measured,
            columns,
            all,
            used,
        })
    }

    fn weights(&self, entries: &[Entry<'_>]) -> Vec<f64> {
        let of_groups: Vec<f64> = self.profile.groups.iter().map(|g| g.weight).collect();
        work::weights(entries, &of_groups)
    }

    /// The board of the score: the time for the mix, else the cells with their weights.
    fn board(&self, columns: &[usize], entries: &[Entry<'a>]) -> Board<'a> {
        match self.mix {
            Some(mix) if !columns.is_empty() => {
                Board::weighted(columns.to_vec(), vec![mix], &[1.0])
            }
            _ => self.of_cells(columns, entries),
        }
    }

    fn of_cells(&self, columns: &[usize], entries: &[Entry<'a>]) -> Board<'a> {
        let cells = entries.iter().map(|e| e.cell).collect();
        Board::weighted(columns.to_vec(), cells, &self.weights(entries))
    }

    /// What can be said before anything is scored.
    fn blank(&self) -> Advice {
        let head = &self.profile.profile;
        let groups = work::cover(self.profile, &self.all, &self.used, self.targets, &self.columns);
        Advice {
            profile: head.name.clone(),
            intent: head.intent.clone(),
            device_class: head.device_class.clone(),
            tier: head.tier,
            counsel: Counsel::NothingMeasured,
            sentence: String::new(),
            notes: Vec::new(),
            covered: groups.iter().filter(|g| g.cells > 0).fold(0.0, |sum, g| sum + g.weight),
            groups,
            group_leads: Vec::new(),
            candidates: Vec::new(),
            lead: None,
            leaders: Vec::new(),
            by_features: None,
            largest_loss: None,
            blocks: 0,
            cells: self.used.len(),
            of_cells: self.all.len(),
            support: Vec::new(),
            sensitivity: None,
        }
    }

    /// Candidates in this order of `columns`, then what is ruled out.
    fn candidates(&self, order: &[usize], means: &[f64], fit: Option<&Fit>) -> Vec<Advised> {
        let first = order.first().copied();
        let seed = self.dataset.campaign.seed;
        let posterior = fit.map(|fit| (fit.best(seed), fit.ranks()));
        let candidate = |&i: &usize| {
            let column = self.columns[i];
            let level = first.map(|first| means[i] - means[first]);
            let point = level.map(|level| Ratio { point: level.exp(), ..Ratio::ONE });
            let ratio = match (fit, first) {
                (Some(fit), Some(first)) if first != i => Some(fit.difference(i, first).to_ratio()),
                _ => point,
            };
            let mut advised = self.advised(column, ratio);
            if let Some((standings, ranks)) = &posterior {
                advised.p_best = Some(standings[i].p_best);
                advised.ranks = Some(ranks[i]);
                advised.expected_regret = standings[i].regret_mean.map(|r| 1.0 - (-r).exp());
                advised.regret_95 = Some(1.0 - (-standings[i].regret_95).exp());
            }
            advised
        };
        let unranked = self.columns.iter().filter(|_| order.is_empty());
        let out = self.measured.iter().filter(|c| !self.columns.contains(c));
        let against = |column: &usize| {
            let first = self.columns[first?];
            let both = work::shared(&self.all, &[first, *column]);
            self.board(&[first, *column], &both).ratios().get(1).copied()
        };
        let ruled_out = out.map(|column| self.advised(*column, against(column)));
        let unranked = unranked.map(|column| self.advised(*column, None));
        order.iter().map(candidate).chain(unranked).chain(ruled_out).collect()
    }

    fn advised(&self, column: usize, ratio: Option<Ratio>) -> Advised {
        let (facts, floors) = (&self.facts[column], &self.floors[column]);
        let no: Vec<String> = facts.vetoes.iter().chain(&floors.broken).cloned().collect();
        let unknown = (!facts.unknown.is_empty()).then(|| {
            format!("no fact says whether it has {}; look it up", facts.unknown.join(", "))
        });
        let maybe: Vec<String> =
            unknown.into_iter().chain(floors.at_risk.iter().cloned()).collect();
        let standing = match (no.is_empty(), maybe.is_empty()) {
            (false, _) => Standing::RuledOut,
            (true, false) => Standing::AtRisk,
            (true, true) => Standing::Eligible,
        };
        Advised {
            target: self.targets[column].clone(),
            standing,
            reasons: no.into_iter().chain(maybe).collect(),
            ratio,
            p_best: None,
            ranks: None,
            expected_regret: None,
            regret_95: None,
            mix_s: self.mix.and_then(|mix| mix.mean_value(column)),
            preferred: facts.preferred.clone(),
        }
    }

    /// Fills in what lies between the first two, and what it hangs on.
    fn lead(&self, advice: &mut Advice, order: &[usize], means: &[f64], fit: Option<&Fit>) {
        let &[first, second, ..] = order else { return };
        let point = Ratio { point: (means[first] - means[second]).exp(), ..Ratio::ONE };
        advice.lead = Some(fit.map_or(point, |fit| fit.difference(first, second).to_ratio()));
        let cells = self.of_cells(&self.columns, &self.used);
        let loss = cells.worst_cell(first, second);
        advice.largest_loss = loss
            .filter(|l| l.1.point < 1.0 / (1.0 + self.settings.band))
            .map(|(cell, ratio)| CellRatio::new(self.dataset, cell, ratio));
        let pair = (self.columns[first], self.columns[second]);
        let weights = self.weights(&self.used);
        let used = self.used.iter().zip(weights);
        advice.support = used.filter_map(|(e, weight)| self.support(e, pair, weight)).collect();
        advice.group_leads =
            (0..self.profile.groups.len()).filter_map(|g| self.group_lead(g)).collect();
        advice.sensitivity = sensitivity::sensitivity(
            self.profile,
            &self.used,
            (&self.columns, first),
            self.targets,
            self.dataset.campaign.seed,
        );
    }

    fn support(&self, entry: &Entry<'_>, pair: (usize, usize), weight: f64) -> Option<Support> {
        let (cell, info) = (entry.cell, &self.dataset.tests[entry.cell.test]);
        let judged = versus(cell, pair.0, pair.1, self.settings)?;
        Some(Support {
            group: self.profile.groups[entry.group].name.clone(),
            test: info.id.clone(),
            name: info.name.clone(),
            procs: cell.procs,
            unit: cell.unit.clone(),
            values: [cell.mean_value(pair.0)?, cell.mean_value(pair.1)?],
            ratio: judged.ratio,
            verdict: judged.verdict,
            weight,
        })
    }

    /// The first two of one group, by its cells alone.
    fn group_lead(&self, group: usize) -> Option<GroupLead> {
        let own: Vec<Entry<'a>> = self.used.iter().filter(|e| e.group == group).copied().collect();
        let scores = work::score(&work::levels(&own, &self.columns), &self.weights(&own));
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let (first, second) = (self.columns[*order.first()?], self.columns[*order.get(1)?]);
        let ratio = *self.of_cells(&[second, first], &own).ratios().get(1)?;
        let contended = work::contended(&own, &[first, second]);
        let judged = verdict(&ratio, self.settings.band);
        let lead = Lead {
            target: self.targets[first].clone(),
            second: self.targets[second].clone(),
            ratio,
            verdict: if contended { Verdict::Unclear } else { judged },
        };
        let name = self.profile.groups[group].name.clone();
        let sentence = words::group(&name, &lead, contended, self.settings);
        Some(GroupLead { group: name, lead, sentence })
    }

    fn counsel(&self, advice: &Advice, contended: bool) -> Counsel {
        let band = self.settings.band;
        let lead = advice.lead.map_or(1.0, |r| r.point);
        let p_best = advice.candidates.first().and_then(|c| c.p_best);
        match (self.measured.len(), self.columns.len()) {
            (0, _) => Counsel::NothingMeasured,
            (_, 0) => Counsel::NoneLeft,
            (1, 1) => Counsel::NoChoice,
            (_, 1) => Counsel::OnlyOne,
            _ if self.used.is_empty() => Counsel::NothingMeasured,
            _ if p_best.is_none() => Counsel::PointEstimate,
            _ if contended => Counsel::Insufficient,
            _ if p_best.is_some_and(|p| p >= CLEAR_P) && lead >= CLEAR_LEAD => Counsel::Clear,
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
                "The noise of the candidates differs more than threefold, so they are compared pair \
                 by pair, and P(best) is a lower bound."
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
