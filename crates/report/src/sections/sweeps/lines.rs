//! An option's values as lines: the ratio over the default at each of them, in the order in which they were requested.
//! In a grid the first option that has several values is the horizontal axis, and each combination of the others is a
//! line.

use crate::block::{LinePanel, Lines, Span};
use model::{
    result::Dataset,
    target::{Options, Sweep, SweepMode, Target},
};
use stats::tuning::{SweepEffects, VariantEffect};

/// A drawing for each option of which several values were measured.
pub(super) fn of(sweep: &SweepEffects, dataset: &Dataset) -> Vec<Lines> {
    let is_it = |planned: &&Sweep| planned.on.to_string() == sweep.sweep;
    let Some(planned) = dataset.campaign.plan.sweeps.iter().find(is_it) else { return Vec::new() };
    let several = planned.on.options.iter().filter(|(_, values)| values.len() > 1);
    let most = if planned.mode == SweepMode::Grid { 1 } else { usize::MAX };
    let measured: Vec<_> = sweep
        .variants
        .iter()
        .filter_map(|variant| Some((options(variant, dataset)?, variant)))
        .collect();
    several.take(most).filter_map(|(key, values)| lines(sweep, (key, values), &measured)).collect()
}

/// The options of a variant.
fn options(variant: &VariantEffect, dataset: &Dataset) -> Option<Options> {
    let record = dataset.targets.iter().find(|target| target.label == variant.target)?;
    match record.target.parse().ok()? {
        Target::Made { options, .. } => Some(options),
        Target::Dir(_) => None,
    }
}

/// `None` where fewer than two values were measured.
fn lines(
    sweep: &SweepEffects,
    (key, values): (&str, &[String]),
    measured: &[(Options, &VariantEffect)],
) -> Option<Lines> {
    let mut names: Vec<String> = Vec::new();
    let mut spans: Vec<Vec<Option<Span>>> = Vec::new();
    for (options, variant) in measured {
        let place = options.get(key).and_then(|value| values.iter().position(|v| v == value));
        let Some(place) = place else { continue };
        let name = others(options, key);
        let line = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            spans.push(vec![None; values.len()]);
            names.len() - 1
        });
        let ratio = &variant.ratio;
        spans[line][place] = Some(Span { point: ratio.point, ends: ratio.low.zip(ratio.high) });
    }
    let is_line = spans.iter().any(|line| line.iter().flatten().count() > 1);
    is_line.then(|| Lines {
        caption: format!("{}: ratio over {} by {key}, 95 % intervals", sweep.sweep, sweep.default),
        across: key.into(),
        places: values.to_vec(),
        names,
        ideal: Vec::new(),
        panels: vec![LinePanel { lines: spans, ..LinePanel::default() }],
    })
}

/// The options besides `key`, as they are written.
fn others(options: &Options, key: &str) -> String {
    let said = |(key, value): (&String, &String)| match value.is_empty() {
        true => key.clone(),
        false => format!("{key}={value}"),
    };
    let all: Vec<String> = options.iter().filter(|(other, _)| *other != key).map(said).collect();
    if all.is_empty() { "the others at their defaults".into() } else { all.join(",") }
}
