//! Tests of random blocks next to sequential ones.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::bare::terminal;
use crate::common::study::Study;
use model::{result::Dataset, workload::Group};
use report::TerminalOptions;
use stats::{description::Settings, evaluation::findings};

const TESTS: [[&str; 6]; 3] = [
    ["matrix.rndrd.512.t1", "matrix", "random read 512, 1 thread", "random read", "iops", "IOPS"],
    ["matrix.rndrd.512.t8", "matrix", "random read 512, 8 threads", "random read", "iops", "IOPS"],
    ["matrix.rndrd.16k.t1", "matrix", "random read 16k, 1 thread", "random read", "iops", "IOPS"],
];

fn on_terminal(data: &Dataset) -> String {
    terminal(data, &findings(data, &Settings::default()).unwrap(), &TerminalOptions::default())
}

#[test]
fn random_blocks_are_next_to_sequential_ones_of_one_target() {
    let targets = &["ext4", "xfs"];
    let study = Study { targets, tests: &TESTS, group: Group::RandomRead, blocks: 1 };
    let mut data = study.dataset(|test, _, _| [1000.0, 7000.0, 900.0][test]);
    assert!(!on_terminal(&data).contains("over sequential"));
    // The same blocks in order, in a grid of their own: five times as fast on ext4, twice on xfs.
    let mut tests = data.tests.clone();
    for test in &mut tests {
        (test.id, test.name) =
            (test.id.replace("rndrd", "seqrd"), test.name.replace("random", "sequential"));
        (test.testtype, test.group) = ("sequential read".into(), Group::SequentialRead);
        if let Some(cell) = test.shape.as_mut().and_then(|shape| shape.cell.as_mut()) {
            cell.grid = "seqrd".into();
        }
    }
    let mut samples = data.samples.clone();
    for sample in &mut samples {
        sample.case.test = sample.case.test.replace("rndrd", "seqrd");
        let times = if sample.case.target == "ext4" { 5.0 } else { 2.0 };
        sample.figures.metrics.iter_mut().for_each(|metric| metric.value *= times);
    }
    data.tests.extend(tests);
    data.samples.extend(samples);
    let text = on_terminal(&data);
    for (target, ratio) in [("ext4", "0.20"), ("xfs", "0.50")] {
        let title = format!("{target}: random read over sequential read");
        let mut rows = text.lines().skip_while(|line| !line.contains(&title));
        let row = rows.find(|line| line.starts_with(" 512")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["512", ratio, ratio], "{text}");
    }
}
