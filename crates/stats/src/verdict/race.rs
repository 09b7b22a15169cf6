//! An interim look at a running campaign: is its verdict settled, and which candidates are so far behind that only the
//! others need more blocks?

use crate::{
    description::{
        Settings, StatsError,
        cell::{
            data::CellData,
            dropouts::{self, has_left},
            select::{select, undisturbed},
        },
        class::{
            baseline::target_order,
            classes::{Class, classes},
        },
        looks,
        score::board::Board,
        table::footer::mean_ratios,
    },
    kernel::{
        holm::{holm, holm_at},
        ratio::CONFIDENCE,
    },
    verdict::evidence::{Alike, CrossChecks, Evidence, Judged, evidence},
};
use model::{result::Dataset, workload::Group};
use std::collections::BTreeMap;

/// The result of an interim look at a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterimVerdicts {
    /// What its verdict has come to, in each lab with two candidates that can be compared; empty where more
    /// blocks would decide nothing.
    pub verdicts: Vec<Standoff>,
    /// Candidates that need no more blocks.
    pub behind: Vec<Behind>,
}

/// What a verdict has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standoff {
    /// This candidate is the best.
    Decided(String),
    /// Which of these is chosen costs no more than the band.
    Same(Vec<String>),
    /// Neither.
    Open,
}

/// A candidate that is decidedly behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// Its label.
    pub target: String,
    /// Label of the candidate that leads.
    pub leader: String,
    /// Tables, each a group of tests at a process count, in all of which it is behind.
    pub tables: usize,
}

impl InterimVerdicts {
    /// Whether nothing is open.
    pub fn is_settled(&self) -> bool {
        !self.verdicts.contains(&Standoff::Open)
    }
}

/// Looks at `dataset`, of which the plan says how often it is looked at.
///
/// # Errors
/// The baseline is unknown, or a sample names what the campaign does not list.
pub fn look(dataset: &Dataset, settings: &Settings) -> Result<InterimVerdicts, StatsError> {
    let mut look = InterimVerdicts { verdicts: Vec::new(), behind: Vec::new() };
    // Without a ranking nothing can be decided, and no candidate is behind.
    for class in classes(dataset, settings)?.into_iter().filter(|class| class.is_ranked) {
        let (dataset, settings) = (class.dataset.as_ref(), &class.settings);
        let targets = target_order(dataset, settings)?;
        let cells = select(dataset, &targets, settings.contention_limit_pct)?;
        let calm = undisturbed(dataset, &targets, settings.contention_limit_pct, &cells)?;
        let race = Race { class: &class, targets: &targets, cells: &cells, calm: calm.as_deref() };
        look.verdicts.extend(race.standoff());
        look.behind.extend(race.behind());
    }
    Ok(look)
}

struct Race<'a> {
    class: &'a Class<'a>,
    targets: &'a [String],
    cells: &'a [CellData],
    /// Without what other work disturbed, where it disturbed anything.
    calm: Option<&'a [CellData]>,
}

impl Race<'_> {
    fn dataset(&self) -> &Dataset {
        self.class.dataset.as_ref()
    }

    /// The board of those that were not given up.
    fn board<'c>(&self, cells: &'c [CellData]) -> Board<'c> {
        let given_up = dropouts::given_up(self.dataset(), self.targets, self.cells);
        Board::of_columns(self.dataset(), dropouts::kept(self.targets, &given_up), cells)
    }

    fn evidence(&self) -> Option<Evidence<'_>> {
        let calm = self.calm.map(|calm| self.board(calm));
        let checks = CrossChecks::scored(self.dataset(), self.cells, calm);
        evidence(self.dataset(), self.targets, self.board(self.cells), checks)
    }

    /// `None` where there is nothing to compare.
    fn standoff(&self) -> Option<Standoff> {
        let board = self.board(self.cells);
        if board.columns.len() < 2 || board.cells.is_empty() {
            return None;
        }
        let Some(evidence) = self.evidence() else { return Some(Standoff::Open) };
        let label = |column: usize| self.targets[column].clone();
        Some(match evidence.judge(self.class.settings.band, Alike::Leaders) {
            Judged::Best(column) => Standoff::Decided(label(column)),
            Judged::Same(columns) => Standoff::Same(columns.into_iter().map(label).collect()),
            _ => Standoff::Open,
        })
    }

    /// The candidates that are behind the leader over all, by the bar of a verdict, and in every table, where the
    /// least sure one counts; both by Holm's procedure over the candidates. What others are compared with
    /// stays.
    fn behind(&self) -> Vec<Behind> {
        let Some(evidence) = self.evidence().filter(|e| e.disturbed().is_empty()) else {
            return Vec::new();
        };
        let leader = evidence.board.columns[evidence.first];
        let tables = self.tables();
        let runs =
            |column: &usize| *column != leader && !has_left(self.dataset(), &self.targets[*column]);
        let others: Vec<usize> = evidence.board.columns.iter().copied().filter(runs).collect();
        let over_all: Vec<Option<f64>> =
            others.iter().map(|&column| evidence.doubt(column)).collect();
        let in_tables: Vec<Option<f64>> =
            others.iter().map(|&column| doubt(&tables, column, leader)).collect();
        let alpha = looks::bar(&self.dataset().campaign).alpha;
        let marks = holm_at(alpha, &over_all).into_iter().zip(holm(&in_tables));
        let decided = others.into_iter().zip(marks).filter(|(_, marks)| *marks == (true, true));
        decided
            .map(|(column, _)| self.targets[column].clone())
            .filter(|label| !self.is_reference(label))
            .map(|target| Behind {
                target,
                leader: self.targets[leader].clone(),
                tables: tables.len(),
            })
            .collect()
    }

    /// The cells of each group at each process count.
    fn tables(&self) -> Vec<Vec<&CellData>> {
        let mut tables: BTreeMap<(Group, u32), Vec<&CellData>> = BTreeMap::new();
        for cell in self.cells.iter().filter(|cell| cell.is_scored) {
            let group = self.dataset().tests[cell.test].group;
            tables.entry((group, cell.procs)).or_default().push(cell);
        }
        tables.into_values().collect()
    }

    /// Whether others are compared with it: the baseline, and the default of a sweep.
    fn is_reference(&self, label: &String) -> bool {
        let sweeps = &self.dataset().campaign.plan.sweeps;
        let default =
            |sweep: &model::target::Sweep| sweep.variants.first().map(ToString::to_string);
        *label == self.targets[0] || sweeps.iter().any(|s| default(s).as_ref() == Some(label))
    }
}

/// Largest p-value of "no difference" between the leader and `column` over the tables; 1 where it is ahead in
/// one, `None` where they share none.
fn doubt(tables: &[Vec<&CellData>], column: usize, leader: usize) -> Option<f64> {
    let ratios = mean_ratios(tables, column, leader, CONFIDENCE).into_iter().flatten();
    ratios.map(|r| r.p.filter(|_| r.point < 1.0).unwrap_or(1.0)).reduce(f64::max)
}
