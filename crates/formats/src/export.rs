//! Exporters: a dataset as files of one format. Each returns names and bytes; the caller writes.

mod csv;
mod psv;

pub use self::csv::csv;
pub(crate) use self::csv::{HISTOGRAMS_HEADER, Identity, SAMPLES_HEADER, TESTS_HEADER};
pub use self::psv::psv;

use crate::{FormatError, NamedBytes};
use model::Dataset;

/// The whole dataset as one JSON file, indented, fields in the order of the model.
pub fn json(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let bytes = serde_json::to_vec_pretty(dataset)
        .map_err(|why| FormatError::Export { format: "json", why: why.to_string() })?;
    Ok(vec![(format!("{}.json", dataset.campaign.id), bytes)])
}
