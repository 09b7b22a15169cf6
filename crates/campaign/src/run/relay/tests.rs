//! The order of members is the same whichever arrives first.

use super::*;
use crate::evidence::contention::OthersCpu;
use std::sync::Barrier;

/// Events of a relay in their order: member, test, slice.
fn course(members: usize, slices: &(dyn Fn(usize) -> u32 + Sync)) -> Vec<(usize, u32, u32)> {
    let relay = Relay::of(members, (7, 0));
    let (sender, said) = mpsc::channel();
    thread::scope(|scope| {
        for member in 0..members {
            let (relay, sender) = (&relay, sender.clone());
            scope.spawn(move || {
                let slot = relay.slot(member);
                for test in 0..4 {
                    let runner = slot.at(1, test);
                    runner.prepare();
                    sender.send((member, test, 0)).unwrap();
                    let mut pace = runner.timed(Some(Duration::ZERO));
                    for slice in 1..=slices(member) {
                        pace.wait();
                        sender.send((member, test, slice)).unwrap();
                    }
                }
            });
        }
    });
    drop(sender);
    said.iter().collect()
}

#[test]
fn no_candidate_is_ahead_by_more_than_a_slice() {
    let events = course(3, &|_| 4);
    assert_eq!(events.len(), 3 * 4 * 5);
    for (round, chunk) in events.chunks(3).enumerate() {
        let (test, slice) = (round as u32 / 5, round as u32 % 5);
        assert!(chunk.iter().all(|event| (event.1, event.2) == (test, slice)), "{chunk:?}");
        let mut members: Vec<usize> = chunk.iter().map(|event| event.0).collect();
        members.sort_unstable();
        assert_eq!(members, [0, 1, 2]);
    }
}

#[test]
fn tests_are_prepared_at_the_same_time_and_timed_alone() {
    let relay = Relay::of(3, (7, 0));
    let (inside, all_in) = (Mutex::new(0), Barrier::new(3));
    thread::scope(|scope| {
        for member in 0..3 {
            let (relay, inside, all_in) = (&relay, &inside, &all_in);
            scope.spawn(move || {
                let slot = relay.slot(member);
                let alone = || {
                    assert!(inside.try_lock().is_ok_and(|mut count| {
                        *count += 1;
                        thread::yield_now();
                        true
                    }));
                };
                slot.at(1, 0).prepare();
                alone();
                for test in 1..50 {
                    let runner = slot.at(1, test);
                    runner.prepare();
                    // No member passes it before all prepare.
                    all_in.wait();
                    let mut pace = runner.timed(Some(Duration::ZERO));
                    (0..3).for_each(|_| {
                        pace.wait();
                        alone();
                    });
                }
            });
        }
    });
    assert_eq!(inside.into_inner().unwrap(), 3 * (1 + 3 * 49));
}

#[test]
fn order_reverses_each_slice_and_differs_between_tests() {
    let events = course(4, &|_| 2);
    let order = |test: u32, slice: u32| {
        let own = events.iter().filter(move |e| (e.1, e.2) == (test, slice));
        own.map(|event| event.0).collect::<Vec<usize>>()
    };
    let mut turned = order(1, 2);
    turned.reverse();
    assert_eq!(order(1, 1), turned);
    assert!((1..4).any(|test| order(test, 1) != order(0, 1)));
}

#[test]
fn orders_are_balanced_over_the_blocks() {
    for test in 0..5 {
        let step = Step { procs: 1, test, again: 0, is_timed: true, slices: 0 };
        let rank = |block| Relay::of(2, (7, block)).rank(0, step, 2);
        assert_eq!([0, 1, 2, 3].map(rank).iter().sum::<usize>(), 2, "test {test}");
        assert_ne!(rank(0), rank(1));
    }
}

#[test]
fn members_agree_on_what_they_saw_and_leavers_are_not_awaited() {
    let relay = Relay::of(3, (7, 0));
    let agreed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for member in 0..3 {
            let (relay, agreed) = (&relay, &agreed);
            scope.spawn(move || {
                let slot = relay.slot(member);
                let mut runner = slot.at(1, 1);
                for round in 0..4 {
                    if (member, round) == (2, 3) {
                        return;
                    }
                    runner.prepare();
                    runner.timed(Some(Duration::ZERO)).wait();
                    let largest_pct = f64::from(10 * round + member as u32);
                    let cpu = OthersCpu::default();
                    let all = runner.together(Disturbance { largest_pct, cpu });
                    agreed.lock().unwrap().push(all.largest_pct);
                    runner = runner.again();
                }
            });
        }
    });
    let agreed = agreed.into_inner().unwrap();
    assert_eq!(agreed, [2.0, 2.0, 2.0, 12.0, 12.0, 12.0, 22.0, 22.0, 22.0, 31.0, 31.0]);
}

#[test]
fn longer_phase_gets_more_slices_while_others_wait() {
    let events = course(2, &|member| if member == 0 { 1 } else { 5 });
    let first: Vec<_> = events.iter().filter(|event| event.1 == 0).collect();
    assert_eq!(first.len(), 8);
    assert!(events.windows(2).all(|pair| pair[0].1 <= pair[1].1));
}

#[test]
fn single_candidate_is_never_paused_and_leavers_are_not_awaited() {
    let relay = Relay::of(2, (1, 0));
    let slot = relay.slot(0);
    let pace = slot.at(1, 1).timed(Some(Duration::ZERO));
    assert!(pace.slice().is_some());
    drop(relay.slot(1));
    assert_eq!(pace.slice(), None);
    slot.at(1, 1).prepare();
}

#[test]
fn last_candidate_in_a_test_is_not_paused_for_finished_ones() {
    let relay = Relay::of(2, (1, 0));
    let ahead = Step { procs: 4, test: 2, again: 0, is_timed: false, slices: 0 };
    relay.state().members[1] = Member::Waits(ahead);
    let pace = |test| relay.slot(0).at(4, test).timed(Some(Duration::ZERO)).slice();
    assert_eq!(pace(1), None);
    relay.state().members[0] = Member::Works(Step::default());
    relay.state().members[1] = Member::Waits(Step { test: 1, is_timed: true, ..ahead });
    assert!(pace(1).is_some());
}

#[test]
fn first_failure_ends_all_and_is_returned() {
    let run = |member: usize, slot: &RelaySlot<'_>, report: &mut dyn FnMut(u32) -> Result<()>| {
        for test in 0..100 {
            slot.at(1, test).prepare();
            ensure!((member, test) != (1, 5), "disk gone");
            report(test)?;
        }
        Ok(RunEnd::Done)
    };
    let mut reported = 0;
    let error = side_by_side(3, (1, 0), run, &mut |_, test| {
        reported = reported.max(test);
        Ok(())
    });
    assert_eq!(error.unwrap_err().to_string(), "disk gone");
    assert!(reported <= 5, "{reported}");
    let error = side_by_side(2, (1, 0), run, &mut |_, _| anyhow::bail!("store full"));
    assert_eq!(error.unwrap_err().to_string(), "store full");
}

#[test]
fn gated_worker_asks_before_each_step() {
    let asked = Mutex::new(Vec::new());
    let gate = |step: Step| asked.lock().unwrap().push((step.procs, step.test, step.is_timed));
    let relay = Relay::gated(&gate);
    let runner_slot = relay.slot(0);
    let runner = runner_slot.at(4, 1);
    runner.prepare();
    runner.timed(None).wait();
    assert_eq!(*asked.lock().unwrap(), [(4, 1, false), (4, 1, true)]);
}
