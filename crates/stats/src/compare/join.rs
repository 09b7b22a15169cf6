//! Which cells of two campaigns are the same, and these cells as one dataset.

use super::PREFIXES;
use crate::StatsError;
use model::{
    Better, Campaign, CampaignState, Dataset, Environment, Origin, Plan, Sample, TargetRecord,
    TestInfo,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A cell that stands in no table of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmatched {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// Why it has no counterpart.
    pub why: String,
}

pub(super) struct Joined {
    pub(super) dataset: Dataset,
    pub(super) unmatched: [Vec<Unmatched>; 2],
}

/// Index of a test in its campaign, and worker processes.
type Key = (usize, u32);

pub(super) fn join(a: &Dataset, b: &Dataset) -> Result<Joined, StatsError> {
    let partners = partners(&a.tests, &b.tests);
    let back: BTreeMap<usize, usize> = partners.iter().map(|(&a, &b)| (b, a)).collect();
    let (cells_a, cells_b) = (cells(a)?, cells(b)?);
    let shared: BTreeSet<Key> = cells_a
        .iter()
        .filter(|(test, procs)| partners.get(test).is_some_and(|&t| cells_b.contains(&(t, *procs))))
        .copied()
        .collect();
    if shared.is_empty() {
        let id = |d: &Dataset| d.campaign.id.clone();
        return Err(StatsError::NothingInCommon { a: id(a), b: id(b) });
    }
    let in_b = |(test, procs): &Key| back.get(test).is_some_and(|&t| shared.contains(&(t, *procs)));
    let unmatched = [
        unmatched(a, b, cells_a.iter().filter(|key| !shared.contains(key)), &partners),
        unmatched(b, a, cells_b.iter().filter(|key| !in_b(key)), &back),
    ];
    Ok(Joined { dataset: dataset(a, b, &shared, &back), unmatched })
}

/// For each test of `a` the one of `b` that is the same: by id, else by a name that each campaign
/// gives once.
fn partners(a: &[TestInfo], b: &[TestInfo]) -> BTreeMap<usize, usize> {
    let by_id: HashMap<&str, usize> = b.iter().zip(0..).map(|(t, i)| (t.id.as_str(), i)).collect();
    let same = |(i, test): (usize, &TestInfo)| {
        let other = *by_id.get(test.id.as_str())?;
        (figure(test) == figure(&b[other])).then_some((i, other))
    };
    let mut partners: BTreeMap<usize, usize> = a.iter().enumerate().filter_map(same).collect();
    let taken: BTreeSet<usize> = partners.values().copied().collect();
    let rest_a = names(a.iter().enumerate().filter(|(i, _)| !partners.contains_key(i)));
    let rest_b = names(b.iter().enumerate().filter(|(i, _)| !taken.contains(i)));
    for (name, of_a) in rest_a {
        if let (&[one], Some(&[other])) = (&of_a[..], rest_b.get(&name).map(Vec::as_slice)) {
            partners.insert(one, other);
        }
    }
    partners
}

/// What a value is: two tests with the same name but another figure cannot be compared.
fn figure(test: &TestInfo) -> (&str, &str, Better) {
    (&test.metric, &test.unit, test.better)
}

type Name<'a> = (&'a str, &'a str, &'a str, &'a str, &'static str);

fn names<'a>(tests: impl Iterator<Item = (usize, &'a TestInfo)>) -> BTreeMap<Name<'a>, Vec<usize>> {
    let mut names: BTreeMap<Name<'a>, Vec<usize>> = BTreeMap::new();
    for (i, t) in tests {
        let name = (&*t.name, &*t.testtype, &*t.metric, &*t.unit, t.better.as_str());
        names.entry(name).or_default().push(i);
    }
    names
}

/// The cells of a campaign that have a sample.
fn cells(dataset: &Dataset) -> Result<BTreeSet<Key>, StatsError> {
    let index: HashMap<&str, usize> =
        dataset.tests.iter().zip(0..).map(|(t, i)| (t.id.as_str(), i)).collect();
    let key = |sample: &Sample| {
        let test = index.get(sample.case.test.as_str());
        test.map(|&test| (test, sample.case.procs)).ok_or_else(|| StatsError::Unlisted {
            what: "test",
            name: sample.case.test.clone(),
            campaign: dataset.campaign.id.clone(),
        })
    };
    dataset.samples.iter().map(key).collect()
}

fn unmatched<'a>(
    own: &Dataset,
    other: &Dataset,
    cells: impl Iterator<Item = &'a Key>,
    partners: &BTreeMap<usize, usize>,
) -> Vec<Unmatched> {
    let why = |index: usize, test: &TestInfo| {
        if partners.contains_key(&index) {
            return "the other has no sample of it at this number of processes".into();
        }
        match other.tests.iter().find(|t| t.id == test.id) {
            Some(t) => format!("the other ranks it by {} in {}", t.metric, t.unit),
            None => "the other has no such test".to_string(),
        }
    };
    cells
        .map(|&(index, procs)| {
            let test = &own.tests[index];
            let (id, name) = (test.id.clone(), test.name.clone());
            Unmatched { test: id, name, procs, why: why(index, test) }
        })
        .collect()
}

/// The shared cells under the ids of `a`. Blocks of `b` are numbered after those of `a`.
fn dataset(
    a: &Dataset,
    b: &Dataset,
    shared: &BTreeSet<Key>,
    back: &BTreeMap<usize, usize>,
) -> Dataset {
    let tests: BTreeSet<usize> = shared.iter().map(|key| key.0).collect();
    let first_block = a.samples.iter().map(|s| s.block + 1).max().unwrap_or(0);
    let own: HashMap<&str, usize> = a.tests.iter().zip(0..).map(|(t, i)| (&*t.id, i)).collect();
    let theirs: HashMap<&str, usize> =
        b.tests.iter().zip(0..).filter_map(|(t, i)| Some((&*t.id, *back.get(&i)?))).collect();
    let of_a = a.samples.iter().filter_map(|s| relabelled(s, a, PREFIXES[0], 0, &own));
    let of_b = b.samples.iter().filter_map(|s| relabelled(s, a, PREFIXES[1], first_block, &theirs));
    let samples =
        of_a.chain(of_b).filter(|(key, _)| shared.contains(key)).map(|(_, sample)| sample);
    Dataset {
        campaign: campaign(&a.campaign, &b.campaign),
        targets: targets(a, PREFIXES[0]).chain(targets(b, PREFIXES[1])).collect(),
        tests: tests.into_iter().map(|i| a.tests[i].clone()).collect(),
        samples: samples.collect(),
    }
}

/// `sample` under the id that its test has in `a`; `tests` knows the index of that by its own id.
fn relabelled(
    sample: &Sample,
    a: &Dataset,
    prefix: &str,
    first_block: u32,
    tests: &HashMap<&str, usize>,
) -> Option<(Key, Sample)> {
    let test = *tests.get(sample.case.test.as_str())?;
    let mut sample = sample.clone();
    sample.block += first_block;
    sample.case.target.insert_str(0, prefix);
    sample.case.test.clone_from(&a.tests[test].id);
    sample.case.suite.clone_from(&a.tests[test].suite);
    Some(((test, sample.case.procs), sample))
}

fn targets<'a>(dataset: &'a Dataset, prefix: &'a str) -> impl Iterator<Item = TargetRecord> + 'a {
    dataset
        .targets
        .iter()
        .map(move |t| TargetRecord { label: format!("{prefix}{}", t.label), ..t.clone() })
}

/// The identity of both: what they have in common; what they have not is in the comparison.
fn campaign(a: &Campaign, b: &Campaign) -> Campaign {
    let common = |(key, value): &(&String, &String)| b.environment.0.get(*key) == Some(value);
    let facts = a.environment.0.iter().filter(common).map(|(k, v)| (k.clone(), v.clone()));
    let both = |a: &str, b: &str| if a == b { a.to_string() } else { format!("{a} and {b}") };
    Campaign {
        id: both(&a.id, &b.id),
        created: a.created.clone().max(b.created.clone()),
        title: format!("A: {} · B: {}", titled(a), titled(b)),
        origin: if a.origin == b.origin { a.origin } else { Origin::Import },
        state: CampaignState::Done,
        assay_version: both(&a.assay_version, &b.assay_version),
        plan: Plan { suites: a.plan.suites.clone(), ..Plan::default() },
        scale: a.scale,
        seed: a.seed,
        environment: Environment(facts.collect()),
        notes: notes(a, b),
    }
}

fn titled(campaign: &Campaign) -> &str {
    if campaign.title.is_empty() { &campaign.id } else { &campaign.title }
}

fn notes(a: &Campaign, b: &Campaign) -> Vec<String> {
    let of = |c: &Campaign, other: &Campaign, prefix: &str| -> Vec<String> {
        let own = |note: &String| {
            if other.notes.contains(note) { note.clone() } else { format!("{prefix} {note}") }
        };
        c.notes.iter().map(own).collect()
    };
    let mut notes = of(a, b, PREFIXES[0]);
    notes.extend(of(b, a, PREFIXES[1]).into_iter().filter(|note| !a.notes.contains(note)));
    notes
}
