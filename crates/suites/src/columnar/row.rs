//! One row of the tables: the names under which a test is known.

use model::{
    figure::Better,
    workload::{Group, Shape, TestInfo},
};

/// The constant part of a test's description.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) id: &'static str,
    /// The name in the published tables.
    pub(super) name: &'static str,
    pub(super) testtype: &'static str,
    pub(super) group: Group,
    /// Whether it only writes data.
    pub(super) only_writes: bool,
}

impl Row {
    /// A row that ranks by the rate `metric`.
    pub(super) fn rate(&self, metric: &str) -> TestInfo {
        self.info(metric, "MB/s", Better::Higher)
    }

    /// A row of the time of a sync.
    pub(super) fn sync(&self) -> TestInfo {
        self.info("sync_ms", "ms", Better::Lower)
    }

    /// A row that ranks by latency.
    pub(super) fn latency(&self) -> TestInfo {
        self.info("latency_ms", "ms", Better::Lower)
    }

    fn info(&self, metric: &str, unit: &str, better: Better) -> TestInfo {
        TestInfo {
            id: self.id.into(),
            suite: "columnar".into(),
            name: self.name.into(),
            testtype: self.testtype.into(),
            group: self.group,
            metric: metric.into(),
            unit: unit.into(),
            better,
            shape: Some(Shape { only_writes: self.only_writes, cell: None }),
        }
    }
}
