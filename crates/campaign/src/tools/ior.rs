//! IOR: a file for each process of MPI, written, synced and read by another process than wrote it.

use super::{Invocation, Request, mpi, scaled, words};
use model::{Job, TestInfo};
use suites::Estimate;

/// The tool.
pub(super) struct Tool;

/// Bytes of all processes at scale 1, MiB.
const FULL_MIB: u64 = 8192;
const LEAST_MIB: u64 = 16;

fn mib(job: &Job) -> u64 {
    scaled(FULL_MIB / u64::from(job.workers.max(1)), job.scale, LEAST_MIB)
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "ior"
    }

    fn about(&self) -> &'static str {
        "Each IOR process writes a file in transfers of 1 MiB through POSIX calls and syncs it, \
         then reads the file of another process. On one machine those reads are served from the \
         page cache, unless the files exceed it."
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["ior", "-a", "DUMMY", "-w", "-b", "1k", "-t", "1k"]
    }

    /// It says so when it works.
    fn version(&self, output: &str) -> Option<String> {
        let line = output.lines().find_map(|line| line.trim().strip_prefix("IOR-"));
        line.and_then(|line| line.split([' ', ':']).next()).map(str::to_string)
    }

    fn check(&self, _request: &Request) -> Result<(), String> {
        Ok(())
    }

    /// Random offsets (`-z`) are tests of their own.
    fn infos(&self, request: &Request) -> Vec<TestInfo> {
        let random = request.args.iter().any(|word| word == "-z");
        let ids = if random { ["ior.rndwrite", "ior.rndread"] } else { ["ior.write", "ior.read"] };
        let mut infos = formats::tool_tests("ior");
        infos.retain(|info| ids.contains(&info.id.as_str()));
        infos
    }

    fn invocation(&self, request: &Request, job: &Job) -> Result<Invocation, String> {
        let block = format!("{}m", mib(job));
        let words = [
            "ior", "-a", "POSIX", "-w", "-r", "-e", "-C", "-F", "-t", "1m", "-b", &block, "-o",
            "file",
        ];
        mpi::invocation(&words, request, job.workers)
    }

    fn estimate(&self, request: &Request, job: &Job) -> Estimate {
        let told = |option| words::size(words::value(&request.args, option)?, 1);
        let of_each = told("-b").unwrap_or_else(|| mib(job) << 20);
        let of_each = of_each.saturating_mul(told("-s").unwrap_or(1));
        let bytes = of_each.saturating_mul(job.workers.into());
        let moved = bytes.saturating_mul(told("-i").unwrap_or(1));
        Estimate {
            write_bytes: moved,
            read_bytes: moved,
            scratch_bytes: bytes,
            fixed_s: 1.0,
            ..Estimate::default()
        }
    }
}
