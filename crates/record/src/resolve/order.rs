//! Puts calls that come in the order in which they ended into the order in which they began.

use trace::call::Call;

/// A call that lasted longer is stored late: nobody waits for it.
const LONGEST_NS: u64 = 100_000_000;
/// Calls that are held, at most; each takes 80 bytes.
const MOST: usize = 200_000;

/// Calls that are held back.
#[derive(Default)]
pub(super) struct Order {
    held: Vec<Call>,
    newest_ns: u64,
}

impl Order {
    pub(super) fn add(&mut self, call: Call) {
        self.newest_ns = self.newest_ns.max(call.at_ns.saturating_add(call.took_ns));
        self.held.push(call);
    }

    /// How many are held.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Gives those that began long enough ago; all where `is_last`, half where too many are held.
    pub(super) fn take(&mut self, is_last: bool, calls: &mut Vec<Call>) {
        // Stable: what a thread does at one moment keeps its order.
        self.held.sort_by_key(|call| call.at_ns);
        let until = self.newest_ns.saturating_sub(LONGEST_NS);
        let old = self.held.partition_point(|call| call.at_ns < until);
        let given = match self.held.len() {
            all if is_last => all,
            all if all > MOST => old.max(all / 2),
            _ => old,
        };
        calls.extend(self.held.drain(..given));
    }
}
