//! mdtest: directories, files and trees made, looked at and removed, by processes of MPI.

use super::{Call, Request, mpi, scaled};
use model::{Job, TestInfo};
use suites::Estimate;

/// The tool.
pub(super) struct Tool;

/// Directories and files of each process at scale 1.
const FULL_ITEMS: u64 = 20_000;
const LEAST_ITEMS: u64 = 100;
const FILE_BYTES: u64 = 4096;

fn items(job: &Job) -> u64 {
    scaled(FULL_ITEMS, job.scale, LEAST_ITEMS)
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "mdtest"
    }

    fn about(&self) -> &'static str {
        "mdtest creates, looks at and removes directories, and files of 4 KiB, each process in a directory of its own. Nothing is synced, and what is looked at was just made: the figures are of the metadata in memory and of its log."
    }

    fn version_call(&self) -> &'static [&'static str] {
        &["mdtest", "-n", "1", "-d", "x"]
    }

    /// It says so when it works.
    fn version(&self, output: &str) -> Option<String> {
        let line = output.lines().find_map(|line| line.trim().strip_prefix("mdtest-"));
        line.and_then(|line| line.split([' ', ':']).next()).map(str::to_string)
    }

    fn check(&self, _request: &Request) -> Result<(), String> {
        Ok(())
    }

    fn infos(&self, _request: &Request) -> Vec<TestInfo> {
        formats::tool_tests("mdtest")
    }

    fn call(&self, request: &Request, job: &Job) -> Result<Call, String> {
        let (items, bytes) = (items(job).to_string(), FILE_BYTES.to_string());
        let words = ["mdtest", "-n", &items, "-u", "-w", &bytes, "-e", &bytes, "-d", "files"];
        mpi::call(&words, request, job.workers)
    }

    fn estimate(&self, _request: &Request, job: &Job) -> Estimate {
        let items = items(job) * u64::from(job.workers);
        Estimate {
            write_bytes: items * FILE_BYTES,
            read_bytes: items * FILE_BYTES,
            ops: 8 * items,
            scratch_bytes: items * (FILE_BYTES + 512 + 4096),
            fixed_s: 1.0,
            ..Estimate::default()
        }
    }
}
