//! mdtest: directories, files and trees made, stat'ed and removed, by MPI processes.

use super::{Invocation, Request, mpi, scaled, words};
use model::workload::{Job, TestInfo};
use suites::{Estimate, Measured};

/// The tool.
pub(super) struct Tool;

/// Directories and files of each process at scale 1.
const FULL_ITEMS: u64 = 20_000;
const LEAST_ITEMS: u64 = 100;
const FILE_BYTES: u64 = 4096;

fn default_items(job: &Job) -> u64 {
    scaled(FULL_ITEMS, job.scale, LEAST_ITEMS)
}

/// Returns whether the arguments state the number of items.
fn is_counted(args: &[String]) -> bool {
    ["-n", "-I"].iter().any(|option| words::value(args, option).is_some())
}

/// Items of each process: those of `-n`, or `-I` in each directory of the tree.
fn items(request: &Request, job: &Job) -> u64 {
    let told = |option| words::size(words::value(&request.args, option)?, 1);
    let (branch, depth) = (told("-b").unwrap_or(1), told("-z").unwrap_or(0));
    let level = |level: u64| branch.saturating_pow(level.min(64) as u32);
    let directories = (0..=depth.min(64)).map(level).fold(0, u64::saturating_add);
    let of_tree = || told("-I").map(|each| each.saturating_mul(directories));
    told("-n").or_else(of_tree).unwrap_or_else(|| default_items(job))
}

/// Bytes of a file as it is written and as it is read.
fn file_bytes(args: &[String]) -> (u64, u64) {
    if args.is_empty() {
        return (FILE_BYTES, FILE_BYTES);
    }
    let told = |option| words::size(words::value(args, option)?, 1);
    (told("-w").unwrap_or(0), told("-e").unwrap_or(0))
}

/// Returns whether `args` select the phase `id`: `-F` and `-D` select files or directories, `-C`, `-T`, `-E`, `-r`
/// and `-U` phases; if none of a kind is given, all are run.
fn is_done(args: &[String], id: &str) -> bool {
    const PHASES: [(char, &str); 5] =
        [('C', "create"), ('T', "stat"), ('E', "read"), ('r', "remove"), ('U', "rename")];
    let (of, phase) = id.trim_start_matches("mdtest.").split_once('.').unwrap_or_default();
    let kind = |letter, name| of == name && words::has(args, letter);
    let is_of = !(words::has(args, 'F') || words::has(args, 'D'))
        || of == "tree"
        || kind('F', "file")
        || kind('D', "dir");
    let all = !PHASES.iter().any(|(letter, _)| words::has(args, *letter));
    is_of
        && (all || PHASES.iter().any(|(letter, name)| *name == phase && words::has(args, *letter)))
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "mdtest"
    }

    fn about(&self) -> &'static str {
        "mdtest creates, stats and removes directories, and files of 4 KiB, each process in its \
         own directory. Nothing is synced, and stats follow creation immediately: the figures \
         show metadata in memory and its log. If `args` are set, it gets only those: no other \
         `-u`, `-w` or `-e`, and `-n` only if they have neither `-n` nor `-I`."
    }

    fn version_args(&self) -> &'static [&'static str] {
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

    fn infos(&self, request: &Request) -> Vec<TestInfo> {
        let mut infos = formats::tool_tests("mdtest");
        infos.retain(|info| is_done(&request.args, &info.id));
        infos
    }

    fn invocation(&self, request: &Request, job: &Job) -> Result<Invocation, String> {
        let (items, bytes) = (default_items(job).to_string(), FILE_BYTES.to_string());
        let mut words = vec!["mdtest", "-d", "files"];
        if !is_counted(&request.args) {
            words.extend(["-n", &items]);
        }
        if request.args.is_empty() {
            words.extend(["-u", "-w", &bytes, "-e", &bytes]);
        }
        mpi::invocation(&words, request, job.workers)
    }

    /// Empty files have no direct I/O.
    fn direct_block(&self, request: &Request) -> Option<u64> {
        let (written, read) = file_bytes(&request.args);
        let is_direct = request.args.iter().any(|word| word == "--posix.odirect");
        [written, read].into_iter().filter(|bytes| *bytes > 0).min().filter(|_| is_direct)
    }

    fn direct_bytes(&self, (request, job): (&Request, &Job), measured: &Measured, _: u64) -> u64 {
        let (written, read) = file_bytes(&request.args);
        let of_each = match measured.test.as_str() {
            "mdtest.file.create" => written,
            "mdtest.file.read" => read,
            _ => 0,
        };
        items(request, job).saturating_mul(job.workers.into()).saturating_mul(of_each)
    }

    fn estimate(&self, request: &Request, job: &Job) -> Estimate {
        let told = |option| words::size(words::value(&request.args, option)?, 1);
        let items = items(request, job).saturating_mul(job.workers.into());
        let times = items.saturating_mul(told("-i").unwrap_or(1));
        let (written, read) = file_bytes(&request.args);
        Estimate {
            write_bytes: times.saturating_mul(written),
            read_bytes: times.saturating_mul(read),
            ops: times.saturating_mul(8),
            scratch_bytes: items.saturating_mul(written.saturating_add(512 + 4096)),
            fixed_s: 1.0,
            ..Estimate::default()
        }
    }
}
