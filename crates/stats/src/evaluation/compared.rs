//! Compares two sides of campaigns: one dataset of both, and its findings.

use crate::{
    comparison::{self, CampaignComparison, Columns},
    description::{CampaignFacts, Counts, Settings, StatsError, class::classes::classes},
    evaluation::{
        Change, Findings, Since,
        judged::{Judged, judged, together},
    },
    verdict::{Compared, Reason, Verdict, VerdictKind},
};
use model::result::Dataset;

/// The cells that the campaigns of `a` and `b` have in common as one dataset, with targets called `A:xfs` and
/// `B:xfs`, and its findings. Tests are the same when id, metric, unit and direction are, else when name,
/// type, metric, unit and direction are. With several campaigns on a side each is one block of the dataset. A
/// baseline may be named with or without the letter.
///
/// # Errors
/// A campaign is named twice, has no cell in common with the first of `a` or did other work, a side is empty, or
/// the settings make no sense.
pub fn compare(
    a: &[Dataset],
    b: &[Dataset],
    settings: &Settings,
) -> Result<(Dataset, Findings), StatsError> {
    let joined = comparison::joined(a, b)?;
    let baseline = comparison::baseline(&joined.dataset, settings);
    let settings = Settings { baseline, ..settings.clone() };
    let classes = classes(&joined.dataset, &settings)?;
    let classes: Vec<Judged> = classes.iter().map(judged).collect::<Result<_, _>>()?;
    let columns: Vec<Columns<'_>> = classes.iter().map(columns).collect();
    let comparison = comparison::comparison((a, b), &joined, &columns, &settings);
    let findings = joint(classes, comparison);
    let findings =
        findings.ok_or_else(|| StatsError::NoTargets { campaign: a[0].campaign.id.clone() });
    Ok((joined.dataset, findings?))
}

/// What changed from `before` to `now`, which are campaigns of one name; `None` where they have none.
pub fn since(before: &Dataset, now: &Dataset, settings: &Settings) -> Option<Since> {
    let name = now.campaign.plan.name.clone()?;
    let settings = Settings { baseline: None, ..settings.clone() };
    let [a, b] = [before, now].map(std::slice::from_ref);
    let change = match compare(a, b, &settings) {
        Ok((_, findings)) => Change::Compared(Box::new(findings.comparison?)),
        Err(StatsError::Unlike { what, .. }) => Change::OtherWork(what),
        Err(error) => Change::Incomparable(error.to_string()),
    };
    let CampaignFacts { id, created, .. } = CampaignFacts::of(before, &[], &[]);
    Some(Since { name, id, created, change })
}

fn columns((findings, cells): &Judged) -> Columns<'_> {
    let Findings { lab, durability, targets, .. } = findings;
    Columns { lab: *lab, durability, targets, cells }
}

/// The findings of all classes. The first tells of the comparison, the others of its sides alone.
fn joint(classes: Vec<Judged>, comparison: CampaignComparison) -> Option<Findings> {
    let sides = comparison.sides_alone();
    let cells = classes.iter().map(|(_, cells)| cells.len()).sum();
    let verdict = no_verdict(&comparison, cells);
    let own = |(findings, _): Judged| Findings {
        verdict: verdict.clone(),
        next: None,
        leaders: None,
        comparison: Some(sides.clone()),
        ..findings
    };
    let findings = together(classes.into_iter().map(own).collect())?;
    Some(Findings { comparison: Some(comparison), ..findings })
}

fn compared(CampaignComparison { pairs, incomparable, .. }: &CampaignComparison) -> Compared {
    let mut counts = Counts::default();
    pairs.iter().for_each(|pair| counts.merge(&pair.counts));
    Compared {
        counts: (!pairs.is_empty()).then_some(counts),
        replicated: pairs.iter().any(|pair| pair.ratio.is_some_and(|ratio| ratio.low.is_some())),
        incomparable: incomparable.clone(),
    }
}

/// A comparison recommends nothing: it says what is different.
fn no_verdict(comparison: &CampaignComparison, cells: usize) -> Verdict {
    Verdict {
        kind: VerdictKind::Insufficient,
        reason: Reason::Compared(compared(comparison)),
        obstacle: None,
        notes: Vec::new(),
        candidates: Vec::new(),
        scored_over: String::new(),
        lead: None,
        largest_loss: None,
        blocks: 0,
        cells,
        of_cells: cells,
    }
}
