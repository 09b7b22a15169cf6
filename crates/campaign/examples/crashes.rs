//! Cuts the power below a target and prints how many states a second were mounted and held against their contract; for
//! bench/fault_states. Arguments: target, contract, rounds, states, bytes that a disk writes whole, and `check`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use campaign::faults::{Crash, Ground};
use faults::{contract::Contract, workload::named};
use lab::setup::Lab;
use model::result::FaultOnDisk;
use std::{
    env,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize| args[at].parse::<u64>().unwrap();
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "crashes").unwrap();
    let target = fs::resolve(&args[0].parse().unwrap()).unwrap();
    let contract = Contract::new(named(&args[1], number(2)).unwrap()).unwrap();
    let asked = Crash {
        contract: &contract,
        seed: 1,
        states: usize::try_from(number(3)).unwrap(),
        atomic_bytes: number(4),
        slow_writes: Duration::ZERO,
        fault: FaultOnDisk::Crash,
        check_every: u64::from(args.get(5).is_some_and(|word| word == "check")),
    };
    let mut ground = Ground::make(&lab, &target).unwrap();
    let start = Instant::now();
    let after = ground.crash(&asked, &AtomicBool::new(false)).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    drop(ground);
    lab.close().unwrap();
    println!("{:.1} states a second\n{after:#?}", after.tried as f64 / seconds);
}
