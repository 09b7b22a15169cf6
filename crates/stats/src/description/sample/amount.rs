//! Computes work and time of one sample per row; without them a reader cannot tell a figure of 48 MB in 0.2 s from one
//! of two pages in a millisecond.

use crate::kernel::point::median;
use model::result::{Dataset, Sample, known};
use serde::Serialize;
use std::collections::HashMap;

/// What a usual sample of a row did: medians over its valid samples, of all targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amount {
    /// Logical bytes of the timed part, all workers; 0 for work that moves none.
    pub bytes: f64,
    /// Operations of the timed part, all workers.
    pub ops: f64,
    /// Length of the timed part, seconds, above 0.
    pub seconds: f64,
}

/// What the device moved for each logical byte, over all valid samples of one target; `None` where there are no bytes,
/// or a sample does not know its device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Moved {
    /// Bytes read from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_per_byte: Option<f64>,
    /// Bytes written to it, with those that were left to the time right after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_per_byte: Option<f64>,
}

impl Moved {
    /// Of `samples`, of which those without bytes do not count.
    pub(crate) fn of<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> Moved {
        Moved {
            read_per_byte: read_per_byte(samples.clone()),
            written_per_byte: written_per_byte(samples),
        }
    }
}

/// As [`Moved::read_per_byte`].
pub(crate) fn read_per_byte<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    per_byte(samples, |s| Some(s.covariates.device_read_bytes? as f64))
}

/// As [`Moved::written_per_byte`].
pub(crate) fn written_per_byte<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    per_byte(samples, |s| {
        let later = s.get(known::SETTLE_WRITE_BYTES).unwrap_or(0);
        Some(s.covariates.device_write_bytes? as f64 + later as f64)
    })
}

fn per_byte<'a>(
    samples: impl Iterator<Item = &'a Sample>,
    device: impl Fn(&Sample) -> Option<f64>,
) -> Option<f64> {
    let (mut moved, mut bytes) = (0.0, 0);
    for sample in samples.filter(|s| s.figures.bytes > 0) {
        moved += device(sample)?;
        bytes += sample.figures.bytes;
    }
    (bytes > 0).then(|| moved / bytes as f64)
}

/// The amount of each test (its index in `dataset`) at each process count. A cell of which no sample says
/// how long it took, as in tables of others, has none.
pub(crate) fn amounts(dataset: &Dataset, targets: &[String]) -> HashMap<(usize, u32), Amount> {
    let tests: HashMap<&str, usize> =
        dataset.tests.iter().enumerate().map(|(i, test)| (test.id.as_str(), i)).collect();
    let mut cells: HashMap<(usize, u32), Vec<&Sample>> = HashMap::new();
    let timed = |s: &&Sample| s.evidence.validity.is_valid() && s.figures.seconds > 0.0;
    for sample in dataset.samples.iter().filter(timed) {
        let test = tests.get(sample.case.test.as_str());
        if let Some(&test) = test.filter(|_| targets.contains(&sample.case.target)) {
            cells.entry((test, sample.case.procs)).or_default().push(sample);
        }
    }
    cells.into_iter().filter_map(|(cell, samples)| Some((cell, of(&samples)?))).collect()
}

fn of(samples: &[&Sample]) -> Option<Amount> {
    let middle = |value: fn(&Sample) -> f64| median(samples.iter().map(|s| value(s)).collect());
    Some(Amount {
        bytes: middle(|s| s.figures.bytes as f64)?,
        ops: middle(|s| s.figures.ops as f64)?,
        seconds: middle(|s| s.figures.seconds)?,
    })
}
