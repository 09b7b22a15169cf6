//! Workers that share one file.

use super::*;

/// Whole runs of `test` with as many workers as `jobs`, one after the other in each step.
fn run_all(test: &dyn Test, jobs: &[Job]) -> Vec<WorkerReport> {
    jobs.iter().for_each(|job| test.fill(job).unwrap());
    let mut runs: Vec<_> = jobs.iter().map(|job| test.start(job).unwrap()).collect();
    let of = |run: &mut Box<dyn crate::Run>| {
        let mut clock = Clock::default();
        run.timed(&mut clock).unwrap();
        WorkerReport { phases: clock.0, histograms: run.histograms(), ..WorkerReport::default() }
    };
    let reports = runs.iter_mut().map(of).collect();
    runs.iter_mut().for_each(|run| run.verify().unwrap());
    reports
}

fn workers(dir: &Path, count: u32) -> Vec<Job> {
    let job =
        |worker| Job { worker, workers: count, ..job("x.io", &dir.join(format!("w{worker}"))) };
    (0..count).map(job).collect()
}

#[test]
fn workers_that_share_a_file_write_all_of_it_and_each_its_own_part() {
    // 128 blocks of each of three workers.
    for (shared, writer_of) in [
        ("segments", (|block| block / 128) as fn(usize) -> usize),
        ("interleaved", |block| block % 3),
    ] {
        for rw in ["seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "randrw", "rewrite", "seeks"] {
            let dir = tempfile::tempdir().unwrap();
            let jobs = workers(dir.path(), 3);
            let test = test(&format!(
                "rw = '{rw}'\nshared = '{shared}'\nblock = '64k'\nruntime_s = 0\noffsets = 'permuted'\nthreads = 2"
            ));
            let reports = run_all(test, &jobs);
            let bytes: u64 = reports.iter().map(|report| report.phases[0].bytes).sum();
            assert!(bytes >= 3 * (8 << 20), "{shared} {rw}: {bytes}");
            let path = dir.path().join("w0").join(&test.space(&jobs[0])[0].0);
            let content = fs::read(&path).unwrap();
            assert_eq!(content.len(), 3 * (8 << 20), "{shared} {rw}");
            assert!(content.chunks(4096).all(|page| page.iter().any(|byte| *byte > 0)), "a hole");
            for job in &jobs {
                assert_eq!(test.space(job)[0].1, 8 << 20);
                assert!(listed(job).iter().all(|(_, bytes)| *bytes == 0), "more than a mark");
                if rw != "seqwr" {
                    assert_eq!(
                        test.files(job)[0].canonicalize().unwrap(),
                        path.canonicalize().unwrap()
                    );
                }
            }
            if rw != "seqwr" {
                continue;
            }
            // A run of the second alone, into a new file.
            test.fill(&jobs[0]).unwrap();
            let mut run = test.start(&jobs[1]).unwrap();
            run.timed(&mut Clock::default()).unwrap();
            run.verify().unwrap();
            let mut content = fs::read(&path).unwrap();
            content.resize(3 * (8 << 20), 0);
            for (block, bytes) in content.chunks(64 << 10).enumerate() {
                let is_written = bytes.iter().any(|byte| *byte > 0);
                assert_eq!(is_written, writer_of(block) == 1, "{shared}: block {block}");
            }
        }
    }
}

#[test]
fn each_worker_checks_its_own_part_of_a_shared_file() {
    for (shared, damaged) in [("segments", [0, 1]), ("interleaved", [0, 2])] {
        let dir = tempfile::tempdir().unwrap();
        let jobs = workers(dir.path(), 2);
        let test =
            test(&format!("rw = 'seqwr'\nshared = '{shared}'\nblock = '64k'\nruntime_s = 0"));
        jobs.iter().for_each(|job| test.fill(job).unwrap());
        let mut runs: Vec<_> = jobs.iter().map(|job| test.start(job).unwrap()).collect();
        runs.iter_mut().for_each(|run| run.timed(&mut Clock::default()).unwrap());
        let path = dir.path().join("w0").join(&test.space(&jobs[0])[0].0);
        let file = fs::File::options().write(true).open(&path).unwrap();
        for block in damaged {
            file.write_all_at(b"damage", block * (64 << 10)).unwrap();
        }
        assert!(matches!(runs[0].verify(), Err(TestError::Wrong { .. })), "{shared}");
        runs[1].verify().unwrap();
    }
}

#[test]
fn blocks_of_any_length_are_interleaved_as_ior_hard_does() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = workers(dir.path(), 4);
    let text = "shared = 'interleaved'\nblock = '47008'\nruntime_s = 0\nrank = 'rate'";
    for rw in ["seqwr", "seqrd"] {
        let test = test(&format!("rw = '{rw}'\n{text}\ncache = 'any'"));
        let reports = run_all(test, &jobs);
        // 178 blocks are as many as 8 MiB hold.
        assert!(reports.iter().all(|report| report.phases[0].bytes == 178 * 47_008), "{rw}");
    }
}
