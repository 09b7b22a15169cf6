//! Handles every catchable signal that would end the program: the campaign is asked to stop, tears down what it set up,
//! and ends. No signal is ignored, because children would inherit that; handlers are reset for them.

use anyhow::{Context, Result};
use signal_hook::{
    consts::{
        SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
        SIGXCPU, SIGXFSZ,
    },
    flag,
};
use std::sync::{Arc, atomic::AtomicBool};

/// What people, terminals, timers, limits and the power supply send. PIPE is not among them: the runtime of
/// Rust has the write fail instead.
const ENDING: [i32; 13] = [
    SIGHUP,
    SIGINT,
    SIGQUIT,
    SIGTERM,
    SIGUSR1,
    SIGUSR2,
    SIGALRM,
    SIGVTALRM,
    SIGPROF,
    SIGIO,
    SIGXCPU,
    libc::SIGSTKFLT,
    libc::SIGPWR,
];

/// A flag that becomes true with the first of these signals.
pub fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
    for signal in ENDING.into_iter().chain(real_time) {
        handle(signal, &stop)?;
    }
    // A file that reaches the limit of its size: the write fails, which says more than a stop.
    handle(SIGXFSZ, &Arc::default())?;
    Ok(stop)
}

fn handle(signal: i32, seen: &Arc<AtomicBool>) -> Result<()> {
    flag::register(signal, Arc::clone(seen))
        .map(drop)
        .with_context(|| format!("cannot handle signal {signal}"))
}
