//! Replays from outside: a recorded application is made again on a directory and on a file system, and a trace of a
//! stranger stays in its tree.

use crate::common::{Place, metric, ready_or_skip, root_or_skip, text};
use needs::{Need, program_or_skip, skip};
use record::kernel::Form;
use serde_json::Value;
use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};
use trace::{
    call::{Call, NONE, Op},
    file::Writer,
    header::{Cost, Header, Recorder, Root},
    path::{PathId, Paths},
};

/// A file is made, appended to, moved, linked, copied and read; directories are listed; most is removed.
const SCRIPT: &str = "mkdir -p a/b && echo one > a/b/f && echo two >> a/b/f && mv a/b/f a/g && ln a/g h && \
    ln -s a/g l && ln -s /no/such/place out && cat l h old seen/link > all && cp all copy && ls -laR . > /dev/null && \
    dd if=all of=copy bs=7 conv=notrunc,fsync status=none && truncate -s 3 old && chmod 600 old && rm -r a/b l h && \
    if [ -e none ]; then exit 1; fi";

fn run<'a>(target: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let run = ["run", "--suite", "app.trace", "--on", target, "--preset", "smoke", "--blocks", "1"];
    [&run[..], more].concat()
}

/// The last campaign's one sample: whether it is valid, and how many calls differed without a reason.
fn judged(place: &Place) -> (bool, Option<f64>, Value) {
    let sample = place.exported_samples().pop().unwrap();
    // A busy machine disturbs a sample, which does not make it another application.
    let is_valid = !sample.to_string().contains("replay_differs");
    (is_valid, metric(&sample, "unexplained"), sample)
}

#[test]
fn replay_differs_nowhere_on_a_directory_and_on_a_file_system() {
    if !root_or_skip("recording by eBPF") {
        return;
    }
    let place = Place::new();
    let tree = place.dir("tree");
    fs::create_dir(tree.join("seen")).unwrap();
    fs::write(tree.join("old"), "what was there\n").unwrap();
    std::os::unix::fs::symlink("../old", tree.join("seen/link")).unwrap();
    let script = format!("cd {} && {SCRIPT}", tree.display());
    let dir = tree.to_str().unwrap();
    place.ok(&["record", "-o", "app.trace", "--dir", dir, "--", "sh", "-c", &script]);
    let target = format!("dir:{}", place.dir("target").display());
    let mut targets = vec![target.as_str()];
    if ready_or_skip(&place, "ext4") {
        targets.push("ext4");
    }
    for target in targets {
        for pace in ["pace=full", "pace=think"] {
            let output = place.assay(&run(target, &["--knob", pace]));
            let (is_valid, unexplained, sample) = judged(&place);
            assert!(is_valid, "{target}, {pace}: {}{sample}", text(&output.stdout));
            assert_eq!(unexplained.unwrap_or(0.0), 0.0, "{target}, {pace}: {sample}");
        }
    }
    place.assert_clean();
}

/// Several requests are in flight at once, and a file is read through a mapping.
#[test]
fn requests_of_io_uring_and_mapped_pages_are_replayed() {
    if !root_or_skip("recording by eBPF") || !program_or_skip("fio") {
        return;
    }
    if Form::of_kernel() != Form::Typed {
        return skip(Need::Other, "the kernel has no BTF");
    }
    let place = Place::new();
    let tree = place.dir("tree");
    let fio = "fio --output=/dev/null --name=a --filename=f --size=1m --bs=4k";
    let script = format!(
        "cd {} && {fio} --ioengine=io_uring --iodepth=8 --rw=randwrite --fsync=32 && \
         {fio} --ioengine=mmap --rw=randread",
        tree.display()
    );
    let dir = tree.to_str().unwrap();
    place.ok(&["record", "-o", "app.trace", "--dir", dir, "--", "sh", "-c", &script]);
    let page = place.ok(&["explain", "app.trace"]);
    assert!(page.contains("uring_write") && page.contains("touch"), "{page}");
    let target = format!("dir:{}", place.dir("target").display());
    let output = place.assay(&run(&target, &[]));
    let (is_valid, unexplained, sample) = judged(&place);
    assert!(is_valid, "{}{sample}", text(&output.stdout));
    assert_eq!(unexplained.unwrap_or(0.0), 0.0, "{sample}");
}

#[test]
fn traces_that_ship_are_replayed_without_a_file() {
    let place = Place::new();
    assert!(place.ok(&["explain"]).contains("traces"));
    assert!(place.ok(&["explain", "traces"]).contains("traces.maildir"));
    let target = format!("dir:{}", place.dir("target").display());
    let run = ["run", "--suite", "traces", "--on", &target, "--preset", "smoke", "--blocks", "1"];
    place.assay(&[&run[..], &["--pace", "full"]].concat());
    let samples = place.exported_samples();
    assert_eq!(samples.len(), 5);
    for sample in samples {
        assert_eq!(metric(&sample, "unexplained").unwrap_or(0.0), 0.0, "{sample}");
        assert!(!sample.to_string().contains("replay_differs"), "{sample}");
        assert!(metric(&sample, "wall_s") > Some(0.0), "{sample}");
    }
    place.assert_clean();
}

fn header() -> Header {
    let root = Root { place: "/srv".into(), file_system: "ext4".into(), options: String::new() };
    Header {
        recorder: Recorder::Made,
        command: "\u{1b}[2J".into(),
        started_s: 1,
        roots: vec![root],
        anonymous: false,
        cost: Cost::default(),
        kernel: "\u{1b}]0;owned\u{7}".into(),
        processors: 1,
        memory_bytes: 1,
    }
}

/// A trace that ends where its recorder was killed.
fn cut_trace(paths: &Paths, calls: &[Call]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::create(&mut bytes, &header()).unwrap();
    writer.names(paths).unwrap();
    writer.calls(calls).unwrap();
    bytes
}

/// A part with names that no writer makes: paths below the root, not compressed.
fn names(names: &[&[u8]]) -> Vec<u8> {
    let mut raw = vec![0, 0];
    for (distance, name) in (1u8..).zip(names) {
        raw.extend([distance, name.len() as u8]);
    }
    raw.extend(names.concat());
    let len = (raw.len() as u16).to_le_bytes();
    let not = (!(raw.len() as u16)).to_le_bytes();
    let payload = [&[1][..], &len, &not, &raw].concat();
    let numbers = [2, 1 + names.len() as u32, raw.len() as u32, payload.len() as u32];
    let mut part: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    part.extend([0; 16]);
    let sum = crc32fast::hash(&[&part[..], &payload].concat());
    part.extend(sum.to_le_bytes());
    part.extend(payload);
    part
}

#[test]
fn names_that_lead_elsewhere_are_no_names_of_a_trace() {
    let place = Place::new();
    let mut begin = Vec::new();
    Writer::create(&mut begin, &header()).unwrap();
    let precious = place.path("precious");
    fs::write(&precious, "precious").unwrap();
    let target = format!("dir:{}", place.dir("target").display());
    let absolute = precious.to_str().unwrap().as_bytes();
    for name in [&b".."[..], b".", b"", b"a/b", b"/etc", b"a\0b", absolute] {
        fs::write(place.path("app.trace"), [&begin[..], &names(&[name])].concat()).unwrap();
        let page = place.ok(&["explain", "app.trace"]);
        assert!(page.contains("What follows is damaged: path 1 has the name"), "{page}");
        assert!(!page.contains('\u{1b}'), "{page:?}");
        place.assay(&run(&target, &[]));
    }
    fs::write(place.path("app.trace"), [&begin[..], &names(&[b"plain"])].concat()).unwrap();
    assert!(!place.ok(&["explain", "app.trace"]).contains("damaged"));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    place.assert_clean();
}

/// What a hostile trace does: links that lead up as far as its tree goes are lifted, and written through.
fn hostile() -> (Paths, Vec<Call>) {
    let mut paths = Paths::default();
    let root = paths.add_root().unwrap();
    let mut add = |parent: PathId, name: &str| paths.add(parent, name.as_bytes()).unwrap();
    let deep = add(root, "deep");
    let deeper = add(deep, "deeper");
    let (link, lifted) = (add(deeper, "link"), add(root, "lifted"));
    let (up, outside) = (add(lifted, "victim"), add(root, "outside"));
    let beyond = add(outside, "victim");
    let mut calls = Vec::new();
    let mut call = |op, set: &dyn Fn(&mut Call)| {
        let at_ns = 1000 * calls.len() as u64;
        let mut call = Call { at_ns, took_ns: 100, ..Call::new(op, 0) };
        set(&mut call);
        calls.push(call);
    };
    let create = (libc::O_CREAT | libc::O_RDWR | libc::O_TRUNC) as u32;
    call(Op::Mkdir, &|c| (c.path, c.mode) = (deep, 0o755));
    call(Op::Mkdir, &|c| (c.path, c.mode) = (deeper, 0o755));
    call(Op::Symlink, &|c| (c.path, c.path2) = (link, root));
    call(Op::Rename, &|c| (c.path, c.path2) = (link, lifted));
    call(Op::Symlink, &|c| (c.path, c.path2) = (outside, NONE));
    for (handle, path) in [(0, up), (1, beyond)] {
        call(Op::Open, &|c| (c.handle, c.path, c.flags, c.mode) = (handle, path, create, 0o644));
        call(Op::Write, &|c| (c.handle, c.len, c.result) = (handle, 9, 9));
        call(Op::Truncate, &|c| (c.path, c.len) = (path, 0));
        call(Op::Unlink, &|c| c.path = path);
    }
    call(Op::Mknod, &|c| (c.path, c.mode) = (beyond, libc::S_IFBLK | 0o666));
    call(Op::Chmod, &|c| (c.path, c.mode) = (up, 0o4755));
    (paths, calls)
}

/// Every name below `dir` with what it holds.
fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = if entry.is_dir() { Vec::new() } else { fs::read(&entry).unwrap() };
        all.extend(if entry.is_dir() { content(&entry) } else { Vec::new() });
        all.push((entry.display().to_string(), bytes));
    }
    all.sort();
    all
}

#[test]
fn hostile_trace_stays_in_its_tree_and_says_what_was_left_out() {
    let place = Place::new();
    let (paths, calls) = hostile();
    fs::write(place.path("app.trace"), cut_trace(&paths, &calls)).unwrap();
    let around = place.dir("around");
    let target = around.join("target");
    fs::create_dir(&target).unwrap();
    for dir in [&around, &target] {
        fs::write(dir.join("victim"), "precious").unwrap();
    }
    let before = content(&around);
    let output = place.assay(&run(&format!("dir:{}", target.display()), &[]));
    assert_eq!(content(&around), before, "{}", text(&output.stderr));
    let (is_valid, unexplained, sample) = judged(&place);
    assert!(!is_valid && unexplained > Some(0.0), "{sample}");
    assert!(sample.to_string().contains("not made: it could lead out of the tree"), "{sample}");
    place.assert_clean();
}

#[test]
fn damaged_trace_is_an_answer_wherever_the_damage_is() {
    let place = Place::new();
    let (paths, calls) = hostile();
    let whole = cut_trace(&paths, &calls);
    let target = format!("dir:{}", place.dir("target").display());
    let mut damaged: Vec<Vec<u8>> =
        (0..whole.len()).step_by(29).map(|len| whole[..len].to_vec()).collect();
    damaged.extend((0..whole.len()).step_by(37).map(|at| {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        flipped
    }));
    for (number, bytes) in damaged.iter().enumerate() {
        File::create(place.path("app.trace")).unwrap().write_all(bytes).unwrap();
        let mut verbs = vec![vec!["explain", "app.trace"]];
        if number % 12 == 0 {
            verbs.push(run(&target, &[]));
        }
        for args in verbs {
            let output = place.assay(&args);
            let (code, said) = (output.status.code(), text(&output.stderr));
            assert!(matches!(code, Some(0..=4)), "{number}, {args:?}: {code:?} {said}");
            assert!(!said.contains("panicked"), "{number}, {args:?}: {said}");
            assert!(code == Some(0) || said.contains("app"), "{number}, {args:?}: {said}");
        }
    }
    place.assert_clean();
}
