//! Importers and exporters: another tool's bytes into samples, and back.
//!
//! An importer is one file with one unit struct that implements `Importer`, and one line in the
//! registry below. No importer touches the disk or the clock: it is given names and bytes. What it reads
//! was written by somebody else, and nobody outside gets it but through [`import`], which checks it.

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

use model::{Dataset, printable_line};

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
pub(crate) trait Importer: Sync {
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
        fn importers() -> &'static [&'static dyn Importer] {
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

/// Names of files that a message lists.
const LISTED: usize = 5;

/// The names of all importers, the most particular first.
pub fn importer_names() -> Vec<&'static str> {
    importers().iter().map(|importer| importer.name()).collect()
}

/// The name of the importer that recognises one of `files`.
pub fn recognised(files: &[NamedBytes]) -> Option<&'static str> {
    importers().iter().find(|importer| knows(**importer, files)).map(|importer| importer.name())
}

/// Reads `files` with the first importer that recognises one of them, or with the one named. What it
/// gives keeps every rule of [`Dataset::checked`].
pub fn import(
    files: &[NamedBytes],
    format: Option<&str>,
    options: &ImportOptions,
) -> Result<Dataset, FormatError> {
    let chosen = |importer: &&&dyn Importer| match format {
        Some(name) => importer.name() == name,
        None => knows(**importer, files),
    };
    let importer = importers().iter().find(chosen).ok_or_else(|| unknown(files, format))?;
    let read = importer.read(files, options)?;
    read.checked().map_err(|why| FormatError::file(&names_of(files), why))
}

fn knows(importer: &dyn Importer, files: &[NamedBytes]) -> bool {
    files.iter().any(|(name, bytes)| importer.sniff(head(bytes), base_name(name)))
}

fn unknown(files: &[NamedBytes], format: Option<&str>) -> FormatError {
    FormatError::Unknown {
        files: format.map_or_else(
            || names_of(files),
            |name| format!("the format `{}`", printable_line(name)),
        ),
        known: importer_names().join(", "),
    }
}

/// The beginning of a file, by which it is recognised.
pub(crate) fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(HEAD_BYTES)]
}

/// The names of `files`, for a message about all of them.
pub(crate) fn names_of(files: &[NamedBytes]) -> String {
    let names = files.iter().take(LISTED).map(|(name, _)| printable_line(name));
    let more = files.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!("and {more} more"));
    names.map(String::from).chain(more).collect::<Vec<_>>().join(", ")
}

/// The last component of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
