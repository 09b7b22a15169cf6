//! Campaigns of a few targets and tests, whose values a test chooses.

use model::{
    figure::{Better, Metric},
    plan::LabKind,
    result::{Dataset, Environment, Sample, TargetRecord, TargetState},
    text::Bytes,
    workload::{CacheState, Case, GridCell, Group, Shape, TestInfo},
};

/// Targets, tests as (suite, id, name, type, group, metric, unit), and a value for each of both.
pub struct Study<'a> {
    pub targets: &'a [&'a str],
    pub tests: &'a [[&'a str; 6]],
    pub group: Group,
    pub blocks: u32,
}

/// The place of a test called `matrix.GRID.BLOCK.tTHREADS`.
fn cell(id: &str) -> Option<GridCell> {
    let parts: Vec<&str> = id.strip_prefix("matrix.")?.split('.').collect();
    let &[grid, block, threads] = &parts[..] else { return None };
    let threads = threads.strip_prefix('t')?.parse().ok()?;
    Some(GridCell { grid: grid.into(), block_bytes: block.parse::<Bytes>().ok()?.0, threads })
}

impl Study<'_> {
    fn test(&self, [id, suite, name, testtype, metric, unit]: &[&str; 6]) -> TestInfo {
        TestInfo {
            id: id.to_string(),
            suite: suite.to_string(),
            name: name.to_string(),
            testtype: testtype.to_string(),
            group: self.group,
            metric: metric.to_string(),
            unit: unit.to_string(),
            better: Better::Higher,
            shape: cell(id).map(|cell| Shape { only_writes: false, cell: Some(cell) }),
        }
    }

    /// A sample of `value(test, target, block)`.
    fn sample(&self, test: &[&str; 6], target: usize, block: u32, value: f64) -> Sample {
        let case = Case {
            target: self.targets[target].into(),
            suite: test[1].into(),
            test: test[0].into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let metric = Metric::new(test[4], value, test[5], Better::Higher);
        Sample::bare(block, target as u32, case, vec![metric])
    }

    pub fn dataset(&self, value: impl Fn(usize, usize, u32) -> f64) -> Dataset {
        let mut data = super::campaign(0);
        let record = |label: &&str| TargetRecord {
            label: label.to_string(),
            target: label.to_string(),
            lab: LabKind::Host,
            state: TargetState::Ok,
            facts: Environment::default(),
        };
        data.targets = self.targets.iter().map(record).collect();
        data.tests = self.tests.iter().map(|t| self.test(t)).collect();
        for block in 0..self.blocks {
            for target in 0..self.targets.len() {
                let tests = self.tests.iter().enumerate();
                let sample = |(i, t)| self.sample(t, target, block, value(i, target, block));
                data.samples.extend(tests.map(sample));
            }
        }
        data
    }
}
