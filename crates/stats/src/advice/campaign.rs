//! The advice on a campaign of one or more classes.

use super::{
    answer, counsel::Advice, elsewhere, field::Field, mix::Mix, question::Question, vetoes::Rules,
};
use crate::description::{StatsError, cell::data::CellData, class::classes::Class};

/// The answer of `class`, the decisive one of `classes`, whose columns are `targets` of `cells`. The targets of the
/// others are listed as ruled out or not comparable.
///
/// # Errors
/// No fact speaks of a required feature.
pub(crate) fn advice(
    classes: &[Class<'_>],
    class: &Class<'_>,
    (targets, cells): (&[String], &[CellData]),
    question: &Question<'_>,
) -> Result<Advice, StatsError> {
    let (dataset, settings) = (class.dataset.as_ref(), &class.settings);
    let rules = Rules::of(question, settings.band)?;
    let mix = Mix::of(dataset, question.profile, targets, cells);
    let work = match &mix {
        Some(mix) => (&mix.profile, Some(&mix.cell)),
        None => (question.profile, None),
    };
    let field = Field::new(dataset, work, &rules, (targets, cells), settings);
    let mut advice = answer::answer(&field, question.block_s);
    elsewhere::list(&mut advice, classes, class, &rules);
    Ok(advice)
}
