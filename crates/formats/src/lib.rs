//! Importers and exporters: another tool's bytes into samples, and back.
//!
//! An importer is one file with one unit struct that implements `Importer`, and one word in the registry of
//! `importers.rs`. No importer touches the disk or the clock: it is given files that it can read. What is in
//! them comes from elsewhere, and callers get it only through [`import`] or [`import_into`], which check it.

mod anonymous;
mod blocks;
mod campaign;
mod columnar;
mod copied;
mod documents;
mod each;
mod error;
pub mod export;
mod figure;
mod gate;
mod gather;
mod importers;
mod known;
mod naming;
mod published;
mod source;
mod table;
mod text;

pub use error::FormatError;
pub use importers::{
    bundle::{each_enclosed, enclosed},
    fio::pattern_kind as fio_pattern_kind,
    tool_tests,
};
pub use naming::test_id;
pub use published::{SummaryKind, SummaryRow, published, summary_rows};
pub use source::InputFile;

pub(crate) use source::head;

use std::collections::BTreeMap;

use blocks::Blocks;
use copied::Copied;
use model::{
    result::{Checker, Dataset, DatasetError, Head, Sample},
    text::printable_line,
};
use source::{Input, Take};

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
    /// The target of each file by its name, if files belong to several. The caller that assigned them says
    /// that what comes again is a repeat: repeats of a case are blocks then.
    pub targets: BTreeMap<String, String>,
}

impl ImportOptions {
    /// The target of a file, where it was told.
    pub(crate) fn target_of(&self, file: &str) -> Option<&str> {
        self.targets.get(file).or(self.target.as_ref()).map(String::as_str)
    }

    /// Whether repeats of a case are blocks.
    pub(crate) fn repeats_are_blocks(&self) -> bool {
        !self.targets.is_empty()
    }
}

/// Reads the files of one tool.
pub(crate) trait Importer: Sync {
    /// Name, as given to `--format`.
    fn name(&self) -> &'static str;

    /// Whether a file with this beginning and name is of this tool.
    fn sniff(&self, head: &[u8], file_name: &str) -> bool;

    /// Whether its files are assay's own, which give back what was exported, whatever it was. Samples of all
    /// others pass the gate.
    fn is_own(&self) -> bool {
        false
    }

    /// Reads the files, of which at least one was recognised, as one campaign: gives away its samples as
    /// they come, and returns the rest.
    fn stream(
        &self,
        files: &[Input<'_>],
        options: &ImportOptions,
        take: &mut Take<'_>,
    ) -> Result<Head, FormatError>;
}

/// Reads the files of a tool whose results are small enough to be held.
pub(crate) trait WholeImporter: Sync {
    /// As [`Importer::name`].
    fn name(&self) -> &'static str;

    /// As [`Importer::sniff`].
    fn sniff(&self, head: &[u8], file_name: &str) -> bool;

    /// Reads the files, of which at least one was recognised, as one campaign.
    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError>;
}

impl<T: WholeImporter> Importer for T {
    fn name(&self) -> &'static str {
        WholeImporter::name(self)
    }

    fn sniff(&self, head: &[u8], file_name: &str) -> bool {
        WholeImporter::sniff(self, head, file_name)
    }

    fn stream(
        &self,
        files: &[Input<'_>],
        options: &ImportOptions,
        take: &mut Take<'_>,
    ) -> Result<Head, FormatError> {
        source::whole(files, take, |held| self.read(held, options))
    }
}

/// Names of files that a message lists.
const LISTED: usize = 5;

/// The names of all importers, the most particular first.
pub fn importer_names() -> Vec<&'static str> {
    importers::ALL.iter().map(|importer| importer.name()).collect()
}

/// The name of the importer that recognises one of `files`.
pub fn recognised(files: &[NamedBytes]) -> Option<&'static str> {
    let knows = |importer: &&&dyn Importer| {
        files.iter().any(|(name, bytes)| importer.sniff(head(bytes), base_name(name)))
    };
    importers::ALL.iter().find(knows).map(|importer| importer.name())
}

/// Reads `files` as [`import_into`] does, into one dataset.
pub fn import(
    files: &[NamedBytes],
    format: Option<&str>,
    options: &ImportOptions,
) -> Result<Dataset, FormatError> {
    let files: Vec<&dyn InputFile> = files.iter().map(|file| file as &dyn InputFile).collect();
    let mut samples = Vec::new();
    let head = import_into(&files, format, options, &mut |sample| {
        samples.push(sample);
        Ok::<(), FormatError>(())
    })?;
    samples.sort_by_key(|sample| (sample.block, sample.position));
    Ok(head.with(samples))
}

/// Reads `files` with the first importer that recognises one of them, or with the one named. Gives each
/// sample to `take` as it comes, in the order of the files, and returns the rest; together they keep
/// every rule of [`Dataset::checked`].
///
/// # Errors
/// What is wrong with a file, or the error of `take`. What was taken until then is good for nothing.
pub fn import_into<E: From<FormatError>>(
    files: &[&dyn InputFile],
    format: Option<&str>,
    options: &ImportOptions,
    take: &mut dyn FnMut(Sample) -> Result<(), E>,
) -> Result<Head, E> {
    let mended = mended(files, format)?;
    let files: Vec<Input<'_>> = mended.iter().map(|file| Input(file)).collect();
    let names = names_of(&files);
    let unfit = |why: DatasetError| FormatError::file(&names, why);
    let importer = importer_of(&files, format)?;
    let (mut checker, mut refusal) = (Checker::default(), None);
    let mut blocks = Blocks::of(options, importer.is_own());
    let mut give = |sample: Sample| {
        let mut sample = if importer.is_own() { sample } else { gate::pass(sample, None) };
        blocks.place(&mut sample);
        checker.sample(&mut sample).map_err(unfit)?;
        take(sample).map_err(|error| {
            refusal = Some(error);
            FormatError::file(&names, "was not accepted")
        })
    };
    let streamed = importer.stream(&files, options, &mut give);
    match refusal {
        Some(error) => Err(error),
        None => {
            let mut head = streamed.map_err(|error| copied::placed(&mended, error))?;
            blocks.note(&mut head);
            head.campaign.notes.extend(copied::notes(&mended));
            checker.head(&mut head).map_err(unfit)?;
            Ok(head)
        }
    }
}

/// The name of the importer called `format`, or of the first that recognises one of `files`.
///
/// # Errors
/// When there is none, or a file cannot be read.
pub fn choose(files: &[&dyn InputFile], format: Option<&str>) -> Result<&'static str, FormatError> {
    let plain: Vec<Input<'_>> = files.iter().map(|file| Input(*file)).collect();
    match importer_of(&plain, format) {
        Err(FormatError::Unknown { .. }) if format.is_none() => {
            let mended = mended(files, format)?;
            let files: Vec<Input<'_>> = mended.iter().map(|file| Input(file)).collect();
            importer_of(&files, format)
        }
        found => found,
    }
    .map(|importer| importer.name())
}

/// The files without what copying did to them. What assay itself writes is never touched.
fn mended<'a>(
    files: &[&'a dyn InputFile],
    format: Option<&str>,
) -> Result<Vec<Copied<'a>>, FormatError> {
    let plain: Vec<Input<'_>> = files.iter().map(|file| Input(*file)).collect();
    let own = match format {
        Some(name) => importers::is_made_for_assay(name),
        None => {
            let mut own = importers::ALL
                .iter()
                .filter(|importer| importers::is_made_for_assay(importer.name()));
            own.try_fold(false, |any, &importer| Ok(any || any_is_of(&plain, importer)?))?
        }
    };
    let of = |file: &&'a dyn InputFile| {
        if own { Ok(Copied::as_is(*file)) } else { Copied::of(*file, format) }
    };
    files.iter().map(of).collect()
}

/// Whether `format` is assay's own, whose files hold a campaign as it was exported, with its failures.
pub fn is_own(format: &str) -> bool {
    importers::ALL.iter().any(|importer| importer.name() == format && importer.is_own())
}

/// The importer called `format`, or the first that recognises one of `files`.
fn importer_of(
    files: &[Input<'_>],
    format: Option<&str>,
) -> Result<&'static dyn Importer, FormatError> {
    for &importer in importers::ALL {
        let is_it = match format {
            Some(name) => importer.name() == importers::by_alias(name),
            None => any_is_of(files, importer)?,
        };
        if is_it {
            return Ok(importer);
        }
    }
    Err(FormatError::Unknown {
        files: format.map_or_else(
            || names_of(files),
            |name| format!("the format `{}`", printable_line(name)),
        ),
        known: importer_names().join(", "),
    })
}

fn any_is_of(files: &[Input<'_>], importer: &dyn Importer) -> Result<bool, FormatError> {
    for file in files {
        if file.is_of(importer)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The names of `files`, for a message about all of them.
pub(crate) fn names_of(files: &[Input<'_>]) -> String {
    let names = files.iter().take(LISTED).map(|file| printable_line(file.name()));
    let more = files.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!("and {more} more"));
    names.map(String::from).chain(more).collect::<Vec<_>>().join(", ")
}

/// The last component of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
