//! Tests that a trace becomes the workload whose syncs are its contract.

use super::translate::{Translated, Translation};
use crate::{CutOff, Test, declare, testing, traces};
use faults::{
    contract::Contract,
    workload::{How, Operation},
};
use model::{
    target::Options,
    text::Bytes,
    workload::{AssetFile, AssetName, ContentHash},
};
use std::{borrow::Cow, path::Path};
use trace::{
    call::{Call, Op},
    file::Named,
    path::{PathId, Paths},
    start::{StartEntry, StartKind},
};

/// A root, and in it the files `a` and `b`.
fn paths() -> (Paths, [PathId; 2]) {
    let mut paths = Paths::default();
    let root = paths.add_root().unwrap();
    let names = [b"a", b"b"].map(|name| paths.add(root, name).unwrap());
    (paths, names)
}

fn translated(paths: &Paths, entries: &[StartEntry], calls: &[Call]) -> Translated {
    let mut translation = Translation::new(Named { paths, entries, handles: &[] });
    calls.iter().for_each(|call| translation.add(call));
    let done = translation.done("t");
    Contract::new(done.workload.clone()).unwrap();
    done
}

fn call(op: Op, handle: u32) -> Call {
    Call { handle, ..Call::new(op, 0) }
}

fn open(handle: u32, path: PathId, flags: u32) -> Call {
    Call { path, flags, ..call(Op::Open, handle) }
}

fn write(handle: u32, bytes: u64) -> Call {
    Call { len: bytes, result: bytes as i64, ..call(Op::Write, handle) }
}

/// What is done once the start is there.
fn done(translated: &Translated) -> &[Operation] {
    &translated.workload.operations[translated.workload.prepared..]
}

fn written(offset: u64, length: u64) -> Operation {
    Operation::Write { path: "root0/a".into(), offset, length, how: How::Buffered }
}

#[test]
fn writes_go_on_where_the_handle_is_and_each_sync_is_a_mark() {
    let (paths, [a, b]) = paths();
    let calls = [
        open(0, a, 0o101),
        write(0, 20),
        call(Op::Fdatasync, 0),
        write(0, 4),
        Call { result: -28, ..write(0, 100) },
        Call { path: a, path2: b, ..Call::new(Op::Rename, 0) },
        call(Op::Fsync, 0),
        Call::new(Op::Sync, 0),
    ];
    let all = translated(&paths, &[], &calls);
    let expected = [
        Operation::Create("root0/a".into()),
        written(0, 24),
        Operation::Fdatasync("root0/a".into()),
        Operation::Mark(0),
        written(16, 8),
        Operation::Rename { from: "root0/a".into(), to: "root0/b".into() },
        Operation::Fsync("root0/b".into()),
        Operation::Mark(1),
        Operation::Syncfs,
        Operation::Mark(2),
    ];
    assert_eq!(done(&all), expected);
    assert_eq!((all.syncs, all.left_out, all.is_cut), (3, 0, false));
}

#[test]
fn a_handle_that_answers_when_all_is_durable_marks_each_write() {
    let (paths, [a, _]) = paths();
    let kind = StartKind::File { bytes: 100, cached_bytes: None, compressed: None };
    let entries = [StartEntry { path: a, kind, mode: 0o644 }];
    // O_APPEND and O_DSYNC.
    let calls = [open(0, a, 0o12_001), write(0, 8)];
    let all = translated(&paths, &entries, &calls);
    let sync = Operation::Fdatasync("root0/a".into());
    assert_eq!(done(&all), [written(96, 16), sync, Operation::Mark(0)]);
    assert!(all.workload.operations.contains(&written(0, 104)), "it is there at the start");
}

#[test]
fn what_is_not_there_is_left_out_and_counted() {
    let (paths, [a, b]) = paths();
    let calls = [
        Call { path: a, path2: b, ..Call::new(Op::Rename, 0) },
        Call { path: a, ..Call::new(Op::Unlink, 0) },
        write(7, 8),
        call(Op::Fsync, 7),
    ];
    let all = translated(&paths, &[], &calls);
    assert_eq!((done(&all), all.left_out, all.syncs), (&[][..], 2, 0));
}

#[test]
fn long_traces_end_where_there_is_no_more_room() {
    let (paths, [a, _]) = paths();
    let writes = (0..5000).map(|_| write(0, 8));
    let calls: Vec<Call> = [open(0, a, 0o101)].into_iter().chain(writes).collect();
    let all = translated(&paths, &[], &calls);
    assert!(all.is_cut && done(&all).len() <= 1500, "{}", done(&all).len());
}

fn test(trace: &str) -> Result<&'static dyn Test, String> {
    let text = format!(
        "name = 'faults'\nabout = 'y'\nassets = ['{trace}']\n[[test]]\nkind = 'recorded'\nid = 'faults.a'\n\
         trace = '{trace}'"
    );
    let suite = declare::suite("x.toml", Cow::Owned(text), &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

/// What the test makes of a trace that ships.
fn made(name: &str) -> Result<CutOff, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, traces::asset("faults", name).unwrap()).unwrap();
    let test = test(name)?;
    let mut job = testing::job("faults.a", Path::new("/nowhere"));
    let name: AssetName = name.parse().unwrap();
    let (bytes, sha256) = (Bytes(0), ContentHash::of_bytes([0; 32]));
    job.assets = vec![AssetFile { name, path, bytes, sha256 }];
    test.cut_off(&job, 1).map_err(|error| error.to_string())
}

#[test]
fn recordings_that_ship_have_contracts_where_they_sync() {
    let CutOff::Workload(mail) = made("maildir.trace").unwrap() else { panic!("no workload") };
    let is_mark = |own: &&Operation| matches!(own, Operation::Mark(_));
    assert!(mail.operations.iter().filter(is_mark).count() > 20);
    Contract::new(mail).unwrap();
    let why = made("tar.trace").unwrap_err();
    assert!(why.contains("nothing is promised"), "{why}");
}
