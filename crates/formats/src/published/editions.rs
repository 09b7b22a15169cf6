//! Studies published in two editions, each with another version of the tool: how far the two differ.

use model::{
    figure::Metric,
    result::{Dataset, Note, OtherEdition},
};
use std::collections::BTreeMap;

/// How far from 1 a ratio is that is on a side.
const BAND: f64 = 1.05;

/// Whether a part of an id is the version of a tool.
fn is_version(part: &str) -> bool {
    part.contains('.') && part.split('.').all(|number| number.parse::<u32>().is_ok())
}

/// The id without the version of a tool of which there are several editions.
fn study(id: &str) -> String {
    let parts = id.split('-').filter(|part| !is_version(part));
    parts.collect::<Vec<_>>().join("-")
}

/// Tells each edition of a study what the other one found.
pub(super) fn tell(all: &mut [Dataset]) {
    for at in 0..all.len() {
        let own = study(&all[at].campaign.id);
        let twin = (0..all.len()).find(|&i| i != at && study(&all[i].campaign.id) == own);
        let note = twin.and_then(|twin| spread(&all[at], &all[twin]));
        all[at].campaign.notes.extend(note);
    }
}

/// Notes how far apart the ratios are that both editions have; `None` where there is none.
fn spread(own: &Dataset, other: &Dataset) -> Option<Note> {
    let theirs = ratios(other);
    let pairs = ratios(own).into_iter().filter_map(|(key, own)| Some((own, *theirs.get(&key)?)));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let mut apart: Vec<f64> = pairs.iter().map(|(a, b)| (a / b).ln().abs()).collect();
    apart.sort_by(f64::total_cmp);
    let is_reversed = |(a, b): &&(f64, f64)| is_apart(*a, *b) || is_apart(*b, *a);
    Some(Note::OtherEdition(OtherEdition {
        title: other.campaign.title.clone(),
        id: other.campaign.id.clone(),
        ratios: pairs.len(),
        baseline: own.targets.first()?.label.clone(),
        reversed: pairs.iter().filter(is_reversed).count(),
        median_factor: rounded(apart.get(apart.len() / 2)?.exp(), 100.0),
        most_factor: rounded(apart.last()?.exp(), 10.0),
    }))
}

/// As exact as a reader needs, and the same in every file.
fn rounded(factor: f64, parts: f64) -> f64 {
    (factor * parts).round() / parts
}

fn is_apart(one: f64, other: f64) -> bool {
    one > BAND && other < 1.0 / BAND
}

/// The ratio of the first target over each other in each cell, where neither is a bound.
fn ratios(data: &Dataset) -> BTreeMap<(&str, u32, &str), f64> {
    let value = |sample: &model::result::Sample| {
        let is_bound = sample.metric(Metric::AT_LEAST).is_some();
        sample.figures.metrics.first().filter(|_| !is_bound).map(|metric| metric.value)
    };
    let base = data.targets.first().map(|target| target.label.as_str());
    let of_base = data.samples.iter().filter(|sample| base == Some(&sample.case.target));
    let bases: BTreeMap<(&str, u32), f64> =
        of_base.filter_map(|s| Some(((s.case.test.as_str(), s.case.procs), value(s)?))).collect();
    let others = data.samples.iter().filter(|sample| base != Some(&sample.case.target));
    let ratio = |s: &model::result::Sample| {
        Some(bases.get(&(s.case.test.as_str(), s.case.procs))? / value(s)?)
    };
    others
        .filter_map(|s| {
            Some(((s.case.test.as_str(), s.case.procs, s.case.target.as_str()), ratio(s)?))
        })
        .collect()
}
