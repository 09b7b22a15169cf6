//! Tests of the protocol: processes simulated with threads, stepped by one test driver.

use super::*;
use std::thread;

const LONG: Duration = Duration::from_secs(20);

fn wait_for(barrier: &Barrier, wanted: Arrived) {
    let start = std::time::Instant::now();
    while barrier.await_all(LONG) != wanted {
        assert!(start.elapsed() < LONG, "{wanted:?} never came");
    }
}

#[test]
fn overlap_is_last_start_to_first_end() {
    let barrier = Barrier::create(2).unwrap();
    let (a, b) = (barrier.member(0).unwrap(), barrier.member(1).unwrap());
    let a_start = a.begin();
    a.progress().add(1000, 10);
    thread::sleep(Duration::from_millis(1));
    let b_start = b.begin();
    a.progress().add(300, 3);
    b.progress().add(50, 1);
    let a_end = a.end();
    b.progress().add(7_000, 70);
    let b_end = b.end();
    let overlap = barrier.overlap();
    assert_eq!((overlap.bytes, overlap.ops), (350, 4));
    assert!(a_start < b_start && a_end <= b_end);
    // The window begins just before the second worker's clock does, after the first worker's.
    assert!(overlap.window_ns >= a_end - b_start && overlap.window_ns < a_end - a_start);
}

#[test]
fn no_overlap_when_one_ended_before_all_began() {
    let barrier = Barrier::create(2).unwrap();
    let (a, b) = (barrier.member(0).unwrap(), barrier.member(1).unwrap());
    a.begin();
    a.progress().add(1, 1);
    a.end();
    assert_eq!(barrier.overlap(), PhaseOverlap::default());
    b.begin();
    b.progress().add(1, 1);
    b.end();
    assert_eq!(barrier.overlap(), PhaseOverlap::default());
}

#[test]
fn phases_run_in_step_and_counters_start_at_zero() {
    const WORKERS: u32 = 8;
    let barrier = Barrier::create(WORKERS).unwrap();
    thread::scope(|scope| {
        for number in 0..WORKERS {
            let member = barrier.member(number).unwrap();
            scope.spawn(move || {
                for bytes in [5, 9] {
                    member.arrive().unwrap();
                    member.begin();
                    assert_eq!(member.progress().bytes(), 0);
                    member.progress().add(bytes, 1);
                    member.end();
                }
                member.finish().unwrap();
                member.leave();
            });
        }
        for round in 1..=2 {
            wait_for(&barrier, Arrived::Phase);
            assert!((0..WORKERS).all(|w| barrier.arrivals(w) == round));
            barrier.release();
        }
        wait_for(&barrier, Arrived::Finished);
        barrier.release();
        wait_for(&barrier, Arrived::Finished);
        assert!((0..WORKERS).all(|w| barrier.arrivals(w) == 4));
    });
}

#[test]
fn a_further_job_finds_it_as_new() {
    let barrier = Barrier::create(2).unwrap();
    for number in 0..2 {
        let member = barrier.member(number).unwrap();
        member.works_here();
        member.begin();
        member.progress().add(7, 1);
        member.end();
        member.leave();
    }
    assert_eq!(barrier.process(1), Some(std::process::id()));
    assert_eq!(barrier.await_all(LONG), Arrived::Finished);
    barrier.renew();
    assert_eq!((barrier.process(1), barrier.arrivals(1)), (None, 0));
    assert_eq!((barrier.moved(), barrier.overlap()), Default::default());
    assert_eq!(barrier.await_all(Duration::ZERO), Arrived::Waiting);
}

#[test]
fn a_break_up_wakes_those_who_wait_and_names_the_first() {
    let barrier = Barrier::create(3).unwrap();
    thread::scope(|scope| {
        let waiting = barrier.member(0).unwrap();
        let waiter = scope.spawn(move || waiting.arrive());
        while barrier.arrivals(0) == 0 {
            thread::yield_now();
        }
        assert_eq!(barrier.broken_by(), None);
        barrier.member(2).unwrap().break_up();
        barrier.member(1).unwrap().break_up();
        assert_eq!(waiter.join().unwrap(), Err(Broken));
    });
    assert_eq!(barrier.broken_by(), Some(2));
    assert_eq!(barrier.member(1).unwrap().arrive(), Err(Broken));
    assert_eq!(barrier.await_all(Duration::ZERO), Arrived::Waiting);
}

#[test]
fn a_pool_that_disagrees_is_seen() {
    let barrier = Barrier::create(2).unwrap();
    barrier.member(0).unwrap().leave();
    thread::scope(|scope| {
        let member = barrier.member(1).unwrap();
        let other = scope.spawn(move || member.arrive());
        wait_for(&barrier, Arrived::Divided(1));
        barrier.member(0).unwrap().break_up();
        assert_eq!(other.join().unwrap(), Err(Broken));
    });
}

#[test]
fn a_second_mapping_sees_the_same_pool() {
    let barrier = Barrier::create(5).unwrap();
    let copy = rustix::io::fcntl_dupfd_cloexec(barrier.0.fd(), 3).unwrap();
    rustix::io::fcntl_setfd(&copy, FdFlags::empty()).unwrap();
    let attached = Barrier::attach(inherited(copy.as_raw_fd()).unwrap()).unwrap();
    // The children of a worker get neither.
    assert_eq!(rustix::io::fcntl_getfd(&copy), Ok(FdFlags::CLOEXEC));
    assert_eq!((attached.workers(), attached.coordinator()), (5, std::process::id()));
    barrier.member(4).unwrap().progress().add(3, 1);
    assert_eq!(attached.member(4).unwrap().progress().bytes(), 3);
    assert!(matches!(attached.member(5), Err(BarrierError::NoSuchWorker(5, 5))));
}

#[test]
fn what_is_no_pool_is_refused() {
    assert!(matches!(Barrier::create(0), Err(BarrierError::Size(0))));
    assert!(matches!(Barrier::create(MAX_WORKERS + 1), Err(BarrierError::Size(_))));
    assert!(matches!(inherited(1), Err(BarrierError::Foreign(1))));
    assert!(matches!(inherited(999_999), Err(BarrierError::Foreign(_))));
    let file = std::fs::File::open("/proc/self/exe").unwrap();
    assert!(Barrier::attach(file.into()).is_err());
}

#[test]
fn paused_pool_stops_with_its_clock() {
    let barrier = Barrier::create(2).unwrap();
    let (a, b) = (barrier.member(0).unwrap(), barrier.member(1).unwrap());
    let still = || loop {
        match barrier.await_stillness(LONG) {
            Stillness::None => {}
            all => return all,
        }
    };
    thread::scope(|scope| {
        let (left, right) = (a, b);
        let worker = scope.spawn(move || {
            let start_ns = left.begin();
            let progress = left.held_progress();
            while progress.ops() < 1_000_000 {
                progress.add(0, 1);
                if progress.ops() == 10 {
                    // Only now, so that it is seen to stop.
                    left.barrier.hold();
                }
            }
            (start_ns, left.end())
        });
        // One that ended the phase before has nothing to stand still in.
        right.begin();
        right.end();
        right.leave();
        let stillness = still();
        let ops = barrier.moved().ops;
        let away = Duration::from_millis(300);
        thread::sleep(away);
        let ops_after = barrier.moved().ops;
        let before_ns = now_ns();
        let since_ns =
            if let Stillness::Held(since_ns) = stillness { Some(since_ns) } else { None };
        barrier.go_on(since_ns);
        // It adds once more before it stands still.
        assert_eq!((ops, ops_after, since_ns.is_some()), (11, 11, true));
        let (start_ns, end_ns) = worker.join().unwrap();
        let took = Duration::from_nanos(end_ns - start_ns);
        let since = Duration::from_nanos(now_ns() - before_ns);
        assert!(took <= since + away / 2, "the clock went on: {took:?} of {since:?}");
    });
}

#[test]
fn finished_candidate_does_not_hold_the_next_phase() {
    let barrier = Barrier::create(1).unwrap();
    let member = barrier.member(0).unwrap();
    barrier.hold();
    member.leave();
    while barrier.await_stillness(LONG) != Stillness::Ended {}
    barrier.go_on(None);
    barrier.renew();
    // Returns at once.
    member.held_progress().add(1, 1);
}
