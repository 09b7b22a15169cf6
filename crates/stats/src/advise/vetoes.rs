//! What facts forbid, and what they favour. Performance never buys back a veto.

use super::Question;
use crate::StatsError;
use model::{Fact, FactSheet, FactValue, Requirement, Target, TargetRecord};
use std::collections::BTreeSet;

/// What the facts say of one target.
#[derive(Default)]
pub(super) struct Judged {
    /// Why it is ruled out, each with scope, source and date.
    pub(super) vetoes: Vec<String>,
    /// Requirements that no fact speaks of.
    pub(super) unknown: Vec<String>,
    /// Worth of the preferred features that it has, logarithmic, capped at the band.
    pub(super) worth: f64,
    /// Those features.
    pub(super) preferred: Vec<String>,
    /// Systems on which a vendor supports it.
    pub(super) supported: usize,
}

/// Everything that is required: by the profile, then by the user.
pub(super) fn requirements(question: &Question<'_>) -> Result<Vec<Requirement>, StatsError> {
    let texts = question.profile.requires.iter().map(|r| r.feature.as_str());
    let own = texts.filter_map(|text| text.parse::<Requirement>().ok());
    let all: Vec<Requirement> = own.chain(question.requirements.iter().cloned()).collect();
    let known: BTreeSet<&str> = question
        .facts
        .iter()
        .flat_map(|sheet| sheet.facts.iter().map(|fact| fact.feature.as_str()))
        .collect();
    match all.iter().find(|wanted| !known.contains(wanted.feature.as_str())) {
        Some(wanted) => Err(StatsError::UnknownFeature {
            feature: wanted.feature.clone(),
            known: known.into_iter().collect::<Vec<_>>().join(", "),
        }),
        None => Ok(all),
    }
}

/// Judges `record` by the sheet of its file system.
pub(super) fn judge(
    record: &TargetRecord,
    question: &Question<'_>,
    required: &[Requirement],
    band: f64,
) -> Judged {
    let sheet = sheet(record, question.facts);
    let mut judged = Judged::default();
    for wanted in required {
        let facts: Vec<&Fact> =
            sheet.iter().flat_map(|sheet| sheet.about(wanted, required)).collect();
        if facts.is_empty() {
            judged.unknown.push(wanted.to_string());
        }
        let failed = facts.into_iter().filter(|fact| !fact.meets(wanted));
        judged.vetoes.extend(failed.map(|fact| veto(fact, wanted)));
    }
    if let Some(sheet) = sheet {
        prefer(&mut judged, sheet, question, required, band);
    }
    judged
}

fn prefer(
    judged: &mut Judged,
    sheet: &FactSheet,
    question: &Question<'_>,
    required: &[Requirement],
    band: f64,
) {
    for preference in &question.profile.prefers {
        let Ok(wanted) = preference.feature.parse::<Requirement>() else { continue };
        let facts: Vec<&Fact> = sheet.about(&wanted, required).collect();
        if !facts.is_empty() && facts.iter().all(|fact| fact.meets(&wanted)) {
            judged.worth += preference.worth;
            judged.preferred.push(preference.feature.clone());
        }
    }
    judged.worth = judged.worth.min(band.ln_1p());
    let support = |fact: &&Fact| {
        fact.feature.starts_with("supported_on=") && fact.value == FactValue::Has(true)
    };
    judged.supported = sheet.facts.iter().filter(support).count();
}

fn veto(fact: &Fact, wanted: &Requirement) -> String {
    format!(
        "{wanted} is required; {}: {} ({}; {}; as of {})",
        fact.feature, fact.value, fact.scope, fact.source, fact.as_of
    )
}

/// The sheet of the file system that a target is, or of the one that lies innermost.
fn sheet<'a>(record: &TargetRecord, facts: &'a [FactSheet]) -> Option<&'a FactSheet> {
    let mut target = record.target.parse::<Target>().ok()?;
    loop {
        let Target::Made { name, inner, .. } = target else { return None };
        match (facts.iter().find(|sheet| sheet.file_system == name), inner) {
            (Some(sheet), _) => return Some(sheet),
            (None, Some(inner)) => target = *inner,
            (None, None) => return None,
        }
    }
}
