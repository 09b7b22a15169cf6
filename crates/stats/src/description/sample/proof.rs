//! Finds the targets whose samples do not prove that synced data reached the medium.
//! [`durability`](crate::description::durability) ranks a target separately if most of its samples are in doubt.

use model::{
    figure::{Durability, Unproven},
    result::{Dataset, Sample},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// A target with samples of which durability is not proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doubt {
    /// Its label.
    pub target: String,
    /// Valid samples that synced what they had written, and of which durability was judged.
    pub samples: usize,
    /// Those of them of which it is not proven.
    pub unproven: usize,
    /// The most frequent reason.
    pub why: String,
}

impl Doubt {
    /// Whether it is about more than half of the samples, so that the target as a whole is in doubt.
    pub fn is_general(&self) -> bool {
        2 * self.unproven > self.samples
    }

    /// In words, after which nothing follows: `tmpfs (it lies in memory)`.
    pub fn text(&self) -> String {
        let Doubt { target, samples, unproven, why } = self;
        match unproven == samples {
            true => format!("{target} ({why})"),
            false => format!("{target} in {unproven} of {samples} samples ({why})"),
        }
    }
}

/// What is in doubt of the target of `dataset` called `label`; `None` where nothing is.
pub fn doubt(dataset: &Dataset, label: &str) -> Option<Doubt> {
    let own =
        dataset.samples.iter().filter(|s| s.case.target == label && s.evidence.validity.is_valid());
    let mut reasons = BTreeMap::<String, usize>::new();
    let (mut samples, mut unproven) = (0, 0);
    for proof in own.filter_map(|sample| sample.evidence.durability.as_ref()) {
        samples += 1;
        if let Durability::NotProven(why) = proof {
            unproven += 1;
            *reasons.entry(in_general(why)).or_default() += 1;
        }
    }
    let (why, _) = reasons.into_iter().max_by_key(|(_, count)| *count)?;
    Some(Doubt { target: label.into(), samples, unproven, why })
}

/// What is in doubt of each of `targets`.
pub(crate) fn doubts(dataset: &Dataset, targets: &[String]) -> Vec<Doubt> {
    targets.iter().filter_map(|label| doubt(dataset, label)).collect()
}

/// Whether it is not proven that what `sample` synced is durable.
pub(crate) fn is_unproven(sample: &Sample) -> bool {
    matches!(sample.evidence.durability, Some(Durability::NotProven(_)))
}

/// The reason without the numbers of a sample.
fn in_general(why: &Unproven) -> String {
    match why {
        Unproven::NotWritten { .. } => {
            "the device had not written it when the sync returned".into()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(samples: usize, unproven: usize) -> Doubt {
        Doubt { target: "x".into(), samples, unproven, why: "why".into() }
    }

    #[test]
    fn more_than_half_of_the_samples_make_a_doubt_general() {
        assert!(doubt(3, 2).is_general() && !doubt(4, 2).is_general());
        assert_eq!(doubt(2, 2).text(), "x (why)");
        assert_eq!(doubt(3, 2).text(), "x in 2 of 3 samples (why)");
    }
}
