//! The shape of an advice in JSON: its data, with the sentences that `words` formats from it.

use crate::{Commands, words};
use model::workload::Tier;
use serde::Serialize;
use stats::{
    advice::{Advised, Choice, Counsel, Eligibility, GroupCover, GroupLead, Sensitivity, Support},
    description::Lead,
    evaluation::Findings,
    kernel::Ratio,
    verdict::CellLoss,
};

/// [`Advice`](stats::advice::Advice).
#[derive(Serialize)]
pub(in crate::render::json) struct AdviceView<'a> {
    profile: &'a str,
    intent: &'a str,
    device_class: &'a str,
    tier: Option<Tier>,
    counsel: Counsel,
    sentence: String,
    notes: Vec<String>,
    covered: f64,
    groups: &'a [GroupCover],
    group_leads: Vec<GroupLeadView<'a>>,
    candidates: Vec<AdvisedView<'a>>,
    scored_over: &'a str,
    lead: Option<Ratio>,
    leaders: &'a [String],
    by_features: Option<ChoiceView<'a>>,
    largest_loss: Option<&'a CellLoss>,
    blocks: usize,
    cells: usize,
    of_cells: usize,
    support: &'a [Support],
    sensitivity: Option<&'a Sensitivity>,
}

impl AdviceView<'_> {
    pub(in crate::render::json) fn of<'a>(
        findings: &'a Findings,
        commands: &Commands,
    ) -> Option<AdviceView<'a>> {
        let advice = findings.advice.as_ref()?;
        let lead = |lead| GroupLeadView::of(lead, findings.band);
        Some(AdviceView {
            profile: &advice.profile,
            intent: &advice.intent,
            device_class: &advice.device_class,
            tier: advice.tier,
            counsel: advice.counsel,
            sentence: commands.completed(&words::advice(findings)).into_owned(),
            notes: words::advice_notes(advice, findings.band),
            covered: advice.covered,
            groups: &advice.groups,
            group_leads: advice.group_leads.iter().map(lead).collect(),
            candidates: advice.candidates.iter().map(AdvisedView::of).collect(),
            scored_over: &advice.scored_over,
            lead: advice.lead,
            leaders: &advice.leaders,
            by_features: advice.by_features.as_ref().map(ChoiceView::of),
            largest_loss: advice.largest_loss.as_ref(),
            blocks: advice.blocks,
            cells: advice.cells,
            of_cells: advice.of_cells,
            support: &advice.support,
            sensitivity: advice.sensitivity.as_ref(),
        })
    }
}

#[derive(Serialize)]
struct GroupLeadView<'a> {
    group: &'a str,
    lead: &'a Lead,
    sentence: String,
}

impl GroupLeadView<'_> {
    fn of(lead: &GroupLead, band: f64) -> GroupLeadView<'_> {
        let sentence = words::group_lead(lead, band);
        GroupLeadView { group: &lead.group, lead: &lead.lead, sentence }
    }
}

#[derive(Serialize)]
struct AdvisedView<'a> {
    target: &'a str,
    standing: Eligibility,
    reasons: Vec<String>,
    ratio: Option<Ratio>,
    p_best: Option<f64>,
    ranks: Option<(usize, usize)>,
    expected_regret: Option<f64>,
    regret_95: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mix_s: Option<f64>,
    preferred: &'a [String],
}

impl AdvisedView<'_> {
    fn of(advised: &Advised) -> AdvisedView<'_> {
        AdvisedView {
            target: &advised.target,
            standing: advised.standing,
            reasons: advised.objections.iter().map(words::objection).collect(),
            ratio: advised.ratio,
            p_best: advised.p_best,
            ranks: advised.ranks,
            expected_regret: advised.expected_regret,
            regret_95: advised.regret_95,
            mix_s: advised.mix_s,
            preferred: &advised.preferred,
        }
    }
}

#[derive(Serialize)]
struct ChoiceView<'a> {
    target: &'a str,
    why: String,
}

impl ChoiceView<'_> {
    fn of(choice: &Choice) -> ChoiceView<'_> {
        ChoiceView { target: &choice.target, why: words::merit(&choice.merit) }
    }
}
