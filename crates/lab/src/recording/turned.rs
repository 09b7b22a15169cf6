//! Turns a bit of the disk under a file that is not mounted, and observes what is read of it afterwards.

use super::{RecordingDisk, failing::On};
use crate::error::LabError;
use faults::{
    log::{Event, Log},
    rule::{self, Rule, What, When},
    turned_bit::{Read, Turned},
};
use model::random::Rng;
use std::{
    fs::{self, File},
    io::{self, Write},
    ops::Range,
    path::Path,
};

/// Most that one observation writes, bytes.
const LOG_BYTES: usize = 64 << 20;
/// Long, so that it is found nowhere else, and no multiple of what a file system compares.
const NAME: &str = "a-file-whose-name-stands-in-its-directory-as-it-is-written";
/// Bytes of the file: more than an inode holds.
const BYTES: usize = 64 << 10;

/// Writes a file, turns a bit of its data or name that `seed` chooses, and reads it, after a mount. The bit stays
/// turned until [`RecordingDisk::inject`] or [`RecordingDisk::show`] ends it.
///
/// # Errors
/// It cannot be mounted without the fault, or what is looked for was never written as it is.
pub fn turn_bit(on: On<'_>, turned: Turned, seed: u64) -> Result<Read, LabError> {
    let data = data(seed);
    on.disk.record(LOG_BYTES);
    let mounted = on.mount()?;
    let path = mounted.at().join(NAME);
    let written = File::create(&path).and_then(|mut file| {
        file.write_all(&data)?;
        file.sync_all()
    });
    written.map_err(LabError::io("write", &path))?;
    mounted.unmount()?;
    let log = on.disk.recorded()?;
    let needle = match turned {
        Turned::Data => &data[BYTES / 2..BYTES / 2 + 4096],
        Turned::Name => NAME.as_bytes(),
    };
    let Some(place) = last_write_of(&log, needle) else {
        return Err(on.disk.error("was never written what was to be turned; it may be compressed"));
    };
    flip(on.disk, &place, seed);
    read(on, turned, &data)
}

/// Has the disk give a turned bit of the bytes `place` at each read.
fn flip(disk: &RecordingDisk, place: &Range<u64>, seed: u64) {
    let what = What::flip_within(place, seed);
    disk.inject(vec![Rule { on: rule::On::Read, range: place.clone(), when: When::ALWAYS, what }]);
}

/// What a fresh mount reads. One that fails is an answer, too.
fn read(on: On<'_>, turned: Turned, data: &[u8]) -> Result<Read, LabError> {
    let mounted = match on.mount() {
        Ok(mounted) => mounted,
        Err(LabError::Disk(disk::Error::Io { source, .. })) => return Ok(failed(&source)),
        Err(error) => return Err(error),
    };
    let seen = match turned {
        Turned::Data => fs::read(mounted.at().join(NAME)).map(|seen| seen == data),
        Turned::Name => has_name(mounted.at()),
    };
    let seen = match seen {
        Ok(true) => Read::Right,
        Ok(false) => Read::Wrong,
        Err(error) => failed(&error),
    };
    mounted.unmount()?;
    Ok(seen)
}

fn failed(error: &io::Error) -> Read {
    Read::Failed(error.raw_os_error().unwrap_or(libc::EIO))
}

/// Whether the directory lists the name as it was given.
fn has_name(dir: &Path) -> io::Result<bool> {
    let mut has = false;
    for entry in fs::read_dir(dir)? {
        has |= entry?.file_name() == NAME;
    }
    Ok(has)
}

/// Random, so that it is found once.
fn data(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    (0..BYTES / 8).flat_map(|_| rng.next_u64().to_le_bytes()).collect()
}

/// Where `needle` was written last: after a journal, in its own place.
fn last_write_of(log: &Log, needle: &[u8]) -> Option<Range<u64>> {
    log.events().iter().rev().find_map(|event| {
        let Event::Write { offset, data } = event else { return None };
        let at = log.data(data).windows(needle.len()).position(|bytes| bytes == needle)?;
        let start = offset + at as u64;
        Some(start..start + needle.len() as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_of_what_was_written_is_found() {
        let mut log = Log::new(1 << 20);
        log.write(4096, b"..needle....").unwrap();
        log.write(8192, b"needle").unwrap();
        log.write(0, b"other").unwrap();
        assert_eq!(last_write_of(&log, b"needle"), Some(8192..8198));
        assert_eq!(last_write_of(&log, b"edle."), Some(4100..4105));
        assert_eq!(last_write_of(&log, b"none"), None);
    }
}
