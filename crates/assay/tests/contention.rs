//! A small campaign next to work of others, a writer on the disk that holds its images, and one on a target with a
//! server, whose work is not that of others.

use crate::common::{Place, metric, ready, ready_or_skip, root_or_skip};
use lab::observe::{Snapshot, Watched};
use serde_json::Value;
use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

/// A second of reads past the cache at random places, which need the disk.
const SUITE: &str = r#"
name = "beside"
about = "Reads and writes that need the disk."
procs = [1]

[[test]]
kind = "io"
id = "beside.{rw}"
for.rw = ["rndrd", "rndwr"]
block = "64k"
size = "64M"
direct = true
threads = 1
"#;

/// What is lost by writing seconds as a share.
const ROUNDING_S: f64 = 1e-6;

/// Above this a sample is contended.
const CONTENDED_PCT: f64 = 10.0;

/// What a writer writes at least while it is seen.
const SEEN_BYTES: f64 = (1 << 20) as f64;

/// Campaigns at most: a writer that gets no CPU time disturbs no one.
const MOST_CAMPAIGNS: usize = 5;

/// Runs of dd at most: of 64 MiB each, over the same file.
const MOST_RUNS: usize = 1500;

/// Writes to `file` past the cache until `done`.
fn write_beside(file: &Path, done: &AtomicBool) {
    let to = format!("of={}", file.display());
    for _ in 0..MOST_RUNS {
        if done.load(Ordering::Relaxed) {
            return;
        }
        let mut dd = Command::new("dd");
        dd.args(["if=/dev/zero", &to, "bs=1M", "count=64", "oflag=direct", "conv=notrunc"]);
        assert!(dd.stderr(Stdio::null()).status().unwrap().success());
    }
}

/// Whether the disk that `dir` is on can be told apart from loop devices on it.
fn lies_on_a_disk(dir: &Path) -> bool {
    let kind = rustix::fs::fstatfs(File::open(dir).unwrap()).unwrap().f_type;
    // ext2 to ext4, and xfs.
    let is_told = [0xEF53, 0x5846_5342].contains(&kind);
    if !is_told {
        needs::skip(needs::Need::Other, "images here lie on no ext4 or xfs");
    }
    is_told
}

fn run_on(target: &str) -> [&str; 15] {
    let [suite, knob] = ["./beside.toml", "runtime_s=1"];
    let run = ["run", "--suite", suite, "--on", target, "--procs", "1", "--blocks", "1"];
    let rest = ["--scale", "1", "--image-size", "256MiB", "--knob", knob];
    [&run[..], &rest].concat().try_into().unwrap()
}

/// A campaign while a writer works.
fn run_beside_a_writer(place: &Place) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let file = place.path("other-work");
        let done = &done;
        scope.spawn(move || write_beside(&file, done));
        let output = place.assay(&run_on("ext4"));
        done.store(true, Ordering::Relaxed);
        assert!(output.status.success(), "{}", crate::common::text(&output.stderr));
    });
}

/// What others had of the machine during it, percent.
fn shared_pct(sample: &Value) -> f64 {
    let told = |name: &str| metric(sample, name).unwrap();
    told("foreign_disk_pct").max(told("foreign_cpu_pct"))
}

/// The one of a test's `tries` that is used. A contended one is measured again, twice at most, the calmest is used,
/// and each is still there.
fn used_of<'a>(tries: &[&'a Value]) -> &'a Value {
    let (last, others) = tries.split_last().unwrap();
    assert!(others.iter().all(|one| shared_pct(one) > CONTENDED_PCT), "{tries:?}");
    assert!(tries.len() <= 3, "{tries:?}");
    assert!(tries.len() == 3 || shared_pct(last) <= CONTENDED_PCT, "{tries:?}");
    let (valid, disturbed): (Vec<&Value>, Vec<&Value>) =
        tries.iter().partition(|sample| sample["validity"] == "Valid");
    let [used] = valid[..] else { panic!("{valid:?}") };
    for sample in disturbed {
        assert!(shared_pct(used) <= shared_pct(sample), "{used} {sample}");
        let pct = &sample["validity"]["Disturbed"]["others_used"]["pct"];
        assert!(pct.as_f64().is_some_and(|pct| pct > CONTENDED_PCT), "{sample}");
    }
    used
}

#[test]
fn a_writer_on_the_disk_below_makes_samples_contended() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") || !lies_on_a_disk(&place.path("")) {
        return;
    }
    fs::write(place.path("beside.toml"), SUITE).unwrap();
    let is_contended = |sample: &&Value| shared_pct(sample) > CONTENDED_PCT;
    for _ in 0..MOST_CAMPAIGNS {
        run_beside_a_writer(&place);
        let samples = place.exported_samples();
        let tries = |test: &str| -> Vec<&Value> {
            samples.iter().filter(|sample| sample["case"]["test"] == test).collect()
        };
        let used = ["beside.rndrd", "beside.rndwr"].map(|test| used_of(&tries(test)));
        let contended: Vec<&Value> = used.into_iter().filter(is_contended).collect();
        let has_seen_it =
            |sample: &&Value| metric(sample, "foreign_write_bytes").unwrap() > SEEN_BYTES;
        if contended.iter().any(has_seen_it) {
            assert_reported(&place, contended.len());
            place.assert_clean();
            return;
        }
    }
    panic!("no sample is contended in {MOST_CAMPAIGNS} campaigns with a writer at work");
}

/// That this many of the two samples are contended, by the program and in its report.
fn assert_reported(place: &Place, contended: usize) {
    let shown = place.ok(&["show", "last"]);
    assert!(shown.contains(&format!("{contended} of the valid samples contended")), "{shown}");
    let report = place.ok(&["report", "last"]);
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = format!("{contended} of 2 valid samples shared the machine with other work");
    assert!(report.contains(&told), "{report}");
    assert!(report.contains(" meanwhile"), "{report}");
}

#[test]
fn server_of_a_target_is_charged_to_it_and_is_not_foreign() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let cpus = thread::available_parallelism().unwrap().get() as f64;
    for target in ready(&place, &["ntfs-3g", "gocryptfs", "glusterfs"]) {
        fs::write(place.path("beside.toml"), SUITE).unwrap();
        let before = Snapshot::of(&Watched::default()).unwrap();
        place.ok(&run_on(target));
        let stolen_s = Snapshot::of(&Watched::default()).unwrap().since(&before).steal_s;
        let samples = place.exported_samples();
        assert!(samples.len() >= 2, "{samples:?}");
        for sample in &samples {
            let server_s = metric(sample, "server_cpu_s").unwrap();
            let own = |name: &str| sample[name].as_f64().unwrap();
            let all_s = own("cpu_user_s") + own("cpu_sys_s");
            assert!(server_s > 0.0 && all_s >= server_s, "{target}: {server_s} of {all_s}");
            // Whatever others do meanwhile, they cannot have what the server had. What was stolen counts as theirs.
            let capacity_s = cpus * own("seconds");
            let foreign_s = metric(sample, "foreign_cpu_pct").unwrap_or(0.0) / 100.0 * capacity_s;
            let left_s = metric(sample, "machine_cpu_s").unwrap() - server_s;
            let most_s = left_s.max(0.0) + stolen_s + ROUNDING_S;
            assert!(foreign_s <= most_s, "{target}: {foreign_s} of {left_s}, {stolen_s} stolen");
        }
    }
    place.assert_clean();
}

/// Programs that use every processor, until this is dropped.
struct Spinners(Vec<Child>);

impl Spinners {
    fn start() -> Spinners {
        let spin = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Spinners((0..std::thread::available_parallelism().unwrap().get()).map(spin).collect())
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

#[test]
fn busy_programs_are_named_at_the_start_and_waited_for_on_request() {
    let place = Place::new();
    fs::write(place.path("beside.toml"), SUITE).unwrap();
    let target = format!("dir:{}", place.dir("own").display());
    let spinners = Spinners::start();
    let waiting = [&run_on(&target)[..], &["--wait-quiet", "2s"]].concat();
    let output = place.assay(&waiting);
    let said = crate::common::text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("busy: other programs use "), "{said}");
    assert!(said.contains("% of one") && said.contains("waiting up to 2s"), "{said}");
    assert!(said.contains("after 2s other programs still use "), "{said}");
    assert!(place.campaigns(&[]).is_empty(), "nothing was measured, so nothing is stored");
    let output = place.assay(&run_on(&target));
    drop(spinners);
    let said = crate::common::text(&output.stderr);
    assert!(output.status.success() && said.contains("--wait-quiet 10m"), "{said}");
    place.assert_clean();
}
