//! The candidates of a question: which may be chosen, the score of each, and the evidence for the lead of the first.

use super::{
    Advice, Advised, Counsel, Eligibility, GroupLead, Support, floors,
    objection::Objection,
    sensitivity::{self, Sensitivity},
    vetoes::{Judged, Rules},
    work::{self, Entry},
};
use crate::{
    description::{
        Lead, Settings,
        cell::{data::CellData, dropouts, versus::versus},
        equivalence::judge_unless,
        looks,
        score::board::Board,
    },
    kernel::{Ratio, fit::Fit, significance::Bar},
    verdict::{decide, evidence::CrossChecks},
};
use model::{random::Rng, result::Dataset, workload::Profile};

/// The candidates with all that is known of them.
pub(super) struct Field<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) profile: &'a Profile,
    /// Where the profile counts operations: the time for all of them.
    pub(super) mix: Option<&'a CellData>,
    pub(super) settings: &'a Settings,
    pub(super) targets: &'a [String],
    /// By column.
    pub(super) facts: Vec<Judged>,
    /// By column: floors that are broken, and that may be.
    pub(super) floors: Vec<floors::Verdicts>,
    /// Columns with a valid cell of the profile.
    pub(super) measured: Vec<usize>,
    /// Columns that may be chosen.
    pub(super) columns: Vec<usize>,
    /// Every cell of the profile.
    pub(super) all: Vec<Entry<'a>>,
    /// Those that all candidates have.
    pub(super) used: Vec<Entry<'a>>,
    /// What the profile asks for and no score has.
    unscored: Vec<Entry<'a>>,
    /// Tests of floors that the campaign does not have.
    pub(super) unmeasured: Vec<String>,
}

impl<'a> Field<'a> {
    /// Applies vetoes, then floors among those that are left.
    pub(super) fn new(
        dataset: &'a Dataset,
        (profile, mix): (&'a Profile, Option<&'a CellData>),
        rules: &Rules<'_>,
        (targets, cells): (&'a [String], &'a [CellData]),
        settings: &'a Settings,
    ) -> Field<'a> {
        let facts: Vec<Judged> = targets.iter().map(|label| rules.judge(dataset, label)).collect();
        let all = work::matched(dataset, profile, cells);
        let has = |column: &usize| match mix {
            Some(mix) => mix.valid_for([*column]),
            None => all.iter().any(|e| e.cell.valid_for([*column])),
        };
        let given_up = dropouts::given_up(dataset, targets, cells);
        let measured: Vec<usize> = dropouts::kept(targets, &given_up).filter(has).collect();
        let free = measured.iter().copied().filter(|&c| facts[c].vetoes.is_empty());
        let free: Vec<usize> = free.collect();
        let mut verdicts = vec![floors::Verdicts::default(); targets.len()];
        let judged = floors::judge(dataset, &profile.floors, targets, cells, &free);
        free.iter().zip(judged).for_each(|(&c, verdict)| verdicts[c] = verdict);
        let columns: Vec<usize> =
            free.into_iter().filter(|&c| verdicts[c].broken.is_empty()).collect();
        let used = if columns.is_empty() { vec![] } else { work::shared(&all, &columns) };
        Field {
            dataset,
            profile,
            mix,
            settings,
            targets,
            facts,
            floors: verdicts,
            measured,
            columns,
            all,
            used,
            unscored: work::unscored(dataset, profile, cells),
            unmeasured: floors::unmeasured(dataset, &profile.floors, cells),
        }
    }

    fn bar(&self) -> Bar {
        looks::bar(&self.dataset.campaign)
    }

    /// The board of the score: the time for the mix, else the cells with their weights.
    pub(super) fn board(&self, columns: &[usize], entries: &[Entry<'a>]) -> Board<'a> {
        match self.mix {
            Some(mix) if !columns.is_empty() => {
                Board::weighted(columns.to_vec(), vec![mix], &[1.0])
            }
            _ => self.of_cells(columns, entries),
        }
    }

    /// What the score is held against: all cells of the profile.
    pub(super) fn cross_checks(&self) -> CrossChecks<'a> {
        let all: Vec<Entry<'a>> = self.all.iter().filter(|e| !e.cell.is_short()).copied().collect();
        let weights = work::weights(&all);
        CrossChecks {
            wanted: all.iter().map(|entry| entry.cell).zip(weights).collect(),
            calm: None,
        }
    }

    fn of_cells(&self, columns: &[usize], entries: &[Entry<'a>]) -> Board<'a> {
        let cells = entries.iter().map(|e| e.cell).collect();
        Board::weighted(columns.to_vec(), cells, &work::weights(entries))
    }

    /// What can be said before anything is scored.
    pub(super) fn blank(&self) -> Advice {
        let head = &self.profile.profile;
        let entries = (&*self.all, &*self.used, &*self.unscored);
        let groups = work::cover(self.profile, entries, self.targets, &self.columns);
        Advice {
            profile: head.name.clone(),
            intent: head.intent.clone(),
            device_class: head.device_class.clone(),
            tier: head.tier,
            counsel: Counsel::NothingMeasured,
            refusal: None,
            more: None,
            obstacle: None,
            counts_ops: self.mix.is_some(),
            remarks: Vec::new(),
            covered: groups.iter().filter(|g| g.cells > 0).fold(0.0, |sum, g| sum + g.weight),
            groups,
            group_leads: Vec::new(),
            candidates: Vec::new(),
            scored_over: self
                .columns
                .first()
                .map_or_else(String::new, |c| self.targets[*c].clone()),
            lead: None,
            leaders: Vec::new(),
            by_features: None,
            largest_loss: None,
            blocks: 0,
            cells: self.used.len(),
            of_cells: self.all.len() + self.unscored.len(),
            support: Vec::new(),
            sensitivity: None,
        }
    }

    /// Candidates in this order of `columns`, then what is ruled out.
    pub(super) fn candidates(
        &self,
        order: &[usize],
        means: &[f64],
        fit: Option<&Fit>,
    ) -> Vec<Advised> {
        let seed = self.dataset.campaign.seed;
        let posterior = fit.map(|fit| (fit.best(Rng::new(seed)), fit.ranks()));
        let candidate = |&i: &usize| {
            let column = self.columns[i];
            // The first column is what all are scored over.
            let ratio = match fit.filter(|_| i > 0) {
                Some(fit) => fit.ratio(i, 0),
                None => Ratio { point: (means[i] - means[0]).exp(), ..Ratio::ONE },
            };
            let mut advised = self.advised(column, Some(ratio));
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
            let base = *self.columns.first().filter(|_| !order.is_empty())?;
            let both = work::shared(&self.all, &[base, *column]);
            self.board(&[base, *column], &both).ratios(self.bar()).get(1).copied()
        };
        let ruled_out = out.map(|column| self.advised(*column, against(column)));
        let unranked = unranked.map(|column| self.advised(*column, None));
        order.iter().map(candidate).chain(unranked).chain(ruled_out).collect()
    }

    fn advised(&self, column: usize, ratio: Option<Ratio>) -> Advised {
        let (facts, floors) = (&self.facts[column], &self.floors[column]);
        let no: Vec<Objection> = facts.vetoes.iter().chain(&floors.broken).cloned().collect();
        let unknown =
            (!facts.unknown.is_empty()).then(|| Objection::Unknown(facts.unknown.clone()));
        let doubts = facts.doubts.iter().chain(&floors.at_risk).cloned();
        let maybe: Vec<Objection> = unknown.into_iter().chain(doubts).collect();
        let standing = match (no.is_empty(), maybe.is_empty()) {
            (false, _) => Eligibility::RuledOut,
            (true, false) => Eligibility::AtRisk,
            (true, true) => Eligibility::Eligible,
        };
        Advised {
            target: self.targets[column].clone(),
            standing,
            objections: no.into_iter().chain(maybe).chain(facts.caveats.iter().cloned()).collect(),
            ratio,
            p_best: None,
            ranks: None,
            expected_regret: None,
            regret_95: None,
            mix_s: self.mix.and_then(|mix| mix.mean_value(column)),
            preferred: facts.preferred.clone(),
        }
    }

    /// Fills in the difference between the first two, and what it depends on.
    pub(super) fn lead(
        &self,
        advice: &mut Advice,
        order: &[usize],
        means: &[f64],
        fit: Option<&Fit>,
    ) {
        let &[first, second, ..] = order else { return };
        let point = Ratio { point: (means[first] - means[second]).exp(), ..Ratio::ONE };
        advice.lead = Some(fit.map_or(point, |fit| fit.lead(first, second)));
        let cells = self.of_cells(&self.columns, &self.used);
        let named = (self.dataset, self.targets);
        advice.largest_loss = decide::largest_loss(named, &cells, first, self.settings.band);
        let pair = (self.columns[first], self.columns[second]);
        let used = self.used.iter().zip(work::weights(&self.used));
        advice.support = used.filter_map(|(e, weight)| self.support(e, pair, weight)).collect();
        advice.group_leads =
            (0..self.profile.groups.len()).filter_map(|g| self.group_lead(g)).collect();
        advice.sensitivity = self.sensitivity(first);
    }

    /// How much the answer, the candidate at `first`, depends on the weights.
    pub(super) fn sensitivity(&self, first: usize) -> Option<Sensitivity> {
        let seed = self.dataset.campaign.seed;
        let advised = (self.columns.as_slice(), first);
        sensitivity::sensitivity(self.profile, &self.used, advised, self.targets, seed)
    }

    /// Column `first` over column `second` by `entries` alone, and whether the machine was too busy for a word.
    pub(super) fn over(
        &self,
        (first, second): (usize, usize),
        entries: &[Entry<'a>],
    ) -> Option<(Lead, bool)> {
        let ratio = *self.of_cells(&[second, first], entries).ratios(self.bar()).get(1)?;
        let is_contended = work::contended(entries, &[first, second]);
        let lead = Lead {
            target: self.targets[first].clone(),
            second: self.targets[second].clone(),
            ratio,
            comparison: judge_unless(is_contended, &ratio, self.settings.band),
        };
        Some((lead, is_contended))
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
            comparison: judged.comparison,
            weight,
        })
    }

    /// The first two of one group, by its cells alone.
    fn group_lead(&self, group: usize) -> Option<GroupLead> {
        let own: Vec<Entry<'a>> = self.used.iter().filter(|e| e.group == group).copied().collect();
        let scores = work::score(&work::levels(&own, &self.columns), &work::weights(&own));
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let pair = (self.columns[*order.first()?], self.columns[*order.get(1)?]);
        let (lead, contended) = self.over(pair, &own)?;
        Some(GroupLead { group: self.profile.groups[group].name.clone(), lead, contended })
    }
}
