//! Pages in place under each guard, and settings that are refused.

use super::*;
use crate::testing::{Clock, declared, job, pool, run};
use needs::{Need, skip};

fn text(guard: &str, more: &str) -> String {
    format!("kind = 'flush'\nid = 'x.f'\nguard = '{guard}'\n{more}")
}

/// The report of a run in `dir`; `None` with the reason printed where the temporary directory lacks what it needs.
fn report(dir: &Path, text: &str) -> Option<(PoolReport, Measured)> {
    let (test, job) = (declared(text), job("x.f", dir));
    match run(test, &job) {
        Ok(report) => {
            let pool = pool(report);
            let measured = test.measure(&job, &pool).remove(0);
            Some((pool, measured))
        }
        Err(error) if error.refused().is_some() => {
            skip(Need::Other, error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn pages_are_counted_and_batches_timed() {
    for (guard, batch) in [("none", 1), ("doublewrite", 1), ("doublewrite", 16)] {
        let dir = tempfile::tempdir().unwrap();
        let Some((pool, measured)) = report(dir.path(), &text(guard, &format!("batch = {batch}")))
        else {
            continue;
        };
        let worker = &pool.workers[0];
        assert_eq!(worker.phases[0].ops, batch * worker.histograms[0].count(), "{guard}");
        assert_eq!(worker.phases[0].bytes, worker.phases[0].ops * (16 << 10), "{guard}");
        assert_eq!(measured.metrics[0].name, "pages_rate", "{guard}");
        assert!(!measured.metrics.iter().any(|metric| metric.name == run::MOST_ATOMIC));
        let left = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, 1, "{guard}: only the table stays");
    }
}

#[test]
fn on_xfs_each_page_is_one_atomic_write() {
    if !needs::root_or_skip("mounting") {
        return;
    }
    let top = tempfile::tempdir().unwrap();
    let (image, dir) = (top.path().join("image"), top.path().join("mnt"));
    fs::create_dir(&dir).unwrap();
    File::create(&image).unwrap().set_len(512 << 20).unwrap();
    let made = std::process::Command::new("mkfs.xfs").arg("-q").arg(&image).status();
    if !made.is_ok_and(|status| status.success()) {
        return skip(Need::FileSystem("xfs".into()), "mkfs.xfs does not make an image");
    }
    let options = ["-t", "xfs", "-o", "loop"].map(std::ffi::OsStr::new);
    let mounted = needs::Mounted::new(&[&options[..], &[image.as_os_str()]].concat(), &dir);
    let Some((pool, measured)) = report(mounted.dir(), &text("atomic", "batch = 4")) else {
        return;
    };
    let most = measured.metrics.iter().find(|metric| metric.name == run::MOST_ATOMIC).unwrap();
    assert!(most.value >= 16384.0, "{most:?}");
    let worker = &pool.workers[0];
    assert_eq!(worker.phases[0].ops, 4 * worker.histograms[0].count());
}

#[test]
fn atomic_writes_are_refused_by_name_where_the_file_system_has_none() {
    // tmpfs has none.
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
        return skip(Need::Other, "no /dev/shm");
    };
    let error = run(declared(&text("atomic", "")), &job("x.f", dir.path())).unwrap_err();
    assert_eq!(error.refused(), Some("RWF_ATOMIC"), "{error}");
    assert!(error.to_string().contains("RWF_ATOMIC is not supported on /dev/shm/"), "{error}");
}

#[test]
fn a_lost_page_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (test, job) = (declared(&text("none", "")), job("x.f", dir.path()));
    test.fill(&job).unwrap();
    let mut started = match test.start(&job) {
        Err(error) if error.refused().is_some() => return skip(Need::Other, error),
        started => started.unwrap(),
    };
    started.timed(&mut Clock::default()).unwrap();
    started.verify().unwrap();
    let table = dir.path().join(TABLE_FILE);
    let bytes = fs::metadata(&table).unwrap().len();
    fs::write(&table, vec![0; bytes as usize]).unwrap();
    let error = started.verify().unwrap_err().to_string();
    assert!(error.contains("is not what write"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |text: &str| {
        let settings: Result<Settings, String> = settings(text.parse().unwrap(), &KNOBS);
        settings.and_then(|s| s.check()).unwrap_err()
    };
    assert!(refused("page = '2k'").contains("`page`"));
    assert!(refused("page = '24k'").contains("`page`"));
    assert!(refused("batch = 0").contains("`batch`"));
    assert!(refused("table = '1M'").contains("`table`"));
    assert!(refused("batch = 2\nrate = 5").contains("`rate`"));
    assert!(refused("guard = 'raid'").contains("guard"));
}
