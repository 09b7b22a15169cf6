//! Reads what `export --format json` writes: the whole dataset in one file, and no file but it.

use crate::{
    FormatError, ImportOptions,
    each::{Each, once},
    export::JSON_SCHEMA_NAME,
    figure::json_error,
    names_of,
    source::{Budget, Input, Take},
};
use model::{
    result::{Campaign, Head, TargetRecord},
    workload::TestInfo,
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};
use std::fmt;

/// The importer.
pub(crate) struct Importer;

/// What every version of the format begins with.
const FAMILY: &str = "assay-dataset-";

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

    fn is_own(&self) -> bool {
        true
    }

    fn stream(
        &self,
        files: &[Input<'_>],
        _: &ImportOptions,
        take: &mut Take<'_>,
    ) -> Result<Head, FormatError> {
        let mut own = Vec::new();
        for file in files {
            own.extend(file.is_of(self)?.then_some(*file));
        }
        let [file] = own[..] else {
            let why = format!(
                "it contains {} datasets of assay; import each \
                               separately",
                own.len()
            );
            return Err(FormatError::file(&names_of(files), why));
        };
        let mut failure = None;
        let bytes = file.head_reader()?;
        let budget = bytes.budget();
        let mut document = serde_json::Deserializer::from_reader(bytes);
        let reading = Reading { file: file.name(), take, failure: &mut failure, budget };
        let read = reading.deserialize(&mut document);
        let read = read.and_then(|head| document.end().map(|()| head));
        read.map_err(|error| {
            failure.unwrap_or_else(|| json_error(file.name(), 0, &error, "not a dataset of assay"))
        })
    }
}

/// The document, whose samples are taken as they are read.
struct Reading<'r, 't> {
    file: &'r str,
    take: &'r mut Take<'t>,
    /// Why reading ended, where that is no fault of the JSON.
    failure: &'r mut Option<FormatError>,
    /// Of what is held.
    budget: Budget,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Field {
    Schema,
    Campaign,
    Targets,
    Tests,
    Samples,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for Reading<'_, '_> {
    type Value = Head;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Head, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_, '_> {
    type Value = Head;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dataset")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Head, A::Error> {
        let mut campaign: Option<Campaign> = None;
        let mut targets: Option<Vec<TargetRecord>> = None;
        let mut tests: Option<Vec<TestInfo>> = None;
        let mut samples = None;
        while let Some(field) = map.next_key()? {
            match field {
                Field::Schema => self.check_schema(map.next_value()?)?,
                Field::Campaign => once("campaign", &mut campaign, map.next_value()?)?,
                Field::Targets => once("targets", &mut targets, map.next_value()?)?,
                Field::Tests => once("tests", &mut tests, map.next_value()?)?,
                Field::Samples => {
                    let (take, failure) = (&mut *self.take, &mut *self.failure);
                    let left = self.budget.replace(u64::MAX);
                    once("samples", &mut samples, map.next_value_seed(Each::new(take, failure))?)?;
                    self.budget.set(left);
                }
                Field::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        samples.ok_or_else(|| A::Error::missing_field("samples"))?;
        Ok(Head {
            campaign: campaign.ok_or_else(|| A::Error::missing_field("campaign"))?,
            targets: targets.ok_or_else(|| A::Error::missing_field("targets"))?,
            tests: tests.ok_or_else(|| A::Error::missing_field("tests"))?,
        })
    }
}

impl Reading<'_, '_> {
    fn check_schema<E: Error>(&mut self, schema: String) -> Result<(), E> {
        if schema == JSON_SCHEMA_NAME {
            return Ok(());
        }
        let why = format!(
            "has the format {schema:?}, but this version reads {JSON_SCHEMA_NAME}; use the \
             version that wrote it"
        );
        *self.failure = Some(FormatError::file(self.file, why));
        Err(E::custom("another format"))
    }
}
