//! `assay record`: the file-system calls of an application into a trace.

use crate::{
    cli::{RecordArgs, RecordWith},
    exit,
    exit::Exit,
    outbox, signals, terminal,
};
use ::record::{
    kernel::BpfError,
    recording::{self, Options, RecordError, Recorded, Subject},
    strace,
};
use anyhow::Result;
use model::text::{Bytes, counted, printable_line};
use std::{io::BufWriter, path::Path, time::Duration};

/// Records until the processes end, the time is over, or a signal comes; says what came of it.
pub fn record(args: &RecordArgs) -> Result<Exit> {
    let subject = subject(args)?;
    let options = Options {
        trees: args.dirs.clone(),
        anonymous: args.anonymous,
        at_most: args.time_s.map(Duration::from_secs),
    };
    let stop = signals::stop_flag()?;
    let Some(file) = outbox::open_new(&args.out)? else {
        let path = args.out.display();
        return Err(exit::usage(format!("{path} already exists; choose another name")));
    };
    let made = file.try_clone()?;
    let file = BufWriter::with_capacity(1 << 20, file);
    let recorded = match args.with {
        RecordWith::Ebpf => recording::record(&subject, &options, file, &stop),
        RecordWith::Strace => {
            terminal::note("strace makes each call of the application 20 to 130 times slower");
            strace::record(&subject, &options, file, &stop)
        }
    };
    let recorded = match recorded {
        Ok(recorded) => recorded,
        Err(error) => {
            // A trace that could not be written in full keeps what it has; one that never began goes.
            if !matches!(error, RecordError::Trace(_)) {
                outbox::discard(&args.out, &made);
            }
            return Err(worded(error));
        }
    };
    for line in lines(&args.out, &recorded) {
        terminal::out(&line)?;
    }
    if let Some(status) = recorded.status.filter(|status| !status.success()) {
        terminal::note(&format!("the command failed: {status}"));
    }
    Ok(Exit::Done)
}

fn subject(args: &RecordArgs) -> Result<Subject> {
    if let Some(unit) = &args.unit {
        return Ok(Subject::Cgroup(recording::cgroup_of_unit(unit).map_err(worded)?));
    }
    if let Some(path) = &args.cgroup {
        return Ok(Subject::Cgroup(path.clone()));
    }
    if args.pid.is_empty() {
        return Ok(Subject::Command(args.command.clone()));
    }
    Ok(Subject::Processes(args.pid.clone()))
}

/// An error with its exit status, and what to do about it.
pub(super) fn worded(error: RecordError) -> anyhow::Error {
    let is_denied = |source: &std::io::Error| source.kind() == std::io::ErrorKind::PermissionDenied;
    match &error {
        RecordError::Bpf(BpfError::Map { source, .. } | BpfError::Program { source, .. })
            if is_denied(source) =>
        {
            exit::lacking(
                "recording needs root (or CAP_BPF and CAP_PERFMON); run it with sudo, or record \
                 with --with strace",
            )
        }
        RecordError::Bpf(_) => exit::lacking(format!("{error}; record with --with strace")),
        RecordError::Nothing(_) | RecordError::Tree { .. } | RecordError::Start { .. } => {
            exit::usage(error.to_string())
        }
        RecordError::Trace(_) => error.into(),
    }
}

/// The answer after a recording, or an import.
pub(super) fn lines(out: &Path, recorded: &Recorded) -> Vec<String> {
    let end = &recorded.end;
    let seconds = end.took_ns as f64 / 1e9;
    let each = |n: f64| if end.calls == 0 { 0.0 } else { n / end.calls as f64 };
    let mut lines = vec![format!(
        "{}: {} calls in {seconds:.1} s ({:.0}/s), {}{}; {} ({:.1} bytes per call)",
        out.display(),
        end.calls,
        end.calls as f64 / seconds.max(1e-9),
        recorded.processes.map_or_else(String::new, |n| counted(n, "process", "processes") + ", "),
        counted(recorded.threads, "thread", "threads"),
        Bytes(recorded.bytes),
        each(recorded.bytes as f64),
    )];
    lines.push(match end.lost {
        0 => "no call was lost".into(),
        lost => format!("{lost} calls were LOST: the recorder could not keep up"),
    });
    let cost = recorded.cost.inside_ns + recorded.cost.between_ns;
    if cost > 0.0 {
        lines.push(format!(
            "recording added about {cost:.0} ns to each call, and used {:.1} % of one CPU in \
             addition to the application",
            100.0 * end.recorder_cpu_s / seconds.max(1e-9)
        ));
    }
    let left_out = end.left_out.iter().map(|(why, calls)| format!("{calls} {why}"));
    let left_out: Vec<String> = left_out.collect();
    if !left_out.is_empty() {
        lines.push(format!("calls not stored: {}", left_out.join(", ")));
    }
    if end.calls == 0 {
        lines.push("no call was on a recorded tree; name the trees that matter with --dir".into());
    } else {
        let shown = out.display().to_string();
        let path = printable_line(&shown);
        lines
            .push(format!("next: assay explain {path}, or assay run --suite {path} --on ext4,xfs"));
    }
    lines
}
