//! Computes the findings of a dataset with the advice on a question, and without tables.

use crate::{
    advice::{Question, advice, decisive},
    description::{Settings, StatsError, class::classes::classes, sample::contention},
    evaluation::{
        Findings,
        judged::{Judged, judged},
    },
};
use model::result::Dataset;

/// Judges the campaign by the question. The findings carry the advice and no tables: those are what
/// [`findings`](crate::evaluation::findings) gives. It decides among the targets of one lab: the host where that
/// has two or more, else the lab with most; in it among those that keep what was synced, where there are
/// such. The others are listed as ruled out or not comparable.
pub fn advise(
    dataset: &Dataset,
    question: &Question<'_>,
    settings: &Settings,
) -> Result<Findings, StatsError> {
    let (mut findings, cells) = advised(dataset, question, settings)?;
    let touched: Vec<String> = findings
        .targets
        .iter()
        .enumerate()
        .filter(|(at, _)| cells.iter().any(|cell| cell.series[*at].contended > 0))
        .map(|(_, label)| label.clone())
        .collect();
    if let (false, Some(advice)) = (touched.is_empty(), &mut findings.advice) {
        let calm = contention::without(dataset, settings.contention_limit_pct);
        if let Some(calm) = advised(&calm, question, settings)?.0.advice {
            advice.refuse_unless(&calm, touched);
        }
    }
    Ok(findings)
}

/// The same by all samples, with the cells that it rests on.
fn advised(
    dataset: &Dataset,
    question: &Question<'_>,
    settings: &Settings,
) -> Result<Judged, StatsError> {
    let classes = classes(dataset, settings)?;
    let class = decisive(&classes)
        .ok_or_else(|| StatsError::NoTargets { campaign: dataset.campaign.id.clone() })?;
    let (mut findings, cells) = judged(class)?;
    let columns = (findings.targets.as_slice(), cells.as_slice());
    findings.advice = Some(advice(&classes, class, columns, question)?);
    findings.tables.clear();
    findings.latencies.clear();
    Ok((findings, cells))
}
