//! A recorder that is killed leaves a readable trace and nothing in the kernel.
#![allow(clippy::unwrap_used)]

use record::{
    kernel::program_exists,
    recording::{Options, Subject, record},
};
use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::atomic::AtomicBool,
    thread::sleep,
    time::Duration,
};
use trace::file::Trace;

/// Names the folder to record where this program is to be the recorder that is killed.
const RECORDER: &str = "ASSAY_TEST_RECORDS";
/// The file of that folder as long as which is there a recorded shell writes others.
const GO: &str = "go";

#[test]
fn killed_recorder_leaves_a_readable_trace_and_no_program() {
    if let Some(folder) = env::var_os(RECORDER) {
        return record_until_killed(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("app.trace");
    let go = folder.path().join(GO);
    File::create(&go).unwrap();
    let recorder = Command::new(env::current_exe().unwrap())
        .args(["--exact", "killed_recorder_leaves_a_readable_trace_and_no_program"])
        .env(RECORDER, folder.path())
        .spawn();
    let mut recorder = Recorder(recorder.unwrap());
    while fs::metadata(&trace).map_or(0, |file| file.len()) < 3000 {
        if recorder.0.try_wait().unwrap().is_some() {
            return needs::skip(needs::Need::Root, "bpf(2) is not permitted");
        }
        sleep(Duration::from_millis(20));
    }
    let programs = programs_of(&recorder.0);
    // Two more where the kernel describes requests of io_uring.
    assert!([8, 10].contains(&programs.len()), "{programs:?}");
    assert!(programs.iter().all(|id| program_exists(*id)));
    drop(recorder);
    fs::remove_file(&go).unwrap();
    while programs.iter().any(|id| program_exists(*id)) {
        sleep(Duration::from_millis(20));
    }
    let mut trace = Trace::open(File::open(&trace).unwrap()).unwrap();
    assert!(trace.is_cut());
    let mut calls = Vec::new();
    let block = trace.blocks()[0];
    trace.read(&block, &mut calls).unwrap();
    assert!(calls.len() > 50, "{}", calls.len());
}

/// A recorder that is killed, at the latest when its test fails.
struct Recorder(Child);

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Records a shell that writes files as long as [`GO`] is there: its parent may be gone before it starts.
fn record_until_killed(folder: &Path) {
    let script =
        format!("cd {} || exit 1; while [ -e {GO} ]; do echo x > f; rm f; done", folder.display());
    let subject = Subject::Command(["sh", "-c", &script].map(OsString::from).to_vec());
    let options = Options { trees: vec![PathBuf::from(folder)], ..Options::default() };
    let file = File::create(folder.join("app.trace")).unwrap();
    let _ = record(&subject, &options, file, &AtomicBool::new(false));
}

/// The numbers of the programs that a process holds.
fn programs_of(process: &Child) -> Vec<u32> {
    let place = format!("/proc/{}/fdinfo", process.id());
    let texts =
        fs::read_dir(place).unwrap().flatten().filter_map(|e| fs::read_to_string(e.path()).ok());
    let of_program = texts.filter(|text| text.contains("prog_type:"));
    let id = |text: String| {
        let line = text.lines().find(|line| line.starts_with("prog_id:"))?.to_owned();
        line.split_whitespace().nth(1)?.parse().ok()
    };
    of_program.filter_map(id).collect()
}
