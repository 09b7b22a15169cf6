//! Job files are read, refused, scaled, and named as the importer names them.

use super::{super::Tool as _, *};

mod volume;

const FILE: &str = "\
; a comment
[global]
size=1g
runtime = 60
bs=4k

[Rand Read 4k]
rw=randread
numjobs=2
[write]
stonewall
rw=write:8
size=2m
";

fn request(text: &str) -> Request {
    Request { tool: "fio".into(), part: String::new(), args: Vec::new(), text: text.into() }
}

fn refusal(text: &str) -> String {
    Tool.check(&request(text)).unwrap_err()
}

#[test]
fn sections_are_tests() {
    let infos = Tool.infos(&request(FILE));
    let ids: Vec<_> = infos.iter().map(|i| (i.id.as_str(), i.testtype.as_str(), i.group)).collect();
    assert_eq!(
        ids,
        [
            ("fio.rand-read-4k", "random read", Group::RandomRead),
            ("fio.write", "sequential write", Group::SequentialWrite)
        ]
    );
    assert_eq!(infos[0].name, "Rand Read 4k");
    Tool.check(&request(FILE)).unwrap();
}

#[test]
fn sizes_and_times_follow_the_scale() {
    let file = JobFile::parse(FILE).unwrap();
    assert_eq!(JobFile::parse(&file.to_string()).unwrap(), file);
    assert_eq!(file.clone().scaled(1.0, 1), Ok(file.clone()));
    let text = file.clone().scaled(0.01, 3).unwrap().to_string();
    let size = (1u64 << 30) / 100;
    for line in
        [format!("size={size}").as_str(), "runtime=600ms", "size=2097152", "numjobs=6", "stonewall"]
    {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
    assert_eq!(text.lines().filter(|l| *l == "numjobs=3").count(), 1);
    let least = file.scaled(1e-6, 1).unwrap().to_string();
    assert!(least.contains("size=4194304\n") && least.contains("runtime=200ms"), "{least}");
}

#[test]
fn paths_beyond_the_target_are_refused() {
    for option in [
        "filename=/dev/sda",
        "filename=../x",
        "filename=a:/dev/sda",
        "filename=${DISK}",
        "directory=/mnt",
        "directory=sub",
        "exec_prerun=rm -rf x",
        "EXEC_POSTRUN=reboot",
        "ioengine=external:foo.so",
        "ioengine=libiscsi",
        "ioengine=exec",
        "read_iolog=log",
        "mem=mmaphuge:/dev/hugepages/x",
        "size=$mb_memory",
        "bs=4k`id`",
        "write_bw_log=/tmp/x",
        "include other.fio",
        "cgroup=x",
        "filename=\\/dev\\/sda",
        "write_lat_log",
        "write_hist_log=x",
        "read_iolog_chunked=1",
        "aux-path=x",
        "trigger-file=x",
        "uid=0",
        "description=a\tb",
    ] {
        let text = refusal(&format!("[a]\nrw=write\nsize=1m\n{option}"));
        assert!(text.starts_with("[a] `") && text.contains("refused"), "{option}: {text}");
    }
    for option in ["bssplit=4k/50:8k/50", "filename_format=$jobname.$jobnum", "filename=data:more"]
    {
        Tool.check(&request(&format!("[a]\nrw=write\nsize=1m\n{option}"))).unwrap();
    }
}

#[test]
fn sections_named_like_files_elsewhere_are_refused() {
    for name in ["/dev/sda", "../x", "a/b", ".", "..", "$jobname", "a:b", "x`id`", "a\\b"] {
        let text = refusal(&format!("[{name}]\nrw=write\nsize=1m\n"));
        assert!(text.contains("refused") && text.contains("as a file name"), "{name}: {text}");
    }
    let text = refusal(&format!("[{}]\nrw=read\n", "x".repeat(2000)));
    assert!(text.contains("not a name") && text.len() < 400, "{text}");
}

/// fio splits a line at 8192 bytes and reads the rest as a line of its own.
#[test]
fn long_lines_are_refused() {
    let long = format!("bssplit={}filename=/dev/sda", "4k/50:".repeat(1364));
    assert!(refusal(&format!("[a]\n{long}\n")).contains("longer than"));
}

#[test]
fn unknown_options_are_named() {
    let unknown = |text: &str| Tool.unknown(&request(text));
    assert_eq!(unknown(FILE), None);
    let text = "[global]\nsize=1m\n[a]\nrw=read\nblobfish=1\n";
    assert_eq!(unknown(text).as_deref(), Some("the option `blobfish` in [a]"));
    Tool.check(&request(text)).unwrap();
}

#[test]
fn files_without_usable_sections_are_refused() {
    assert!(refusal("rw=read").contains("line 1"));
    assert!(refusal("[]\nrw=read").contains("names no section"));
    assert!(refusal("[global]\nrw=read").contains("no section except"));
    assert!(refusal("[a b]\nsize=4k\n[A-B]\nsize=4k\n").contains("fio.a-b"));
    let with_args = Request { args: vec!["--x".into()], ..request("[a]") };
    assert!(Tool.check(&with_args).is_err());
}

#[test]
fn comments_of_fio_are_dropped_before_checks() {
    let file = JobFile::parse("[a] ; x\nsize=1g # all of it\nbs=4k;/dev/sda\n").unwrap();
    assert_eq!(file.to_string(), "[a]\nsize=1g\nbs=4k\n");
    // fio would truncate the name to `..`.
    assert!(refusal("[...;x]\nsize=4k").contains("names no section"));
}

#[test]
fn lines_that_begin_with_include_are_refused() {
    for line in ["include", "include_job", "include-job=x", "includes"] {
        let why = refusal(&format!("[a]\nsize=4k\n{line}\n"));
        assert!(why.contains("use a single file"), "{line}: {why}");
    }
}

#[test]
fn section_is_global_by_the_start_of_its_name() {
    let infos = Tool.infos(&request("[globals]\nsize=4k\n[a]\nrw=read\n"));
    assert_eq!(infos.iter().map(|info| info.name.as_str()).collect::<Vec<_>>(), ["a"]);
    assert!(refusal("[globals]\nsize=4k\n").contains("no section except [global]"));
}

#[test]
fn name_that_fio_would_cut_is_refused() {
    assert!(refusal(&format!("[{}]\nsize=4k\n", "x".repeat(255))).contains("not a name"));
    assert!(refusal("[a\u{202e}b]\nsize=4k\n").contains("not a name"));
    Tool.check(&request(&format!("[{}]\nsize=4k\n", "x".repeat(250)))).unwrap();
}

#[test]
fn huge_sizes_and_counts_do_not_overflow() {
    for option in ["size=9000000T", "numjobs=18446744073709551615"] {
        let why = refusal(&format!("[a]\nrw=write\nsize=1m\n{option}\n"));
        assert!(why.contains(option), "{why}");
    }
    let text = "[a]\nsize=1000000T\nnumjobs=9000000000000000000\nrw=write\n";
    let job = Job { scale: 4.0, ..super::super::tests::job(None, 1024) };
    assert!(Tool.estimate(&request(text), &job).write_bytes >= 1 << 60);
    let endless = format!("[a]\nruntime={}\nsize=4k\n", "9".repeat(400));
    assert!(refusal(&endless).contains("runtime=999"));
    assert_eq!(Tool.estimate(&request(&endless), &job).write_bytes, u64::MAX);
}

#[test]
fn file_of_thousands_of_sections_or_options_is_refused() {
    let sections: String = (0..201).map(|n| format!("[{n}]\nsize=4k\n")).collect();
    let options = format!("[global]\n{}[a]\n", "bs=4k\n".repeat(2001));
    for text in [sections, options] {
        assert!(refusal(&text).contains("use several files"));
    }
}
