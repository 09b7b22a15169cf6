//! Reads what `export --format json` writes: the whole dataset in one file, and no file but it.

use crate::{
    FormatError, ImportOptions, NamedBytes, export::JSON_SCHEMA_NAME, figure::json_error, head,
    names_of,
};
use model::Dataset;
use serde::Deserialize;

/// The importer.
pub(crate) struct Importer;

/// What every version of the format begins with.
const FAMILY: &str = "assay-dataset-";

#[derive(Deserialize)]
struct Marker {
    schema: String,
}

impl crate::Importer for Importer {
    fn name(&self) -> &'static str {
        "json"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let mut rest = head.trim_start().strip_prefix('{').unwrap_or_default().trim_start();
        let parts = ["\"schema\"", ":", "\""];
        let marked = parts.iter().all(|part| {
            let after = rest.strip_prefix(part).map(str::trim_start);
            rest = after.unwrap_or(rest);
            after.is_some()
        });
        marked && rest.starts_with(FAMILY)
    }

    fn read(&self, files: &[NamedBytes], _: &ImportOptions) -> Result<Dataset, FormatError> {
        let own = files.iter().filter(|(name, bytes)| self.sniff(head(bytes), name));
        let own: Vec<&NamedBytes> = own.collect();
        let [(name, bytes)] = own[..] else {
            let why = format!("{} datasets of assay are in it; import each by itself", own.len());
            return Err(FormatError::file(&names_of(files), why));
        };
        let bad = |e: serde_json::Error| json_error(name, 0, &e, "not a dataset of assay");
        let marker: Marker = serde_json::from_slice(bytes).map_err(bad)?;
        if marker.schema != JSON_SCHEMA_NAME {
            let why = format!(
                "is of the format {:?}; this assay reads {JSON_SCHEMA_NAME}, take the one that wrote it",
                marker.schema
            );
            return Err(FormatError::file(name, why));
        }
        serde_json::from_slice(bytes).map_err(bad)
    }
}
