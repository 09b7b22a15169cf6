//! An advice with its words.

use model::result::Dataset;
use report::words;
use stats::{
    advice::{Advice, Advised, Question},
    description::{Settings, StatsError},
    evaluation::advise,
};
use std::ops::Deref;

/// An advice, with what is said of it.
#[derive(Debug)]
pub(crate) struct Worded {
    advice: Advice,
    pub(crate) sentence: String,
    pub(crate) notes: Vec<String>,
    /// One for each group.
    pub(crate) leads: Vec<String>,
}

impl Deref for Worded {
    type Target = Advice;

    fn deref(&self) -> &Advice {
        &self.advice
    }
}

/// The answer to `question` on `data`.
pub(crate) fn worded(data: &Dataset, question: &Question<'_>) -> Result<Worded, StatsError> {
    let findings = advise(data, question, &Settings::default())?;
    let advice = findings.advice.clone().unwrap();
    let lead = |lead| words::group_lead(lead, findings.band);
    Ok(Worded {
        sentence: words::advice(&findings),
        notes: words::advice_notes(&advice, findings.band),
        leads: advice.group_leads.iter().map(lead).collect(),
        advice,
    })
}

/// What speaks against one target.
pub(crate) fn reasons(advised: &Advised) -> Vec<String> {
    advised.objections.iter().map(words::objection).collect()
}
