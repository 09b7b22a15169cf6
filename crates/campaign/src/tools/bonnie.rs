//! bonnie++: one large file written, rewritten and read, then seeks, then many files.

use super::{Invocation, Request, direct, scaled, words};
use model::{
    result::Sample,
    workload::{Job, Programs, TestInfo},
};
use suites::{Estimate, Measured, Parts};

/// The tool.
pub(super) struct Tool;

/// Size of the file at scale 1, MiB, of all processes together.
const FULL_MIB: u64 = 8192;
const LEAST_MIB: u64 = 16;
/// Thousands of files (of 1024) at scale 1.
const FULL_FILES_K: u64 = 512;

/// Phases that `-f` leaves out: they measure the processor.
const OF_CHARACTERS: [&str; 2] = ["bonnie.putc", "bonnie.getc"];

/// Options of one letter that have a value.
const VALUED: &str = "cdfgmnprsuxyzZ";

/// Its default block size, bytes.
const OWN_CHUNK: u64 = 8 << 10;

/// Length below which it hides a phase.
const LEAST_TOLD_S: f64 = 0.5;

/// Target length of each phase, at which that of the fastest candidate is still long enough.
const AIM_S: f64 = 1.0;

/// Placeholder for the length of a phase that it hides.
const HIDDEN_S: f64 = 0.1;

/// Phases that do not size it: the number of seeks is fixed, and a million files are looked up in a second.
const UNSIZED: [&str; 3] = ["bonnie.seeks", "bonnie.seq_stat", "bonnie.random_stat"];

/// Phases on the one large file come before those on many.
const OF_ONE_FILE: usize = 6;

/// Its default number of files, thousands.
const OWN_FILES_K: u64 = 16;

/// Length of the large file of each process. By default bonnie++ uses twice the memory.
fn mib(request: &Request, job: &Job) -> u64 {
    let args = &request.args;
    if args.is_empty() {
        return scaled(FULL_MIB / u64::from(job.workers.max(1)), job.scale, LEAST_MIB);
    }
    let told = |option| {
        let text = words::value(args, option)?.split(':').next()?;
        words::size(text, 1 << 20).map(|bytes| bytes >> 20)
    };
    told("-s").unwrap_or_else(|| told("-r").unwrap_or(job.memory.0 >> 20).saturating_mul(2))
}

/// Thousands of files of each process, and the most bytes of one.
fn files_k(request: &Request, job: &Job) -> (u64, u64) {
    let args = &request.args;
    if args.is_empty() {
        return (scaled(FULL_FILES_K / u64::from(job.workers.max(1)), job.scale, 1), 0);
    }
    let mut told = words::value(args, "-n").unwrap_or_default().split(':');
    let number = told.next().and_then(|text| words::size(text, 1));
    (number.unwrap_or(OWN_FILES_K), told.next().and_then(|text| words::size(text, 1)).unwrap_or(0))
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "bonnie++"
    }

    fn about(&self) -> &'static str {
        "bonnie++ writes, rewrites and reads one file in blocks, seeks in it, and creates, stats \
         and deletes many empty files. It hides every phase shorter than half a second; assay \
         chooses sizes that make phases longer, except seeks and stats, which memory may serve \
         too fast. assay passes it half the file size as the memory size, because it refuses \
         shorter files; at a small scale reads therefore come from the page cache. If `args` are \
         set, it gets only those, and chooses sizes by the memory of the machine."
    }

    /// Its only way is to run no phase and read its CSV.
    fn version_args(&self) -> &'static [&'static str] {
        &["bonnie++", "-d", ".", "-s", "0", "-n", "0", "-q", "-u", "root"]
    }

    fn version(&self, output: &str) -> Option<String> {
        output.split(',').nth(1).map(str::to_string)
    }

    fn check(&self, _request: &Request) -> Result<(), String> {
        Ok(())
    }

    fn infos(&self, request: &Request) -> Vec<TestInfo> {
        let mut infos = formats::tool_tests("bonnie++");
        let is_none = |option| {
            let first = words::value(&request.args, option).and_then(|text| text.split(':').next());
            first == Some("0")
        };
        if is_none("-n") {
            infos.truncate(OF_ONE_FILE);
        }
        if is_none("-s") {
            infos.drain(..OF_ONE_FILE);
        }
        if request.args.is_empty() || words::has(&request.args, 'f') {
            infos.retain(|info| !OF_CHARACTERS.contains(&info.id.as_str()));
        }
        infos
    }

    fn invocation(&self, request: &Request, job: &Job) -> Result<Invocation, String> {
        let mib = mib(request, job);
        let (size, memory) = (mib.to_string(), (mib / 2).to_string());
        let (files, procs) = (files_k(request, job).0.to_string(), job.workers.to_string());
        let mut words = vec!["bonnie++", "-d", ".", "-c", &procs, "-q", "-m", "assay"];
        if request.args.is_empty() {
            words.extend(["-s", &size, "-r", &memory, "-n", &files, "-f"]);
        }
        // It refuses to run as root without `-u`; confined it is not root.
        if rustix::process::geteuid().is_root() && job.programs == Programs::Unconfined {
            words.extend(["-u", "root"]);
        }
        Ok(Invocation::new(words, request))
    }

    fn timed_parts(&self, request: &Request) -> Option<Parts> {
        let ids = self.infos(request).into_iter().map(|info| info.id);
        let ids = ids.filter(|id| !UNSIZED.contains(&id.as_str())).collect();
        let is_ours = request.args.is_empty();
        is_ours.then_some(Parts { least_s: LEAST_TOLD_S, aim_s: AIM_S, ids })
    }

    /// The work over the rate.
    fn part_s(&self, request: &Request, job: &Job, sample: &Sample) -> Option<f64> {
        let Some(rate) = sample.figures.metrics.first() else { return Some(HIDDEN_S) };
        let done = match rate.unit.as_str() {
            "MB/s" => mib(request, job) as f64 * (1 << 20) as f64 / 1e6,
            _ => files_k(request, job).0 as f64 * 1024.0,
        };
        let is_of_all = sample.case.test != "bonnie.seeks" && rate.value > 0.0;
        is_of_all.then(|| done * f64::from(job.workers.max(1)) / rate.value)
    }

    fn direct_block(&self, request: &Request) -> Option<u64> {
        let told = words::value(&request.args, "-s").and_then(|text| text.split_once(':'));
        let chunk = told.map_or(Some(OWN_CHUNK), |(_, chunk)| words::size(chunk, 1));
        chunk.filter(|_| words::flag(&request.args, 'D', VALUED))
    }

    /// Single characters still go through the page cache.
    fn direct_bytes(&self, _asked: (&Request, &Job), measured: &Measured, _block: u64) -> u64 {
        match OF_CHARACTERS.contains(&measured.test.as_str()) {
            true => 0,
            false => direct::by_rate(measured),
        }
    }

    fn estimate(&self, request: &Request, job: &Job) -> Estimate {
        let bytes = mib(request, job).saturating_mul(1 << 20).saturating_mul(job.workers.into());
        let (files_k, most) = files_k(request, job);
        let files = files_k.saturating_mul(1 << 10).saturating_mul(job.workers.into());
        let of_files = files.saturating_mul(most);
        Estimate {
            write_bytes: bytes.saturating_mul(2).saturating_add(of_files),
            read_bytes: bytes.saturating_mul(2).saturating_add(of_files),
            ops: files.saturating_mul(6),
            scratch_bytes: bytes.saturating_add(files.saturating_mul(most.saturating_add(512))),
            fixed_s: 1.0,
            ..Estimate::default()
        }
    }
}
