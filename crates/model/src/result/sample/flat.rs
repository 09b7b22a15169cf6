//! The form of a sample in files: one list of fields, and every number with a name among its metrics.

use super::{Covariates, Evidence, Figures, Limiter, Numbers, Sample, Validity};
use crate::{
    figure::{Durability, Histogram, Metric, Series},
    plan::LabKind,
    result::AfterFault,
    workload::Case,
};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;

/// A sample as files hold it; [`Sample`] explains the fields.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Sample")]
pub(super) struct FlatSample<'a> {
    block: u32,
    position: u32,
    case: Cow<'a, Case>,
    #[serde(default)]
    lab: LabKind,
    metrics: Cow<'a, [Metric]>,
    bytes: u64,
    ops: u64,
    seconds: f64,
    skew_ms: f64,
    overlap: f64,
    device_read_bytes: Option<u64>,
    device_write_bytes: Option<u64>,
    cpu_user_s: f64,
    cpu_sys_s: f64,
    limiter: Limiter,
    validity: Cow<'a, Validity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    durability: Option<Cow<'a, Durability>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    histograms: Cow<'a, [Histogram]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    series: Option<Cow<'a, Series>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after_fault: Option<Cow<'a, AfterFault>>,
}

fn is_empty<T: Clone>(list: &[T]) -> bool {
    list.is_empty()
}

impl<'a> From<&'a Sample> for FlatSample<'a> {
    fn from(sample: &'a Sample) -> FlatSample<'a> {
        let Sample { block, position, case, lab, figures, covariates, evidence, numbers: _ } =
            sample;
        FlatSample {
            block: *block,
            position: *position,
            case: Cow::Borrowed(case),
            lab: *lab,
            metrics: sample.all_metrics(),
            bytes: figures.bytes,
            ops: figures.ops,
            seconds: figures.seconds,
            skew_ms: covariates.skew_ms,
            overlap: covariates.overlap,
            device_read_bytes: covariates.device_read_bytes,
            device_write_bytes: covariates.device_write_bytes,
            cpu_user_s: covariates.cpu_user_s,
            cpu_sys_s: covariates.cpu_sys_s,
            limiter: evidence.limiter,
            validity: Cow::Borrowed(&evidence.validity),
            durability: evidence.durability.as_ref().map(Cow::Borrowed),
            histograms: Cow::Borrowed(&**figures.histograms),
            series: figures.series.as_deref().map(Cow::Borrowed),
            after_fault: evidence.after_fault.as_deref().map(Cow::Borrowed),
        }
    }
}

impl From<FlatSample<'_>> for Sample {
    fn from(flat: FlatSample<'_>) -> Sample {
        let figures = Figures {
            metrics: Vec::new(),
            bytes: flat.bytes,
            ops: flat.ops,
            seconds: flat.seconds,
            histograms: flat.histograms.into_owned().into(),
            series: flat.series.map(|own| Box::new(own.into_owned())),
        };
        let covariates = Covariates {
            skew_ms: flat.skew_ms,
            overlap: flat.overlap,
            device_read_bytes: flat.device_read_bytes,
            device_write_bytes: flat.device_write_bytes,
            cpu_user_s: flat.cpu_user_s,
            cpu_sys_s: flat.cpu_sys_s,
            ..Covariates::default()
        };
        let evidence = Evidence {
            limiter: flat.limiter,
            validity: flat.validity.into_owned().into(),
            durability: flat.durability.map(Cow::into_owned),
            after_fault: flat.after_fault.map(|own| Box::new(own.into_owned())),
        };
        let (block, position, case) = (flat.block, flat.position, flat.case.into_owned().into());
        let (lab, numbers) = (flat.lab, Numbers::default());
        let mut sample =
            Sample { block, position, case, lab, figures, covariates, evidence, numbers };
        sample.extend(flat.metrics.into_owned());
        sample
    }
}

impl Serialize for Sample {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FlatSample::from(self).serialize(serializer)
    }
}
