//! `assay check`: pass, fail and undecided with their statuses, on an engine without a disk, in a directory, in memory,
//! and on loop devices with and without flushes.

use crate::common::{Place, root_or_skip, text};
use serde_json::Value;
use std::fs;

/// A check of an engine that does nothing but wait a millisecond.
fn null_check(place: &Place, limit: &str) {
    let check = format!(
        "[check]\nname = 'mine'\nintent = 'A test.'\nblocks = 3\n\
         [[limit]]\ntest = 'mine.wait'\nlimit = '{limit}'\nsays = 'a test'\nsource = 'https://example.org/'\n\
         [suite]\nname = 'mine'\nabout = 'A test.'\nprocs = [1]\n\
         [[suite.test]]\nkind = 'io'\nid = 'mine.wait'\nengine = 'null'\ndelay_ns = 1000000\n\
         rw = 'rndrd'\nsize = '8M'\nops = 400\nthreads = 1\n"
    );
    fs::write(place.path("mine.toml"), check).unwrap();
}

fn check(place: &Place, args: &[&str]) -> (Option<i32>, String, String) {
    let output = place.assay(&[&["check"], args, &["--quiet"]].concat());
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_limit_is_kept_or_not_with_a_status_of_its_own() {
    let place = Place::new();
    let on = format!("a=dir:{}", place.dir("a").display());
    null_check(&place, "p99 < 100s");
    let (status, lines, notes) = check(&place, &["mine.toml", "--on", &on]);
    assert_eq!(status, Some(0), "{lines}{notes}");
    let (line, sentence) = lines.split_once('\n').unwrap();
    assert!(line.starts_with("PASS       a  mine.wait  p99 1."), "{line}");
    assert!(line.ends_with("p99 < 100s  https://example.org/"), "{line}");
    assert!(sentence.contains("over 3 blocks is below the limit"), "{sentence}");
    assert!(notes.contains("mine: PASS, 1 of 1 limits met"), "{notes}");
    // It is a campaign like any other, and can be judged by other limits.
    assert!(place.ok(&["show"]).contains("mine.wait"));
    place.ok(&["report"]);
    null_check(&place, "p99 <= 1us");
    let (status, lines, _) = check(&place, &["mine.toml", "--of", "last", "--format", "json"]);
    assert_eq!(status, Some(6), "{lines}");
    let found: Value = serde_json::from_str(&lines).unwrap();
    assert_eq!((&found["check"], &found["outcome"]), (&"mine".into(), &"fail".into()));
    let limit = &found["limits"][0];
    assert_eq!(limit["limit"], "p99 <= 1us");
    assert!(limit["value"]["low_us"].as_f64().unwrap() > 1.0, "{lines}");
    assert!(limit["sentence"].as_str().unwrap().contains("above the limit"), "{lines}");
    // One block has no interval.
    null_check(&place, "p99 < 100s");
    let (status, lines, _) = check(&place, &["mine.toml", "--on", &on, "--blocks", "1"]);
    assert_eq!(status, Some(5), "{lines}");
    assert!(lines.starts_with("UNDECIDED") && lines.contains("--blocks +2`"), "{lines}");
    place.ok(&["resume", "--blocks", "+2", "--quiet"]);
    assert_eq!(check(&place, &["mine.toml", "--of", "last"]).0, Some(0));
}

#[test]
fn wrong_names_and_missing_targets_are_said_at_once() {
    let place = Place::new();
    let on = format!("dir:{}", place.dir("a").display());
    let refused = |args: &[&str]| place.fails(&[&["check"], args].concat(), 2);
    assert!(refused(&["etdc", "--on", &on]).contains("did you mean `etcd`?"));
    assert!(refused(&["etcd"]).contains("--on dir:/var/lib"));
    assert!(refused(&["--on", &on]).contains("name a check (etcd, "));
    let near = refused(&["--require", "oltp.log.fsync p99 < 10ms", "--on", &on]);
    assert!(near.contains("did you mean `oltp.log.4k.fsync`?"), "{near}");
    assert!(refused(&["etcd", "--require", "p98 < 1ms", "--on", &on]).contains("not a limit"));
    let page = place.ok(&["explain", "etcd"]);
    assert!(page.contains("https://etcd.io/docs/") && page.contains("2300"), "{page}");
    assert!(place.ok(&["explain", "etcd.wal"]).contains("fdatasync"));
    assert!(place.fails(&["explain", "etdc"], 2).contains("did you mean `etcd`?"));
    assert!(place.ok(&["explain"]).contains("kdb-tickerplant"));
}

/// What etcd's guide does, for a moment; memory cannot pass, however fast it is.
#[test]
fn etcd_appends_its_records_and_memory_does_not_pass() {
    let place = Place::new();
    let memory = tempfile::Builder::new().prefix("assay-e2e-").tempdir_in("/dev/shm").unwrap();
    let on = format!("dir:{}", memory.path().display());
    let args = ["etcd", "--on", &on, "--blocks", "2", "--knob", "runtime_s=0.2"];
    let (status, lines, notes) = check(&place, &args);
    assert!(matches!(status, Some(5 | 6)), "{lines}{notes}");
    assert!(!lines.contains("PASS") && lines.contains("etcd.wal"), "{lines}");
    assert!(lines.contains("https://etcd.io/docs/v3.5/faq/"), "{lines}");
    for sample in place.exported_samples() {
        let number = |name: &str| sample[name].as_u64().unwrap();
        assert_eq!(number("bytes"), 2300 * number("ops"), "{sample}");
    }
    // A project without a limit is measured, and does not pass without one.
    let args = ["postgresql", "--on", &on, "--blocks", "2", "--knob", "runtime_s=0.2"];
    let (status, lines, notes) = check(&place, &args);
    assert_eq!(status, Some(5), "{lines}{notes}");
    assert!(lines.contains("no limit stated") && lines.contains("--require"), "{lines}");
    place.assert_clean();
}

/// A limit that every disk keeps, also by the interval of three blocks on a busy machine.
#[test]
fn only_what_reaches_the_disk_passes() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let args =
        ["--require", "oltp.log.4k.fdatasync p50 < 100s", "--blocks", "3", "--scale", "0.05"];
    let on = ["--on", "ext4,ext4[barrier=0]", "--image-size", "512MiB", "--format", "json"];
    let (_, lines, notes) = check(&place, &[&args[..], &on[..]].concat());
    let found: Value = serde_json::from_str(&lines).unwrap_or_else(|_| panic!("{lines}{notes}"));
    let outcome = |target: &str| {
        let all = found["limits"].as_array().unwrap();
        let one = all.iter().find(|one| one["target"] == target).unwrap();
        (
            one["outcome"].as_str().unwrap().to_string(),
            one["sentence"].as_str().unwrap().to_string(),
        )
    };
    let (unsafe_one, sentence) = outcome("ext4[barrier=0]");
    assert!(unsafe_one == "fail" && sentence.contains("may lose synced data"), "{lines}");
    let (plain, sentence) = outcome("ext4");
    // Images of this test may lie in memory.
    assert!(plain == "pass" || sentence.contains("it lies in memory"), "{lines}");
    place.assert_clean();
}
