//! Campaigns that differ in how far their file systems were aged, as a ladder: the score of each candidate over the
//! baseline, age by age. Each step is a campaign judged separately, so that nothing is pooled.

use crate::{
    block::{Block, LinePanel, Lines, Span},
    flat, names,
};
use model::result::Dataset;
use stats::{evaluation::Findings, verdict::Candidate};

/// The ladder; `None` unless the campaigns are of at least two ages, one for each, over the same baseline.
pub(super) fn ladder(campaigns: &[(Dataset, Findings)]) -> Option<Block> {
    let (_, first) = campaigns.first()?;
    lines(campaigns).map(|lines| flat::drawn(lines, first.band))
}

fn lines(campaigns: &[(Dataset, Findings)]) -> Option<Lines> {
    let mut steps: Vec<(u32, &Findings)> = campaigns
        .iter()
        .map(|(dataset, findings)| (dataset.campaign.plan.age.unwrap_or(0), findings))
        .collect();
    steps.sort_by_key(|(age, _)| *age);
    let (_, first) = steps.first()?;
    let baseline = names::baseline(first);
    let differs = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let alike = steps.iter().all(|(_, findings)| names::baseline(findings) == baseline);
    if steps.len() < 2 || !differs || !alike {
        return None;
    }
    let others = |findings: &Findings| -> Vec<String> {
        let all = findings.verdict.candidates.iter().map(|candidate| candidate.target.clone());
        all.filter(|target| *target != baseline).collect()
    };
    let mut names: Vec<String> = steps.iter().flat_map(|(_, findings)| others(findings)).collect();
    names.sort();
    names.dedup();
    let line = |name: &String| steps.iter().map(|(_, findings)| score(findings, name)).collect();
    let lines: Vec<Vec<Option<Span>>> = names.iter().map(line).collect();
    lines.iter().any(|line| line.iter().flatten().count() > 1).then(|| Lines {
        caption: format!(
            "Score over {baseline} by age, 95 % intervals; each age is a separate campaign"
        ),
        across: "cycles of ageing".into(),
        places: steps.iter().map(|(age, _)| step(*age)).collect(),
        names,
        ideal: Vec::new(),
        panels: vec![LinePanel { lines, ..LinePanel::default() }],
    })
}

fn step(age: u32) -> String {
    if age == 0 { "fresh".into() } else { age.to_string() }
}

fn score(findings: &Findings, name: &str) -> Option<Span> {
    let is_it = |candidate: &&Candidate| candidate.target == name;
    let ratio = &findings.verdict.candidates.iter().find(is_it)?.ratio;
    Some(Span { point: ratio.point, ends: ratio.low.zip(ratio.high) })
}
