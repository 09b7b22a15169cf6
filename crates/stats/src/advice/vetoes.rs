//! Vetoes and preferences from facts. Performance never overrides a veto.

use super::{
    Question,
    objection::{Objection, Shortfall},
};
use crate::description::{
    Durability, StatsError, durability,
    sample::{
        after_faults::{AfterCrash, after_crash},
        full::full_loss,
        snapshots::snapshot_loss,
    },
};
use fs::Layer;
use model::{
    result::{Dataset, Readings, TargetRecord},
    target::{Fact, FactSheet, FactValue, Requirement},
    workload::DataKind,
};
use std::collections::BTreeSet;

const DURABLE: &str = "durable";
const COMPRESSION: &str = "compression";
/// Keeps what it acknowledged in every state after a crash that the campaign tried. Known from measurement alone.
const CRASH_SAFE: &str = "crash_safe";
/// Features of which no fact is needed.
const MEASURED: &[&str] = &[CRASH_SAFE];
/// What the support of a vendor begins with.
pub(super) const SUPPORTED: &str = "supported_on=";
/// Features, besides limits and support, that a stack has only when every layer has them.
const LIMITED: &[&str] = &[DURABLE, "in_kernel"];
/// Share of its bytes from which compressible data was not compressed.
const UNCOMPRESSED: f64 = 0.99;

/// What the facts say of one target.
#[derive(Default)]
pub(super) struct Judged {
    /// Why it is ruled out, each with scope, source and date.
    pub(super) vetoes: Vec<Objection>,
    /// Requirements that no fact speaks of.
    pub(super) unknown: Vec<String>,
    /// Requirements without evidence that they are met.
    pub(super) doubts: Vec<Objection>,
    /// Notes on requirements that are met.
    pub(super) caveats: Vec<Objection>,
    /// Worth of the preferred features that it has, logarithmic, capped at the band.
    pub(super) worth: f64,
    /// Those features.
    pub(super) preferred: Vec<String>,
    /// Systems on which a vendor supports it.
    pub(super) supported: usize,
}

/// What targets are judged by: required and preferred features, and the facts that tell of them.
pub(super) struct Rules<'a> {
    question: &'a Question<'a>,
    required: Vec<Requirement>,
    /// Most that preferred features may be worth, a share.
    band: f64,
}

impl<'a> Rules<'a> {
    /// The rules of `question`.
    ///
    /// # Errors
    /// No fact speaks of a required feature.
    pub(super) fn of(question: &'a Question<'a>, band: f64) -> Result<Rules<'a>, StatsError> {
        Ok(Rules { question, required: requirements(question)?, band })
    }

    /// Judges the target of `dataset` called `label`: every layer of it by its sheet and the options in force, and
    /// by what was measured.
    pub(super) fn judge(&self, dataset: &Dataset, label: &str) -> Judged {
        let mut judged = Judged::default();
        let Some(record) = dataset.targets.iter().find(|record| record.label == label) else {
            return judged;
        };
        let stack = Stack::new(record, self.question.facts, &self.required);
        for wanted in &self.required {
            if wanted.feature == CRASH_SAFE {
                require_crash_safe(&mut judged, dataset, label);
                continue;
            }
            match stack.answer(wanted) {
                Answer::Unknown => judged.unknown.push(wanted.to_string()),
                Answer::Has(facts) => {
                    judged.caveats.extend(facts.iter().filter_map(|f| caveat(f, wanted)))
                }
                Answer::Lacks(whys) => judged.vetoes.extend(whys),
            }
            match wanted.feature.as_str() {
                DURABLE => doubt_durable(&mut judged, durability(dataset, label)),
                COMPRESSION => judged.vetoes.extend(not_compressed(dataset, record)),
                _ => {}
            }
        }
        self.prefer(&mut judged, &stack);
        judged
    }

    fn prefer(&self, judged: &mut Judged, stack: &Stack<'_>) {
        for preference in &self.question.profile.prefers {
            let Ok(wanted) = preference.feature.parse::<Requirement>() else { continue };
            if matches!(stack.answer(&wanted), Answer::Has(_)) {
                judged.worth += preference.worth;
                judged.preferred.push(preference.feature.clone());
            }
        }
        judged.worth = judged.worth.min(self.band.ln_1p());
        let support = |fact: &&Fact| {
            fact.feature.starts_with(SUPPORTED) && fact.value == FactValue::Has(true)
        };
        let sheets = stack.layers.iter().filter_map(|(_, sheet)| *sheet);
        judged.supported = sheets.map(|sheet| sheet.facts.iter().filter(support).count()).sum();
    }
}

/// Everything that is required: by the profile, then by the user.
fn requirements(question: &Question<'_>) -> Result<Vec<Requirement>, StatsError> {
    let texts = question.profile.requires.iter().map(|r| r.feature.as_str());
    let own = texts.filter_map(|text| text.parse::<Requirement>().ok());
    let all: Vec<Requirement> = own.chain(question.requirements.iter().cloned()).collect();
    let known: BTreeSet<&str> = question
        .facts
        .iter()
        .flat_map(|sheet| sheet.facts.iter().map(|fact| fact.feature.as_str()))
        .chain(MEASURED.iter().copied())
        .collect();
    match all.iter().find(|wanted| !known.contains(wanted.feature.as_str())) {
        Some(wanted) => Err(StatsError::UnknownFeature {
            feature: wanted.feature.clone(),
            known: known.into_iter().collect::<Vec<_>>().join(", "),
        }),
        None => Ok(all),
    }
}

/// What a target lost when the power went, when its disk was full, or with snapshots, rules it out; without a power
/// failure it is unknown.
fn require_crash_safe(judged: &mut Judged, dataset: &Dataset, label: &str) {
    if full_loss(dataset, label).is_some() || snapshot_loss(dataset, label).is_some() {
        judged.vetoes.push(Objection::Durability(durability(dataset, label)));
        return;
    }
    match after_crash(dataset, label) {
        AfterCrash::Kept => {}
        AfterCrash::NotTried => judged.unknown.push(CRASH_SAFE.into()),
        AfterCrash::Lost(_) => {
            judged.vetoes.push(Objection::Durability(durability(dataset, label)));
        }
    }
}

fn doubt_durable(judged: &mut Judged, durability: Durability) {
    match durability {
        Durability::Keeps => {}
        Durability::NotProven(_) => judged.doubts.push(Objection::Durability(durability)),
        Durability::Loses(_) => judged.vetoes.push(Objection::Durability(durability)),
    }
}

/// Why it does not compress, where compressible data took as much space as it has bytes.
fn not_compressed(dataset: &Dataset, record: &TargetRecord) -> Option<Objection> {
    let reading = |name: &str| Readings::of(&record.facts, name).mean();
    let share = reading("taken_bytes")? / reading("logical_bytes").filter(|bytes| *bytes > 0.0)?;
    let data = &dataset.campaign.plan.data;
    (*data != DataKind::Random && share >= UNCOMPRESSED)
        .then_some(Objection::NotCompressed { share, data: data.clone() })
}

/// The layers of a target with what is known of each.
pub(super) struct Stack<'a> {
    layers: Vec<(Layer, Option<&'a FactSheet>)>,
    required: &'a [Requirement],
}

/// What a stack says to a requirement.
pub(super) enum Answer<'a> {
    /// No fact of any layer speaks of it.
    Unknown,
    /// It has it, by these facts.
    Has(Vec<&'a Fact>),
    /// It has not, for these reasons.
    Lacks(Vec<Objection>),
}

impl<'a> Stack<'a> {
    pub(super) fn new(
        record: &TargetRecord,
        facts: &'a [FactSheet],
        required: &'a [Requirement],
    ) -> Stack<'a> {
        let sheet = |layer: &Layer| facts.iter().find(|sheet| sheet.file_system == layer.name);
        let layers = fs::layers(record).into_iter().map(|layer| {
            let sheet = sheet(&layer);
            (layer, sheet)
        });
        Stack { layers: layers.collect(), required }
    }

    /// What one layer gives is enough for most; what any layer limits is limited.
    pub(super) fn answer(&self, wanted: &Requirement) -> Answer<'a> {
        let known: Vec<(&Layer, Vec<&'a Fact>)> = self
            .layers
            .iter()
            .filter_map(|(layer, sheet)| Some((layer, self.about((*sheet)?, wanted))))
            .filter(|(_, facts)| !facts.is_empty())
            .collect();
        let lacks = |(layer, facts): &(&Layer, Vec<&'a Fact>)| -> Vec<Objection> {
            facts.iter().filter_map(|fact| veto(fact, wanted, layer)).collect()
        };
        let each: Vec<Vec<Objection>> = known.iter().map(lacks).collect();
        let limited = wanted.at_least.is_some()
            || LIMITED.contains(&&*wanted.feature)
            || wanted.feature.starts_with(SUPPORTED);
        let is_met = match limited {
            true => each.iter().all(Vec::is_empty),
            false => each.iter().any(Vec::is_empty),
        };
        let met = known.into_iter().zip(&each).filter(|(_, whys)| whys.is_empty());
        match is_met {
            _ if each.is_empty() => Answer::Unknown,
            true => Answer::Has(met.flat_map(|((_, facts), _)| facts).collect()),
            false => Answer::Lacks(each.into_iter().flatten().collect()),
        }
    }

    fn about(&self, sheet: &'a FactSheet, wanted: &Requirement) -> Vec<&'a Fact> {
        sheet.about(wanted, self.required).collect()
    }
}

/// Why `fact` does not meet `wanted` with the options of `layer` that are in force; `None` where it does.
fn veto(fact: &Fact, wanted: &Requirement, layer: &Layer) -> Option<Objection> {
    let off = fact.unless.iter().find(|option| layer.has(option));
    let on = fact.with.is_empty() || fact.with.iter().any(|option| layer.has(option));
    let shortfall = match (off, on, fact.meets(wanted)) {
        (None, true, true) => return None,
        (_, _, false) => Shortfall::Value,
        (Some(off), ..) => Shortfall::With(off.clone()),
        (None, ..) => Shortfall::Without(fact.with.clone()),
    };
    Some(Objection::Unmet { wanted: wanted.clone(), fact: fact.clone(), shortfall })
}

/// The note on a requirement that is met.
fn caveat(fact: &Fact, wanted: &Requirement) -> Option<Objection> {
    fact.but.as_ref()?;
    Some(Objection::Limited { wanted: wanted.clone(), fact: fact.clone() })
}
