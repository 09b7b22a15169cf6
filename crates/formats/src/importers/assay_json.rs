//! Reads what `export --format json` writes: the whole dataset in one file, and no file but it.

use crate::{
    FormatError, ImportOptions, NamedBytes, export::JSON_SCHEMA_NAME, figure::json_error, head,
    names_of,
};
use model::{Dataset, Histogram};
use serde::Deserialize;
use std::collections::HashSet;

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
        let dataset = serde_json::from_slice(bytes).map_err(bad)?;
        check(&dataset).map_err(|why| FormatError::file(name, why))?;
        Ok(dataset)
    }
}

/// Every sample must be of a known target and test, and histograms must ascend without empty bins.
fn check(dataset: &Dataset) -> Result<(), String> {
    let targets: HashSet<_> = dataset.targets.iter().map(|t| t.label.as_str()).collect();
    let tests: HashSet<_> = dataset.tests.iter().map(|test| test.id.as_str()).collect();
    for (number, sample) in dataset.samples.iter().enumerate() {
        let case = &sample.case;
        if !targets.contains(case.target.as_str()) {
            return Err(format!(
                "sample {number} is of target {:?}, which is not listed",
                case.target
            ));
        }
        if !tests.contains(case.test.as_str()) {
            return Err(format!("sample {number} is of test {:?}, which is not listed", case.test));
        }
        if let Some(histogram) = sample.histograms.iter().find(|histogram| !sound(histogram)) {
            let why = "does not ascend or has an empty bin";
            return Err(format!("sample {number}: histogram {:?} {why}", histogram.op));
        }
    }
    Ok(())
}

fn sound(histogram: &Histogram) -> bool {
    histogram.bins.iter().all(|bin| bin.1 > 0)
        && histogram.bins.windows(2).all(|pair| pair[0].0 < pair[1].0)
}
