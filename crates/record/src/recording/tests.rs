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

#[test]
fn requests_of_io_uring_are_calls_of_threads_of_their_own() {
    if Form::of_kernel() != Form::Typed {
        return needs::skip(needs::Need::Other, "the kernel has no BTF");
    }
    let fio =
        "fio --output=/dev/null --name=a --filename=f --size=256k --bs=4k --ioengine=io_uring";
    let script =
        format!("{fio} --rw=write --iodepth=8 --end_fsync=1 && {fio} --rw=randread --iodepth=4");
    if !needs::program_or_skip("fio") {
        return;
    }
    let Some((trace, calls)) = recorded(&script, false) else { return };
    let opened = calls.iter().filter(|call| call.op == Op::Open && path_of(&trace, call) == "f");
    let handles: Vec<_> = opened.map(|call| call.handle).collect();
    for (op, most) in [(Op::RingWrite, 8), (Op::RingRead, 4)] {
        let all: Vec<&Call> = calls.iter().filter(|call| call.op == op).collect();
        assert_eq!(all.len(), 64, "{op:?}");
        assert!(all.iter().all(|call| handles.contains(&call.handle) && call.result == 4096));
        let offsets: BTreeSet<u64> = all.iter().map(|call| call.offset).collect();
        assert!(offsets.into_iter().eq((0..64).map(|block| block * 4096)), "{op:?}");
        let threads: BTreeSet<u32> = all.iter().map(|call| call.thread).collect();
        assert!((1..=most).contains(&threads.len()), "{op:?}: {threads:?}");
        let opener = calls.iter().filter(|call| call.op == Op::Open).map(|call| call.thread);
        assert!(opener.into_iter().all(|thread| !threads.contains(&thread)), "{op:?}");
    }
}

#[test]
fn pages_of_a_mapping_are_calls() {
    if !needs::program_or_skip("fio") {
        return;
    }
    let fio = "fio --output=/dev/null --name=a --filename=f --size=256k --bs=4k --ioengine=mmap";
    let script = format!("head -c 262144 /dev/zero > f; {fio} --rw=write; {fio} --rw=randread");
    let Some((trace, calls)) = recorded(&script, false) else { return };
    let is_own = |call: &&Call| {
        let opened = |open: &&Call| open.op == Op::Open && open.handle == call.handle;
        let open = calls.iter().find(opened);
        call.op == Op::Map && open.is_some_and(|open| path_of(&trace, open) == "f")
    };
    let maps: BTreeSet<u32> = calls.iter().filter(is_own).map(|call| call.other).collect();
    let touched = |is_write| {
        let own = |call: &&Call| call.op == Op::Touch && maps.contains(&call.other);
        let touches = calls.iter().filter(own).filter(|call| call.flags == is_write);
        touches.map(|call| call.len).sum::<u64>()
    };
    // Each page is written first once; of those that are read, the kernel maps neighbours as well.
    assert!(touched(1) >= 60 && (1..=64).contains(&touched(0)), "{} {}", touched(1), touched(0));
}

#[test]
fn process_that_has_ended_is_not_waited_for() {
    let mut ended = Command::new("true").spawn().unwrap();
    // It stays as it is until it is waited for.
    let pid = ended.id();
    while !proc::is_ending(pid, pid) {
        thread::yield_now();
    }
    assert!(!proc::is_ending(std::process::id(), std::process::id()));
    let most = Duration::from_secs(60);
    let options = Options { at_most: Some(most), ..Options::default() };
    let subject = Subject::Processes(vec![pid]);
    let recorded = record(&subject, &options, Vec::new(), &AtomicBool::new(false));
    ended.wait().unwrap();
    match recorded {
        Ok(recorded) => assert!(recorded.end.took_ns < most.as_nanos() as u64),
        Err(RecordError::Bpf(error)) => needs::skip(needs::Need::Other, error),
        Err(error) => panic!("{error}"),
    }
    assert!(proc::is_ending(pid, pid), "it is gone");
}
