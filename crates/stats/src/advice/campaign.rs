//! The advice on a campaign of one or more classes.

use super::{answer, counsel::Advice, elsewhere, question::Question};
use crate::description::{StatsError, cell::data::CellData, class::classes::Class};

/// The answer of `class`, the decisive one of `classes`, whose columns are `targets` of `cells`. The targets of the
/// others are listed as ruled out or not comparable.
pub(crate) fn advice(
    classes: &[Class<'_>],
    class: &Class<'_>,
    (targets, cells): (&[String], &[CellData]),
    question: &Question<'_>,
) -> Result<Advice, StatsError> {
    let (dataset, settings) = (class.dataset.as_ref(), &class.settings);
    let mut advice = answer::answer(dataset, question, targets, cells, settings)?;
    elsewhere::list(&mut advice, classes, class, question, settings)?;
    Ok(advice)
}
