//! `assay import`: files of another tool, or an exported campaign, into the store.

use crate::{cli::ImportArgs, exit::Exit, opened, terminal};
use anyhow::{Context, Result, bail};
use campaign::input;
use formats::{ImportOptions, InputFile};
use model::Bytes;
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};
use store::Imported;

/// Most that is imported at once, all files together; results are far smaller.
const MOST_BYTES: u64 = 1 << 30;
/// Most files that are imported at once.
const MOST_FILES: usize = 10_000;

/// A file that is to be imported. It is read in parts, and not held.
struct OnDisk {
    path: PathBuf,
    name: String,
    most_bytes: u64,
}

impl InputFile for OnDisk {
    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(input::open_bounded(&self.path, self.most_bytes)?))
    }
}

/// Reads the files, finds their format, and stores the campaign, a sample at a time.
pub fn import(args: &ImportArgs, store: &Path) -> Result<Exit> {
    let found = find_all(&args.files)?;
    let files: Vec<&dyn InputFile> = found.iter().map(|file| file as &dyn InputFile).collect();
    let options = ImportOptions { target: args.target.clone(), created: newest(&args.files)? };
    let format = formats::choose(&files, args.format.as_deref())?;
    let (mut samples, mut targets) = (0u64, 0);
    let imported = opened::store(store)?.import_from(|incoming| {
        let head = formats::import_into(&files, Some(format), &options, &mut |sample| {
            samples += 1;
            Ok::<(), anyhow::Error>(incoming.add(sample)?)
        })?;
        targets = head.targets.len();
        Ok::<_, anyhow::Error>(head)
    })?;
    let line = match imported {
        Imported::Stored(id) => format!("{id}: {samples} samples of {targets} targets"),
        Imported::AlreadyThere(id) => format!("{id}: already there, equal"),
    };
    terminal::out(&line)?;
    Ok(Exit::Done)
}

/// The files named, and those in the folders named. Links in a folder are left out: who made the folder
/// would choose what is read.
fn find_all(paths: &[PathBuf]) -> Result<Vec<OnDisk>> {
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
    let left = MOST_BYTES - check_sizes(&found)?;
    let on_disk = |path: PathBuf| {
        // One that grows meanwhile may take what the others leave.
        let bytes = path.metadata().with_context(|| cannot_read(&path))?.len();
        Ok(OnDisk {
            name: path.display().to_string(),
            path,
            most_bytes: bytes.saturating_add(left),
        })
    };
    found.into_iter().map(on_disk).collect()
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// Looks before anything is read whether all of it fits; bytes of all files.
fn check_sizes(paths: &[PathBuf]) -> Result<u64> {
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
    Ok(all)
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
