//! Tests of other tools as assay's tables show them. One list for each tool, used when its files are
//! imported and when the tool itself is run, so that both give the same rows.

use crate::columnar::Ranked;
use model::{
    figure::Better,
    workload::{Group, TestInfo},
};

/// One test of a tool.
pub(crate) struct Known {
    /// The id without the suite.
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) testtype: &'static str,
    pub(crate) group: Group,
    pub(crate) ranked: &'static Ranked,
}

/// Operations on data in a second.
pub(crate) const IOPS: Ranked = Ranked { name: "iops", unit: "IOPS", better: Better::Higher };

/// Operations on files in a second.
pub(crate) const OPS_RATE: Ranked =
    Ranked { name: "ops_rate", unit: "1/s", better: Better::Higher };

/// Bytes in a second; decimal megabytes.
pub(crate) const RATE: Ranked = Ranked { name: "rate", unit: "MB/s", better: Better::Higher };

/// Time from start to end.
pub(crate) const WALL: Ranked = Ranked { name: "wall_s", unit: "s", better: Better::Lower };

/// Tests that are all ranked by one figure, a line each: key, name, which is the type as well, and group.
macro_rules! ranked_by {
    ($ranked:ident: $($key:literal $name:literal $group:ident)*) => {
        [$($crate::known::Known {
            key: $key,
            name: $name,
            testtype: $name,
            group: model::workload::Group::$group,
            ranked: &$crate::known::$ranked,
        }),*]
    };
}
pub(crate) use ranked_by;

impl Known {
    /// The test in `suite`.
    pub(crate) fn info(&self, suite: &str) -> TestInfo {
        TestInfo {
            id: format!("{suite}.{}", self.key),
            suite: suite.into(),
            name: self.name.into(),
            testtype: self.testtype.into(),
            group: self.group,
            metric: self.ranked.name.into(),
            unit: self.ranked.unit.into(),
            better: self.ranked.better,
            shape: None,
        }
    }
}
