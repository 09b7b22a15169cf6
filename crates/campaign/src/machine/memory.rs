//! The memory that this machine has for targets and guests.

use anyhow::{Context, Result};
use model::text::Bytes;

/// Least and most memory of a guest: a quarter of this machine's, within this. With 2 GiB the kernel of a
/// guest killed ZeroFS, which holds up to 1 GiB of writes by default, in addition to the test and the page cache.
const MEMORY: (u64, u64) = (512 << 20, 4 << 30);

/// Memory of the machine.
pub fn total() -> Result<Bytes> {
    let info = rustix::system::sysinfo();
    let bytes = info.totalram as u64 * u64::from(info.mem_unit.max(1));
    (bytes > 0).then_some(Bytes(bytes)).context("cannot read the memory size from the kernel")
}

/// Returns whether this machine has the memory for the given number of guests at once.
pub fn holds_guests(guests: usize) -> bool {
    let own = total().map_or(0, |bytes| bytes.0);
    of_guest().0.saturating_mul(guests as u64) <= own / 4 * 3
}

/// Memory of a guest of this machine.
pub fn of_guest() -> Bytes {
    let own = total().map_or(0, |bytes| bytes.0);
    Bytes((own / 4).clamp(MEMORY.0, MEMORY.1))
}
