//! Puts calls that come in the order in which they ended into the order in which they began.

use trace::call::Call;

/// A call that lasts longer is stored late, out of order.
const LONGEST_NS: u64 = 100_000_000;
/// Calls that are held, at most; each takes 88 bytes.
const MOST: usize = 200_000;

/// Calls that are held back.
#[derive(Default)]
pub(super) struct Order {
    /// Each with when it really began: stored times are rounded for each thread separately, so those of two threads may
    /// have changed places.
    held: Vec<(u64, Call)>,
    newest_ns: u64,
}

impl Order {
    /// Adds a call that began at `began_ns` and ended at `ended_ns` of the recorder's clock.
    pub(super) fn add(&mut self, call: Call, began_ns: u64, ended_ns: u64) {
        self.newest_ns = self.newest_ns.max(ended_ns);
        self.held.push((began_ns, call));
    }

    /// How many are held.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Gives those that began long enough ago; all where `is_last`, half where too many are held.
    pub(super) fn take(&mut self, is_last: bool, calls: &mut Vec<Call>) {
        // Stable: what a thread does at one moment keeps its order.
        self.held.sort_by_key(|(began_ns, _)| *began_ns);
        let until = self.newest_ns.saturating_sub(LONGEST_NS);
        let old = self.held.partition_point(|(began_ns, _)| *began_ns < until);
        let given = match self.held.len() {
            all if is_last => all,
            all if all > MOST => old.max(all / 2),
            _ => old,
        };
        calls.extend(self.held.drain(..given).map(|(_, call)| call));
    }
}
