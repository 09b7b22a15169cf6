//! Exports a campaign for sharing: one compressed file, which `assay import` reads back without loss.
//!
//! It is gzip (RFC 1952) over lines of JSON, so that `zcat` and any program read it: first [`Heading`], then the
//! campaign with its plan and environment, its targets and its tests, then one line for each sample. The same
//! campaign gives the same bytes. Assets of the campaign may follow, each as a gzip stream of its own ([`enclose`]);
//! the first line lists them.

use super::{ExportOptions, Exporter, stem};
use crate::{FormatError, NamedBytes, anonymous};
use flate2::{Compression, GzBuilder};
use model::{
    result::{Campaign, Dataset, TargetRecord},
    text::printable,
    workload::{ContentHash, TestInfo},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "bundle",
    help: "One compressed file to share, for `assay import`; identifies neither machine nor users",
    files: |dataset, options| bundle_to_enclose(dataset, options),
};

/// What the field `schema` says; the number changes when a reader would have to.
pub(crate) const BUNDLE_SCHEMA_NAME: &str = "assay-bundle-1";

/// The same of a bundle that assets follow.
pub(crate) const ENCLOSING_SCHEMA_NAME: &str = "assay-bundle-2";

/// Most bytes of all assets that a bundle holds.
pub const MOST_ENCLOSED_BYTES: u64 = 64 << 30;

/// Most bytes of a bundle before compression; few bytes could stand for any number of them.
pub(crate) const MOST_BUNDLE_BYTES: u64 = 1 << 30;

/// Most bytes of one of its lines, which is held in memory.
pub(crate) const MOST_LINE_BYTES: u64 = 16 << 20;

/// The first line.
#[derive(Serialize, Deserialize)]
pub(crate) struct Heading {
    pub(crate) schema: String,
    /// Whether what names the machine was kept.
    pub(crate) identified: bool,
    /// SHA-256 of all lines after this one, with their ends, hexadecimal.
    pub(crate) sha256: String,
    /// Assets that follow the lines, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) assets: Vec<Enclosed>,
}

/// An asset that a bundle holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enclosed {
    /// Its place in the assets of the plan, from 0.
    pub index: usize,
    /// Its length.
    pub bytes: u64,
}

/// The second line: what there is once.
#[derive(Serialize)]
struct Once<'a> {
    campaign: &'a Campaign,
    targets: &'a [TargetRecord],
    tests: &'a [TestInfo],
}

/// The file. Unless `identified`, what names the machine or its users is left out ([`anonymous`]); `names` are
/// names of the host and of users that no rule would recognise.
pub fn bundle(
    dataset: &Dataset,
    identified: bool,
    names: &[String],
) -> Result<Vec<NamedBytes>, FormatError> {
    let options = ExportOptions { identified, names: names.into(), ..ExportOptions::default() };
    bundle_to_enclose(dataset, &options)
}

/// The beginning of the file, which the assets that `options` enclose are to follow.
///
/// # Errors
/// The campaign exceeds the size limit of a bundle.
pub fn bundle_to_enclose(
    dataset: &Dataset,
    options: &ExportOptions,
) -> Result<Vec<NamedBytes>, FormatError> {
    let left_out;
    let dataset = if options.identified {
        dataset
    } else {
        left_out = anonymous::anonymous(dataset.clone(), &options.names)?;
        &left_out
    };
    let bytes = packed_with(&lines(dataset)?, options.identified, &options.enclosed);
    Ok(vec![(format!("{}.assay.gz", stem(dataset)), bytes.map_err(failed)?)])
}

/// Appends the content of an asset to a bundle, read and written in parts.
///
/// # Errors
/// It cannot be read, or `bundle` takes no more.
pub fn enclose(content: &mut impl Read, bundle: &mut impl Write) -> io::Result<()> {
    // Much data is compressed already, and much of it takes long.
    let mut gzip = GzBuilder::new().mtime(0).write(bundle, Compression::fast());
    io::copy(content, &mut gzip)?;
    gzip.finish().map(drop)
}

/// A bundle of `lines`, those after the first, whatever is in them.
pub fn packed(lines: &[u8], identified: bool) -> io::Result<Vec<u8>> {
    packed_with(lines, identified, &[])
}

/// The same, as the beginning of a bundle that holds `assets`.
pub fn packed_with(lines: &[u8], identified: bool, assets: &[Enclosed]) -> io::Result<Vec<u8>> {
    let schema = if assets.is_empty() { BUNDLE_SCHEMA_NAME } else { ENCLOSING_SCHEMA_NAME };
    let (schema, assets) = (schema.into(), assets.to_vec());
    let heading = Heading { schema, identified, sha256: hash(lines), assets };
    // Neither a time nor a name: equal campaigns are equal files.
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    serde_json::to_writer(&mut gzip, &heading)?;
    gzip.write_all(b"\n")?;
    gzip.write_all(lines)?;
    gzip.finish()
}

/// SHA-256 of `bytes`, hexadecimal.
fn hash(bytes: &[u8]) -> String {
    ContentHash::of_bytes(Sha256::digest(bytes).into()).to_string()
}

/// The lines after the first.
fn lines(dataset: &Dataset) -> Result<Vec<u8>, FormatError> {
    let Dataset { campaign, targets, tests, samples } = dataset;
    let mut lines = Vec::new();
    add(&mut lines, &Once { campaign, targets, tests })?;
    samples.iter().try_for_each(|sample| add(&mut lines, sample))?;
    Ok(lines)
}

/// Adds `value` as a line, when a reader would take it.
fn add(lines: &mut Vec<u8>, value: &impl Serialize) -> Result<(), FormatError> {
    let text = serde_json::to_string(value).map_err(failed)?;
    let line = printable(&text);
    let all = (lines.len() + line.len()) as u64;
    if line.len() as u64 >= MOST_LINE_BYTES || all >= MOST_BUNDLE_BYTES {
        return Err(failed("it exceeds the size limit of a bundle; use --format json"));
    }
    lines.extend_from_slice(line.as_bytes());
    lines.push(b'\n');
    Ok(())
}

fn failed(why: impl ToString) -> FormatError {
    FormatError::Export { format: "bundle", why: why.to_string() }
}
