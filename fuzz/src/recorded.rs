//! Traces of applications, and the text of strace that becomes one.

use super::assert_harmless;
use record::strace::{Import, import};
use std::{io::Cursor, path::PathBuf};
use trace::{
    call::{Call, NONE},
    file::Trace,
    path::{NAME_BYTES, Paths},
    start::{StartEntry, StartKind},
    summary::Summing,
};

/// A trace: what is taken of it names only plain paths that are there, and can be summed up. Whether all of it was
/// readable.
pub fn trace(bytes: &[u8]) -> bool {
    let mut trace = match Trace::open(Cursor::new(bytes)) {
        Ok(trace) => trace,
        Err(why) => {
            assert_harmless("a refusal", &format!("{:?}", why.to_string()));
            return false;
        }
    };
    assert_plain(trace.paths());
    for entry in trace.start_entries() {
        assert_entry(entry, trace.paths());
    }
    let paths = trace.paths().len();
    assert!(trace.start_handles().iter().all(|handle| (handle.path as usize) < paths));
    let mut summing = Summing::new(trace.start_entries(), trace.start_handles());
    let (mut calls, mut is_whole) = (Vec::new(), !trace.is_cut());
    for block in trace.blocks().to_vec() {
        match trace.read(&block, &mut calls) {
            Ok(()) => {
                assert_eq!(calls.len(), block.calls(), "a block has other calls than it says");
                calls.iter().for_each(|call| assert_call(call, paths));
                summing.see(&calls);
            }
            Err(_) => is_whole = false,
        }
    }
    let summary = summing.end();
    let shares = [summary.read.sequential_share(), summary.parallelism()];
    assert!(shares.iter().all(|share| share.is_finite() && *share >= 0.0), "{shares:?}");
    is_whole
}

/// The text of strace: what is accepted becomes a whole trace with as many calls as it says.
pub fn strace(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    for trees in [Vec::new(), vec![PathBuf::from("/srv")]] {
        let mut written = Vec::new();
        let options = Import { trees, directory: "/srv/app".into(), ..Import::default() };
        match import(bytes, &mut written, &options) {
            Ok(imported) => {
                assert_eq!(calls_of(&written), imported.end.calls);
                assert!(trace(&written), "the trace of a text is not whole");
                is_accepted = true;
            }
            Err(why) => assert_harmless("a refusal", &why.to_string()),
        }
    }
    is_accepted
}

/// The calls of a trace that was just written, without what happened to threads.
fn calls_of(written: &[u8]) -> u64 {
    let mut trace = Trace::open(Cursor::new(written)).expect("it was just written");
    let (mut calls, mut count) = (Vec::new(), 0);
    for block in trace.blocks().to_vec() {
        trace.read(&block, &mut calls).expect("it was just written");
        count += calls.iter().filter(|call| !call.op.is_of_thread()).count();
    }
    count as u64
}

fn assert_plain(paths: &Paths) {
    for id in 0..paths.len() as u32 {
        let name = paths.name(id);
        let Some(parent) = paths.parent(id) else {
            assert!(name.is_empty(), "a root has a name");
            continue;
        };
        assert!(parent < id, "a path comes before the one that it is in");
        let is_plain = (1..=NAME_BYTES).contains(&name.len())
            && ![&b"."[..], b".."].contains(&name)
            && !name.iter().any(|byte| b"/\0".contains(byte));
        assert!(is_plain, "a path is called {:?}", String::from_utf8_lossy(name));
    }
}

fn assert_entry(entry: &StartEntry, paths: &Paths) {
    let mut names = vec![entry.path];
    if let StartKind::Link(Some(to)) | StartKind::HardLink(to) = entry.kind {
        names.push(to);
    }
    assert!(names.iter().all(|path| (*path as usize) < paths.len()), "{entry:?} is nowhere");
}

fn assert_call(call: &Call, paths: usize) {
    let is_there = |path: u32| path == NONE || (path as usize) < paths;
    assert!(is_there(call.path) && is_there(call.path2), "{call:?} names what is not there");
}
