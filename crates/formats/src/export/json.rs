//! The whole dataset as one JSON file, which `assay import` reads back without loss.

use super::{Exporter, json_bytes, stem};
use crate::{FormatError, NamedBytes};
use model::result::Dataset;
use serde::Serialize;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "json",
    help: "One JSON document with everything",
    files: |dataset, _| json(dataset),
};

/// What the field `schema` says; the number changes when a reader would have to.
pub(crate) const JSON_SCHEMA_NAME: &str = "assay-dataset-2";

/// A dataset under the name of its format, which is first so that the file is recognised.
#[derive(Serialize)]
struct Marked<'a> {
    schema: &'static str,
    #[serde(flatten)]
    dataset: &'a Dataset,
}

/// One file, indented, fields in the order of the model.
pub fn json(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let bytes = json_bytes(&Marked { schema: JSON_SCHEMA_NAME, dataset })
        .map_err(|why| FormatError::Export { format: "json", why: why.to_string() })?;
    Ok(vec![(format!("{}.json", stem(dataset)), bytes)])
}
