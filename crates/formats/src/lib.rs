//! Importers and exporters: another tool's bytes into samples, and back.
//!
//! An importer is one file with one unit struct that implements [`Importer`], and one line in the
//! registry below. No importer touches the disk or the clock: it is given names and bytes.

mod columnar;
mod documents;
mod error;
pub mod export;
mod figure;
mod gather;
mod importers;
mod known;
mod naming;
mod published;
mod table;
mod text;

pub use error::FormatError;
pub use importers::fio::pattern_kind as fio_pattern_kind;
pub use known::tool_tests;
pub use naming::test_id;
pub use published::{SummaryKind, SummaryRow, published, summary_rows};

use model::Dataset;

/// One file: its name, with directories where they mean something, and its content.
pub type NamedBytes = (String, Vec<u8>);

/// What files themselves do not say.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Name of the target that was measured; the default is the directory or file name.
    pub target: Option<String>,
    /// When the files were written, RFC 3339; should be their modification time, so that the same
    /// files give the same campaign again.
    pub created: String,
}

/// Reads the files of one tool.
pub trait Importer: Sync {
    /// Name, as given to `--format`.
    fn name(&self) -> &'static str;

    /// Whether a file with this beginning and name is of this tool.
    fn sniff(&self, head: &[u8], file_name: &str) -> bool;

    /// Reads the files, of which at least one was recognised, as one campaign.
    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError>;
}

macro_rules! registry {
    ($($importer:ident),* $(,)?) => {
        /// Every importer, the most particular first.
        pub fn importers() -> &'static [&'static dyn Importer] {
            &[$(&importers::$importer::Importer),*]
        }
    };
}

registry!(
    assay_json, assay_csv, nano_psv, matrix_csv, mdtest, ior, sysbench, elbencho, bonnie,
    hyperfine, iostat, fio,
);

/// Bytes of a file that are shown to `sniff`.
const HEAD_BYTES: usize = 4096;

/// Reads `files` with the first importer that recognises one of them, or with the one named.
pub fn import(
    files: &[NamedBytes],
    format: Option<&str>,
    options: &ImportOptions,
) -> Result<Dataset, FormatError> {
    let recognises = |importer: &&&dyn Importer| match format {
        Some(name) => importer.name() == name,
        None => files.iter().any(|(name, bytes)| importer.sniff(head(bytes), base_name(name))),
    };
    match importers().iter().find(recognises) {
        Some(importer) => importer.read(files, options),
        None => Err(unknown(files, format)),
    }
}

fn unknown(files: &[NamedBytes], format: Option<&str>) -> FormatError {
    FormatError::Unknown {
        files: format.map_or_else(|| names_of(files), |name| format!("the format `{name}`")),
        known: importers().iter().map(|i| i.name()).collect::<Vec<_>>().join(", "),
    }
}

/// The beginning of a file, by which it is recognised.
pub(crate) fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(HEAD_BYTES)]
}

/// The names of `files`, for a message about all of them.
pub(crate) fn names_of(files: &[NamedBytes]) -> String {
    files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The last component of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
