//! Brings the assets of a suite to its workers. Assets are found next to the file of the suite and identified by
//! their content (`source`), copied once into the state folder (`shelf`), and given to workers as paths of that copy:
//! the user's own file may change while a campaign runs, or between a campaign and its resumption.

mod bundled;
mod shelf;
mod source;

pub use bundled::{Incoming, Outgoing, outgoing, receive};
pub(crate) use shelf::{Shelf, keep};
pub use shelf::{Unneeded, clear};

use super::file;
use anyhow::Result;
use disk::Device;
use lab::{error::LabError, observe, page_cache};
use model::{
    text::Bytes,
    workload::{Asset, AssetFile, AssetName, ContentHash, Job},
};
use sha2::{Digest, Sha256};
use source::Folder;
use std::{
    collections::BTreeSet,
    fmt,
    io::{self, Read, Write},
    path::PathBuf,
    slice,
    sync::atomic::{AtomicBool, Ordering},
};

/// Most bytes of all assets of a campaign.
const MOST_BYTES: Bytes = Bytes(1 << 40);
/// Bytes read at a time.
const READ_BYTES: usize = 1 << 20;

/// Why an asset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    /// It is not a file below the folder of its suite that can be read.
    #[error(
        "asset `{name}` of suite {suite}: {why}; put a regular file there, not a link that leads out of \
         the suite's folder"
    )]
    Unusable {
        /// Its suite.
        suite: String,
        /// Its name.
        name: AssetName,
        /// What is wrong.
        why: String,
    },
    /// Its suite is another one now.
    #[error(
        "suite {suite} is not the one that was read before: its file or its folder was replaced; run it again, or copy \
         the suite into a folder that only you can write to"
    )]
    OtherSuite {
        /// The suite.
        suite: String,
    },
    /// It is not for the author of its suite to read.
    #[error(
        "asset `{name}` does not belong to the owner of suite {suite}, whose commands would read it in your name; give \
         both to one user with chown, or copy the suite"
    )]
    NotOfAuthor {
        /// Its suite.
        suite: String,
        /// Its name.
        name: AssetName,
    },
    /// Its content is not the one of the campaign, and no copy of that is there.
    #[error(
        "asset `{}` of suite {} with SHA-256 {} is neither in {dir} nor next to the suite: {why}; put the file that the \
         campaign started with next to the suite, or start another campaign", .asset.name, .asset.suite, .asset.sha256
    )]
    Gone {
        /// What is asked for.
        asset: Box<Asset>,
        /// The folder of copies.
        dir: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// What came from elsewhere is not its content.
    #[error(
        "asset `{}` of suite {} was damaged on its way here: {why}, expected {} and SHA-256 {}; get it again",
        .asset.name, .asset.suite, .asset.bytes, .asset.sha256
    )]
    Damaged {
        /// What was announced.
        asset: Box<Asset>,
        /// What is wrong.
        why: String,
    },
    /// A host lacks its copy.
    #[error(
        "asset `{name}` is not in {path} on this host: {why}; use a --state that all hosts share, or copy the file \
         there"
    )]
    NotHere {
        /// Its name.
        name: AssetName,
        /// Where its copy should be.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// All of them are too long.
    #[error(
        "the assets of the campaign have {bytes}, and the limit is {MOST_BYTES}; use smaller files"
    )]
    TooLong {
        /// Their length.
        bytes: Bytes,
    },
    /// There is no room for a copy.
    #[error(
        "the assets need {needed} in {dir}, but only {free} may be used there; free space, e.g. with `assay cleanup`, \
         or use another --state"
    )]
    NoRoom {
        /// What is missing.
        needed: Bytes,
        /// The folder of copies.
        dir: PathBuf,
        /// What they may use.
        free: Bytes,
    },
    /// The copy cannot be made.
    #[error("cannot {what} {path}: {why}")]
    Copy {
        /// What failed.
        what: &'static str,
        /// The object.
        path: PathBuf,
        /// The reason.
        why: io::Error,
    },
    /// A signal asked to stop while one was read.
    #[error("stopped; everything was cleaned up")]
    Stopped,
}

impl AssetError {
    fn unusable(suite: &str, name: &AssetName, why: &dyn fmt::Display) -> AssetError {
        AssetError::Unusable { suite: suite.into(), name: name.clone(), why: why.to_string() }
    }
}

/// Why a content was not read to its end.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// It cannot be read.
    #[error("{0}")]
    Read(io::Error),
    /// Where it goes takes no more.
    #[error("{0}")]
    Write(io::Error),
    /// A signal asked to stop.
    #[error("stopped")]
    Stopped,
}

/// Returns the assets that the tests of `suite`, a file with the text `text`, need under `names`: those of `known`,
/// which a plan has from its start, else those next to the file now, read until `stop`.
///
/// # Errors
/// An asset cannot be read, another suite is next to them now, all are too long together, or `stop` became true.
pub(crate) fn of_suite(
    (suite, text): (&str, &str),
    names: &BTreeSet<AssetName>,
    known: &[Asset],
    stop: &AtomicBool,
) -> Result<Vec<Asset>> {
    find(suite, text, names, known, stop).and_then(bounded).map_err(shelf::refused)
}

fn find(
    suite: &str,
    text: &str,
    names: &BTreeSet<AssetName>,
    known: &[Asset],
    stop: &AtomicBool,
) -> Result<Vec<Asset>, AssetError> {
    let mut author = None;
    let mut found = Vec::new();
    for name in names {
        if let Some(asset) = known.iter().find(|a| a.suite == suite && a.name == *name) {
            found.push(asset.clone());
            continue;
        }
        if let Some(bytes) = suites::traces::asset(suite, name.as_str()) {
            found.push(shipped(suite, name, bytes));
            continue;
        }
        let author = match &mut author {
            Some(author) => author,
            none => none.insert(
                Folder::of(suite)
                    .and_then(|folder| folder.author(text))
                    .map_err(|why| AssetError::unusable(suite, name, &why))?
                    .ok_or_else(|| AssetError::OtherSuite { suite: suite.into() })?,
            ),
        };
        found.push(author.look(name, stop)?);
    }
    Ok(found)
}

/// The asset `name` of a suite that ships with its content.
fn shipped(suite: &str, name: &AssetName, content: &[u8]) -> Asset {
    let (suite, name) = (suite.into(), name.clone());
    let sha256 = ContentHash::of_bytes(Sha256::digest(content).into());
    Asset { suite, name, bytes: Bytes(content.len() as u64), sha256 }
}

/// Checks that this host has `asset` where a job says.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn verify(asset: &AssetFile) -> Result<(), AssetError> {
    let AssetFile { name, path, bytes, sha256 } = asset;
    let not_here = |why| AssetError::NotHere { name: name.clone(), path: path.clone(), why };
    let most = bytes.0.saturating_add(1);
    let read = file::open_bounded(path, bytes.0)
        .map_err(Fault::Read)
        .and_then(|file| copied(file, &mut io::sink(), most, &AtomicBool::new(false)));
    match read.map_err(|why| not_here(why.to_string()))? {
        found if found == (*bytes, *sha256) => Ok(()),
        (bytes, sha256) => Err(not_here(format!("it has {bytes} and SHA-256 {sha256}"))),
    }
}

/// Returns the bytes of the assets of `job` that `devices` may have read in its finished timed part: those on one of
/// them that were not in the page cache. If assets were read before the timed part, what is in memory now was there
/// in it.
///
/// # Errors
/// An asset cannot be examined.
pub(crate) fn read_bytes(job: &Job, devices: &[Device]) -> Result<u64, LabError> {
    let mut bytes = 0;
    for asset in &job.assets {
        let on = observe::counted_on(&asset.path)?;
        if !devices.iter().any(|device| on.contains(device)) {
            continue;
        }
        let read_before = job.warms_assets().then_some(slice::from_ref(&asset.path));
        let resident = page_cache::residency(read_before.unwrap_or_default())?.resident_bytes;
        bytes += asset.bytes.0.saturating_sub(resident);
    }
    Ok(bytes)
}

fn bounded(assets: Vec<Asset>) -> Result<Vec<Asset>, AssetError> {
    let bytes = Bytes(assets.iter().fold(0, |sum, asset| sum.saturating_add(asset.bytes.0)));
    if bytes > MOST_BYTES { Err(AssetError::TooLong { bytes }) } else { Ok(assets) }
}

/// Writes what `from` holds to `to`, at most `most` bytes, until `stop`; the length and the hash of what was written.
fn copied(
    from: impl Read,
    to: &mut (impl Write + ?Sized),
    most: u64,
    stop: &AtomicBool,
) -> Result<(Bytes, ContentHash), Fault> {
    let (mut from, mut hash) = (from.take(most), Sha256::new());
    let (mut buffer, mut bytes) = (vec![0; READ_BYTES], 0);
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Fault::Stopped);
        }
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok((Bytes(bytes), ContentHash::of_bytes(hash.finalize().into()))),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Fault::Read(error)),
        };
        hash.update(&buffer[..read]);
        to.write_all(&buffer[..read]).map_err(Fault::Write)?;
        bytes += read as u64;
    }
}

#[cfg(test)]
mod tests;
