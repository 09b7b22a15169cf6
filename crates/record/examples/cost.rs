//! Runs a command bare, under two empty programs, recorded, or while others are recorded; prints its nanoseconds,
//! those of its processor time, the entries of the recorder and those that were lost.
//!
//! `cost bare|floor|typed|plain|beside COMMAND...`: what `bench/record` compares.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, unsafe_code)]

use record::kernel::{Floor, Form, Tap};
use std::{
    env,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

fn main() {
    let mut args = env::args().skip(1);
    let how = args.next().unwrap();
    let program = args.next().unwrap();
    let mut command = Command::new(program);
    command.args(args);
    let _floor = (how == "floor").then(|| Floor::new(Form::of_kernel()).unwrap());
    let form = if how == "plain" { Form::Plain } else { Form::Typed };
    let mut tap =
        ["typed", "plain", "beside"].contains(&how.as_str()).then(|| Tap::new(form).unwrap());
    let me = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    if let Some(tap) = tap.as_ref().filter(|_| how != "beside") {
        assert!(tap.mark(me));
    }
    let done = AtomicBool::new(false);
    let (took, entries, lost) = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut entries = 0u64;
            let Some(tap) = &mut tap else { return (0, 0) };
            while !done.load(Ordering::Relaxed) {
                tap.read(None, &mut |_| entries += 1);
                thread::sleep(Duration::from_millis(2));
            }
            tap.read(None, &mut |_| entries += 1);
            (entries, tap.lost())
        });
        let begin = Instant::now();
        assert!(command.status().unwrap().success());
        let took = begin.elapsed();
        done.store(true, Ordering::Relaxed);
        let (entries, lost) = reader.join().unwrap();
        (took, entries, lost)
    });
    // SAFETY: a structure of numbers that the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let micros = |time: libc::timeval| time.tv_sec * 1_000_000 + time.tv_usec;
    let cpu = micros(usage.ru_utime) + micros(usage.ru_stime);
    println!("{} {} {entries} {lost}", took.as_nanos(), cpu * 1000);
}
