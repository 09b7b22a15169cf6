//! One part of a target, with its options checked.

use super::{reach, values, words};
use crate::{
    Error, FileSystem, cap, find,
    options::{MKFS, OTHER},
    systems::nfs::export,
    trial,
};
use model::target::{KnobError, Options, Target, check_options};

/// One part of a target.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file system that makes it.
    pub fs: &'static dyn FileSystem,
    /// With which options.
    pub options: Options,
    /// Devices that it is on.
    pub(super) disks: usize,
}

impl Part {
    /// Devices that it is on.
    pub fn disks(&self) -> usize {
        self.disks
    }
}

/// The part `name` of `target` with these options.
///
/// # Errors
/// It is not registered, or an option is unknown, out of range, excluded by another or reaches beyond the target.
pub(super) fn part(target: &Target, name: &str, options: &Options) -> Result<Part, Error> {
    let fs = find(name)?;
    let fs = fs.with(options).unwrap_or(fs);
    if let Some(why) = fs.excluded(options) {
        return Err(Error::Excluded { target: target.to_string(), why: why.into() });
    }
    let mut own = options.clone();
    if fs.disks(options) > 0 {
        cap::caps(name, options)?;
        own.retain(|key, _| !cap::is_cap(key));
    }
    let knobs = words::knobs(fs.about());
    check_options(name, &knobs, &own).map_err(|why| with_quotes(why, &own))?;
    let mut reaching = options.clone();
    if fs.about().is_remote {
        // It is what the target is, and was judged by the file system.
        reaching.remove(export::SERVER);
    }
    reach::check(target, fs.about(), &reaching)?;
    values::check(name, &knobs, &own)?;
    trial::check_parts(name, &knobs, options)?;
    if let Some(why) = trial::excluded(fs.about().exclusions, &bare(options)) {
        return Err(Error::Excluded { target: target.to_string(), why: why.into() });
    }
    Ok(Part { fs, options: options.clone(), disks: fs.disks(options) })
}

/// `options` with what is passed on unchecked under its own name: what excludes it does so either way.
fn bare(options: &Options) -> Options {
    let bare = |key: &str| key.strip_prefix(OTHER).unwrap_or(key).to_string();
    options.iter().map(|(key, value)| (bare(key), value.clone())).collect()
}

/// `error`, where one of `options` is a list: the next word after its comma is another option.
fn with_quotes(error: KnobError, options: &Options) -> KnobError {
    let is_list = |(key, value): &(&String, &String)| {
        key.starts_with(MKFS) && trial::part_name(key, value).is_some()
    };
    let KnobError::Unknown { owner, key, known, mut further } = error else { return error };
    if let Some((flag, value)) = options.iter().find(is_list) {
        let given = options.get(&key).filter(|value| !value.is_empty());
        let part = given.map_or(key.clone(), |value| format!("{key}={value}"));
        further.insert(0, format!(
            "a comma ends an option; if `{part}` belongs to {flag}, write {flag}=\"{value},{part}\""
        ));
    }
    KnobError::Unknown { owner, key, known, further }
}
