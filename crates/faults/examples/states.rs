//! Draws states of logs as file systems make them, and prints how many distinct ones a second; for bench/fault_states.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use faults::{
    log::{Event, Log},
    states::{Draw, Epochs, draw},
};
use std::time::Instant;

/// Blocks of 4 KiB on a disk of 256 MiB.
const BLOCKS: u64 = 65536;

/// `epochs` of `writes`, one of eight over a place that has been written before.
fn log(epochs: u64, writes: u64) -> Log {
    let mut rng = model::random::Rng::new(epochs ^ writes << 20);
    let mut log = Log::new(1 << 30);
    for epoch in 0..epochs {
        for nth in 0..writes {
            let block = if rng.below(8) == 0 { rng.below(64) } else { rng.below(BLOCKS - 8) };
            let blocks = 1 + rng.below(4);
            let data: Vec<u8> =
                (0..blocks * 512).flat_map(|_| rng.next_u64().to_le_bytes()).collect();
            log.write(block * 4096, &data).unwrap();
            log.push(Event::Mark(epoch * writes + nth));
        }
        log.push(Event::Flush);
    }
    log
}

fn main() {
    println!("epochs,writes,atomic_bytes,states,seconds,states_per_second");
    for (epochs, writes) in [(200, 6), (40, 30), (8, 150), (1, 1200)] {
        let log = log(epochs, writes);
        for atomic_bytes in [512, 4096] {
            let start = Instant::now();
            let own = Epochs::new(&log).unwrap();
            let states = draw(&own, Draw { seed: 1, limit: 100_000, atomic_bytes }).states.len();
            let seconds = start.elapsed().as_secs_f64();
            let rate = states as f64 / seconds;
            println!("{epochs},{writes},{atomic_bytes},{states},{seconds:.3},{rate:.0}");
        }
    }
}
