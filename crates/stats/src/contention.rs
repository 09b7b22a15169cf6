//! Was the machine busy with something else? A ratio of two runs of which one shared the
//! processors is a ratio of circumstances, and no interval over blocks shows it.

use crate::select::Series;
use model::Sample;

/// Metric that says how much processor time of the machine others used, percent.
const FOREIGN_CPU: &str = "foreign_cpu_pct";

/// Share of contended samples above which a pair is not judged.
const TOLERATED_SHARE: f64 = 0.2;

/// True when others used more than `limit_pct` of the processors during `sample`; a sample that
/// does not say is taken as undisturbed.
pub(crate) fn is_contended(sample: &Sample, limit_pct: f64) -> bool {
    sample.metric(FOREIGN_CPU).is_some_and(|used| used > limit_pct)
}

/// True when more than a fifth of the valid samples of these series together were contended.
pub(crate) fn too_contended<'a>(series: impl IntoIterator<Item = &'a Series>) -> bool {
    let (contended, samples) = series
        .into_iter()
        .fold((0, 0), |(contended, samples), s| (contended + s.contended, samples + s.samples));
    contended as f64 > TOLERATED_SHARE * samples as f64
}
