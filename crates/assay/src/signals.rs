//! INT, TERM and HUP ask the campaign to stop; it then undoes what it provisioned and ends.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::{Arc, atomic::AtomicBool};

/// A flag that becomes true with the first of these signals.
pub fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("cannot install a signal handler")?;
    }
    Ok(stop)
}
