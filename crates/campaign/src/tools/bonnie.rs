//! bonnie++: one large file written, rewritten and read, then seeks, then many files.

use super::{Call, Request, scaled};
use model::{Job, Programs, TestInfo};
use suites::Estimate;

/// The tool.
pub(super) struct Tool;

/// Size of the file at scale 1, MiB, of all processes together.
const FULL_MIB: u64 = 8192;
const LEAST_MIB: u64 = 16;
/// Thousands of files (of 1024) at scale 1.
const FULL_FILES_K: u64 = 64;

/// Phases that `-f` leaves out: they measure the processor.
const LEFT_OUT: [&str; 2] = ["bonnie.putc", "bonnie.getc"];

fn mib(job: &Job) -> u64 {
    scaled(FULL_MIB / u64::from(job.workers.max(1)), job.scale, LEAST_MIB)
}

fn files_k(job: &Job) -> u64 {
    scaled(FULL_FILES_K / u64::from(job.workers.max(1)), job.scale, 1)
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "bonnie++"
    }

    fn about(&self) -> &'static str {
        "bonnie++ writes, rewrites and reads one file in blocks, seeks in it, and creates, stats and deletes many empty files. It hides every phase shorter than half a second: use a larger scale for those. It is told that the machine has half the memory that the file is long, because it refuses shorter files; at a small scale reads therefore come from the page cache."
    }

    /// It has no other way than to do nothing and say so in its CSV.
    fn version_call(&self) -> &'static [&'static str] {
        &["bonnie++", "-d", ".", "-s", "0", "-n", "0", "-q", "-u", "root"]
    }

    fn version(&self, output: &str) -> Option<String> {
        output.split(',').nth(1).map(str::to_string)
    }

    fn check(&self, _request: &Request) -> Result<(), String> {
        Ok(())
    }

    fn infos(&self, _request: &Request) -> Vec<TestInfo> {
        let mut infos = formats::tool_tests("bonnie++");
        infos.retain(|info| !LEFT_OUT.contains(&info.id.as_str()));
        infos
    }

    fn call(&self, request: &Request, job: &Job) -> Result<Call, String> {
        let (size, memory) = (mib(job).to_string(), (mib(job) / 2).to_string());
        let (files, procs) = (files_k(job).to_string(), job.workers.to_string());
        let words = [
            "bonnie++", "-d", ".", "-s", &size, "-r", &memory, "-n", &files, "-c", &procs, "-f",
            "-q", "-m", "assay",
        ];
        // It refuses to be root unless it is told so; confined it is not.
        let is_root = rustix::process::geteuid().is_root() && job.programs == Programs::Unconfined;
        let user = if is_root { &["-u", "root"][..] } else { &[] };
        Ok(Call::new(words.into_iter().chain(user.iter().copied()), request))
    }

    fn estimate(&self, _request: &Request, job: &Job) -> Estimate {
        let bytes = (mib(job) << 20) * u64::from(job.workers);
        let files = (files_k(job) << 10) * u64::from(job.workers);
        Estimate {
            write_bytes: 2 * bytes,
            read_bytes: 2 * bytes,
            ops: 6 * files,
            scratch_bytes: bytes + files * 512,
            fixed_s: 1.0,
            ..Estimate::default()
        }
    }
}
