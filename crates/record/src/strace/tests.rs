//! Text of strace, whole, damaged and hostile.

use super::*;
use crate::recording::Recorded;
use proptest::prelude::*;
use std::{io::Cursor, path::PathBuf};
use trace::{
    call::{Call, Op},
    file::Trace,
    start::StartKind,
};

const TEXT: &str = r#"
1000 1700000000.000000 execve("/usr/bin/app", ["app"], 0x7ffd /* 20 vars */) = 0 <0.000300>
1000 1700000000.001000 openat(AT_FDCWD, "data/in", O_RDONLY|O_CLOEXEC) = 3</srv/data/in> <0.000010>
1000 1700000000.001100 read(3</srv/data/in>, "a, \") = 7 <0.1>\n"..., 4096) = 4096 <0.000020>
1000 1700000000.001200 pread64(3, "", 100, 8192) = 0 <0.000005>
1000 1700000000.001300 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>
1001 1700000000.001350 openat(AT_FDCWD, "out\040put", O_WRONLY|O_CREAT|O_TRUNC, 0644 <unfinished ...>
1000 1700000000.001400 <... clone resumed>, child_tidptr=0x7f) = 1001 <0.000100>
1001 1700000000.001500 <... openat resumed>) = 4 <0.000150>
1001 1700000000.001600 pwrite64(4, "x"..., 512, 1024) = 512 <0.000030>
1001 1700000000.001650 fcntl(4, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=120, l_len=1}) = 0 <0.000003>
1001 1700000000.001700 fsync(4)          = 0 <0.010000>
1001 1700000000.012000 renameat2(AT_FDCWD, "out\040put", AT_FDCWD, "final", RENAME_NOREPLACE) = -1 EEXIST (File exists) <0.000007>
1001 1700000000.012100 copy_file_range(3, [0] => [100], 4, NULL, 100, 0) = 100 <0.000040>
1001 1700000000.012300 copy_file_range(3, NULL, 4, [200] => [240], 40, 0) = 40 <0.000040>
1001 1700000000.012400 splice(9, NULL, 4, [240] => [250], 10, 0) = 10 <0.000040>
1001 1700000000.013000 +++ exited with 0 +++
1000 1700000000.013000 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---
1000 1700000000.014000 stat("/etc/passwd", 0x7ffd) = 0 <0.000004>
1000 1700000000.015000 exit_group(0)     = ?
1000 1700000000.016000 +++ exited with 0 +++
"#;

type InMemory = Trace<Cursor<Vec<u8>>>;

fn imported(text: &[u8]) -> Result<(Recorded, InMemory, Vec<Call>), String> {
    let options = Import {
        trees: vec![PathBuf::from("/srv")],
        directory: PathBuf::from("/srv"),
        ..Import::default()
    };
    let mut bytes = Vec::new();
    let recorded = import(text, &mut bytes, &options).map_err(|error| error.to_string())?;
    let mut trace = Trace::open(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for block in trace.blocks().to_vec() {
        let mut calls = Vec::new();
        trace.read(&block, &mut calls).map_err(|error| error.to_string())?;
        all.extend(calls);
    }
    Ok((recorded, trace, all))
}

#[test]
fn processes_are_distinguished_from_threads_if_their_makers_were_seen() {
    let call =
        |tid: u32, at: u32, call: &str| format!("{tid} 1700000000.{at:06} {call} <0.000010>\n");
    let opened = |tid, at| call(tid, at, "openat(AT_FDCWD, \"data/in\", O_RDONLY) = 3");
    let thread = call(1000, 2000, "clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD}, 88) = 1001");
    let process =
        call(1000, 3000, "clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 1002");
    let text = opened(1000, 1000) + &thread + &process + &opened(1001, 4000) + &opened(1002, 5000);
    let counts = |text: &str| {
        let recorded = imported(text.as_bytes()).unwrap().0;
        (recorded.processes, recorded.threads)
    };
    assert_eq!(counts(&text), (Some(2), 3));
    assert_eq!(counts(&opened(1000, 1000)), (Some(1), 1));
    assert_eq!(counts(&(text + &opened(2000, 6000))), (None, 4), "its maker was not seen");
}

#[test]
fn text_becomes_calls_of_threads() {
    let (recorded, trace, calls) = imported(TEXT.as_bytes()).unwrap();
    let shown: Vec<(u32, &str, i64, u64, u64)> = calls
        .iter()
        .filter(|call| !matches!(call.op, Op::Begin | Op::End))
        .map(|call| (call.thread, call.op.name(), call.result, call.offset, call.len))
        .collect();
    let expected = [
        (0, "open", 0, 0, 0),
        (0, "read", 4096, 0, 4096),
        (0, "pread", 0, 8192, 100),
        (1, "open", 0, 0, 0),
        (1, "pwrite", 512, 1024, 512),
        (1, "fcntl_lock", 0, 120, 1),
        (1, "fsync", 0, 0, 0),
        (1, "rename", -i64::from(libc::EEXIST), 0, 0),
        (1, "copy_file_range", 100, 0, 100),
        (1, "copy_file_range_to", 40, u64::MAX, 40),
        (1, "pwrite", 10, 240, 10),
    ];
    assert_eq!(shown[..11], expected);
    assert_eq!(calls.iter().find(|call| call.op == Op::CopyTo).unwrap().to_offset(), 200);
    let sync = calls.iter().find(|call| call.op == Op::Fsync).unwrap();
    assert!(sync.at_ns.abs_diff(1_700_000) < 1000 && sync.took_ns.abs_diff(10_000_000) < 80_000);
    let made = calls.iter().find(|call| call.op == Op::Open && call.thread == 1).unwrap();
    assert_eq!(trace.paths().relative(made.path).1, b"out put");
    assert_eq!(made.mode, 0o644);
    let left_out: Vec<&str> = recorded.end.left_out.iter().map(|(why, _)| why.as_str()).collect();
    assert_eq!(left_out, ["outside the recorded trees"]);
    let of_input = trace.start_entries().iter().find_map(|entry| match entry.kind {
        StartKind::File { bytes, .. } if bytes > 0 => Some((entry.path, bytes)),
        _ => None,
    });
    let (path, bytes) = of_input.unwrap();
    assert_eq!((trace.paths().relative(path).1, bytes), (b"data/in".to_vec(), 4096));
}

#[test]
fn what_is_skipped_is_said() {
    let text = format!("{TEXT}not a line\n1000 openat(AT_FDCWD, \"x\", 0) = 3\n1000 1.5 read(3\n");
    let (recorded, ..) = imported(text.as_bytes()).unwrap();
    let reasons = &recorded.end.left_out[1..];
    assert_eq!(
        reasons,
        [
            ("in lines without a time".into(), 2),
            ("in lines that are damaged or not of strace".into(), 1)
        ]
    );
    assert!(imported(b"hello\n").err().unwrap().contains("strace -f -ttt -T"));
}

#[test]
fn long_line_is_skipped_and_the_next_is_read() {
    let mut text = vec![b'x'; 1 << 20];
    text.extend_from_slice(TEXT.as_bytes());
    assert_eq!(imported(&text).unwrap().2.len(), imported(TEXT.as_bytes()).unwrap().2.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_text_never_panics(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut text = TEXT.as_bytes().to_vec();
        for (at, to) in flips {
            let at = at.index(text.len());
            text[at] = to;
        }
        text.truncate(cut.index(text.len()) + 1);
        let _ = imported(&text);
    }

    #[test]
    fn hostile_lines_never_panic(
        lines in prop::collection::vec("[0-9]{0,6} ?[0-9]{1,20}\\.[0-9]{0,12} [a-z_0-9]{1,12}\\(.{0,60}(\\) = .{0,20}|<unfinished ...>)?", 0..20),
    ) {
        let _ = imported(lines.join("\n").as_bytes());
    }

    #[test]
    fn hostile_numbers_never_panic(
        name in prop::sample::select(vec![
            "read", "close", "dup2", "fcntl", "mmap", "munmap", "msync", "close_range", "lseek", "clone", "openat",
            "copy_file_range", "splice", "sendfile", "symlinkat", "pwritev2",
        ]),
        arguments in prop::collection::vec("-?[0-9]{1,20}|0x[0-9a-f]{1,16}|\"/srv/[a-z./]{0,9}\"|\\[[0-9]{1,3}\\]|NULL", 0..7),
        result in "-?[0-9]{1,20}|0x[0-9a-f]{1,16}",
    ) {
        let line = |i: u64| format!("7 {i}.0 {name}({}) = {result} <18446744073.9>\n", arguments.join(", "));
        let text: String = (0..3).map(line).collect();
        let _ = imported(format!("7 0.1 openat(AT_FDCWD, \"/srv/a\", 0) = 3\n{text}").as_bytes());
    }
}
