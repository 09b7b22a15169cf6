//! Serves a file system over a directory that burns a known amount of CPU time for each read, measured by the server
//! itself.

use super::{
    mount_device, open_device,
    pass::{Call, Pass},
    serve,
};
use crate::error::LabError;
use rustix::time::{ClockId, clock_gettime};
use std::{path::Path, time::Duration};

/// CPU time of the server for each read, besides that of the protocol.
pub const BURN: Duration = Duration::from_millis(5);

/// Turns between two looks at the clock, some tens of microseconds. Each look is a call of the kernel, and the
/// time is to be that of a program, not of the kernel.
const SPINS: u32 = 500;

/// Mounts the files of `below` at `mount_point` and serves them until it is unmounted. Syncs do nothing.
///
/// # Errors
/// No root, no FUSE, or it could not be served to the end.
pub fn serve_busy(below: &Path, mount_point: &Path) -> Result<(), LabError> {
    let device = open_device()?;
    mount_device(&device, below, mount_point)?;
    let pass = Pass::of(below, |call| {
        if call == Call::Read {
            burn();
        }
    });
    serve(device, pass).map_err(LabError::io("serve FUSE at", mount_point))
}

/// Uses a processor for [`BURN`], however often others have it meanwhile.
fn burn() {
    let start = used();
    while used().saturating_sub(start) < BURN {
        (0..SPINS).for_each(|_| std::hint::spin_loop());
    }
}

/// Processor time of this thread.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_uses_the_processor_and_does_not_sleep() {
        let start = used();
        burn();
        assert!(used() - start >= BURN);
    }
}
