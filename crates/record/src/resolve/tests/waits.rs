//! Waits of threads for each other.

use super::*;
use crate::raw::Woke;

/// What the kernel's programs say may wait, and what is taken for a wait here, is the same.
#[test]
fn calls_that_may_be_on_a_pipe_are_known_to_both_sides() {
    let of_programs = crate::kernel::recorded_calls()
        .filter_map(|(number, kind)| (kind == crate::kernel::EntryKind::Stream).then_some(number));
    assert!(of_programs.eq(super::super::waits::STREAMS));
}

impl Made {
    fn woke(&mut self, tid: u32, woken: u32) {
        self.now += 160;
        self.resolver.see(&Event::Woke(Woke { tid, pid: tid, woken, at_ns: self.now - 80 }));
    }
}

#[test]
fn wait_comes_behind_the_wake_that_ended_it() {
    let mut made = Made::new();
    made.fork(10, 20, false);
    let began = made.now;
    made.woke(10, 20);
    made.open(10, 3, "/srv/a", 0);
    let futex = RawCall {
        tid: 20,
        pid: 20,
        number: libc::SYS_futex,
        start_ns: began,
        end_ns: made.now + 80,
        ..RawCall::default()
    };
    made.resolver.see(&Event::Call(futex));
    assert_eq!(made.shown(), ["0 wake 1 0", "0 open 0 /srv/a 0", "1 wait 0 0"]);
}

#[test]
fn call_that_timed_out_waited_for_no_thread() {
    let mut made = Made::new();
    made.fork(10, 20, false);
    for (number, result) in
        [(libc::SYS_futex, -i64::from(libc::ETIMEDOUT)), (libc::SYS_epoll_wait, 0)]
    {
        made.woke(10, 20);
        made.call(20, number, result, &[], &[]);
    }
    made.call(20, libc::SYS_futex, 0, &[], &[]);
    assert!(made.shown().iter().all(|call| call.contains("wake")));
}

#[test]
fn signal_of_another_thread_ends_a_wait() {
    let mut made = Made::new();
    made.fork(10, 20, false);
    for number in [libc::SYS_epoll_wait, libc::SYS_pause, libc::SYS_rt_sigsuspend] {
        made.woke(10, 20);
        made.call(20, number, -i64::from(libc::EINTR), &[], &[]);
    }
    assert_eq!(made.shown(), ["0 wake 1 0", "1 wait 0 0"].repeat(3));
}

#[test]
fn pipe_is_waited_for_and_a_recorded_file_is_not() {
    let mut made = Made::new();
    made.fork(10, 20, true);
    made.open(20, 3, "/srv/a", 0);
    made.woke(10, 20);
    made.call(20, libc::SYS_read, 5, &[3, 0, 5], &[]);
    made.woke(10, 20);
    made.call(20, libc::SYS_read, 5, &[9, 0, 5], &[]);
    let shown = made.shown();
    let waits: Vec<usize> = (0..shown.len()).filter(|at| shown[*at].contains("wait")).collect();
    assert_eq!(waits, [4], "{shown:?}");
}

#[test]
fn thread_that_ended_wakes_those_that_wait_for_that() {
    let mut made = Made::new();
    made.fork(10, 20, true);
    made.resolver.see(&Event::Exit { tid: 20, at_ns: made.now });
    made.woke(20, 10);
    made.call(10, libc::SYS_futex, 0, &[], &[]);
    assert_eq!(made.shown(), ["1 end 0", "0 wait 1 0"]);
}

#[test]
fn process_waits_for_the_child_that_it_reaps() {
    let mut made = Made::new();
    made.fork(10, 20, false);
    made.resolver.see(&Event::Exit { tid: 20, at_ns: made.now });
    made.call(10, libc::SYS_wait4, 20, &[], &[]);
    made.call(10, libc::SYS_wait4, -i64::from(libc::ECHILD), &[], &[]);
    assert_eq!(made.shown(), ["1 end 0", "0 wait 1 0"]);
}

#[test]
fn process_waits_for_the_end_of_a_child_that_it_does_not_reap_yet() {
    let mut made = Made::new();
    made.fork(10, 20, false);
    made.resolver.see(&Event::Exit { tid: 20, at_ns: made.now });
    made.woke(20, 10);
    made.call(10, libc::SYS_waitid, 0, &[], &[]);
    assert_eq!(made.shown(), ["1 end 0", "0 wait 1 0"]);
}
