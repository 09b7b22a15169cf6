//! The proof of durability: when a sync returned, the device had written the data, and its cache had been flushed.
//! Pure, so that each rule is tested with numbers.

use lab::instance::{Flushes, Persisted, Persistence};
use model::figure::{Durability, Synced, Unproven};

/// Share of the bytes that the device must have written when the sync returned.
const DEVICE_SHARE: f64 = 0.9;

/// Counters of the devices at the three moments that matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks {
    /// Before the first phase of the run: from here on bytes count.
    pub began: Persisted,
    /// Before the first phase that syncs: from here on flushes count. An earlier one proves nothing.
    pub synced: Persisted,
    /// When the last phase of the sample had ended.
    pub ended: Persisted,
}

/// Returns whether `synced` was seen to reach the medium at `persistence`.
pub fn judge(synced: &Synced, persistence: &Persistence, looks: &Looks) -> Durability {
    match persistence.unseen() {
        Some(why) => Durability::NotProven(why.clone()),
        None => seen(synced, persistence.may_store_less(), looks),
    }
}

fn seen(synced: &Synced, may_store_less: bool, looks: &Looks) -> Durability {
    let bytes = if may_store_less { synced.incompressible_bytes } else { synced.bytes };
    let of_bytes = (DEVICE_SHARE * bytes as f64).ceil() as u64;
    let device_bytes = looks.ended.written_bytes.saturating_sub(looks.began.written_bytes);
    let why = if device_bytes < of_bytes {
        Some(Unproven::NotWritten { device_bytes, of_bytes: bytes })
    } else {
        let own = unflushed(looks.synced.flushes, looks.ended.flushes, Unproven::NotFlushed);
        own.or_else(|| {
            let (from, to) = (looks.synced.flushes_below, looks.ended.flushes_below);
            unflushed(from, to, Unproven::NotFlushedBelow)
        })
    };
    why.map_or(Durability::Proven, Durability::NotProven)
}

/// Returns `missing` if no flush was done between `from` and `to`, unless none was needed.
fn unflushed(from: Flushes, to: Flushes, missing: Unproven) -> Option<Unproven> {
    match (from, to) {
        (Flushes::Done(before), Flushes::Done(after)) => (after <= before).then_some(missing),
        (Flushes::NotNeeded, Flushes::NotNeeded) => None,
        _ => Some(Unproven::FlushesNotCounted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn at(written_bytes: u64, flushes: u64, below: u64) -> Persisted {
        let (flushes, flushes_below) = (Flushes::Done(flushes), Flushes::Done(below));
        Persisted { written_bytes, flushes, flushes_below }
    }

    /// 100 MiB were synced, of which 60 MiB cannot be compressed.
    fn of(may_store_less: bool, looks: Looks) -> Durability {
        seen(&Synced::data(100 * MIB, 0.6), may_store_less, &looks)
    }

    fn wrote(device_bytes: u64, of_bytes: u64) -> Durability {
        Durability::NotProven(Unproven::NotWritten { device_bytes, of_bytes })
    }

    #[test]
    fn nine_tenths_and_a_flush_prove_durability() {
        let began = at(7 * MIB, 3, 9);
        // Half of it was written back before the sync.
        let synced = at(57 * MIB, 3, 9);
        let ended = |mib: u64| at(7 * MIB + mib * MIB, 4, 10);
        let looks = |mib| Looks { began, synced, ended: ended(mib) };
        assert_eq!(of(false, looks(100)), Durability::Proven);
        assert_eq!(of(false, looks(90)), Durability::Proven);
        assert_eq!(of(false, looks(89)), wrote(89 * MIB, 100 * MIB));
        assert_eq!(of(false, looks(0)), wrote(0, 100 * MIB));
    }

    #[test]
    fn compressible_bytes_need_not_be_written() {
        let looks = |mib: u64| Looks { ended: at(mib * MIB, 1, 1), ..none() };
        assert_eq!(of(true, looks(54)), Durability::Proven);
        assert_eq!(of(true, looks(53)), wrote(53 * MIB, 60 * MIB));
        assert_eq!(of(false, looks(54)), wrote(54 * MIB, 100 * MIB));
    }

    fn none() -> Looks {
        Looks { began: at(0, 0, 0), synced: at(0, 0, 0), ended: at(0, 0, 0) }
    }

    #[test]
    fn flush_before_the_sync_proves_nothing() {
        let looks = Looks { synced: at(0, 5, 5), ended: at(100 * MIB, 5, 6), ..none() };
        assert_eq!(of(false, looks), Durability::NotProven(Unproven::NotFlushed));
        let looks = Looks { ended: at(100 * MIB, 6, 5), ..looks };
        assert_eq!(of(false, looks), Durability::NotProven(Unproven::NotFlushedBelow));
        let looks = Looks { ended: at(100 * MIB, 6, 6), ..looks };
        assert_eq!(of(false, looks), Durability::Proven);
    }

    #[test]
    fn needless_flushes_are_not_required_and_uncounted_prove_nothing() {
        let all = |flushes| {
            let at = |written_bytes| Persisted { written_bytes, flushes, ..Persisted::default() };
            Looks { began: at(0), synced: at(0), ended: at(100 * MIB) }
        };
        assert_eq!(of(false, all(Flushes::NotNeeded)), Durability::Proven);
        let unknown = Durability::NotProven(Unproven::FlushesNotCounted);
        assert_eq!(of(false, all(Flushes::NotCounted)), unknown);
    }

    #[test]
    fn without_data_only_the_flush_is_required() {
        let flushed = Looks { ended: at(0, 1, 1), ..none() };
        assert_eq!(seen(&Synced::FLUSH, false, &flushed), Durability::Proven);
        let not = Durability::NotProven(Unproven::NotFlushed);
        assert_eq!(seen(&Synced::FLUSH, false, &none()), not);
    }
}
