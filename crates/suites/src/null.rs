//! A suite without I/O: its phases take a given time and count given bytes, so that its figures are known exactly and
//! everything around a test can be tested.

use crate::{Estimate, Measured, Meter, Run, Stretch, Suite, Test, TestError, suite::Presets};
use model::{
    figure::{Better, Metric},
    target::Knob,
    workload::{CacheNeed, Group, Job, PhaseKind, PoolReport, Shape, TestInfo},
};
use std::{borrow::Cow, path::PathBuf, thread, time::Duration};

/// The suite `null`; found by name, not listed.
pub static NULL: Suite = Suite {
    name: Cow::Borrowed("null"),
    about: Cow::Borrowed("No disk: phases of fixed duration and a fixed number of bytes."),
    knobs: &KNOBS,
    tests: Cow::Borrowed(&[&NullTest::Write, &NullTest::Read]),
    procs: Vec::new(),
    presets: Presets::ALL,
    pages: Vec::new(),
    assets: Vec::new(),
    text: None,
};

static KNOBS: [Knob; 4] = [
    Knob::new("write_us", "us", "2000", "duration of a write phase"),
    Knob::new("sync_us", "us", "1000", "duration of a sync phase"),
    Knob::new("read_us", "us", "1000", "duration of a read phase"),
    Knob::new("bytes", "bytes", "1000000", "bytes per worker"),
];

/// The value of a knob that is a number.
fn setting(job: &Job, name: &str) -> u64 {
    let default = KNOBS.iter().find(|k| k.name == name).map_or("0", |k| k.default);
    let text = job.knobs.get(name).map_or(default, String::as_str);
    text.parse().unwrap_or(0)
}

enum NullTest {
    Write,
    Read,
}

impl NullTest {
    /// Kind and knob of each phase.
    fn phases(&self) -> &'static [(PhaseKind, &'static str)] {
        match self {
            NullTest::Write => &[(PhaseKind::Write, "write_us"), (PhaseKind::Sync, "sync_us")],
            NullTest::Read => &[(PhaseKind::Read, "read_us")],
        }
    }
}

fn info(id: &str, name: &str, group: Group, metric: &str) -> TestInfo {
    TestInfo {
        id: id.into(),
        suite: "null".into(),
        name: name.into(),
        testtype: "null".into(),
        group,
        metric: metric.into(),
        unit: "MB/s".into(),
        better: Better::Higher,
        shape: Some(Shape::default()),
    }
}

impl Test for NullTest {
    fn infos(&self) -> Vec<TestInfo> {
        match self {
            NullTest::Write => vec![
                info("null.write", "null write", Group::WriteCritical, "durable_rate"),
                info("null.sync", "null sync", Group::WriteOther, "rate"),
            ],
            NullTest::Read => vec![info("null.read", "null read", Group::ReadHot, "rate")],
        }
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn stretch(&self) -> Stretch {
        Stretch::Given
    }

    fn is_clocked(&self) -> bool {
        false
    }

    fn fill(&self, _job: &Job) -> Result<(), TestError> {
        Ok(())
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Ok(Box::new(NullRun { test: self, job }))
    }

    fn estimate(&self, _job: &Job) -> Estimate {
        Estimate::default()
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    /// From the knobs, not from the clock: the bytes of all workers over the nominal times.
    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let bytes = setting(job, "bytes") * pool.workers.len() as u64;
        let figure = |test: &str, metric: &str, phases: std::ops::Range<usize>| {
            let us: u64 = self.phases()[phases.clone()].iter().map(|p| setting(job, p.1)).sum();
            let rate = Metric::new(metric, bytes as f64 / us.max(1) as f64, "MB/s", Better::Higher);
            Measured {
                test: test.into(),
                metrics: vec![rate],
                bytes,
                ops: pool.workers.len() as u64,
                seconds: us as f64 / 1e6,
                skew_ms: 0.0,
                overlap: 1.0,
                phases,
                histograms: Vec::new(),
                problem: None,
            }
        };
        match self {
            NullTest::Write => {
                vec![figure("null.write", "durable_rate", 0..2), figure("null.sync", "rate", 1..2)]
            }
            NullTest::Read => vec![figure("null.read", "rate", 0..1)],
        }
    }

    fn explain(&self, id: &str) -> String {
        let knobs = self.phases().iter().map(|p| format!("`{}`", p.1)).collect::<Vec<_>>();
        format!(
            "# {id}\n\nTouches no disk. Each phase sleeps for {} and counts `bytes`; the figures follow from these knobs, not from the clock.\n",
            knobs.join(", ")
        )
    }
}

struct NullRun<'a> {
    test: &'a NullTest,
    job: &'a Job,
}

impl Run for NullRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        self.test.phases().iter().try_for_each(|(kind, knob)| {
            meter.phase(*kind, &mut |progress| {
                thread::sleep(Duration::from_micros(setting(self.job, knob)));
                progress.add(setting(self.job, "bytes"), 1);
                Ok(())
            })
        })
    }

    fn verify(&mut self) -> Result<(), TestError> {
        Ok(())
    }
}
