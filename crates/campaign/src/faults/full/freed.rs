//! Deletes a tenth of a full disk, and writes until that space is used again.

use super::{super::clock::whole_ns, fill::Filling, space::Space};
use ::faults::full::BLOCK;
use model::result::Freed;
use std::time::{Duration, Instant};

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);
/// Refusals after which the file system is synced: by then a program that only waits has waited for a second.
const REFUSALS_PER_SYNC: u64 = 100;
/// Then the space is taken for lost.
const SYNCS: u64 = 3;

/// Deletes files from the first one on, and writes nine tenths of their bytes: the rest may be what a file system needs
/// for itself.
pub(super) fn write_again<S: Space>(filling: &mut Filling<'_, S>) -> Freed {
    let tenth = filling.bytes() / 10;
    let mut bytes = 0;
    while bytes < tenth && !filling.kept.is_empty() {
        match filling.delete(0) {
            Ok(own) => bytes += own,
            Err(_) => break,
        }
    }
    let block = BLOCK as u64;
    let wanted = bytes / block * 9 / 10 * block;
    let before = filling.bytes();
    let (mut refusals, mut syncs, mut waited) = (0, 0, Duration::ZERO);
    filling.widen();
    while !filling.fill(before + wanted) {
        refusals += 1;
        let start = Instant::now();
        if refusals % REFUSALS_PER_SYNC == 0 {
            if syncs == SYNCS {
                break;
            }
            // Where it is refused, nothing is free either.
            let _ = filling.space.sync_all();
            syncs += 1;
        }
        filling.space.pause(PAUSE);
        waited += start.elapsed();
        filling.widen();
    }
    let waited_ns = whole_ns(waited);
    let written = filling.bytes().saturating_sub(before);
    Freed { bytes, wanted, written, refusals, syncs, waited_ns }
}
