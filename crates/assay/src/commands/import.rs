//! `assay import`: files of another tool, or an exported campaign, into the store.

mod enclosed;
mod targets;
mod trace;

use crate::{cli::ImportArgs, exit::Exit, opened, terminal};
use anyhow::{Context, Result, bail};
use campaign::inputs::file;
use formats::InputFile;
use model::{
    result::Sample,
    text::{Bytes, counted, printable_line},
};
use std::{
    fmt, fs,
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
        Ok(Box::new(file::open_bounded(&self.path, self.most_bytes)?))
    }
}

/// Reads the files, finds their format, and stores the campaign, a sample at a time; its assets go to the state folder.
/// Without a valid sample it fails: what another tool wrote is not stored then, an exported campaign is, with why it
/// failed.
pub fn import(args: &ImportArgs, store: &Path, state: &Path) -> Result<Exit> {
    if let Some(out) = &args.out {
        return trace::import(args, out);
    }
    let of_targets = targets::read(&args.target)?;
    let paths: Vec<PathBuf> = args.files.iter().chain(of_targets.files()).cloned().collect();
    let found = find_all(&paths)?;
    let files: Vec<&dyn InputFile> = found.iter().map(|file| file as &dyn InputFile).collect();
    let created = newest(&paths)?;
    let options = of_targets.options(&args.files, created)?;
    let format = formats::choose(&files, args.format.as_deref())?;
    let (mut taken, mut shelf) = (Taken::default(), None);
    let imported = opened::store(store)?.import_from(|incoming| {
        let head = formats::import_into(&files, Some(format), &options, &mut |sample| {
            taken.count(&sample);
            Ok::<(), anyhow::Error>(incoming.add(sample)?)
        })?;
        taken.targets = head.targets.len();
        taken.check(formats::is_own(format))?;
        if format == "bundle" {
            shelf = enclosed::take(&files, &head.campaign.plan.assets, state)?;
        }
        Ok::<_, anyhow::Error>(head)
    })?;
    // No cleanup may run before the store names the assets.
    drop(shelf);
    let line = match imported {
        Imported::Stored(id) => format!("{id}: {taken}"),
        Imported::AlreadyThere(id) => format!("{id}: already in the store, identical"),
    };
    terminal::out(&line)?;
    if !taken.is_usable() {
        bail!("stored, but {}", taken.none_valid());
    }
    Ok(Exit::Done)
}

/// What was taken of the files.
#[derive(Default)]
struct Taken {
    samples: u64,
    invalid: u64,
    targets: usize,
    /// Why the first sample that is not valid is not.
    why: Option<String>,
}

impl Taken {
    fn count(&mut self, sample: &Sample) {
        self.samples += 1;
        if let Some(why) = sample.evidence.validity.why() {
            self.invalid += 1;
            self.why.get_or_insert_with(|| {
                format!("{}: {}", sample.case.test, ::report::words::reason(why))
            });
        }
    }

    /// Whether any sample is valid.
    fn is_usable(&self) -> bool {
        self.invalid < self.samples
    }

    /// That nothing is valid, and why.
    fn none_valid(&self) -> String {
        let why = printable_line(self.why.as_deref().unwrap_or_default());
        match self.samples {
            1 => format!("the only sample is not valid: {why}"),
            all => format!("none of {all} samples is valid; the first: {why}"),
        }
    }

    /// Whether to store what was taken.
    ///
    /// # Errors
    /// When nothing of it is valid, nor of a campaign that was exported so.
    fn check(&self, is_own: bool) -> Result<()> {
        match self.samples {
            0 => bail!("the files contain no samples; nothing was stored"),
            _ if !self.is_usable() && !is_own => {
                bail!("nothing was stored: {}", self.none_valid())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let targets = counted(self.targets, "target", "targets");
        write!(f, "{} of {targets}", counted(self.samples, "sample", "samples"))?;
        match self.invalid {
            0 => Ok(()),
            invalid => write!(f, ", {invalid} of them invalid"),
        }
    }
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
        bail!("no file to import in {}", paths[0].display());
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
        bail!("more than {MOST_FILES} files; import them in several calls");
    }
    let mut all = 0u64;
    for path in paths {
        let meta = path.metadata().with_context(|| cannot_read(path))?;
        file::fits(&meta, u64::MAX).with_context(|| cannot_read(path))?;
        let assets = enclosed::bytes(path);
        let most = MOST_BYTES.saturating_add(assets);
        file::fits(&meta, most).with_context(|| cannot_read(path))?;
        all = all.saturating_add(meta.len().saturating_sub(assets));
    }
    if all > MOST_BYTES {
        let (all, most) = (Bytes(all), Bytes(MOST_BYTES));
        bail!("the files total {all}, and the limit is {most}; import them in several calls");
    }
    Ok(all)
}

/// When the newest of `paths` was last changed, RFC 3339.
fn newest(paths: &[PathBuf]) -> Result<String> {
    let changed = |path: &PathBuf| fs::metadata(path)?.modified();
    let times: Result<Vec<_>, _> = paths.iter().map(changed).collect();
    let newest = times.context("cannot read the modification time of the files")?.into_iter().max();
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
            bail!(
                "{} contains more than {MOST_FILES} files; import them in several \
                   calls",
                dir.display()
            );
        }
    }
    paths.sort();
    Ok(paths)
}
