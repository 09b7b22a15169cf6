//! Suites of tools are found and refused, rebuilt by workers, and describe what they will run.

use super::*;
use model::{
    text::Bytes,
    workload::{DataKind, JobMode, Programs},
};

pub(crate) fn job(declaration: Option<String>, procs: u32) -> Job {
    Job {
        test: "x".into(),
        mode: JobMode::Run,
        dir: "/nowhere".into(),
        worker: 0,
        workers: procs,
        threads: 1,
        scale: 0.002,
        work: None,
        seed: 7,
        data: DataKind::Random,
        memory: Bytes(1 << 30),
        knobs: Options::new(),
        programs: Programs::None,
        cpu: None,
        node: None,
        declaration,
        assets: Vec::new(),
        owners: None,
        attempt: 0,
        reserve: Bytes(0),
    }
}

fn args(text: &str) -> Options {
    Options::from([("args".to_string(), text.to_string())])
}

const FIO: &str = "[a]\nrw=read\nsize=64m\n";

fn text_of(tool: &dyn Tool) -> Option<&'static str> {
    tool.takes_file().then_some(FIO)
}

fn full_name(tool: &dyn Tool) -> String {
    if tool.takes_file() { format!("{}:x", tool.name()) } else { tool.name().into() }
}

#[test]
fn every_tool_is_a_suite_that_workers_rebuild() {
    let none = Options::new();
    for tool in TOOLS {
        let suite = suite(&full_name(*tool), text_of(*tool), &none).unwrap().unwrap();
        assert_eq!(suite.tests.len(), tool.parts(&[]).len());
        for test in suite.tests.iter() {
            let infos = test.infos();
            assert!(!infos.is_empty() && !test.explain(&infos[0].id).is_empty());
            let again = of_job(&job(test.declaration(), 1)).unwrap().unwrap();
            assert_eq!(again.infos(), infos);
            assert_eq!(again.declaration(), test.declaration());
            let (small, large) = (job(None, 1), Job { scale: 1.0, ..job(None, 1) });
            let (small, large) = (test.estimate(&small), test.estimate(&large));
            assert!(small.scratch_bytes > 0 && small.scratch_bytes < large.scratch_bytes);
        }
    }
    assert!(of_job(&job(None, 1)).unwrap().is_none());
    assert!(of_job(&job(Some("kind = 'io'".into()), 1)).unwrap().is_none());
    let unknown = "tool = 'x'\npart = ''\nargs = []\ntext = ''".replace('\'', "\"");
    assert!(of_job(&job(Some(unknown), 1)).is_err());
}

#[test]
fn names_and_arguments_are_checked() {
    let none = Options::new();
    assert!(suite("columnar", None, &none).unwrap().is_none());
    let error = |name: &str, knobs: &Options| suite(name, None, knobs).err().unwrap().to_string();
    assert!(error("fio", &none).contains("--suite fio:JOB.fio"));
    assert!(error("bonnie++:x", &none).contains("no job file"));
    assert!(error("sysbench", &args("--file-extra-flags=direct /dev/sda")).contains("/dev/sda"));
    assert!(error("bonnie++", &args("-d ..")).contains("`..` contains a path"));
    assert!(error("bonnie++", &Options::from([("arg".into(), "x".into())])).contains("args"));
    assert_eq!(file_of("fio:a/b.fio"), Some("a/b.fio"));
    assert_eq!((file_of("sysbench:x"), file_of("matrix")), (None, None));
    assert_eq!(names()[0], "fio:JOB.fio");
}

#[test]
fn invocation_follows_scale_processes_and_arguments() {
    let of = |name: &str, procs: u32| {
        let facts = facts(name, Some(FIO), &args("--one two"), &job(None, procs), &[procs]);
        let argv = facts.iter().find(|(key, _)| key.ends_with(".argv"));
        argv.map(|(_, argv)| argv.clone()).unwrap_or_default()
    };
    assert!(of("bonnie++", 2).contains(" -c 2 ") && of("bonnie++", 2).ends_with("--one two"));
    let sysbench = of("sysbench", 4);
    assert!(
        sysbench.contains("--threads=4 --time=1") && sysbench.ends_with("--one two run"),
        "{sysbench}"
    );
    assert!(of("elbencho", 3).contains("-t 3 -n 10 -N 10 ") && of("elbencho", 3).ends_with(" ."));
    assert!(of("mdtest", 1).contains("mdtest -d files -n 100 "));
    assert!(of("ior", 1).contains("ior -a POSIX "));
    let fio = facts("fio:x", Some(FIO), &Options::new(), &job(None, 2), &[2]);
    assert!(fio["tool.fio.p2.job"].contains("numjobs=2"), "{fio:?}");
    assert!(facts("matrix", None, &Options::new(), &job(None, 1), &[1]).is_empty());
}

#[test]
fn random_offsets_are_tests_of_their_own() {
    let ids = |name: &str, knobs: &Options| {
        let suite = suite(name, None, knobs).unwrap().unwrap();
        suite.tests[0].infos().into_iter().map(|info| info.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("ior", &args("-z")), ["ior.rndwrite", "ior.rndread"]);
    assert_eq!(ids("ior", &Options::new()), ["ior.write", "ior.read"]);
    assert!(ids("elbencho", &args("--rand")).contains(&"elbencho.rndread".to_string()));
    assert!(!ids("bonnie++", &Options::new()).contains(&"bonnie.putc".to_string()));
}

/// The invocation of `name` with the arguments `words`, for one process, which needs no `mpirun`.
fn called(name: &str, words: &str) -> String {
    let facts = facts(name, None, &args(words), &job(None, 1), &[1]);
    facts.into_iter().find(|(key, _)| key.ends_with("p1.argv")).unwrap().1
}

/// Tests and bytes of `name` with the arguments `words`, for 2 processes.
fn planned(name: &str, words: &str) -> (Vec<String>, Vec<Estimate>) {
    let suite = suite(name, None, &args(words)).unwrap().unwrap();
    let ids = suite.tests.iter().flat_map(|test| test.infos()).map(|info| info.id);
    (ids.collect(), suite.tests.iter().map(|test| test.estimate(&job(None, 2))).collect())
}

#[test]
fn mdtest_follows_its_arguments() {
    assert!(called("mdtest", "").ends_with("mdtest -d files -n 100 -u -w 4096 -e 4096"));
    assert!(called("mdtest", "-n 500 -z 2 -b 3").ends_with("mdtest -d files -n 500 -z 2 -b 3"));
    assert!(called("mdtest", "-I 10 -F").ends_with("mdtest -d files -I 10 -F"));
    assert!(called("mdtest", "-F -w 16").ends_with("mdtest -d files -n 100 -F -w 16"));
    let (ids, estimate) = planned("mdtest", "-F -C -T -n 1000 -w 8k -i 3");
    assert_eq!(ids, ["mdtest.file.create", "mdtest.file.stat", "mdtest.tree.create"]);
    assert_eq!((estimate[0].write_bytes, estimate[0].read_bytes), (3 * 2000 * 8192, 0));
    assert!(estimate[0].scratch_bytes >= 2000 * 8192);
    // Ten in each of 1 + 3 + 9 directories.
    assert_eq!(planned("mdtest", "-I 10 -z 2 -b 3 -D").1[0].ops, 8 * 2 * 130);
}

#[test]
fn ior_and_elbencho_are_planned_with_their_arguments() {
    const M: u64 = 1 << 20;
    let ior = planned("ior", "-b 8m -s 4 -i 3").1[0];
    assert_eq!((ior.write_bytes, ior.scratch_bytes), (2 * 3 * 32 * M, 2 * 32 * M));
    for words in
        ["-t 3 -n 2 -N 5 -s 1m -i 2", "--threads=3 --dirs 2 --files=5 --size=1m --iterations 2"]
    {
        let elbencho = planned("elbencho", words).1[0];
        assert_eq!(
            (elbencho.write_bytes, elbencho.read_bytes),
            (2 * 30 * M, 2 * 30 * M),
            "{words}"
        );
        assert_eq!(elbencho.scratch_bytes, 30 * M + 30 * 512, "{words}");
    }
}

#[test]
fn bonnie_with_arguments_is_sized_by_the_memory_and_writes_characters() {
    let ours = called("bonnie++", "");
    assert!(ours.contains(" -s 16 -r 8 -n 1 -f"), "{ours}");
    let theirs = called("bonnie++", "-n 16");
    assert!(
        theirs.ends_with(" -n 16") && !theirs.contains(" -f") && !theirs.contains(" -s"),
        "{theirs}"
    );
    let (ids, estimate) = planned("bonnie++", "-n 16");
    assert!(ids.contains(&"bonnie.putc".into()) && ids.len() == 12);
    // The machine of the job has 1 GiB, and there are two processes.
    assert_eq!(estimate[0].write_bytes, 2 * 2 * (2 << 30));
    let (ids, estimate) = planned("bonnie++", "-s 64m:8k -r 32 -n 0 -f");
    assert_eq!(ids.len(), 4);
    assert_eq!(estimate[0].scratch_bytes, 2 * (64 << 20));
    let (ids, estimate) = planned("bonnie++", "-s 0 -n 2:4096");
    assert_eq!(ids.len(), 6);
    assert_eq!(estimate[0].write_bytes, 2 * 2048 * 4096);
}

#[test]
fn huge_arguments_do_not_overflow() {
    for (tool, words) in [
        ("bonnie++", "-n 18014398509481984:18446744073709551615 -s 17179869184g"),
        ("bonnie++", "-r 18446744073709551615"),
        ("bonnie++", "-r 17592186044415"),
        ("mdtest", "-n 18446744073709551615 -i 18446744073709551615 -w 18446744073709551615"),
        ("mdtest", "-I 18446744073709551615 -b 18446744073709551615 -z 64 -e 18446744073709551615"),
        ("sysbench", "--file-total-size=16777215T --time=18446744073709551615"),
    ] {
        let (_, estimate) = planned(tool, words);
        assert!(!estimate.is_empty(), "{tool} {words}");
    }
}

#[test]
fn sysbench_takes_a_list_of_block_sizes() {
    let words = "--file-block-size=512,4K --file-total-size=64M --file-num 2 --time=3 --file-extra-flags=direct";
    let (ids, estimate) = planned("sysbench", words);
    assert_eq!(ids.len(), 12);
    assert_eq!(ids[..2], ["sysbench.seqwr.512", "sysbench.seqwr.4k"]);
    assert!(estimate.iter().all(|one| one.scratch_bytes == 64 << 20 && one.fixed_s == 3.0));
    let facts = facts("sysbench", None, &args(words), &job(None, 2), &[2]);
    let argv = &facts["tool.sysbench.rndrd.4k.p2.argv"];
    let end = "fileio --file-num=2 --file-total-size=64M --file-test-mode=rndrd --file-block-size=4K \
               --file-extra-flags=direct run";
    assert!(argv.contains("--time=3 ") && argv.ends_with(end), "{argv}");
    let made = suite("sysbench", None, &args(words)).unwrap().unwrap();
    let test = made.tests.iter().find(|test| test.infos()[0].id == "sysbench.rndrd.4k").unwrap();
    let Ok(Some(ToolTest { tool, request })) = test_of_job(&job(test.declaration(), 2)) else {
        panic!()
    };
    let prepare = tool.prepare(&request, &job(None, 2)).unwrap().argv.join(" ");
    assert_eq!(prepare, "sysbench fileio --file-num=2 --file-total-size=64M prepare");
    assert_eq!(tool.printed(&request, "sysbench.rndrd.4k"), "sysbench.rndrd");
    let refused = suite("sysbench", None, &args("--file-block-size=4K,x")).err().unwrap();
    assert!(refused.to_string().contains("`x` of --file-block-size is not a size"), "{refused}");
}

/// The first test of the suite `name` of a tool with `options`, and with the job file `text`.
pub(crate) fn test_of(name: &str, text: Option<&str>, options: &str) -> &'static dyn Test {
    let none = Options::new();
    let knobs = if options.is_empty() { none } else { args(options) };
    suite(name, text, &knobs).unwrap().unwrap().tests[0]
}

#[test]
fn parts_hidden_when_short_are_known() {
    let two = "[a]\nrw=read\nsize=64m\n[b]\nrw=write\nsize=64m\n";
    let fio = test_of("fio:x", Some(two), "").parts().unwrap();
    assert_eq!(fio.ids, ["fio.a", "fio.b"]);
    assert!(fio.aim_s > fio.least_s && fio.least_s == 0.1);
    let bonnie = test_of("bonnie++", None, "").parts().unwrap();
    assert!(bonnie.ids.contains(&"bonnie.get_block".into()) && bonnie.ids.len() == 7);
    assert!(bonnie.aim_s > bonnie.least_s && bonnie.least_s == 0.5);
    assert_eq!(test_of("bonnie++", None, "-n 16").parts(), None, "its arguments say how much");
}

#[test]
fn direct_blocks_of_tools_are_known() {
    let of = |name: &str, text: Option<&str>, options: &str| {
        let test = test_of(name, text, options);
        let measured =
            |ops: u64| suites::Measured { ops, bytes: 0, ..crate::testing::measured(0, 1.0) };
        test.direct_bytes(&job(None, 1), &[measured(10), measured(5)])
    };
    let sysbench = |options: &str| of("sysbench", None, options);
    assert_eq!(sysbench(""), None);
    assert_eq!(sysbench("--file-extra-flags=direct"), Some(15 * (16 << 10)));
    assert_eq!(sysbench("--file-extra-flags=sync,direct --file-block-size=512"), Some(15 * 512));
    assert_eq!(sysbench("--file-extra-flags=direct --file-block-size=4K,512"), Some(15 * 4096));
    assert_eq!(sysbench("--file-extra-flags=sync"), None);
    let fio = |text: &str| of("fio:x", Some(text), "");
    assert_eq!(
        fio("[global]\ndirect=1\nsize=1m\n[a]\nrw=read\n[b]\nrw=read\nbs=1k\n"),
        Some(15 << 10)
    );
    assert_eq!(fio("[a]\nsize=1m\ndirect=1\n[b]\nsize=1m\n"), None, "not all of it");
    assert_eq!(fio("[a]\nsize=1m\nbuffered=0\n"), Some(15 << 12));
}

#[test]
fn length_of_a_bonnie_phase_is_work_over_rate() {
    let request = request(find("bonnie++").unwrap(), "", None, &Options::new());
    let sample = |test: &str, rate: Option<(f64, &str)>| {
        let case = model::workload::Case {
            target: "t".into(),
            suite: "bonnie++".into(),
            test: test.into(),
            procs: 1,
            threads: 1,
            cache: model::workload::CacheState::Any,
        };
        let metric = rate.map(|(value, unit)| {
            model::figure::Metric::new("rate", value, unit, model::figure::Better::Higher)
        });
        Sample::bare(0, 0, case, metric.into_iter().collect())
    };
    let job = Job { scale: 0.125, ..job(None, 1) };
    let of = |test: &str, rate| bonnie::Tool.part_s(&request, &job, &sample(test, rate));
    let close = |seconds: Option<f64>, to: f64| (seconds.unwrap() - to).abs() < 1e-6;
    assert!(close(of("bonnie.put_block", Some((1073.741824, "MB/s"))), 1.0));
    assert!(close(of("bonnie.seq_create", Some((32768.0, "ops/s"))), 2.0), "64 times 1024 files");
    assert!(of("bonnie.get_block", None).unwrap() < 0.5, "hidden");
    assert_eq!(of("bonnie.seeks", Some((9.0, "ops/s"))), None);
}
