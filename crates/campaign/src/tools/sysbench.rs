//! sysbench fileio: its six modes, each a run of its own on files laid out before.

use super::{Invocation, Request, scaled, words};
use model::workload::{Job, TestInfo};
use suites::{Estimate, program::Count};

/// The tool.
pub(super) struct Tool;

/// All files together at scale 1, MiB.
const FULL_MIB: u64 = 2048;
const LEAST_MIB: u64 = 16;
/// sysbench counts whole seconds.
const FULL_S: u64 = 60;
const FILES: &str = "--file-num=16";

const MODES: [&str; 6] = ["seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"];

/// The only option that may be a list; each size has tests of its own.
const BLOCKS: &str = "--file-block-size";
/// Its default block.
const OWN_BLOCK: &str = "16K";
const TOTAL: &str = "--file-total-size";

/// Bytes of all files together.
fn bytes(request: &Request, job: &Job) -> u64 {
    let told = words::value(&request.args, TOTAL).and_then(|text| words::size(text, 1));
    told.unwrap_or_else(|| scaled(FULL_MIB, job.scale, LEAST_MIB) << 20)
}

fn seconds(request: &Request, job: &Job) -> u64 {
    let told = words::value(&request.args, "--time").and_then(|text| text.parse().ok());
    told.unwrap_or_else(|| scaled(FULL_S, job.scale, 1))
}

/// The words of `args` that describe the files, with defaults for missing ones.
fn files(request: &Request, job: &Job) -> Vec<String> {
    let or = |option: &str, ours: String| match words::value(&request.args, option) {
        Some(value) => format!("{option}={value}"),
        None => ours,
    };
    let total = format!("{TOTAL}={}M", bytes(request, job) >> 20);
    vec![or("--file-num", FILES.into()), or(TOTAL, total)]
}

/// The mode of a part, and its block size if there is a list of them.
fn mode_of(part: &str) -> (&str, Option<&str>) {
    part.split_once('.').map_or((part, None), |(mode, block)| (mode, Some(block)))
}

/// The words of `args` except the options `but`, each `--option=value` or two words.
fn others(args: &[String], but: &[&str]) -> Vec<String> {
    let mut others = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        match but.contains(&name) {
            true if !word.contains('=') => _ = words.next(),
            true => {}
            false => others.push(word.clone()),
        }
    }
    others
}

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn about(&self) -> &'static str {
        "sysbench fileio reads and writes blocks of 16 KiB in sixteen files, with one thread per \
         process of the case, and an fsync after every hundred writes. `args` may set other files \
         and sizes, and a list of block sizes, `--file-block-size=4K,16K`. Without `--validate` \
         it writes zeros, which a compressing file system does not store."
    }

    fn parts(&self, args: &[String]) -> Vec<String> {
        let sizes = words::value(args, BLOCKS).filter(|sizes| sizes.contains(','));
        let with = |mode: &&str| match sizes {
            None => vec![mode.to_string()],
            Some(sizes) => {
                sizes.split(',').map(|size| format!("{mode}.{}", size.to_lowercase())).collect()
            }
        };
        MODES.iter().flat_map(with).collect()
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["sysbench", "--version"]
    }

    fn check(&self, request: &Request) -> Result<(), String> {
        let sizes = words::value(&request.args, BLOCKS).unwrap_or(OWN_BLOCK).split(',');
        match sizes.into_iter().find(|size| words::size(size, 1).is_none_or(|bytes| bytes == 0)) {
            None => Ok(()),
            Some(size) => {
                Err(format!("`{size}` of {BLOCKS} is not a size; expected e.g. 512, 4K or 1M"))
            }
        }
    }

    fn infos(&self, request: &Request) -> Vec<TestInfo> {
        let (mode, block) = mode_of(&request.part);
        let id = format!("sysbench.{mode}");
        let of_mode = formats::tool_tests("sysbench").into_iter().filter(|info| info.id == id);
        let with = |info: TestInfo| match block {
            None => info,
            Some(block) => TestInfo {
                id: format!("{id}.{block}"),
                name: format!("{}, blocks of {block}", info.name),
                ..info
            },
        };
        of_mode.map(with).collect()
    }

    /// Its output does not contain the block size.
    fn printed(&self, request: &Request, _id: &str) -> String {
        format!("sysbench.{}", mode_of(&request.part).0)
    }

    fn prepare(&self, request: &Request, job: &Job) -> Option<Invocation> {
        // The first mode creates the files itself.
        let is_needed = mode_of(&request.part).0 != "seqwr";
        is_needed.then(|| {
            let words = ["sysbench", "fileio"].map(String::from).into_iter();
            Invocation {
                argv: words.chain(files(request, job)).chain(["prepare".into()]).collect(),
                ..Invocation::default()
            }
        })
    }

    fn invocation(&self, request: &Request, job: &Job) -> Result<Invocation, String> {
        let (mode, block) = mode_of(&request.part);
        let mut argv = vec!["sysbench".to_string(), format!("--threads={}", job.workers)];
        argv.push(format!("--time={}", seconds(request, job)));
        argv.extend(["--events=0".into(), "--histogram=on".into()]);
        argv.push(format!("--rand-seed={}", 1 + job.seed % 1_000_000));
        argv.push("fileio".into());
        argv.extend(files(request, job));
        argv.push(format!("--file-test-mode={mode}"));
        argv.extend(block.map(|block| format!("{BLOCKS}={}", block.to_uppercase())));
        let listed = if block.is_some() { BLOCKS } else { "" };
        argv.extend(others(&request.args, &["--file-num", TOTAL, "--time", listed]));
        argv.push("run".into());
        Ok(Invocation { argv, ..Invocation::default() })
    }

    fn direct_block(&self, request: &Request) -> Option<u64> {
        let flags = words::value(&request.args, "--file-extra-flags").unwrap_or_default();
        let told = mode_of(&request.part).1.or_else(|| words::value(&request.args, BLOCKS));
        let block = words::size(told.unwrap_or(OWN_BLOCK), 1)?;
        flags.split(',').any(|flag| flag == "direct").then_some(block)
    }

    fn estimate(&self, request: &Request, job: &Job) -> Estimate {
        let bytes = bytes(request, job);
        Estimate {
            write_bytes: if mode_of(&request.part).0.ends_with("rd") { 0 } else { bytes },
            scratch_bytes: bytes,
            fixed_s: seconds(request, job) as f64,
            ..Estimate::default()
        }
    }

    /// Its time ends it.
    fn written(&self, _request: &Request, _job: &Job) -> (Option<u64>, Count) {
        (None, Count::Calls)
    }
}
