//! Recordings by the programs alone, where this machine permits them.

use super::{super::EntryKind, *};
use crate::raw::operation as raw;
use std::{
    io::{Read, Write},
    process::Command,
    sync::Barrier,
};

/// The recorder, or a skip where this machine does not permit it.
fn tap(form: Form) -> Option<Tap> {
    if form == Form::Typed && Form::of_kernel() != Form::Typed {
        needs::skip(needs::Need::Other, "the kernel has no BTF");
        return None;
    }
    match Tap::new(form) {
        Ok(tap) => Some(tap),
        Err(BpfError::Map { source, .. }) if source.raw_os_error() == Some(libc::EPERM) => {
            needs::skip(needs::Need::Root, "bpf(2) is not permitted");
            None
        }
        Err(BpfError::Machine(why)) => {
            needs::skip(needs::Need::Other, why);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs a shell below this thread, and returns its calls as number, result and path.
fn calls_of(form: Form, script: &str) -> Option<Vec<(i64, i64, Vec<u8>)>> {
    let mut tap = tap(form)?;
    let me = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    assert!(tap.mark(me));
    assert!(Command::new("sh").args(["-c", script]).status().unwrap().success());
    tap.unmark(me);
    let mut calls = Vec::new();
    tap.read(None, &mut |entry| {
        if entry.kind().is_some_and(|kind| (kind as u32) < 16) && entry.tid() != me {
            calls.push((entry.number().into(), entry.result(), entry.path(0).to_vec()));
        }
    });
    assert_eq!(tap.lost(), 0);
    Some(calls)
}

fn sees_the_calls_of_children(form: Form) {
    let script = "cat /etc/hostname; mv /no/such/a /no/such/b; exit 0";
    let Some(calls) = calls_of(form, script) else { return };
    let opened = |(number, result, path): &&(i64, i64, Vec<u8>)| {
        *number == libc::SYS_openat && *result >= 0 && path == b"/etc/hostname"
    };
    assert!(calls.iter().any(|call| opened(&call)), "{calls:?}");
    let renamed = |(number, _, path): &(i64, i64, Vec<u8>)| {
        [libc::SYS_rename, libc::SYS_renameat, libc::SYS_renameat2].contains(number)
            && path == b"/no/such/a"
    };
    assert!(calls.iter().any(renamed), "{calls:?}");
    assert!(calls.iter().any(|call| call.0 == libc::SYS_execve && call.1 == 0), "{calls:?}");
}

/// Writes, syncs and reads through io_uring, of which the kernel's own thread submits where `polls`.
fn sees_requests(polls: bool) {
    use io_uring::{IoUring, cqueue, opcode, squeue, types::Fd};
    use std::os::fd::AsRawFd;
    let Some(mut tap) = tap(Form::Typed) else { return };
    let Some(fields) = tap.requests() else {
        return needs::skip(needs::Need::Other, "the kernel has no requests of io_uring");
    };
    let file = tempfile::tempfile().unwrap();
    let mut builder = IoUring::<squeue::Entry, cqueue::Entry>::builder();
    if polls {
        builder.setup_sqpoll(1000);
    }
    let mut ring = match builder.build(8) {
        Ok(ring) => ring,
        Err(error) => return needs::skip(needs::Need::Other, error),
    };
    let mut data = [7u8; 512];
    let fd = Fd(file.as_raw_fd());
    let requests = [
        opcode::Write::new(fd, data.as_ptr(), 300).offset(4096).build(),
        opcode::Fsync::new(fd).flags(io_uring::types::FsyncFlags::DATASYNC).build(),
        opcode::Read::new(fd, data.as_mut_ptr(), 512).offset(4196).build(),
    ];
    // As a process whose first thread is recorded.
    let me = rustix::process::getpid().as_raw_nonzero().get() as u32;
    assert!(tap.mark(me));
    for request in &requests {
        // SAFETY: the buffer lives until the request is complete, which is waited for.
        unsafe { ring.submission().push(request) }.unwrap();
        ring.submit_and_wait(1).unwrap();
        assert!(ring.completion().next().unwrap().result() >= 0);
    }
    tap.unmark(me);
    let (mut submitted, mut completed) = (Vec::new(), Vec::new());
    let own = file.as_raw_fd() as u32;
    tap.read(None, &mut |entry| match entry.kind() {
        Some(EntryKind::Submit) => submitted.extend(fields.read(entry)),
        Some(EntryKind::Complete) => completed.push((entry.arguments()[0], entry.result())),
        _ => {}
    });
    submitted.retain(|request| request.fd == own && request.pid == me);
    let shown: Vec<_> = submitted
        .iter()
        .map(|request| (request.operation, request.offset, request.len, request.flags))
        .collect();
    assert_eq!(
        shown,
        [(raw::WRITE, 4096, 300, 0), (raw::FSYNC, 0, 0, 1), (raw::READ, 4196, 512, 0)]
    );
    completed.retain(|(key, _)| submitted.iter().any(|request| request.key == *key));
    let results: Vec<i32> = completed.iter().map(|(_, result)| *result as i32).collect();
    assert_eq!(results, [300, 0, 200], "{submitted:?}, {completed:?}");
}

#[test]
fn requests_of_io_uring_are_seen() {
    sees_requests(false);
}

#[test]
fn requests_that_the_kernel_fetches_itself_are_seen() {
    sees_requests(true);
}

/// A program that reads at such an address faults, and the fault has programs of its own.
fn sees_a_call_with_a_pointer_to_nothing(form: Form) {
    let Some(mut tap) = tap(form) else { return };
    let me = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    assert!(tap.mark(me));
    let (nothing, flags) = (std::ptr::without_provenance::<u8>(1), libc::O_RDONLY);
    // SAFETY: the kernel refuses a pointer that leads nowhere.
    let result = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, nothing, flags) };
    tap.unmark(me);
    assert_eq!(result, -1);
    let mut found = Vec::new();
    tap.read(None, &mut |entry| {
        if entry.kind() == Some(EntryKind::Path1) {
            found.push((i64::from(entry.number()), entry.result(), entry.path(0).to_vec()));
        }
    });
    assert_eq!(found, [(libc::SYS_openat, -i64::from(libc::EFAULT), Vec::new())]);
}

#[test]
fn typed_programs_see_a_call_with_a_pointer_to_nothing() {
    sees_a_call_with_a_pointer_to_nothing(Form::Typed);
}

#[test]
fn plain_programs_see_a_call_with_a_pointer_to_nothing() {
    sees_a_call_with_a_pointer_to_nothing(Form::Plain);
}

#[test]
fn typed_programs_see_the_calls_of_children() {
    sees_the_calls_of_children(Form::Typed);
}

#[test]
fn plain_programs_see_the_calls_of_children() {
    sees_the_calls_of_children(Form::Plain);
}

/// Waits until the thread `tid` of this process sleeps.
fn await_sleep(tid: u32) {
    let sleeps = || {
        let stat = std::fs::read_to_string(format!("/proc/self/task/{tid}/stat")).unwrap();
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S'))
    };
    while !sleeps() {
        std::thread::yield_now();
    }
}

/// The thread of `wait` is woken by `wake` once it sleeps; its call is seen, and who woke it.
fn sees_who_wakes(
    form: Form,
    wait: impl FnOnce() + Send,
    wake: impl FnOnce(),
    (number, kind): (i64, EntryKind),
) {
    let Some(mut tap) = tap(form) else { return };
    let me = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    let (told, tid) = std::sync::mpsc::channel();
    let woken = std::thread::scope(|scope| {
        let waiter = scope.spawn(move || {
            let own = rustix::thread::gettid().as_raw_nonzero().get() as u32;
            told.send(own).unwrap();
            // Until it is recorded.
            std::thread::park();
            wait();
        });
        let woken = tid.recv().unwrap();
        await_sleep(woken);
        assert!(tap.mark(woken) && tap.mark(me));
        waiter.thread().unpark();
        let at = |tid| std::fs::read_to_string(format!("/proc/self/task/{tid}/syscall")).unwrap();
        while !at(woken).starts_with(&format!("{number} ")) {
            std::thread::yield_now();
        }
        await_sleep(woken);
        wake();
        waiter.join().unwrap();
        woken
    });
    tap.unmark(me);
    let (mut wakes, mut waits) = (0, 0);
    tap.read(None, &mut |entry| match entry.kind() {
        Some(EntryKind::Wake) if entry.tid() == me && waits == 0 => {
            wakes += usize::from(entry.arguments()[0] == u64::from(woken));
        }
        Some(seen)
            if (seen as u32) < 16
                && entry.tid() == woken
                && i64::from(entry.number()) == number =>
        {
            assert_eq!(seen, kind);
            waits += 1;
        }
        _ => {}
    });
    assert!(wakes >= 1 && waits >= 1, "{wakes} wakes, {waits} waits");
}

fn sees_waits(form: Form) {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let read = || reader.read_exact(&mut [0]).unwrap();
    let write = || writer.write_all(&[7]).unwrap();
    sees_who_wakes(form, read, write, (libc::SYS_read, EntryKind::Stream));
    let barrier = Barrier::new(2);
    let meet = || _ = barrier.wait();
    sees_who_wakes(form, meet, meet, (libc::SYS_futex, EntryKind::Woken));
}

#[test]
fn typed_programs_see_who_wakes_whom() {
    sees_waits(Form::Typed);
}

#[test]
fn plain_programs_see_who_wakes_whom() {
    sees_waits(Form::Plain);
}

/// A call that waits and is ended by time is not written.
#[test]
fn wait_that_ends_by_itself_is_not_seen() {
    let Some(mut tap) = tap(Form::of_kernel()) else { return };
    let me = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    assert!(tap.mark(me));
    let moment = rustix::time::Timespec { tv_sec: 0, tv_nsec: 1000 };
    assert_eq!(rustix::event::poll(&mut [], Some(&moment)).unwrap(), 0);
    tap.unmark(me);
    let mut polls = 0;
    let is_poll = |number| [libc::SYS_poll, libc::SYS_ppoll].contains(&number);
    tap.read(None, &mut |entry| polls += usize::from(is_poll(i64::from(entry.number()))));
    assert_eq!(polls, 0);
}
