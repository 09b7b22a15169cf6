//! `assay import`: files of another tool, or an exported campaign, into the store.

use super::run;
use crate::{cli::ImportArgs, exit::Exit, input, terminal};
use anyhow::{Context, Result, bail};
use formats::{ImportOptions, NamedBytes};
use model::Bytes;
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};
use store::Imported;

/// Most that is imported at once, all files together; results are far smaller.
const MOST_BYTES: u64 = 1 << 30;
/// Most files that are imported at once.
const MOST_FILES: usize = 10_000;

/// Reads the files, finds their format, and stores the campaign.
pub fn import(args: &ImportArgs, store: &Path) -> Result<Exit> {
    let files = read_all(&args.files)?;
    let options = ImportOptions { target: args.target.clone(), created: newest(&args.files)? };
    let dataset = formats::import(&files, args.format.as_deref(), &options)?;
    let (samples, targets) = (dataset.samples.len(), dataset.targets.len());
    let line = match run::open_store(store)?.import(&dataset)? {
        Imported::Stored(id) => format!("{id}: {samples} samples of {targets} targets"),
        Imported::AlreadyThere(id) => format!("{id}: already there, equal"),
    };
    terminal::out(&line)?;
    Ok(Exit::Done)
}

/// The files named, and those in the folders named. Links in a folder are left out: who made the folder
/// would choose what is read.
fn read_all(paths: &[PathBuf]) -> Result<Vec<NamedBytes>> {
    let mut found = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => found.extend(files_in(path)?),
            false => found.push(path.clone()),
        }
    }
    if found.is_empty() {
        bail!("there is no file to import in {}", paths[0].display());
    }
    check_sizes(&found)?;
    let mut left = MOST_BYTES;
    let read = |path: &PathBuf| {
        let bytes = input::read_bounded(path, left).with_context(|| cannot_read(path))?;
        left -= bytes.len() as u64;
        Ok((path.display().to_string(), bytes))
    };
    found.iter().map(read).collect()
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// Looks before anything is read whether all of it fits.
fn check_sizes(paths: &[PathBuf]) -> Result<()> {
    if paths.len() > MOST_FILES {
        bail!("more than {MOST_FILES} files are to be imported; import them in parts");
    }
    let mut all = 0u64;
    for path in paths {
        let meta = path.metadata().with_context(|| cannot_read(path))?;
        input::fits(&meta, MOST_BYTES).with_context(|| cannot_read(path))?;
        all = all.saturating_add(meta.len());
    }
    if all > MOST_BYTES {
        let (all, most) = (Bytes(all), Bytes(MOST_BYTES));
        bail!(
            "the files have {all} together, and no more than {most} are read; import them in parts"
        );
    }
    Ok(())
}

/// When the newest of `paths` was last changed, RFC 3339.
fn newest(paths: &[PathBuf]) -> Result<String> {
    let changed = |path: &PathBuf| fs::metadata(path)?.modified();
    let times: Result<Vec<_>, _> = paths.iter().map(changed).collect();
    let newest = times.context("cannot tell the age of the files")?.into_iter().max();
    let newest = newest.unwrap_or(SystemTime::UNIX_EPOCH);
    Ok(humantime::format_rfc3339_seconds(newest).to_string())
}

/// The regular files in `dir`, by name.
fn files_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| cannot_read(dir))?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            paths.push(entry.path());
        }
        if paths.len() > MOST_FILES {
            bail!("{} holds more than {MOST_FILES} files; import them in parts", dir.display());
        }
    }
    paths.sort();
    Ok(paths)
}
