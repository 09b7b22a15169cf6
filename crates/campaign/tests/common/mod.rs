//! Looks for what tests of faults on real file systems need.

use lab::{machine::Availability, recording::RecordingDisk};
use needs::{Need, skip};

/// Whether faults can be made below `target`, a file system with or without options; says why not.
pub(crate) fn ready(target: &str) -> bool {
    let name = target.split('[').next().unwrap_or(target);
    if let Some(why) = RecordingDisk::missing() {
        skip(Need::Root, why);
        return false;
    }
    match lab::machine::available(fs::find(name).unwrap()) {
        Availability::Ready => true,
        Availability::Missing { what, .. } => {
            skip(Need::file_system(name), format!("{name}: {what}"));
            false
        }
    }
}
