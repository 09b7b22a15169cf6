//! `assay import`: files of another tool, or an exported campaign, into the store.

use super::run;
use crate::{cli::ImportArgs, exit::Exit, terminal};
use anyhow::{Context, Result, bail};
use formats::{ImportOptions, NamedBytes};
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};
use store::Imported;

/// Result files are small; more than this is not one of them.
const LARGEST_FILE_BYTES: u64 = 1 << 30;

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

fn read_all(paths: &[PathBuf]) -> Result<Vec<NamedBytes>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            for entry in sorted_entries(path)? {
                files.push(read(&entry)?);
            }
        } else {
            files.push(read(path)?);
        }
    }
    if files.is_empty() {
        bail!("there is no file to import in {}", paths[0].display());
    }
    Ok(files)
}

/// When the newest of `paths` was last changed, RFC 3339.
fn newest(paths: &[PathBuf]) -> Result<String> {
    let changed = |path: &PathBuf| fs::metadata(path)?.modified();
    let times: Result<Vec<_>, _> = paths.iter().map(changed).collect();
    let newest = times.context("cannot tell the age of the files")?.into_iter().max();
    let newest = newest.unwrap_or(SystemTime::UNIX_EPOCH);
    Ok(humantime::format_rfc3339_seconds(newest).to_string())
}

fn sorted_entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<NamedBytes> {
    let size = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
    if size > LARGEST_FILE_BYTES {
        bail!("{} has {size} bytes; a result file has less than 1 GiB", path.display());
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((path.display().to_string(), bytes))
}
