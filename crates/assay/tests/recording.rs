//! Recordings from outside: what `record`, `import` and `explain` say of a small application, and what a recorder that
//! is killed leaves. Recording needs root; where it is missing, a test says so and ends.

use crate::common::{Place, root_or_skip, text, wait_for};
use needs::{Need, program_or_skip, skip};
use record::kernel::program_exists;
use std::{
    fs::{self, File},
    path::Path,
    process::Child,
};
use trace::{
    call::{Call, NONE, Op},
    file::Trace,
};

/// Files that are made, moved, read and removed; output that goes to a file goes to the caller again.
const SCRIPT: &str = "echo hello > made && mv made moved && mkdir folder && cat moved && rm moved";

/// Records with `args` into `app.trace`; `None`, skipped, where the machine does not permit it.
fn recorded(place: &Place, args: &[&str]) -> Option<String> {
    if !root_or_skip("recording by eBPF") {
        return None;
    }
    let output = place.assay(&[&["record", "-o", "app.trace"], args].concat());
    let said = text(&output.stderr);
    if said.contains("in a container") {
        skip(Need::Other, said.trim_end());
        return None;
    }
    assert!(output.status.success(), "{args:?}: {said}");
    Some(text(&output.stdout))
}

fn open(path: &Path) -> Trace<File> {
    Trace::open(File::open(path).unwrap()).unwrap()
}

fn calls(trace: &mut Trace<File>) -> Vec<Call> {
    let (mut all, mut calls) = (Vec::new(), Vec::new());
    for block in trace.blocks().to_vec() {
        trace.read(&block, &mut calls).unwrap();
        all.append(&mut calls);
    }
    all
}

/// The calls that changed names or moved data and succeeded: each with its names and what it returned.
fn told(path: &Path) -> Vec<String> {
    let mut trace = open(path);
    let calls = calls(&mut trace);
    let name = |id| match id {
        NONE => String::new(),
        id => format!(" {}", text(&trace.paths().relative(id).1)),
    };
    let matters = |op| matches!(op, Op::Rename | Op::Mkdir | Op::Unlink | Op::Read | Op::Write);
    let calls = calls.iter().filter(|call| call.result > 0 || matters(call.op) && call.result == 0);
    let calls = calls.filter(|call| matters(call.op));
    calls
        .map(|call| {
            format!("{}{}{} {}", call.op.name(), name(call.path), name(call.path2), call.result)
        })
        .collect()
}

/// What [`SCRIPT`] does, by any recorder; the last read finds the end of the file.
const DOES: [&str; 6] =
    ["write 6", "rename made moved 0", "mkdir folder 0", "read 6", "read 0", "unlink moved 0"];

#[test]
fn command_is_recorded_and_explained() {
    let place = Place::new();
    let tree = place.dir("tree");
    let script = format!("cd {} && {SCRIPT}", tree.display());
    let args = ["--dir", tree.to_str().unwrap(), "--", "sh", "-c", &script];
    let Some(said) = recorded(&place, &args) else { return };
    assert!(said.starts_with("hello\n"), "its output is its own: {said}");
    assert!(said.contains("no call was lost"), "{said}");
    assert_eq!(told(&place.path("app.trace")), DOES);
    let page = place.ok(&["explain", "app.trace"]);
    for part in ["recorded by eBPF", "rename", "2 made, 1 removed, 1 moved", "never syncs"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // It is the user's file, and a second recording does not replace it.
    let before = fs::read(place.path("app.trace")).unwrap();
    let again = place.fails(&["record", "-o", "app.trace", "--", "true"], 2);
    assert!(again.contains("already exists"), "{again}");
    assert_eq!(fs::read(place.path("app.trace")).unwrap(), before);
}

#[test]
fn running_process_is_recorded_with_what_it_had_open() {
    if !root_or_skip("recording by eBPF") {
        return;
    }
    let place = Place::new();
    let tree = place.dir("tree");
    fs::write(tree.join("data"), vec![b'x'; 1 << 20]).unwrap();
    // A descriptor that is open, moved and left so before the recorder comes; it is read on until `stop` appears.
    let script = "exec 7< data; head -c 100 <&7 > first; : > ready
        while [ ! -e stop ]; do head -c 10 <&7 > next; done";
    let mut child = std::process::Command::new("sh");
    let mut child = child.args(["-c", script]).current_dir(&tree).spawn().unwrap();
    wait_for("reader", || tree.join("ready").exists());
    let pid = child.id().to_string();
    let mut recorder =
        place.spawn(&["record", "-o", "app.trace", "--pid", &pid, "--dir", tree.to_str().unwrap()]);
    let written = || fs::metadata(place.path("app.trace")).map_or(0, |file| file.len());
    wait_for("trace", || written() > 2000 || recorder.try_wait().unwrap().is_some());
    fs::write(tree.join("stop"), "").unwrap();
    child.wait().unwrap();
    if !recorder.wait().unwrap().success() {
        return skip(Need::Other, "the machine does not permit to record");
    }
    let mut trace = open(&place.path("app.trace"));
    let handles = trace.start_handles().to_vec();
    let of_data = |path| trace.paths().relative(path).1 == b"data";
    let found: Vec<_> = handles.iter().filter(|handle| of_data(handle.path)).collect();
    let [handle] = found.as_slice() else {
        panic!("one open file, several descriptors: {handles:?}")
    };
    assert!(handle.offset >= 100 && handle.offset % 10 == 0, "{handle:?}");
    let calls = calls(&mut trace);
    // A child reads through a copy of the descriptor.
    let mut handles = vec![handle.handle];
    for call in calls.iter().filter(|call| call.op == Op::Dup) {
        if handles.contains(&call.handle) {
            handles.push(call.other);
        }
    }
    let mut reads = calls.iter().filter(|c| c.op == Op::Read && handles.contains(&c.handle));
    assert!(reads.clone().count() > 5, "children are recorded, too: {calls:?}");
    assert!(reads.all(|call| call.result == call.len.min(10) as i64), "{calls:?}");
}

/// The numbers of the programs that a process holds in the kernel.
fn programs_of(process: &Child) -> Vec<u32> {
    let infos = fs::read_dir(format!("/proc/{}/fdinfo", process.id())).into_iter().flatten();
    let texts = infos.flatten().filter_map(|entry| fs::read_to_string(entry.path()).ok());
    let id = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("prog_id:"))?.to_owned();
        text.contains("prog_tag:").then(|| line.trim().parse().unwrap())
    };
    texts.filter_map(id).collect()
}

/// Whether a moment has come, by the programs of the recorder and the length of the trace.
type IsNow = fn(&[u32], u64) -> bool;

#[test]
fn killed_recorder_leaves_a_trace_and_no_program() {
    if !root_or_skip("recording by eBPF") {
        return;
    }
    let place = Place::new();
    let tree = place.dir("tree");
    let trace = place.path("app.trace");
    let length = || fs::metadata(&trace).map_or(0, |file| file.len());
    // Not as long as its parent lives: one that starts when that is gone has another.
    let go = place.path("go");
    let script = format!(
        "cd {} && while [ -e {} ]; do echo x > f; rm f; done",
        tree.display(),
        go.display()
    );
    let dir = tree.to_str().unwrap();
    // When the trace is there, when all programs are, when calls were written, and when more were.
    let moments: [(&str, IsNow); 4] = [
        ("file", |_, length| length > 0),
        ("programs", |programs, _| programs.len() >= 7),
        ("calls", |_, length| length > 3000),
        ("more calls", |_, length| length > 6000),
    ];
    for (what, is_now) in moments {
        let _ = fs::remove_file(&trace);
        fs::write(&go, "").unwrap();
        let args = ["record", "-o", "app.trace", "--dir", dir, "--", "sh", "-c", &script];
        let mut recorder = place.spawn(&args);
        let mut programs = Vec::new();
        wait_for(what, || {
            programs = programs_of(&recorder);
            is_now(&programs, length()) || recorder.try_wait().unwrap().is_some()
        });
        recorder.kill().unwrap();
        fs::remove_file(&go).unwrap();
        if recorder.wait().unwrap().code().is_some() {
            return skip(Need::Other, "the machine does not permit to record");
        }
        wait_for("end of the programs", || !programs.iter().any(|id| program_exists(*id)));
        if length() > 0 {
            let page = place.ok(&["explain", "app.trace"]);
            assert!(page.contains("The trace was cut off"), "{what}: {page}");
            assert_eq!(page.contains("unlink"), what.ends_with("calls"), "{what}: {page}");
        }
        let output = place.assay(&["record", "-o", "app.trace", "--dir", dir, "--", "true"]);
        assert_eq!(output.status.code(), Some(2), "what is there stays");
    }
}

#[test]
fn anonymous_trace_has_no_name_of_the_user() {
    let place = Place::new();
    let tree = place.dir("tree");
    let script = format!(
        "cd {} && mkdir -p Kunden/Meier && echo x > Kunden/Meier/Rechnung.db && \
         ln -s Meier Kunden/Verweis && cat Kunden/Verweis/Rechnung.db",
        tree.display()
    );
    let args = ["--anonymous", "--dir", tree.to_str().unwrap(), "--", "sh", "-c", &script];
    if recorded(&place, &args).is_none() {
        return;
    }
    let trace = open(&place.path("app.trace"));
    let header = serde_json::to_string(trace.header()).unwrap();
    let names = (0..trace.paths().len() as u32).map(|id| text(trace.paths().name(id)));
    let names: Vec<String> = names.collect();
    assert!(names.iter().any(|name| name.ends_with(".db")), "endings stay: {names:?}");
    let page = place.ok(&["explain", "app.trace"]);
    let all = [header, names.join("\n"), page].join("\n");
    let file = fs::read(place.path("app.trace")).unwrap();
    let own = place.path("").display().to_string();
    for secret in ["Kunden", "Meier", "Rechnung", "Verweis", own.as_str()] {
        assert!(!all.contains(secret), "{secret}: {all}");
        assert!(!file.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
    }
}

#[test]
fn strace_tells_the_same_calls() {
    let place = Place::new();
    let tree = place.dir("tree");
    // As strace 6.1 writes it with `-f -ttt -T`.
    let written = "\
        10 100.000001 execve(\"/bin/sh\", [\"sh\"], 0x7ff /* 9 vars */) = 0 <0.000200>\n\
        10 100.001000 chdir(\"/srv/db\") = 0 <0.000004>\n\
        10 100.002000 openat(AT_FDCWD, \"made\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3 <0.000030>\n\
        10 100.003000 dup2(3, 1) = 1 <0.000003>\n\
        10 100.003100 close(3) = 0 <0.000003>\n\
        10 100.003200 write(1, \"hello\\n\", 6) = 6 <0.000010>\n\
        10 100.004000 rename(\"made\", \"../db/moved\") = 0 <0.000020>\n\
        10 100.005000 mkdir(\"folder\", 0777) = 0 <0.000020>\n\
        10 100.006000 openat(AT_FDCWD, \"moved\", O_RDONLY <unfinished ...>\n\
        11 100.006010 this is no line of strace\n\
        10 100.006020 <... openat resumed>) = 3 <0.000030>\n\
        10 100.007000 read(3, \"\"..., 131072) = 6 <0.000005>\n\
        10 100.008000 read(3, \"\", 131072) = 0 <0.000004>\n\
        10 100.009000 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 4 <0.000010>\n\
        10 100.010000 unlink(\"moved\") = 0 <0.000020>\n\
        10 100.011000 +++ exited with 0 +++\n";
    fs::write(place.path("app.strace"), written).unwrap();
    let said = place.ok(&["import", "app.strace", "-o", "made.trace", "--dir", "/srv/db"]);
    assert_eq!(told(&place.path("made.trace")), DOES);
    assert!(said.contains("outside the recorded trees"), "{said}");
    assert!(said.contains("1 in lines that are damaged or not of strace"), "{said}");
    assert!(place.ok(&["explain", "made.trace"]).contains("recorded by strace"));
    if !program_or_skip("strace") {
        return;
    }
    let script = format!("cd {} && {SCRIPT}", tree.display());
    let dir = tree.to_str().unwrap();
    let args = ["record", "--with", "strace", "-o", "own.trace", "--dir", dir, "--"];
    let output = place.assay(&[&args[..], &["sh", "-c", &script]].concat());
    let warned = text(&output.stderr);
    if warned.contains("ptrace") {
        return skip(Need::Other, warned.trim_end());
    }
    assert!(output.status.success() && warned.contains("slower"), "{warned}");
    assert_eq!(told(&place.path("own.trace")), DOES);
}
