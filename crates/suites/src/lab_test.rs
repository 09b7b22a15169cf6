//! A test that the lab runs itself, with faults below its own target: no worker is started.

use crate::{
    CutOff, Estimate, FaultWork, Measured, Missing, Run, Stretch, Test, TestError, Workers,
    kind::{Defaults, Head, Kind},
    page, program,
};
use model::{
    figure::Better,
    workload::{AssetName, CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use std::path::PathBuf;

/// The description of such a test by its kind.
pub(crate) struct LabTest {
    pub(crate) kind: &'static Kind,
    /// Its name where the declaration has none.
    pub(crate) name: String,
    pub(crate) testtype: &'static str,
    /// A time in milliseconds by which the tables order.
    pub(crate) metric: &'static str,
    /// What the lab does.
    pub(crate) work: FaultWork,
    /// How long that takes on a slow machine, seconds.
    pub(crate) fixed_s: f64,
    /// The parts of its page.
    pub(crate) does: String,
    pub(crate) read_it: &'static str,
    /// What is performed until the power goes, if it does.
    pub(crate) cut_off: Option<CutOffMaker>,
    /// Programs that are needed for it.
    pub(crate) programs: &'static [&'static str],
    /// Assets that it is made of.
    pub(crate) assets: Vec<AssetName>,
}

/// Makes what is cut off in a job, with content of a seed.
pub(crate) type CutOffMaker = Box<dyn Fn(&Job, u64) -> Result<CutOff, TestError> + Send + Sync>;

/// The test with this head.
pub(crate) fn lab_test(head: Head, test: LabTest) -> Box<dyn Test> {
    Box::new(Headed { head, test })
}

struct Headed {
    head: Head,
    test: LabTest,
}

impl Headed {
    fn info(&self) -> TestInfo {
        self.head.info(Defaults {
            name: self.test.name.clone(),
            testtype: self.test.testtype,
            group: Group::AfterFaults,
            metric: self.test.metric,
            unit: "ms",
            better: Better::Lower,
            shape: Shape::default(),
        })
    }
}

impl Test for Headed {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn workers(&self) -> Workers {
        Workers::Fixed(1)
    }

    /// The result is what is found, not how long that takes.
    fn stretch(&self) -> Stretch {
        Stretch::Given
    }

    fn is_clocked(&self) -> bool {
        false
    }

    fn threads(&self, _job: &Job) -> u32 {
        1
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn makes_own_disk(&self) -> bool {
        true
    }

    fn programs(&self) -> Vec<String> {
        self.test.programs.iter().map(|name| (*name).into()).collect()
    }

    fn missing(&self) -> Option<Missing> {
        program::missing(self.test.programs.iter().copied())
    }

    fn assets(&self) -> Vec<AssetName> {
        self.test.assets.clone()
    }

    fn cut_off(&self, job: &Job, seed: u64) -> Result<CutOff, TestError> {
        match &self.test.cut_off {
            Some(make) => make(job, seed),
            None => Err(TestError::OfTheLab(self.head.id.clone())),
        }
    }

    fn fault_work(&self, _job: &Job) -> Option<FaultWork> {
        Some(self.test.work.clone())
    }

    fn fill(&self, _job: &Job) -> Result<(), TestError> {
        Ok(())
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, _job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Err(TestError::OfTheLab(self.head.id.clone()))
    }

    fn estimate(&self, _job: &Job) -> Estimate {
        Estimate { fixed_s: self.test.fixed_s, ..Estimate::default() }
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    /// Nothing: the lab reports the results.
    fn measure(&self, _job: &Job, _pool: &PoolReport) -> Vec<Measured> {
        Vec::new()
    }

    fn explain(&self, _id: &str) -> String {
        let LabTest { kind, does, read_it, .. } = &self.test;
        page::page(&self.head, kind, &self.info(), does, read_it)
    }
}
