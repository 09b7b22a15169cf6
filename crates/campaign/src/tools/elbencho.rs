//! elbencho: directories made, files written, stat'ed, read and deleted by threads.

use super::{Invocation, Request, direct, scaled, words};
use model::workload::{Job, TestInfo};
use suites::{Estimate, Measured};

/// The tool.
pub(super) struct Tool;

/// Files of each thread at scale 1, in ten directories.
const FULL_FILES: u64 = 10_000;
const LEAST_FILES: u64 = 100;
const DIRS: u64 = 10;
const FILE_BYTES: u64 = 64 << 10;

fn files(job: &Job) -> u64 {
    scaled(FULL_FILES, job.scale, LEAST_FILES) / DIRS
}

/// The value in `args` of the option with a `short` and a `long` name, a number or bytes.
fn told(args: &[String], short: &str, long: &str) -> Option<u64> {
    words::size(words::value(args, long).or_else(|| words::value(args, short))?, 1)
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "elbencho"
    }

    fn about(&self) -> &'static str {
        "elbencho creates ten directories per thread, writes files of 64 KiB into them, syncs, \
         stats, reads and deletes them, one phase after the other. The files it reads were just \
         written."
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["elbencho", "--version"]
    }

    fn check(&self, _request: &Request) -> Result<(), String> {
        Ok(())
    }

    fn infos(&self, request: &Request) -> Vec<TestInfo> {
        let random = request.args.iter().any(|word| word == "--rand");
        let not_done = if random {
            ["elbencho.write", "elbencho.read"]
        } else {
            ["elbencho.rndwrite", "elbencho.rndread"]
        };
        let mut infos = formats::tool_tests("elbencho");
        infos.retain(|info| !not_done.contains(&info.id.as_str()));
        infos
    }

    fn invocation(&self, request: &Request, job: &Job) -> Result<Invocation, String> {
        let (threads, dirs, files) =
            (job.workers.to_string(), DIRS.to_string(), files(job).to_string());
        let bytes = FILE_BYTES.to_string();
        let phases = ["elbencho", "-d", "-w", "--sync", "--stat", "-r", "-F", "-D", "--nolive"];
        let sizes = ["-t", &threads, "-n", &dirs, "-N", &files, "-s", &bytes, "-b", &bytes];
        let mut invocation = Invocation::new(phases.into_iter().chain(sizes), request);
        invocation.argv.push(".".into());
        Ok(invocation)
    }

    /// A block is no longer than a file.
    fn direct_block(&self, request: &Request) -> Option<u64> {
        let told = |short: &str, long: &str| told(&request.args, short, long).unwrap_or(FILE_BYTES);
        let is_direct = request.args.iter().any(|word| word == "--direct");
        is_direct
            .then(|| told("-b", "--block").min(told("-s", "--size")))
            .filter(|block| *block > 0)
    }

    /// The other phases count names.
    fn direct_bytes(&self, _asked: (&Request, &Job), measured: &Measured, _block: u64) -> u64 {
        direct::by_rate(measured)
    }

    fn estimate(&self, request: &Request, job: &Job) -> Estimate {
        let told = |short: &str, long: &str| told(&request.args, short, long);
        let of_each = told("-N", "--files").unwrap_or_else(|| files(job));
        let of_each = of_each.saturating_mul(told("-n", "--dirs").unwrap_or(DIRS));
        let files = of_each.saturating_mul(told("-t", "--threads").unwrap_or(job.workers.into()));
        let bytes = files.saturating_mul(told("-s", "--size").unwrap_or(FILE_BYTES));
        let moved = bytes.saturating_mul(told("-i", "--iterations").unwrap_or(1));
        Estimate {
            write_bytes: moved,
            read_bytes: moved,
            ops: files.saturating_mul(3),
            scratch_bytes: bytes.saturating_add(files.saturating_mul(512)),
            fixed_s: 1.0,
            ..Estimate::default()
        }
    }
}
