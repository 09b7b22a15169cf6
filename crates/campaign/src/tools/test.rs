//! A run of a tool as a test.

use super::{Invocation, Request, Tool, direct};
use formats::ImportOptions;
use model::{
    figure::{Better, Metric},
    result::{BUFFERED_BELOW, Dataset, Imported, Reason, Sample},
    workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo},
};
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};
use suites::{
    Estimate, Measured, Meter, Missing, Parts, Run, Test, TestError, Workers,
    program::{self, Bounds, Program, Ran},
};

/// One run of a tool.
pub(super) struct ToolTest {
    pub(super) tool: &'static dyn Tool,
    pub(super) request: Request,
}

impl ToolTest {
    /// Directory in which the tool runs, which holds nothing else.
    fn dir(&self, job: &Job) -> PathBuf {
        job.dir.join("tool")
    }

    fn program(&self, invocation: &Invocation, job: &Job) -> Program {
        let (written, count) = self.tool.written(&self.request, job);
        let space = Some(self.tool.estimate(&self.request, job).scratch_bytes);
        Program::new(&invocation.argv, &self.dir(job))
            .input(invocation.input.as_bytes())
            .keep_output()
            .own_proc()
            .bounded(Bounds { space, written, count, reserve: job.reserve.0 })
    }

    fn wrong(&self, why: String) -> TestError {
        TestError::Wrong { path: self.tool.name().into(), why }
    }

    /// The output of the tool, as samples.
    fn read(&self, output: &str) -> Result<Dataset, String> {
        let files = [(format!("{}.txt", self.tool.name()), output.as_bytes().to_vec())];
        let options = ImportOptions {
            target: Some("target".into()),
            created: String::new(),
            ..Default::default()
        };
        formats::import(&files, Some(self.tool.name()), &options).map_err(|error| error.to_string())
    }
}

/// Removes a directory with all its content, if it exists.
fn remove(dir: &Path) -> Result<(), TestError> {
    match fs::remove_dir_all(dir) {
        Err(why) if why.kind() != ErrorKind::NotFound => Err(TestError::io("remove", dir)(why)),
        _ => Ok(()),
    }
}

impl Test for ToolTest {
    fn infos(&self) -> Vec<TestInfo> {
        self.tool.infos(&self.request)
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn workers(&self) -> Workers {
        Workers::Program
    }

    fn parts(&self) -> Option<Parts> {
        self.tool.timed_parts(&self.request)
    }

    fn direct_bytes(&self, job: &Job, measured: &[Measured]) -> Option<u64> {
        let block = self.tool.direct_block(&self.request)?;
        let bytes = |one| self.tool.direct_bytes((&self.request, job), one, block);
        Some(measured.iter().map(bytes).sum())
    }

    fn runs_programs(&self) -> bool {
        true
    }

    fn programs(&self) -> Vec<String> {
        vec![self.tool.program().into()]
    }

    fn missing(&self) -> Option<Missing> {
        program::missing(self.programs().iter().map(String::as_str))
    }

    fn declaration(&self) -> Option<String> {
        toml::to_string(&self.request).ok()
    }

    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let dir = self.dir(job);
        remove(&dir)?;
        fs::create_dir(&dir).map_err(TestError::io("create", &dir))?;
        let laid_out = self.tool.prepare(&self.request, job);
        let tool = Invocation { argv: vec![self.tool.program().into()], ..Invocation::default() };
        let program = self.program(laid_out.as_ref().unwrap_or(&tool), job);
        program.check_room()?;
        if laid_out.is_some() {
            program.run()?;
        }
        Ok(())
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let dir = self.dir(job);
        if !dir.is_dir() {
            self.fill(job)?;
        }
        let invocation = self.tool.invocation(&self.request, job).map_err(|why| self.wrong(why))?;
        let program = self.program(&invocation, job);
        let block = self.tool.direct_block(&self.request);
        let buffered_below = block.and_then(|block| direct::buffered_below(&dir, block));
        Ok(Box::new(ToolRun { test: self, program, dir, ran: Ran::default(), buffered_below }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        self.tool.estimate(&self.request, job)
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let worker = pool.workers.first();
        let seconds = worker
            .and_then(|worker| worker.phases.first())
            .map_or(0.0, |phase| phase.end_ns.saturating_sub(phase.start_ns) as f64 / 1e9);
        let cost = worker.map(|worker| worker.metrics.clone()).unwrap_or_default();
        let read = self.read(worker.map_or("", |worker| &worker.output));
        let one = |info: TestInfo| match &read {
            Err(why) => vec![nothing(info.id, Reason::said(why), seconds)],
            Ok(dataset) => {
                let printed = self.tool.printed(&self.request, &info.id);
                let part_s = |sample: &Sample| {
                    let told = Some(sample.figures.seconds).filter(|seconds| *seconds > 0.0);
                    told.or_else(|| self.tool.part_s(&self.request, job, sample)).unwrap_or(seconds)
                };
                of_samples(dataset, &printed, info.id, (seconds, &part_s), &cost)
            }
        };
        self.infos().into_iter().flat_map(one).collect()
    }

    fn explain(&self, id: &str) -> String {
        format!(
            "# {id}\n\n{}\n\nThe figures are the tool's own, parsed as by `assay import`; run \
             time, CPU time and device bytes of a sample cover the whole run. Commands are stored \
             with the campaign as `tool.{}.*`.\n",
            self.tool.about(),
            self.tool.name()
        )
    }
}

/// The output of the tool for the test `id`, which its importer calls `printed`.
fn of_samples(
    dataset: &Dataset,
    printed: &str,
    id: String,
    (seconds, part_s): (f64, &dyn Fn(&Sample) -> f64),
    cost: &[Metric],
) -> Vec<Measured> {
    let samples: Vec<&Sample> =
        dataset.samples.iter().filter(|sample| sample.case.test == printed).collect();
    if samples.is_empty() {
        return vec![nothing(id, Imported::NothingPrinted {}.into(), seconds)];
    }
    let one = |sample: &Sample| Measured {
        test: id.clone(),
        metrics: sample.all_metrics().iter().chain(cost).cloned().collect(),
        bytes: sample.figures.bytes,
        ops: sample.figures.ops,
        seconds: part_s(sample),
        skew_ms: 0.0,
        overlap: 1.0,
        phases: 0..1,
        histograms: sample.figures.histograms.to_vec(),
        problem: sample.evidence.validity.why().cloned(),
    };
    samples.into_iter().map(one).collect()
}

/// A test without a figure, with the reason.
fn nothing(test: String, why: Reason, seconds: f64) -> Measured {
    Measured {
        test,
        metrics: Vec::new(),
        bytes: 0,
        ops: 0,
        seconds,
        skew_ms: 0.0,
        overlap: 1.0,
        phases: 0..1,
        histograms: Vec::new(),
        problem: Some(why),
    }
}

struct ToolRun<'a> {
    test: &'a ToolTest,
    program: Program,
    dir: PathBuf,
    ran: Ran,
    /// The direct I/O that the file system performs, if it sends these blocks through the page cache.
    buffered_below: Option<u32>,
}

impl Run for ToolRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Operate, &mut |progress| {
            self.ran = self.program.run()?;
            progress.add(0, 1);
            Ok(())
        })
    }

    /// Unreadable output is reported here, where the error can name the tool.
    fn verify(&mut self) -> Result<(), TestError> {
        remove(&self.dir)?;
        self.test.read(&self.ran.output).map(drop).map_err(|why| self.test.wrong(why))
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let lower =
            |name: &str, value: f64, unit: &str| Metric::new(name, value, unit, Better::Lower);
        [
            lower("tool_user_s", self.ran.user_s, "s"),
            lower("tool_sys_s", self.ran.sys_s, "s"),
            lower("tool_peak_memory_mb", self.ran.peak_memory_bytes as f64 / 1e6, "MB"),
        ]
        .into_iter()
        .chain(self.buffered_below.map(|bytes| lower(BUFFERED_BELOW, bytes.into(), "B")))
        .collect()
    }

    fn output(&mut self) -> String {
        std::mem::take(&mut self.ran.output)
    }
}

impl Drop for ToolRun<'_> {
    /// A failed tool must not leave a full disk to the next test; its error is the one to report.
    fn drop(&mut self) {
        let _ = remove(&self.dir);
    }
}
