//! A campaign of 100 000 samples: every format renders it, and the page stays small enough to mail.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::{
    figure::{Histogram, LatencyKind},
    result::{Dataset, TargetRecord},
    workload::TestInfo,
};
use std::time::Instant;

/// 170 tests x 2 process counts x 6 targets x 50 blocks: 102 000 samples, every tenth with latencies.
fn large() -> Dataset {
    let mut data = copied(common::campaign(50), 34);
    let bins =
        |i: usize| (0..100).map(|bin| (1000 + 50 * bin + i as u64 % 40, 1 + bin % 7)).collect();
    for (i, sample) in data.samples.iter_mut().enumerate().step_by(10) {
        let latencies = Histogram::new("read", LatencyKind::Service);
        sample.figures.histograms.push(Histogram { bins: bins(i), ..latencies });
    }
    data
}

/// The campaign with twice the targets, and every test repeated.
fn copied(mut data: Dataset, copies: usize) -> Dataset {
    let (samples, tests) = (std::mem::take(&mut data.samples), std::mem::take(&mut data.tests));
    let records = std::mem::take(&mut data.targets);
    for twin in ["", "#2"] {
        let label = |label: &str| format!("{label}{twin}");
        data.targets
            .extend(records.iter().map(|r| TargetRecord { label: label(&r.label), ..r.clone() }));
        data.samples.extend(samples.iter().cloned().map(|mut sample| {
            sample.case.target = label(&sample.case.target);
            sample
        }));
    }
    let samples = std::mem::take(&mut data.samples);
    for copy in 0..copies {
        let id = |id: &str| format!("{id}.{copy}");
        data.tests.extend(tests.iter().map(|t| TestInfo { id: id(&t.id), ..t.clone() }));
        data.samples.extend(samples.iter().cloned().map(|mut sample| {
            sample.case.test = id(&sample.case.test);
            sample
        }));
    }
    data
}

#[test]
fn a_hundred_thousand_samples_fit_a_mail() {
    let data = large();
    assert!(data.samples.len() >= 100_000);
    let start = Instant::now();
    let findings =
        stats::evaluation::findings(&data, &stats::description::Settings::default()).unwrap();
    let judged = start.elapsed();
    let page = crate::bare::html(&data, &findings);
    let text = crate::bare::terminal(&data, &findings, &report::TerminalOptions::default());
    let answer = crate::bare::summary(&data, &findings, &report::TerminalOptions::default(), "");
    let csv = report::csv(&data, &findings);
    // Printed for tuning; a loaded machine must not fail the test.
    println!("findings {judged:?}, all {:?}, page {} bytes", start.elapsed(), page.len());
    assert!(page.len() < 1_500_000, "{}", page.len());
    assert!(csv.lines().count() > 170 * 2 * 6 && text.contains("GEOMETRIC MEAN"));
    assert!(answer.lines().count() <= 40, "{answer}");
}

/// 6 targets, 160 tests, 4 process counts, 7 blocks: the size that a page is meant for.
#[test]
fn data_for_other_choices_fits_in_the_page() {
    let mut data = copied(common::campaign(7), 32);
    let more = data.samples.clone().into_iter().map(|mut sample| {
        sample.case.procs *= 4;
        sample
    });
    data.samples.extend(more);
    assert_eq!((data.samples.len(), data.tests.len()), (6 * 160 * 4 * 7, 160));
    let findings =
        stats::evaluation::findings(&data, &stats::description::Settings::default()).unwrap();
    let page = crate::bare::html(&data, &findings);
    let (_, logs) = page.split_once("id=\"logs\">").unwrap();
    let logs = logs.split_once("</script>").unwrap().0;
    println!("page {} bytes, of which logarithms {}", page.len(), logs.len());
    assert!(page.len() < 1_500_000 && logs.len() < 350_000, "{} {}", page.len(), logs.len());
    // Samples are left out only where the rest leaves no room.
    assert!(page.contains("class=\"heat\"") && page.contains("<small>"));
}
