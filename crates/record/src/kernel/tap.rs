//! The loaded recorder: programs attached, rings open. The kernel removes all of it when it is dropped, or when this
//! process ends for any reason.

use super::{
    asm::Insn,
    bpf::{self, Attach, BpfError},
    btf::Btf,
    event::Event,
    form::Form,
    layout::Entry,
    maps::{IDLE, Maps},
    programs::{self, TaskFields},
    requests::RequestFields,
    ring::Reader,
    syscalls,
};
use std::{
    ffi::CStr,
    fs,
    os::fd::{AsFd, OwnedFd},
};

/// A program and where it goes.
struct Program {
    name: &'static str,
    code: Vec<Insn>,
    attach: Attach,
}

/// The recorder in the kernel.
pub struct Tap {
    maps: Maps,
    reader: Reader,
    form: Form,
    requests: Option<RequestFields>,
    /// Programs and what attaches them.
    _held: Vec<OwnedFd>,
}

impl Tap {
    /// Loads the programs and attaches them. No thread is recorded yet.
    ///
    /// # Errors
    /// The kernel refuses a part of it.
    pub fn new(form: Form) -> Result<Tap, BpfError> {
        if !cfg!(target_arch = "x86_64") {
            return Err(BpfError::Machine("recording by eBPF knows the calls of x86-64 only"));
        }
        in_first_namespace()?;
        let maps = Maps::new()?;
        let btf = Btf::of_kernel().filter(|_| form == Form::Typed);
        let mut held = start(&all(&maps, form, btf.as_ref())?)?;
        let requests = btf.and_then(|btf| requests(&maps, &btf));
        let requests = match requests {
            None => {
                maps.record(syscalls::WITHOUT_REQUESTS);
                None
            }
            Some((fields, programs)) => {
                held.extend(start(&programs)?);
                Some(fields)
            }
        };
        Ok(Tap { reader: Reader::new(&maps), maps, form, requests, _held: held })
    }

    /// How it sees arguments.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Where requests of io_uring have their fields; `None` where they are not seen.
    pub fn requests(&self) -> Option<RequestFields> {
        self.requests
    }

    /// Records a thread and all that it makes from now on; false where there can be no such thread.
    pub fn mark(&self, tid: u32) -> bool {
        self.maps.mark(tid, IDLE)
    }

    /// Whether a thread is recorded.
    pub fn is_marked(&self, tid: u32) -> bool {
        self.maps.state(tid) >= IDLE
    }

    /// No longer records a thread.
    pub fn unmark(&self, tid: u32) {
        self.maps.mark(tid, 0);
    }

    /// Hands out the entries of calls that ended well before `now_ns`, in that order; all that there are without it.
    /// Returns which share of the fullest ring was used.
    pub fn read(&mut self, now_ns: Option<u64>, take: &mut dyn FnMut(Entry)) -> f64 {
        self.reader.read(&self.maps, now_ns, take)
    }

    /// Entries for which a ring had no room.
    pub fn lost(&self) -> u64 {
        (0..self.maps.processors).map(|processor| self.maps.lost(processor)).sum()
    }
}

/// Two programs that do nothing, on both tracepoints: the least that any recorder costs.
pub struct Floor {
    _held: Vec<OwnedFd>,
}

impl Floor {
    /// Loads and attaches them.
    ///
    /// # Errors
    /// The kernel refuses them.
    pub fn new(form: Form) -> Result<Floor, BpfError> {
        let btf = Btf::of_kernel();
        let programs =
            [("sys_enter", c"sys_enter"), ("sys_exit", c"sys_exit")].map(|(name, raw)| {
                let attach = attach_of(form, btf.as_ref(), name, raw)?;
                Ok(Program { name, code: programs::nothing(), attach })
            });
        let programs: Result<Vec<Program>, BpfError> = programs.into_iter().collect();
        Ok(Floor { _held: start(&programs?)? })
    }
}

fn start(programs: &[Program]) -> Result<Vec<OwnedFd>, BpfError> {
    let mut held = Vec::new();
    for program in programs {
        let fd = bpf::load(program.name, &program.code, program.attach)?;
        held.push(bpf::attach(program.name, fd.as_fd(), program.attach)?);
        held.push(fd);
    }
    Ok(held)
}

/// Every program, those that follow the tree first: no child is missed once calls are seen.
fn all(maps: &Maps, form: Form, btf: Option<&Btf>) -> Result<Vec<Program>, BpfError> {
    let attach = |name, raw| attach_of(form, btf, name, raw);
    let (fork, exec) = match (form, btf) {
        (Form::Typed, Some(btf)) => (
            programs::fork_typed(maps, TaskFields::of(btf)?),
            (programs::exec(maps, None), attach("sched_process_exec", c"sched_process_exec")?),
        ),
        _ => {
            let (child, old) = (Event::of("sched_process_fork")?, Event::of("sched_process_exec")?);
            let fork = programs::fork_event(maps, child.field("child_pid")?);
            let exec = programs::exec(maps, Some(old.field("old_pid")?));
            (fork, (exec, Attach::Event(old.id)))
        }
    };
    let fork_attach = match form {
        Form::Typed => attach("sched_process_fork", c"sched_process_fork")?,
        Form::Plain => Attach::Event(Event::of("sched_process_fork")?.id),
    };
    let program = |name, code, attach| Program { name, code, attach };
    let wake = match (form, btf) {
        (Form::Typed, Some(btf)) => {
            let code = programs::wake_typed(maps, TaskFields::of(btf)?);
            program("assay_wake", code, attach("sched_waking", c"sched_waking")?)
        }
        _ => {
            let event = Event::of("sched_waking")?;
            let code = programs::wake_event(maps, event.field("pid")?);
            program("assay_wake", code, Attach::Event(event.id))
        }
    };
    Ok(vec![
        wake,
        program("assay_fork", fork, fork_attach),
        program("assay_exec", exec.0, exec.1),
        program(
            "assay_end",
            programs::thread_exit(maps),
            attach("sched_process_exit", c"sched_process_exit")?,
        ),
        program(
            "assay_fault",
            programs::fault(maps),
            attach("page_fault_user", c"page_fault_user")?,
        ),
        program(
            "assay_kfault",
            programs::fault(maps),
            attach("page_fault_kernel", c"page_fault_kernel")?,
        ),
        program("assay_exit", programs::exit(maps, form), attach("sys_exit", c"sys_exit")?),
        program("assay_enter", programs::enter(maps), attach("sys_enter", c"sys_enter")?),
    ])
}

/// The programs that see requests of io_uring, where this kernel has and describes them.
fn requests(maps: &Maps, btf: &Btf) -> Option<(RequestFields, Vec<Program>)> {
    let fields = RequestFields::of(btf).ok()?;
    let attach = |name| btf.tracepoint(name).ok().map(Attach::Typed);
    let (submit, complete) = (attach("io_uring_submit_req")?, attach("io_uring_complete")?);
    let submit = Program {
        name: "assay_submit",
        code: programs::submit(maps, fields.bytes().into()),
        attach: submit,
    };
    let complete = Program {
        name: "assay_complete",
        code: programs::complete(maps, fields.result()),
        attach: complete,
    };
    // What completes was submitted: its end is seen first.
    Some((fields, vec![complete, submit]))
}

fn attach_of(
    form: Form,
    btf: Option<&Btf>,
    name: &'static str,
    raw: &'static CStr,
) -> Result<Attach, BpfError> {
    match (form, btf) {
        (Form::Plain, _) => Ok(Attach::Raw(raw)),
        (Form::Typed, Some(btf)) => Ok(Attach::Typed(btf.tracepoint(name)?)),
        (Form::Typed, None) => Err(BpfError::Unknown("its types (BTF)".into())),
    }
}

/// Numbers of threads in entries are those of the machine: in a namespace of processes they would be others.
fn in_first_namespace() -> Result<(), BpfError> {
    const FIRST: &str = "pid:[4026531836]";
    let here = fs::read_link("/proc/self/ns/pid");
    if here.is_ok_and(|here| here.as_os_str() == FIRST) {
        return Ok(());
    }
    Err(BpfError::Machine(
        "in a container the recorder cannot tell which threads are meant; record on the host, with --pid or --cgroup",
    ))
}

#[cfg(test)]
mod tests {
    use super::{super::EntryKind, *};
    use crate::raw::operation as raw;
    use std::process::Command;

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
}
