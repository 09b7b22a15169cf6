//! sysbench fileio: its six modes, each a run of its own on files that were laid out before.

use super::{Call, Request, scaled};
use model::{Job, TestInfo};
use suites::Estimate;

/// The tool.
pub(super) struct Tool;

/// All files together at scale 1, MiB.
const FULL_MIB: u64 = 2048;
const LEAST_MIB: u64 = 16;
/// sysbench counts whole seconds.
const FULL_S: u64 = 60;
const FILES: &str = "--file-num=16";

fn mib(job: &Job) -> u64 {
    scaled(FULL_MIB, job.scale, LEAST_MIB)
}

fn seconds(job: &Job) -> u64 {
    scaled(FULL_S, job.scale, 1)
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn about(&self) -> &'static str {
        "sysbench fileio reads and writes blocks of 16 KiB in sixteen files, by as many threads as processes are asked for, with an fsync after every hundred writes. Unless it is told `--validate` it writes zeros, which a compressing file system does not store."
    }

    fn parts(&self) -> &'static [&'static str] {
        &["seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"]
    }

    fn version_call(&self) -> &'static [&'static str] {
        &["sysbench", "--version"]
    }

    fn check(&self, _request: &Request) -> Result<(), String> {
        Ok(())
    }

    fn infos(&self, request: &Request) -> Vec<TestInfo> {
        let id = format!("sysbench.{}", request.part);
        formats::tool_tests("sysbench").into_iter().filter(|info| info.id == id).collect()
    }

    fn prepare(&self, request: &Request, job: &Job) -> Option<Call> {
        // The first mode creates the files itself.
        (request.part != "seqwr").then(|| {
            let size = format!("--file-total-size={}M", mib(job));
            Call::new(["sysbench", "fileio", FILES, &size, "prepare"], &no_args(request))
        })
    }

    fn call(&self, request: &Request, job: &Job) -> Result<Call, String> {
        let size = format!("--file-total-size={}M", mib(job));
        let mode = format!("--file-test-mode={}", request.part);
        let (threads, time) =
            (format!("--threads={}", job.workers), format!("--time={}", seconds(job)));
        let seed = format!("--rand-seed={}", 1 + job.seed % 1_000_000);
        let mut words = vec!["sysbench", &threads, &time, "--events=0", "--histogram=on", &seed];
        words.extend(["fileio", FILES, &size, &mode]);
        words.extend(request.args.iter().map(String::as_str));
        words.push("run");
        Ok(Call::new(words, &no_args(request)))
    }

    fn estimate(&self, request: &Request, job: &Job) -> Estimate {
        let bytes = mib(job) << 20;
        Estimate {
            write_bytes: if request.part.ends_with("rd") { 0 } else { bytes },
            scratch_bytes: bytes,
            fixed_s: seconds(job) as f64,
            ..Estimate::default()
        }
    }
}

/// The command comes last, after all arguments.
fn no_args(request: &Request) -> Request {
    Request { args: Vec::new(), ..request.clone() }
}
