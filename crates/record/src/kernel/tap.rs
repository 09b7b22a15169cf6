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
    let program = |name, code, attach| Program { name, code, attach };
    let [fork, exec, wake] = match (form, btf) {
        (Form::Typed, Some(btf)) => {
            let at = TaskFields::of(btf)?;
            let to = |name| Ok::<_, BpfError>(Attach::Typed(btf.tracepoint(name)?));
            [
                program("assay_fork", programs::fork_typed(maps, at), to("sched_process_fork")?),
                program("assay_exec", programs::exec(maps, None), to("sched_process_exec")?),
                program("assay_wake", programs::wake_typed(maps, at), to("sched_waking")?),
            ]
        }
        _ => {
            let [fork, exec, wake] = [
                Event::of("sched_process_fork")?,
                Event::of("sched_process_exec")?,
                Event::of("sched_waking")?,
            ];
            let code = [
                programs::fork_event(maps, fork.field("child_pid")?),
                programs::exec(maps, Some(exec.field("old_pid")?)),
                programs::wake_event(maps, wake.field("pid")?),
            ];
            let [forks, execs, wakes] = code;
            [
                program("assay_fork", forks, Attach::Event(fork.id)),
                program("assay_exec", execs, Attach::Event(exec.id)),
                program("assay_wake", wakes, Attach::Event(wake.id)),
            ]
        }
    };
    Ok(vec![
        fork,
        exec,
        wake,
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
mod tests;
