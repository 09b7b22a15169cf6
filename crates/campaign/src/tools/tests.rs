//! Suites of tools are found and refused, made again by workers, and say what they will run.

use super::*;
use model::{Bytes, DataKind, JobMode, Programs};

pub(super) fn job(declaration: Option<String>, procs: u32) -> Job {
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
        declaration,
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
fn every_tool_is_a_suite_whose_tests_a_worker_makes_again() {
    let none = Options::new();
    for tool in TOOLS {
        let suite = suite(&full_name(*tool), text_of(*tool), &none).unwrap().unwrap();
        assert_eq!(suite.tests.len(), tool.parts().len());
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
    assert!(error("bonnie++", &args("-d ..")).contains("`..` holds a path"));
    assert!(error("bonnie++", &Options::from([("arg".into(), "x".into())])).contains("args"));
    assert_eq!(file_of("fio:a/b.fio"), Some("a/b.fio"));
    assert_eq!((file_of("sysbench:x"), file_of("matrix")), (None, None));
    assert_eq!(names()[0], "fio:JOB.fio");
}

#[test]
fn what_is_run_follows_scale_processes_and_arguments() {
    let of = |name: &str, procs: u32| {
        let facts = facts(name, Some(FIO), &args("--one two"), &job(None, procs), &[procs]);
        let argv = facts.iter().find(|(key, _)| key.ends_with(".argv"));
        argv.map(|(_, argv)| argv.clone()).unwrap_or_default()
    };
    assert!(
        of("bonnie++", 2).contains("-s 16 -r 8 -n 1 -c 2")
            && of("bonnie++", 2).ends_with("--one two")
    );
    let sysbench = of("sysbench", 4);
    assert!(
        sysbench.contains("--threads=4 --time=1") && sysbench.ends_with("--one two run"),
        "{sysbench}"
    );
    assert!(of("elbencho", 3).contains("-t 3 -n 10 -N 10 ") && of("elbencho", 3).ends_with(" ."));
    assert!(of("mdtest", 1).contains("mdtest -n 100 "));
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
