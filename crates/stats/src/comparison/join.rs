//! Joins equal cells of the campaigns of two sides into one dataset.

use super::{
    alike,
    same::{Key, Shared, figure},
    side::PREFIXES,
};
use crate::description::{StatsError, cell::turns, sample::timed_share};
use model::{
    plan::Plan,
    result::{
        Campaign, CampaignState, Dataset, Environment, Note, Origin, Sample, Side, TargetRecord,
    },
    workload::TestInfo,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Metric of a write with the sync that ends it.
const DURABLE_RATE: &str = "durable_rate";

/// A cell that is in no table of the comparison.
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

/// What two sides have in common, and what not.
pub(crate) struct Joined {
    pub(crate) dataset: Dataset,
    pub(crate) unmatched: [Vec<Unmatched>; 2],
}

/// A campaign and what it shares with the first of A.
pub(super) struct Member<'a> {
    dataset: &'a Dataset,
    partners: BTreeMap<usize, usize>,
    cells: BTreeSet<Key>,
    shared: Shared,
}

/// Every campaign of either side is matched with the first of A, whose tests and names stand for all.
pub(super) fn join(a: &[Dataset], b: &[Dataset]) -> Result<Joined, StatsError> {
    let first = &a[0];
    let own = cells(first)?;
    let (mut of_a, of_b) = (members(a, first, &own)?, members(b, first, &own)?);
    let in_b: BTreeSet<Key> = of_b.iter().flat_map(|m| m.shared.values().copied()).collect();
    of_a.iter_mut().for_each(|m| m.shared.retain(|_, key| in_b.contains(key)));
    let unmatched = [left_out(&of_a[0], &of_b[0]), left_out_of_all(&of_b, &of_a[0])];
    Ok(Joined { dataset: dataset(&of_a, &of_b), unmatched })
}

/// The campaigns of `all` with the cells that each of them has, as cells of the first.
pub(super) fn in_common(all: &[Dataset]) -> Result<Vec<Member<'_>>, StatsError> {
    let mut members = members(all, &all[0], &cells(&all[0])?)?;
    let own = |member: &Member<'_>| member.shared.values().copied().collect::<BTreeSet<Key>>();
    let shared: Vec<BTreeSet<Key>> = members.iter().map(own).collect();
    let in_all = |key: &Key| shared.iter().all(|own| own.contains(key));
    members.iter_mut().for_each(|member| member.shared.retain(|_, key| in_all(key)));
    Ok(members)
}

fn members<'a>(
    side: &'a [Dataset],
    first: &Dataset,
    cells_of_first: &BTreeSet<Key>,
) -> Result<Vec<Member<'a>>, StatsError> {
    side.iter().map(|dataset| Member::of(dataset, first, cells_of_first)).collect()
}

impl<'a> Member<'a> {
    /// # Errors
    /// The two have nothing in common, or did not do the same work.
    fn of(
        dataset: &'a Dataset,
        first: &Dataset,
        cells_of_first: &BTreeSet<Key>,
    ) -> Result<Member<'a>, StatsError> {
        let (mut partners, mut cells) = (partners(&first.tests, &dataset.tests), cells(dataset)?);
        let (ended_first, ended) = (syncs(first), syncs(dataset));
        partners.retain(|one, other| !ended_first.contains(one) && !ended.contains(other));
        cells.retain(|(test, _)| !ended.contains(test));
        // A source that does not say how many processes ran counts as one; see [`shared`].
        let strict = tells_processes(first) && tells_processes(dataset);
        let shared = shared(&partners, cells_of_first, &cells, strict);
        let unlike = || alike::unlike(first, dataset, &shared, &ended_first);
        if let Some(what) = strict.then(unlike).flatten() {
            return Err(StatsError::Unlike { one: id(first), other: id(dataset), what });
        }
        if let Some(error) = beside_study(first, dataset, &shared) {
            return Err(error);
        }
        if shared.is_empty() {
            return Err(alike::nothing_in_common(first, dataset));
        }
        Ok(Member { dataset, partners, cells, shared })
    }
}

/// The error of a study that is compared with a campaign of assay that did not do all of the work of its tests.
fn beside_study(first: &Dataset, other: &Dataset, shared: &Shared) -> Option<StatsError> {
    let is_study = |dataset: &Dataset| dataset.campaign.origin == Origin::Published;
    let (study, own, what) = match (is_study(first), is_study(other)) {
        (true, false) if tells_processes(other) => {
            (first, other, alike::not_whole(other, shared.keys()))
        }
        (false, true) if tells_processes(first) => {
            (other, first, alike::not_whole(first, shared.values()))
        }
        _ => return None,
    };
    let all = |what: String| match alike::knobs(study, own) {
        Some(knobs) => format!("{what}; {knobs}"),
        None => what,
    };
    what.map(|what| StatsError::NotWhole { study: id(study), own: id(own), what: all(what) })
}

fn id(dataset: &Dataset) -> String {
    dataset.campaign.id.clone()
}

/// The syncs that have a row of their own and end a write that is ranked by its durable rate. They are part of
/// that rate: what a kernel moves from the one to the other is neither gain nor loss.
fn syncs(dataset: &Dataset) -> BTreeSet<usize> {
    let index: HashMap<&str, usize> =
        dataset.tests.iter().zip(0..).map(|(t, i)| (t.id.as_str(), i)).collect();
    let test = |sample: &Sample| index.get(sample.case.test.as_str()).copied();
    let is_durable = |i: usize| dataset.tests[i].metric == DURABLE_RATE;
    let pairs = dataset.samples.iter().zip(dataset.samples.iter().skip(1));
    let ends = pairs.filter(|(write, sync)| timed_share::is_within(sync, write));
    let ends = ends.filter(|(write, _)| test(write).is_some_and(is_durable));
    ends.filter_map(|(_, sync)| test(sync)).collect()
}

/// The cells of the first of A that no campaign of B has.
fn left_out(own: &Member<'_>, other: &Member<'_>) -> Vec<Unmatched> {
    let cells = own.cells.iter().filter(|key| !own.shared.contains_key(key));
    unmatched(own.dataset, other.dataset, cells, &other.partners)
}

/// The cells of any campaign of B that the first of A has not.
fn left_out_of_all(members: &[Member<'_>], first: &Member<'_>) -> Vec<Unmatched> {
    let mut all: Vec<Unmatched> = Vec::new();
    for member in members {
        let back = member.partners.iter().map(|(&a, &b)| (b, a)).collect();
        let cells = member.cells.iter().filter(|key| !member.shared.contains_key(key));
        for one in unmatched(member.dataset, first.dataset, cells, &back) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
    }
    all
}

/// Whether assay measured it, here or, as the kernel tells that it noted, elsewhere.
fn tells_processes(dataset: &Dataset) -> bool {
    let Campaign { origin, environment, .. } = &dataset.campaign;
    *origin == Origin::Run
        || *origin == Origin::Import && environment.0.contains_key("kernel.release")
}

/// Cells of the same test at the same number of processes. Where a test has one number in either
/// campaign, and they are not the same, it is matched all the same unless `strict`.
fn shared(
    partners: &BTreeMap<usize, usize>,
    cells_a: &BTreeSet<Key>,
    cells_b: &BTreeSet<Key>,
    strict: bool,
) -> Shared {
    let counts = |cells: &BTreeSet<Key>, test: usize| -> Vec<u32> {
        cells.range((test, 0)..=(test, u32::MAX)).map(|key| key.1).collect()
    };
    let mut shared = Shared::new();
    for (&test, &other) in partners {
        let (own, theirs) = (counts(cells_a, test), counts(cells_b, other));
        let both = own.iter().filter(|procs| theirs.contains(procs));
        shared.extend(both.map(|&procs| ((other, procs), (test, procs))));
        if let (&[one], &[another], false) = (&own[..], &theirs[..], strict) {
            shared.insert((other, another), (test, one));
        }
    }
    shared
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
            return "the other has no sample of it at this process count".into();
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

/// The shared cells under the ids of the first of A. Where a side has several campaigns, each of them is one
/// block: what it measured in its own blocks are repeats of one value, as what differs between two campaigns
/// is the same in all of them. One campaign against one keeps its blocks; those of B are numbered after
/// those of A.
fn dataset(of_a: &[Member<'_>], of_b: &[Member<'_>]) -> Dataset {
    let a = of_a[0].dataset;
    let shared = || of_a.iter().chain(of_b).flat_map(|m| m.shared.values());
    let tests: BTreeSet<usize> = shared().map(|key| key.0).collect();
    let is_look = is_look(of_a.len(), of_b.len());
    let last = a.samples.iter().map(|s| s.block + 1).max().unwrap_or(0);
    let sides = of_a.iter().map(|m| (m, PREFIXES[0])).chain(of_b.iter().map(|m| (m, PREFIXES[1])));
    let mut samples = Vec::new();
    for ((member, prefix), number) in sides.zip(0..) {
        let block = |own: u32| if is_look { own + number * last } else { number };
        samples.extend(relabelled(member, &a.tests, prefix, block));
    }
    let mut campaign = campaign(of_a, of_b);
    campaign.notes.extend(of_b.iter().find_map(|m| other_counts(&m.shared)));
    campaign.notes.extend(ends(of_a, of_b));
    Dataset {
        campaign,
        targets: [targets(of_a, PREFIXES[0]), targets(of_b, PREFIXES[1])].concat(),
        tests: tests.into_iter().map(|i| a.tests[i].clone()).collect(),
        samples,
    }
}

/// Whether the blocks of the campaigns are what varies, because either side has one campaign only.
pub(super) fn is_look(of_a: usize, of_b: usize) -> bool {
    of_a == 1 && of_b == 1
}

/// Notes the syncs that are not judged separately.
fn ends(of_a: &[Member<'_>], of_b: &[Member<'_>]) -> Option<Note> {
    let rows = of_a.iter().chain(of_b).map(|m| syncs(m.dataset).len()).max()?;
    (rows > 0).then_some(Note::SyncsOmitted { rows })
}

/// The samples that `member` shares, as samples of the cells of the first of A, whose tests are `tests`.
pub(super) fn relabelled(
    member: &Member<'_>,
    tests: &[TestInfo],
    prefix: &str,
    block: impl Fn(u32) -> u32,
) -> Vec<Sample> {
    let Member { dataset, shared, .. } = member;
    let index: HashMap<&str, usize> =
        dataset.tests.iter().zip(0..).map(|(t, i)| (t.id.as_str(), i)).collect();
    let twin = dataset.twin().map(|twin| twin.label);
    let sample = |sample: &Sample| {
        if twin.as_ref() == Some(&sample.case.target) {
            return None;
        }
        let key = (*index.get(sample.case.test.as_str())?, sample.case.procs);
        let &(test, procs) = shared.get(&key)?;
        let mut sample = sample.clone();
        sample.block = block(sample.block);
        // Of another campaign the same order is another one.
        turns::forget(&mut sample);
        sample.case.target.insert_str(0, prefix);
        sample.case.test.clone_from(&tests[test].id);
        sample.case.suite.clone_from(&tests[test].suite);
        sample.case.procs = procs;
        Some(sample)
    };
    dataset.samples.iter().filter_map(sample).collect()
}

/// Notes cells that were matched at different numbers of processes.
fn other_counts(shared: &Shared) -> Option<Note> {
    let differing: Vec<_> = shared.iter().filter(|(b, a)| a.1 != b.1).collect();
    let (b, a) = differing.first()?;
    Some(Note::OtherProcesses { tests: differing.len(), a_procs: a.1, b_procs: b.1 })
}

/// The candidates of all `members`, each label once; the twin of an A/A pair is none.
pub(super) fn targets(members: &[Member<'_>], prefix: &str) -> Vec<TargetRecord> {
    let mut all: Vec<TargetRecord> = Vec::new();
    for Member { dataset, .. } in members {
        let twin = dataset.twin().map(|twin| twin.label);
        for target in dataset.targets.iter().filter(|t| twin.as_ref() != Some(&t.label)) {
            let label = format!("{prefix}{}", target.label);
            if all.iter().all(|known| known.label != label) {
                all.push(TargetRecord { label, ..target.clone() });
            }
        }
    }
    all
}

/// The identity of all: what they have in common; what they have not is in the comparison.
fn campaign(of_a: &[Member<'_>], of_b: &[Member<'_>]) -> Campaign {
    let all = || of_a.iter().chain(of_b).map(|m| &m.dataset.campaign);
    let (a, b) = (&of_a[0].dataset.campaign, &of_b[0].dataset.campaign);
    let common =
        |(key, value): &(&String, &String)| all().all(|c| c.environment.0.get(*key) == Some(value));
    let facts = a.environment.0.iter().filter(common).map(|(k, v)| (k.clone(), v.clone()));
    let both = |a: &str, b: &str| if a == b { a.to_string() } else { format!("{a} and {b}") };
    let ids = |side: &[Member<'_>]| -> String {
        side.iter().map(|m| m.dataset.campaign.id.as_str()).collect::<Vec<_>>().join(",")
    };
    Campaign {
        id: both(&ids(of_a), &ids(of_b)),
        created: all().map(|c| c.created.clone()).max().unwrap_or_default(),
        title: format!("A: {} · B: {}", titled(a), titled(b)),
        origin: if all().all(|c| c.origin == a.origin) { a.origin } else { Origin::Import },
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

fn notes(a: &Campaign, b: &Campaign) -> Vec<Note> {
    let of_side = |note: &Note, side| Note::OfSide { side, note: Box::new(note.clone()) };
    let of_a = a.notes.iter().map(|note| match b.notes.contains(note) {
        true => note.clone(),
        false => of_side(note, Side::A),
    });
    let of_b = b.notes.iter().filter(|note| !a.notes.contains(note));
    of_a.chain(of_b.map(|note| of_side(note, Side::B))).collect()
}
