//! Cuts the power below a target and prints how many states a second were mounted and held against their contract; for
//! bench/fault_states. Arguments: target, contract or application, rounds, states, bytes that a disk writes whole,
//! `check` or `plain`, and how many states are examined at once, if not as many as there are processors.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use campaign::faults::{Asked, RecordedTarget, Work};
use faults::{contract::Contract, workload::named};
use lab::setup::Lab;
use model::result::FaultOnDisk;
use std::{
    env,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};
use suites::applications;

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize| args[at].parse::<u64>().unwrap();
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "crashes").unwrap();
    let target = fs::resolve(&args[0].parse().unwrap()).unwrap();
    let contract = named(&args[1], number(2)).map(|own| Contract::new(own).unwrap());
    let application = || applications::find(&args[1]).unwrap().make(number(2), 1);
    let application = contract.is_none().then(application);
    let slow_us = if application.is_some() { 500 } else { 0 };
    let work = contract.as_ref().map(Work::Contract);
    let work = work.or_else(|| application.as_ref().map(Work::Application)).unwrap();
    let asked = Asked {
        seed: 1,
        states: usize::try_from(number(3)).unwrap(),
        atomic_bytes: number(4),
        slow_writes: Duration::from_micros(slow_us),
        fault: FaultOnDisk::Crash,
        check_every: u64::from(args.get(5).is_some_and(|word| word == "check")),
    };
    let mut recorded = match args.get(6) {
        Some(disks) => RecordedTarget::make_with(&lab, &target, disks.parse().unwrap()).unwrap(),
        None => RecordedTarget::make(&lab, &target).unwrap(),
    };
    let start = Instant::now();
    let after = recorded.crash(work, &asked, &AtomicBool::new(false)).unwrap().after;
    let seconds = start.elapsed().as_secs_f64();
    drop(recorded);
    lab.close().unwrap();
    println!("{:.1} states a second\n{after:#?}", after.tried as f64 / seconds);
}
