//! Exporters, one file, one `mod` line and one line of [`ALL`] each: a dataset as files of one format. Each returns
//! names and bytes; the caller writes. Names of files are made of ids, or of what resembles one: none leads out of the
//! folder that it is put into.

mod benchfmt;
mod bundle;
mod csv;
mod fio_json;
mod hyperfine;
mod json;
mod openmetrics;
mod parquet;
mod psv;
mod scalar;
mod schema;

pub(crate) use self::bundle::{
    BUNDLE_SCHEMA_NAME, ENCLOSING_SCHEMA_NAME, Heading, MOST_BUNDLE_BYTES, MOST_LINE_BYTES,
};
pub use self::bundle::{
    Enclosed, MOST_ENCLOSED_BYTES, bundle, bundle_to_enclose, enclose, packed, packed_with,
};
pub use self::csv::csv;
pub(crate) use self::csv::{
    HISTOGRAMS_HEADER, Identity, SAMPLES_HEADER, SERIES_HEADER, TESTS_HEADER,
};
pub use self::fio_json::fio_json;
pub(crate) use self::json::JSON_SCHEMA_NAME;
pub use self::json::json;
pub use self::psv::psv;
pub use self::schema::json_schema;

use crate::{FormatError, NamedBytes};
use model::{
    result::Dataset,
    text::{Name, printable},
};
use serde::Serialize;

/// Every exporter, in the order of `--help`.
pub static ALL: &[Exporter] = &[
    csv::EXPORTER,
    parquet::EXPORTER,
    json::EXPORTER,
    bundle::EXPORTER,
    psv::EXPORTER,
    fio_json::EXPORTER,
    hyperfine::EXPORTER,
    benchfmt::EXPORTER,
    openmetrics::EXPORTER,
];

/// Writes the files of one format.
pub struct Exporter {
    /// Name, as given to `--format`.
    pub name: &'static str,
    /// What the format is, and for whom, in one line.
    pub help: &'static str,
    /// The files of a dataset.
    pub files: fn(&Dataset, &ExportOptions) -> Result<Vec<NamedBytes>, FormatError>,
}

/// What a dataset does not say.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// Whether a bundle keeps what names the machine and its users.
    pub identified: bool,
    /// Names of the host and of users that no rule would recognise.
    pub names: Vec<String>,
    /// Assets that the caller will append to a bundle ([`enclose`]).
    pub enclosed: Vec<Enclosed>,
}

/// `value` as JSON in lines. Characters that would command a terminal are written as their escapes, which are
/// the same text in JSON.
pub(crate) fn json_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    Ok(printable(&serde_json::to_string_pretty(value)?).into_owned().into_bytes())
}

/// What the name of a file of `dataset` begins with.
pub(crate) fn stem(dataset: &Dataset) -> Name {
    Name::id_like(&dataset.campaign.id)
}
