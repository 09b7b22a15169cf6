//! The sections of a report, one file each. A new section is a file, a `mod` line and a line of [`SECTIONS`]; no
//! renderer changes.

mod advice;
mod after_faults;
mod by_group;
mod by_weights;
mod bypassed_network;
mod cells;
mod compare;
mod contended;
mod cost;
mod disks;
mod durability;
mod environment;
mod failures;
mod folios;
mod forest;
mod heat_map;
mod hosts;
mod in_short;
mod invalid;
mod io500;
mod lab;
mod labs;
mod latency;
mod leaders;
mod left_out;
mod matrix;
mod method;
mod not_as_asked;
mod overview;
mod ratios;
mod scaling;
mod selfcheck;
mod since;
mod steady;
mod sweeps;
mod time_series;
mod timeline;
mod unfinished;
mod values;
mod verdict;

use crate::block::Block;
use model::result::Dataset;
use stats::evaluation::Findings;

pub(crate) use cells::anchors;
pub(crate) use heat_map::notes_of_cells;
pub(crate) use lab::Lab;
pub use method::measured;
pub(crate) use ratios::{GEOMETRIC_MEAN, MAX_RATIO, MIN_RATIO, WITH_SYNCS};

/// Every section in the order of the report.
pub const SECTIONS: &[&dyn Section] = &[
    &compare::Compare,
    &unfinished::Unfinished,
    &labs::Labs,
    &durability::Durability,
    &lab::Lab,
    &advice::Advice,
    &verdict::Verdict,
    &in_short::InShort,
    &forest::ForestPlot,
    &overview::Overview,
    &since::SinceLast,
    &by_group::ByGroup,
    &by_weights::ByWeights,
    &heat_map::Heat,
    &leaders::Leaders,
    &after_faults::AfterFaults,
    &failures::Failures,
    &not_as_asked::NotAsAsked,
    &bypassed_network::BypassedNetwork,
    &values::Values,
    &matrix::Matrix,
    &sweeps::Sweeps,
    &ratios::Ratios,
    &scaling::Scale,
    &hosts::HostRates,
    &disks::Disks,
    &io500::Score,
    &latency::Latency,
    &steady::Steady,
    &time_series::RatesOverTime,
    &cost::Cost,
    &cells::Cells,
    &selfcheck::SelfCheck,
    &left_out::LeftOut,
    &invalid::Invalid,
    &contended::Contended,
    &folios::Folios,
    &timeline::OverTime,
    &environment::Environment,
    &method::Method,
];

/// What a section may say in the short form.
#[derive(Clone, Copy, Debug)]
pub struct Brief {
    /// Rows of a table, about; none for 0.
    pub rows: usize,
    /// Notes on the campaign; more are counted.
    pub notes: usize,
}

/// One part of a report.
pub trait Section: Sync {
    /// Its heading.
    fn title(&self) -> &'static str;

    /// What it says; `None` when there is nothing to say.
    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>>;

    /// What it says in the short form; `None` when it is no part of that form, as most are not.
    fn brief(&self, _: &Dataset, _: &Findings, _: Brief) -> Option<Vec<Block>> {
        None
    }

    /// True for what is said once of a campaign of several classes, which are labs and what a sync promises; the
    /// other sections are built for each class, with the targets and samples of that class.
    fn of_whole(&self) -> bool {
        false
    }

    /// True for what belongs on paper: the verdict, the tables in short, how it was measured. The rest is printed
    /// on request.
    fn in_print(&self) -> bool {
        false
    }

    /// False for reference material that would push the tables off a terminal.
    fn in_terminal(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_sections_have_one_title() {
        let mut seen = BTreeSet::new();
        let titles = SECTIONS.iter().map(|section| section.title());
        let twice: Vec<&str> = titles.filter(|title| !seen.insert(*title)).collect();
        assert!(twice.is_empty(), "the title of two sections: {twice:?}");
    }
}
