//! Exporters: a dataset as files of one format. Each returns names and bytes; the caller writes.

mod csv;
mod fio_json;
mod json;
mod psv;
mod schema;

pub use self::csv::csv;
pub(crate) use self::csv::{
    HISTOGRAMS_HEADER, Identity, SAMPLES_HEADER, SERIES_HEADER, TESTS_HEADER, older_samples_header,
};
pub use self::fio_json::fio_json;
pub(crate) use self::json::JSON_SCHEMA_NAME;
pub use self::json::json;
pub use self::psv::psv;
pub use self::schema::json_schema;
