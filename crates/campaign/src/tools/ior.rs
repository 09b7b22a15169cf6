//! IOR: one file per MPI process, written, synced and read by another process than the writer.

use super::{Invocation, Request, direct, mpi, scaled, words};
use model::workload::{Job, TestInfo};
use suites::{Estimate, Measured};

/// The tool.
pub(super) struct Tool;

/// Bytes of all processes at scale 1, MiB.
const FULL_MIB: u64 = 8192;
const LEAST_MIB: u64 = 16;
const TRANSFER: &str = "1m";

/// Options of one letter that have a value, of any version.
const VALUED: &str = "aAbdDfGiJjlMNoOQstTUX";

fn mib(job: &Job) -> u64 {
    scaled(FULL_MIB / u64::from(job.workers.max(1)), job.scale, LEAST_MIB)
}

/// Returns whether `args` request direct I/O, in the notation of any version of IOR. Only its POSIX interface has it.
fn is_direct(args: &[String]) -> bool {
    let is_posix = words::value(args, "-a").is_none_or(|api| api.eq_ignore_ascii_case("POSIX"));
    let directives = |word: &str| {
        let mut each = word.strip_prefix("-O").unwrap_or(word).split(',');
        each.any(|directive| directive.eq_ignore_ascii_case("useO_DIRECT=1"))
    };
    let is_told = |word: &String| word == "--posix.odirect" || directives(word);
    is_posix && (words::flag(args, 'B', VALUED) || args.iter().any(is_told))
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
            "ior", "-a", "POSIX", "-w", "-r", "-e", "-C", "-F", "-t", TRANSFER, "-b", &block, "-o",
            "file",
        ];
        mpi::invocation(&words, request, job.workers)
    }

    fn direct_block(&self, request: &Request) -> Option<u64> {
        let transfer = words::value(&request.args, "-t").unwrap_or(TRANSFER);
        words::size(transfer, 1).filter(|_| is_direct(&request.args))
    }

    fn direct_bytes(&self, _asked: (&Request, &Job), measured: &Measured, _block: u64) -> u64 {
        direct::by_rate(measured)
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
