//! Lists the features in which targets differ, by the facts about their file systems and the options in force.

use super::vetoes::{Answer, SUPPORTED, Stack};
use model::{
    result::Dataset,
    target::{FactSheet, FactValue, Requirement},
};
use std::collections::BTreeSet;

/// A feature that some of several targets have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureDifference {
    /// As `--require` names it, e.g. `reflink`.
    pub feature: String,
    /// Labels of those that have it, in the order in which they were asked about.
    pub targets: Vec<String>,
}

/// The features that some of `targets` have and others lack, by name; one that is unknown of any is left out, as are
/// limits and the support of vendors.
pub(crate) fn differing(
    dataset: &Dataset,
    targets: &[String],
    facts: &[FactSheet],
) -> Vec<FeatureDifference> {
    let record = |label: &String| dataset.targets.iter().find(|record| record.label == *label);
    let records = targets.iter().filter_map(record);
    let stacks: Vec<Stack<'_>> = records.map(|record| Stack::new(record, facts, &[])).collect();
    if stacks.len() < targets.len() {
        return Vec::new();
    }
    let named: BTreeSet<&String> = facts
        .iter()
        .flat_map(|sheet| &sheet.facts)
        .filter(|fact| matches!(fact.value, FactValue::Has(_)))
        .map(|fact| &fact.feature)
        .filter(|feature| !feature.starts_with(SUPPORTED))
        .collect();
    let difference = |feature: &String| {
        let wanted = Requirement { feature: feature.clone(), at_least: None };
        let has: Option<Vec<bool>> = stacks.iter().map(|stack| has(stack, &wanted)).collect();
        let having = targets.iter().zip(has?).filter(|(_, has)| *has);
        let having: Vec<String> = having.map(|(label, _)| label.clone()).collect();
        let is_some = !having.is_empty() && having.len() < targets.len();
        is_some.then(|| FeatureDifference { feature: feature.clone(), targets: having })
    };
    named.into_iter().filter_map(difference).collect()
}

/// Whether a stack has what is wanted; `None` where that is unknown.
fn has(stack: &Stack<'_>, wanted: &Requirement) -> Option<bool> {
    match stack.answer(wanted) {
        Answer::Unknown => None,
        Answer::Has(_) => Some(true),
        Answer::Lacks(_) => Some(false),
    }
}
