//! Recordings of small commands, where this machine permits them.

use super::*;
use std::{fs, io::Cursor};
use trace::{call::Op, file::Trace, start::StartKind};

type InMemory = Trace<Cursor<Vec<u8>>>;

/// Records a shell script below a tree of its own; `None` where this machine does not permit it.
fn recorded(script: &str, anonymous: bool) -> Option<(InMemory, Vec<Call>)> {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    fs::write(tree.join("old"), vec![b'x'; 10_000]).unwrap();
    let script = format!("cd {} || exit 1; {script}", tree.display());
    let subject = Subject::Command(["sh", "-c", &script].map(OsString::from).to_vec());
    let options = Options { trees: vec![tree], anonymous, at_most: None };
    let mut bytes = Vec::new();
    let recorded = match record(&subject, &options, &mut bytes, &AtomicBool::new(false)) {
        Ok(recorded) => recorded,
        Err(RecordError::Bpf(error)) => {
            needs::skip(needs::Need::Other, error);
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    assert!(recorded.status.unwrap().success());
    assert_eq!(recorded.end.lost, 0);
    let mut trace = Trace::open(Cursor::new(bytes)).unwrap();
    assert!(!trace.is_cut());
    let mut all = Vec::new();
    for block in trace.blocks().to_vec() {
        let mut calls = Vec::new();
        trace.read(&block, &mut calls).unwrap();
        all.extend(calls);
    }
    Some((trace, all))
}

fn path_of(trace: &InMemory, call: &Call) -> String {
    String::from_utf8(trace.paths().relative(call.path).1).unwrap()
}

#[test]
fn recording_has_calls_names_and_the_start() {
    let script = "cat old > new; mv new newer; rm old; mkdir d; cat d/none 2>/dev/null; true";
    let Some((trace, calls)) = recorded(script, false) else { return };
    let find =
        |op, name: &str| calls.iter().find(|call| call.op == op && path_of(&trace, call) == name);
    let opened = find(Op::Open, "old").unwrap();
    let of_handle = |op| calls.iter().find(|c| c.op == op && c.handle == opened.handle);
    let read = calls.iter().find(|c| c.handle == opened.handle && c.op != Op::Open);
    assert!(read.is_some() && of_handle(Op::Close).is_some(), "{calls:?}");
    assert_eq!(find(Op::Open, "new").unwrap().flags & libc::O_CREAT as u32, libc::O_CREAT as u32);
    assert!(find(Op::Rename, "new").is_some() && find(Op::Mkdir, "d").is_some());
    assert_eq!(find(Op::Open, "d/none").unwrap().result, -i64::from(libc::ENOENT));
    let start: Vec<(String, u64)> = trace
        .start_entries()
        .iter()
        .filter_map(|entry| match entry.kind {
            StartKind::File { bytes, .. } => {
                Some((String::from_utf8(trace.paths().relative(entry.path).1).unwrap(), bytes))
            }
            _ => None,
        })
        .collect();
    assert_eq!(start, [("old".to_owned(), 10_000)]);
}

#[test]
fn anonymous_recording_has_no_names() {
    let Some((trace, calls)) = recorded("cat old > secret.txt", true) else { return };
    assert!(trace.header().command.is_empty() && trace.header().roots[0].place.is_empty());
    assert!(calls.iter().any(|call| call.op == Op::Open));
    for path in 1..trace.paths().len() as u32 {
        let name = String::from_utf8_lossy(trace.paths().name(path)).into_owned();
        assert!(!name.contains("old") && !name.contains("secret"), "{name}");
    }
}

#[test]
fn nap_is_short_where_a_ring_fills() {
    assert_eq!(next_nap(LONGEST_NAP, 0.0), LONGEST_NAP);
    assert!(next_nap(LONGEST_NAP, 0.8) <= Duration::from_millis(5));
    assert!(next_nap(SHORTEST_NAP, 0.0) > SHORTEST_NAP);
}
