//! Suites that a user's file declares.

use super::{assert_harmless, text};
use assay_program::test_of_job;
use model::{
    target::Options,
    text::Bytes,
    workload::{Job, Programs},
};
use std::path::Component;
use suites::Test;

/// Tests of a suite that are looked at; the others are like them.
const MOST_TESTS: usize = 50;

/// A suite: each of its tests is made again by a worker, and keeps to its directory.
pub fn suite(bytes: &[u8]) -> bool {
    let Some(text) = text(bytes) else { return false };
    match suites::from_text("mine.toml", text, &Options::new()) {
        Ok(suite) => {
            suite.tests.iter().take(MOST_TESTS).for_each(|test| asserted(*test));
            true
        }
        Err(_) => false,
    }
}

/// What holds of every test, whoever wrote it.
pub(super) fn asserted(test: &dyn Test) {
    let infos = test.infos();
    for info in &infos {
        assert!(!info.id.is_empty() && !info.id.contains(char::is_whitespace), "{:?}", info.id);
        for text in [&info.id, &info.name, &info.testtype, &info.metric, &info.unit] {
            assert_harmless("an info", text);
        }
        test.explain(&info.id);
    }
    let again = test_of_job(&job(test, 1.0, 1)).map(|test| test.infos());
    assert_eq!(again.as_ref(), Ok(&infos), "of {:?}", test.declaration());
    for (scale, workers) in [(1.0, 1), (0.01, 64), (4.0, 1024)] {
        let job = job(test, scale, workers);
        assert!(test.estimate(&job).fixed_s.is_finite());
        suites::space_bytes(&[(test, job.clone())]);
        for (path, _) in test.space(&job) {
            let below = path.strip_prefix(&job.dir).unwrap_or(&path);
            // What all workers share lies next to their directories.
            let below = below.strip_prefix("..").unwrap_or(below);
            let stays = below.components().all(|c| matches!(c, Component::Normal(_)));
            assert!(stays, "{} lies elsewhere", path.display());
        }
    }
}

/// The order for the first of `workers` at `scale`.
pub(super) fn job(test: &dyn Test, scale: f64, workers: u32) -> Job {
    Job {
        workers,
        scale,
        seed: 1,
        memory: Bytes(1 << 34),
        programs: Programs::Confined,
        declaration: test.declaration(),
        ..Job::of(test.infos().swap_remove(0).id, "/work")
    }
}
