//! The loaded recorder: programs attached, rings open. All of it is gone when it is dropped, or when this process
//! ends in whatever way.

use super::{
    asm::Insn,
    bpf::{self, Attach, BpfError},
    btf::Btf,
    event::Event,
    form::Form,
    layout::Entry,
    maps::{IDLE, Maps},
    programs::{self, TaskFields},
    ring::Reader,
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
        let held = start(&all(&maps, form)?)?;
        Ok(Tap { reader: Reader::new(&maps), maps, form, _held: held })
    }

    /// How it sees arguments.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Records a thread and all that it makes from now on; false where there can be no such thread.
    pub fn mark(&self, tid: u32) -> bool {
        self.maps.mark(tid, IDLE)
    }

    /// Whether a thread is recorded.
    pub fn is_marked(&self, tid: u32) -> bool {
        self.maps.state(tid) != 0
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
fn all(maps: &Maps, form: Form) -> Result<Vec<Program>, BpfError> {
    let btf = Btf::of_kernel();
    let attach = |name, raw| attach_of(form, btf.as_ref(), name, raw);
    let (fork, exec) = match (form, &btf) {
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
    Ok(vec![
        program("assay_fork", fork, fork_attach),
        program("assay_exec", exec.0, exec.1),
        program(
            "assay_end",
            programs::thread_exit(maps),
            attach("sched_process_exit", c"sched_process_exit")?,
        ),
        program("assay_exit", programs::exit(maps, form), attach("sys_exit", c"sys_exit")?),
        program("assay_enter", programs::enter(maps), attach("sys_enter", c"sys_enter")?),
    ])
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
    use super::*;
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

    #[test]
    fn typed_programs_see_the_calls_of_children() {
        sees_the_calls_of_children(Form::Typed);
    }

    #[test]
    fn plain_programs_see_the_calls_of_children() {
        sees_the_calls_of_children(Form::Plain);
    }
}
