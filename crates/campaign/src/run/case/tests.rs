//! Numbers the attempts at a case.

use super::*;
use crate::run::{hosts::ThisHost, relay::Relay};
use lab::setup::Lab;
use model::workload::PoolReport;
use std::cell::RefCell;
use workers::{Observer, TimeSharing};

/// Records the attempt of each job, and fails.
#[derive(Default)]
struct Failing(RefCell<Vec<u32>>);

impl Pool for Failing {
    fn run_at(
        &self,
        _pace: &mut dyn TimeSharing,
        jobs: &[Job],
        _observer: &mut dyn Observer,
        _stop: &AtomicBool,
    ) -> Result<PoolReport, PoolError> {
        self.0.borrow_mut().extend(jobs.iter().map(|job| job.attempt));
        Err(PoolError::Failed { worker: 0, message: "it was to fail".into() })
    }
}

#[test]
fn attempts_at_a_case_have_distinct_numbers() {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "attempts").unwrap();
    let instance = lab.provision(&"null".parse().unwrap(), "null").unwrap();
    let text = "suite = 'x'\nid = 'x.a'\nkind = 'tree'";
    let worker = |worker: u32| Job {
        worker,
        dir: instance.root().join(format!("w{worker}")),
        test: "x.a".into(),
        ..crate::tools::tests::job(Some(text.into()), 2)
    };
    let mut jobs = [worker(0), worker(1)];
    let test = suites::of_job(&jobs[0]).unwrap();
    let (pool, stop, relay) = (Failing::default(), AtomicBool::new(false), Relay::of(1, (0, 0)));
    let slot = relay.slot(0);
    let context = CaseContext {
        instance: &instance,
        pool: &pool,
        hosts: &ThisHost,
        runner: slot.at(2, 1),
        least_s: 0.0,
        others: Cell::default(),
        stop: &stop,
    };
    let slot = CaseSlot { block: 0, position: 0, label: "null", suite: "x" };
    for _ in 0..2 {
        let samples = run(test, &mut jobs, &context, &slot).unwrap().unwrap();
        assert!(samples.iter().all(|sample| !sample.evidence.validity.is_valid()));
    }
    assert_eq!(pool.0.into_inner(), [1, 1, 2, 2]);
}
