//! One part of a target, with its options checked.

use super::{find, nfs_export, reach};
use crate::{FileSystem, LabError, throttle, trial};
use model::{Options, Target, check_options};

/// One part of a target.
#[derive(Clone, Debug)]
pub struct Part {
    /// How it is made.
    pub fs: &'static dyn FileSystem,
    /// With which options.
    pub options: Options,
}

impl Part {
    /// Devices that it is on.
    pub fn disks(&self) -> usize {
        self.fs.disks(&self.options)
    }
}

/// The part `name` of `target` with these options.
///
/// # Errors
/// It is not registered, or an option is unknown, out of range, excluded by another or reaches beyond the target.
pub(super) fn part(target: &Target, name: &str, options: &Options) -> Result<Part, LabError> {
    let fs = find(name)?;
    let fs = fs.with(options).unwrap_or(fs);
    if let Some(why) = fs.excluded(options) {
        return Err(LabError::Excluded { target: target.to_string(), why });
    }
    let mut own = options.clone();
    if fs.disks(options) > 0 {
        throttle::caps(name, options)?;
        own.retain(|key, _| !throttle::is_cap(key));
    }
    check_options(name, fs.about().knobs, &own)?;
    let mut reaching = options.clone();
    if fs.about().is_remote {
        // It is what the target is, and was judged by the file system.
        reaching.remove(nfs_export::SERVER);
    }
    reach::check(target, name, &reaching)?;
    trial::check_parts(name, fs.about().knobs, options)?;
    if let Some(why) = trial::excluded(fs.about().exclusions, options) {
        return Err(LabError::Excluded { target: target.to_string(), why });
    }
    Ok(Part { fs, options: options.clone() })
}
