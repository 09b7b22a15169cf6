//! Times operations on a disk that is half full, nearly full and full.

use super::{
    super::clock::timed,
    fill::{Filling, put},
    space::{Answer, Space},
};
use ::faults::full::BLOCK;
use model::{
    random::Rng,
    result::{FullOperation, FullSpeed, Spread},
};
use std::io;

/// Percent of what can be filled.
const DEGREES: [u64; 4] = [50, 95, 98, 100];
/// Bytes of an append, and of the file that is written again.
const LARGE: u64 = 1 << 20;
/// The files of these operations.
const APPENDED: &str = "appended";
const REWRITTEN: &str = "rewritten";

/// Fills it to each degree of `capacity` bytes that it takes, and does each operation `times` times, in a drawn order.
///
/// # Errors
/// The files of the operations cannot be made on the empty disk.
pub(super) fn speeds<S: Space>(
    filling: &mut Filling<'_, S>,
    capacity: u64,
    times: u64,
    seed: u64,
) -> io::Result<Vec<FullSpeed>> {
    let mut rng = Rng::new(seed ^ 0x7475_6c6c);
    let data = filling.content.bytes(filling.number(), 0, LARGE as usize);
    for name in [APPENDED, REWRITTEN] {
        write(filling.space, name, &data).map_err(io::Error::from_raw_os_error)?;
    }
    let mut speeds = Vec::new();
    let (mut old, mut version) = (0, 0);
    for percent in DEGREES {
        let until = if percent == 100 { u64::MAX } else { capacity / 100 * percent };
        let is_reached = filling.fill(until) || filling.fill_after_sync(until);
        if percent < 100 && !is_reached {
            // It is full before that.
            continue;
        }
        if percent == DEGREES[0] {
            // The same files at each degree: those that were there first.
            old = filling.kept.iter().filter(|own| own.bytes >= BLOCK as u64).count() as u64;
        }
        // What the filling left to do later is not timed. A refusal is no matter: the operations will meet it, too.
        let _ = filling.space.sync_all();
        let mut order: Vec<FullOperation> =
            FullOperation::ALL.into_iter().flat_map(|one| vec![one; times as usize]).collect();
        rng.shuffle(&mut order);
        let mut all: Vec<(FullOperation, Answer<u64>)> = Vec::new();
        for operation in order {
            let done = match operation {
                FullOperation::Overwrite => {
                    version += 1;
                    overwrite(filling, old, version, &mut rng)
                }
                FullOperation::Append => append(filling, &data),
                FullOperation::Rewrite => rewrite(filling, &data),
            };
            all.push((operation, done));
        }
        speeds.extend(FullOperation::ALL.map(|operation| summary(percent, operation, &all)));
    }
    Ok(speeds)
}

fn summary(
    percent: u64,
    operation: FullOperation,
    all: &[(FullOperation, Answer<u64>)],
) -> FullSpeed {
    let own = || all.iter().filter(|(one, _)| *one == operation).map(|(_, done)| *done);
    FullSpeed {
        percent,
        operation,
        time: Spread::of(own().filter_map(Result::ok).collect()),
        refused: own().find_map(Result::err),
    }
}

/// Writes over a drawn block of one of the first `old` files.
fn overwrite<S: Space>(
    filling: &mut Filling<'_, S>,
    old: u64,
    version: u64,
    rng: &mut Rng,
) -> Answer<u64> {
    let index = rng.below(old.max(1)) as usize;
    let blocks = filling.kept.get(index).map_or(0, |own| own.bytes / BLOCK as u64);
    if blocks == 0 {
        return Err(rustix::io::Errno::NOENT.raw_os_error());
    }
    let number = rng.below(blocks);
    filling.overwrite(index, number, version)
}

/// Writes and syncs `LARGE` bytes after those of the file; undone afterwards.
fn append<S: Space>(filling: &Filling<'_, S>, data: &[u8]) -> Answer<u64> {
    let space = filling.space;
    let file = space.open(APPENDED)?;
    let done = timed(|| put(space, &file, LARGE, data));
    let undone = space.truncate(&file, LARGE).and_then(|()| space.sync(&file));
    space.close(file)?;
    undone.and(done)
}

/// Deletes the file and writes it again.
fn rewrite<S: Space>(filling: &Filling<'_, S>, data: &[u8]) -> Answer<u64> {
    timed(|| {
        match filling.space.unlink(REWRITTEN) {
            Err(errno) if errno != rustix::io::Errno::NOENT.raw_os_error() => return Err(errno),
            _ => {}
        }
        write(filling.space, REWRITTEN, data)
    })
}

/// Makes a file with this content, and syncs it.
fn write<S: Space>(space: &S, name: &str, data: &[u8]) -> Answer {
    let file = space.create(name)?;
    let done = put(space, &file, 0, data);
    space.close(file)?;
    done
}
