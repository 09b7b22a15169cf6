//! External benchmarks as suites: `--suite fio:JOB.fio`, `--suite bonnie++`, ... Each runs unchanged in a directory of
//! the target; its output is parsed by the importer, so that a run and an imported file give the same rows.

mod bonnie;
mod direct;
mod elbencho;
mod fio;
mod ior;
mod mdtest;
mod mpi;
mod sysbench;
mod test;
mod words;

use crate::messages::refusal;
use anyhow::Result;
use model::{
    result::Sample,
    target::{Knob, Options},
    workload::{Job, TestInfo},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use suites::{
    Estimate, Measured, Parts, Presets, Suite, Test,
    program::{self, Count},
};
use test::ToolTest;

/// A tool.
trait Tool: Sync {
    /// Returns its name after `--suite`, which is also that of its importer.
    fn name(&self) -> &'static str;

    /// Returns the program, if its name differs from that of the tool.
    fn program(&self) -> &'static str {
        self.name()
    }

    /// Returns one sentence about it.
    fn about(&self) -> &'static str;

    /// Returns the arguments that print its version.
    fn version_args(&self) -> &'static [&'static str];

    /// Finds its version in that output.
    fn version(&self, output: &str) -> Option<String> {
        output.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_string)
    }

    /// Returns whether a job file follows its name.
    fn takes_file(&self) -> bool {
        false
    }

    /// Returns the runs that it needs for all of its tests; most need one.
    fn parts(&self, _args: &[String]) -> Vec<String> {
        vec![String::new()]
    }

    /// Refuses arguments that reach outside the target, or that it cannot run.
    fn check(&self, request: &Request) -> Result<(), String>;

    /// Returns the part of `request` that is not known to stay in the directory of the tool.
    fn unknown(&self, request: &Request) -> Option<String> {
        request.args.first().map(|word| format!("the argument `{word}`"))
    }

    /// Returns the tests that a run measures.
    fn infos(&self, request: &Request) -> Vec<TestInfo>;

    /// Returns the name of the test `id` in the importer of its output.
    fn printed(&self, _request: &Request, id: &str) -> String {
        id.into()
    }

    /// Returns the untimed invocation that lays out files first.
    fn prepare(&self, _request: &Request, _job: &Job) -> Option<Invocation> {
        None
    }

    /// Returns the invocation.
    fn invocation(&self, request: &Request, job: &Job) -> Result<Invocation, String>;

    /// Returns the parts of a run that it times itself, if it hides short ones and the user does not set its sizes.
    fn timed_parts(&self, _request: &Request) -> Option<Parts> {
        None
    }

    /// Returns the length of the part of `sample`, if its output does not contain it, seconds.
    fn part_s(&self, _request: &Request, _job: &Job, _sample: &Sample) -> Option<f64> {
        None
    }

    /// Returns its smallest direct I/O, bytes, if all of its data I/O is to be direct.
    fn direct_block(&self, _request: &Request) -> Option<u64> {
        None
    }

    /// Returns the bytes of direct I/O of the part `measured` of a run, in blocks of at least `block` bytes.
    fn direct_bytes(&self, _asked: (&Request, &Job), measured: &Measured, block: u64) -> u64 {
        direct::by_operations(measured, block)
    }

    /// Estimates its work.
    fn estimate(&self, request: &Request, job: &Job) -> Estimate;

    /// Returns the most bytes that a run writes, including the layout, and how they are counted; `None` if they
    /// depend on the device, as the run ends by its time.
    fn written(&self, request: &Request, job: &Job) -> (Option<u64>, Count) {
        let estimate = self.estimate(request, job);
        (Some(estimate.write_bytes.saturating_add(estimate.scratch_bytes)), Count::Calls)
    }
}

/// A request to a tool. A worker rebuilds the test from it, so that it needs no file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Request {
    /// Name of the tool.
    tool: String,
    /// One of its parts.
    part: String,
    /// Further arguments, words.
    args: Vec<String>,
    /// The job file; empty where it takes none.
    text: String,
}

/// A program with its arguments and its standard input.
#[derive(Clone, Debug, Default, PartialEq)]
struct Invocation {
    argv: Vec<String>,
    input: String,
}

impl Invocation {
    /// Creates an invocation of words, with the further arguments of `request` at the end.
    fn new<'a>(words: impl IntoIterator<Item = &'a str>, request: &Request) -> Invocation {
        let words = words.into_iter().map(str::to_string);
        Invocation {
            argv: words.chain(request.args.iter().cloned()).collect(),
            input: String::new(),
        }
    }
}

/// Every tool.
static TOOLS: &[&dyn Tool] =
    &[&fio::Tool, &bonnie::Tool, &sysbench::Tool, &mdtest::Tool, &ior::Tool, &elbencho::Tool];

static KNOBS: [Knob; 1] = [Knob {
    name: "args",
    unit: "",
    help: "arguments of the tool, words; with them, bonnie++ and mdtest run only what they say",
    default: "",
    range: &[],
}];

/// Returns the suite that `name` denotes: `fio:JOB.fio` with the text of that file, or the name of a tool;
/// `None` for any other name.
///
/// # Errors
/// The tool does not take the knob or job file, or it reaches outside the target.
pub fn suite(name: &str, text: Option<&str>, knobs: &Options) -> Result<Option<&'static Suite>> {
    let Some(tool) = find(name.split(':').next().unwrap_or(name)) else { return Ok(None) };
    let usage = |why: String| refusal::usage(format!("{name}: {why}"));
    match (tool.takes_file(), name.split_once(':')) {
        (true, None) => {
            return Err(usage(format!("a job file is required, e.g. --suite {name}:JOB.{name}")));
        }
        (false, Some(_)) => return Err(usage("this tool takes no job file".into())),
        _ => {}
    }
    model::target::check_options(&format!("suite {name}"), &KNOBS, knobs)
        .map_err(|why| refusal::usage(why.to_string()))?;
    let mut tests: Vec<&'static dyn Test> = Vec::new();
    for part in tool.parts(&request(tool, "", text, knobs).args) {
        let test = ToolTest { tool, request: request(tool, &part, text, knobs) };
        check_args(&test.request.args).map_err(usage)?;
        tool.check(&test.request).map_err(usage)?;
        tests.push(Box::leak(Box::new(test)));
    }
    let suite = tests.iter().flat_map(|test| test.infos()).map(|info| info.suite).next();
    Ok(Some(Box::leak(Box::new(Suite {
        name: suite.unwrap_or_else(|| tool.name().into()).into(),
        about: tool.about().into(),
        knobs: &KNOBS,
        tests: tests.into(),
        procs: vec![1],
        presets: Presets::ALL,
        pages: Vec::new(),
        assets: Vec::new(),
        text: None,
    }))))
}

/// Returns the file whose text `suite` needs for `name`, if any.
pub fn file_of(name: &str) -> Option<&str> {
    let (tool, file) = name.split_once(':')?;
    find(tool).filter(|tool| tool.takes_file()).map(|_| file)
}

/// Returns the part of the request of `name` that is not known to stay in the directory of the tool; `None`
/// also if `name` is not a tool.
pub fn unknown(name: &str, text: Option<&str>, knobs: &Options) -> Option<String> {
    let tool = find(name.split(':').next().unwrap_or(name))?;
    tool.unknown(&request(tool, "", text, knobs))
}

/// The names that `suite` knows, for messages.
pub fn names() -> Vec<String> {
    let name = |tool: &&dyn Tool| match tool.takes_file() {
        true => format!("{0}:JOB.{0}", tool.name()),
        false => tool.name().into(),
    };
    TOOLS.iter().map(name).collect()
}

/// The programs of the tools, each with the name of its tool; those under MPI are started by another one.
pub fn programs() -> Vec<(&'static str, &'static str)> {
    let under_mpi = [("mpirun", "mdtest"), ("mpirun", "ior")];
    TOOLS.iter().map(|tool| (tool.program(), tool.name())).chain(under_mpi).collect()
}

/// Returns the test of a worker's job, if it is one of a tool.
///
/// # Errors
/// This version of the program does not understand the declaration.
pub fn of_job(job: &Job) -> Result<Option<&'static dyn Test>, String> {
    match test_of_job(job)? {
        Some(test) => Ok(Some(Box::leak(Box::new(test)))),
        None => Ok(None),
    }
}

/// Returns the standard input of the tool of a worker's job, for the layout and for the run.
///
/// # Errors
/// As of [`of_job`]; and the tool refuses the call.
pub fn inputs(job: &Job) -> Result<Vec<String>, String> {
    let Some(ToolTest { tool, request }) = test_of_job(job)? else { return Ok(Vec::new()) };
    let invocations = [tool.prepare(&request, job), Some(tool.invocation(&request, job)?)];
    Ok(invocations.into_iter().flatten().map(|invocation| invocation.input).collect())
}

fn test_of_job(job: &Job) -> Result<Option<ToolTest>, String> {
    let Some(text) = job.declaration.as_deref().filter(|text| text.starts_with("tool = ")) else {
        return Ok(None);
    };
    let request: Request = toml::from_str(text).map_err(|error| error.message().to_string())?;
    let tool = find(&request.tool).ok_or_else(|| format!("unknown tool {}", request.tool))?;
    Ok(Some(ToolTest { tool, request }))
}

/// Returns the facts of the tool of `name` that a campaign stores: its version, and its invocation at each
/// of `counts` processes. Empty for suites of this program itself.
pub fn facts(
    name: &str,
    text: Option<&str>,
    knobs: &Options,
    job: &Job,
    counts: &[u32],
) -> BTreeMap<String, String> {
    let Some(tool) = find(name.split(':').next().unwrap_or(name)) else { return BTreeMap::new() };
    let key = |what: &str| format!("tool.{}.{what}", tool.name());
    let mut facts = BTreeMap::new();
    facts.extend(version(tool).map(|version| (key("version"), version)));
    for part in tool.parts(&request(tool, "", text, knobs).args) {
        let request = request(tool, &part, text, knobs);
        for &count in counts {
            let job = Job { workers: count, ..job.clone() };
            let Ok(invocation) = tool.invocation(&request, &job) else { continue };
            let place = format!("{part}.p{count}");
            let place = place.trim_start_matches('.');
            facts.insert(key(&format!("{place}.argv")), invocation.argv.join(" "));
            if !invocation.input.is_empty() {
                facts.insert(key(&format!("{place}.job")), invocation.input);
            }
        }
    }
    facts
}

fn find(name: &str) -> Option<&'static dyn Tool> {
    TOOLS.iter().copied().find(|tool| tool.name() == name)
}

fn request(tool: &dyn Tool, part: &str, text: Option<&str>, knobs: &Options) -> Request {
    let args = knobs.get("args").map(String::as_str).unwrap_or_default();
    Request {
        tool: tool.name().into(),
        part: part.into(),
        args: args.split_whitespace().map(str::to_string).collect(),
        text: text.unwrap_or_default().into(),
    }
}

/// Runs a tool in an empty directory for its version.
fn version(tool: &dyn Tool) -> Option<String> {
    let dir = tempfile::tempdir().ok()?;
    let asked = program::Program::new(tool.version_args(), dir.path()).keep_output().own_proc();
    tool.version(&asked.run().ok()?.output)
}

/// Refuses paths: a tool runs as root, and a path in its arguments could lead it to a disk that is not the target.
fn check_args(args: &[String]) -> Result<(), String> {
    match args.iter().find(|word| word.contains('/') || word.contains("..")) {
        None => Ok(()),
        Some(word) => Err(format!(
            "the argument `{word}` contains a path; remove it (the tool may write only below the \
             target)"
        )),
    }
}

/// Scales `full` by `scale`, to at least `least`.
fn scaled(full: u64, scale: f64, least: u64) -> u64 {
    ((full as f64 * scale).round() as u64).max(least)
}

#[cfg(test)]
pub(crate) mod tests;
