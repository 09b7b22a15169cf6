//! Programs of others write no more than was planned, and leave a directory's file system its reserve.

use crate::common::{Place, root_or_skip, text, validity, wait_for};
use needs::{Mounted, Need, skip};
use std::{
    env,
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

const M: u64 = 1 << 20;

/// Where Debian's fio had its examples; the variable names another folder with them.
const EXAMPLES: &str = "/usr/share/doc/fio/examples";
const EXAMPLES_VARIABLE: &str = "ASSAY_FIO_EXAMPLES";

/// Jobs that once wrote or waited without bounds.
const UNBOUNDED: [(&str, &str); 11] = [
    ("fill", "[global]\nbs=64k\nioengine=sync\n[fill]\nrw=write\nfill_device=1\n"),
    ("files", "[many]\nrw=write\nbs=4k\nfilesize=64k\nnrfiles=2000\nioengine=sync\n"),
    ("vast", "[many]\nrw=write\nbs=4k\nfilesize=1g\nnrfiles=5000\n"),
    ("large", "[many]\nrw=write\nbs=4k\nfilesize=1g\nnrfiles=500\n"),
    ("loops", "[w]\nrw=write\nbs=64k\nsize=256k\nloops=500000\n"),
    ("name", "[global]\nname=base\nrw=randread\nbs=4k\nsize=64m\n[j]\n"),
    ("percent", "[a]\nrw=write\nbs=64k\nsize=50%\n"),
    ("delay", "[a]\nrw=randread\nbs=4k\nsize=4m\nstartdelay=20\n"),
    ("range", "[a]\nrw=write\nfilesize=1m-200m\nnrfiles=100\n"),
    ("hex", "[a]\nrw=write\nsize=0x100000000\n"),
    ("append", "[a]\nrw=write\nsize=64m\nfile_append=1\nloops=1000\n"),
];

/// A file system of 700 MB on a loop device, and a folder next to it.
struct Bench {
    // Unmounted before its place is removed.
    mounted: Mounted,
    place: Place,
}

impl Bench {
    fn new() -> Option<Bench> {
        if !root_or_skip("a file system of 700 MB") {
            return None;
        }
        let place = Place::new();
        let image = place.path("image");
        File::create(&image).unwrap().set_len(700 * M).unwrap();
        let made = Command::new("mkfs.ext4").args(["-q", "-m", "0"]).arg(&image).status();
        if !made.is_ok_and(|status| status.success()) {
            skip(Need::file_system("ext4"), "a file system of 700 MB");
            return None;
        }
        let dir = place.dir("mounted");
        let mounted = Mounted::new(&["-o", "loop", image.to_str().unwrap()], &dir);
        fs::create_dir(mounted.dir().join("data")).unwrap();
        Some(Bench { mounted, place })
    }

    fn target(&self) -> String {
        format!("dir:{}", self.mounted.dir().join("data").display())
    }

    fn free(&self) -> u64 {
        let stat = rustix::fs::statvfs(self.mounted.dir()).unwrap();
        stat.f_bavail * stat.f_frsize
    }

    fn reserve(&self) -> u64 {
        let stat = rustix::fs::statvfs(self.mounted.dir()).unwrap();
        stat.f_blocks * stat.f_frsize / 20
    }

    /// Does `work` and gives what it gives, with the least that was free meanwhile.
    fn least_free<T>(&self, work: impl FnOnce() -> T) -> (T, u64) {
        let (least, done) = (AtomicU64::new(self.free()), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    least.fetch_min(self.free(), Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(1));
                }
            });
            let given = work();
            done.store(true, Ordering::Relaxed);
            (given, least.load(Ordering::Relaxed))
        })
    }

    /// A program that is called first where fio is wanted, and does `script` but for the layout.
    fn fake_fio(&self, script: &str) -> String {
        let file = self.place.dir("bin").join("fio");
        let version = "[ \"$1\" = --version ] && echo fio-1.0 && exit 0\ncat > job.seen\n";
        let laid_out = "grep -q create_only job.seen && exit 0\n";
        fs::write(&file, format!("#!/bin/sh\n{version}{laid_out}{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        format!("{}:{}", self.place.path("bin").display(), env::var("PATH").unwrap_or_default())
    }

    fn command(&self, verb: &str, job: &Path, more: &[&str]) -> Command {
        let (suite, target) = (format!("fio:{}", job.display()), self.target());
        let words = [verb, "--suite", &suite, "--on", &target, "--preset", "smoke", "--procs", "1"];
        self.place.command(&[&words[..], more].concat())
    }

    /// The validity of each sample of the last campaign.
    fn validities(&self) -> Vec<String> {
        self.place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
        let samples = fs::read_to_string(self.place.path("out/samples.csv")).unwrap();
        samples.lines().skip(1).map(validity).collect()
    }

    /// Runs `job` where it is not refused: it is not ended, as it keeps to its plan, and leaves the reserve. Returns
    /// whether it ran.
    fn keeps_to_its_plan(&self, job: &Path) -> bool {
        let plan = self.command("plan", job, &[]).output().unwrap();
        if !plan.status.success() {
            let why = text(&plan.stderr);
            assert!(
                plan.status.code() == Some(2)
                    && (why.contains("fio:") || why.contains("are free in")),
                "{}: {why}",
                job.display()
            );
            return false;
        }
        let run = || self.command("run", job, &["--case-timeout", "60"]).output().unwrap();
        let (output, least) = self.least_free(run);
        assert!(
            matches!(output.status.code(), Some(0 | 4)),
            "{}: {}",
            job.display(),
            text(&output.stderr)
        );
        assert!(least >= self.reserve(), "{}: {} MiB were left", job.display(), least / M);
        for validity in self.validities() {
            assert!(!validity.contains("was killed"), "{}: {validity}", job.display());
        }
        true
    }
}

/// The reason of samples of a campaign that ran `script` for fio on a job of 4 MiB, and the least that was free.
fn ended(script: &str, meanwhile: impl FnOnce(&Bench)) -> Option<(String, u64)> {
    let bench = Bench::new()?;
    let job = bench.place.path("job.fio");
    fs::write(&job, "[one]\nrw=write\nsize=4m\n").unwrap();
    let path = bench.fake_fio(script);
    let mut command = bench.command("run", &job, &["--scale", "1", "--case-timeout", "60"]);
    let (output, least) = bench.least_free(|| {
        let run = command.env("PATH", path).stderr(std::process::Stdio::piped()).spawn().unwrap();
        meanwhile(&bench);
        run.wait_with_output().unwrap()
    });
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let reason = bench.validities().into_iter().next().unwrap_or_default();
    let left: Vec<_> = fs::read_dir(bench.mounted.dir().join("data")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(least < bench.free(), "nothing was written");
    Some((reason, least)).filter(|_| bench.reserve() > 0)
}

#[test]
fn a_budget_ends_a_block_that_does_not_end() {
    let place = Place::new();
    let suite = "name = 'mine'\nabout = 'x'\n[[test]]\nkind = 'app'\nid = 'mine.one'\ncommand = 'sleep 100000'\n";
    fs::write(place.path("mine.toml"), suite).unwrap();
    let dir = format!("dir:{}", place.dir("a").display());
    let words = ["run", "--suite", "mine.toml", "--on", &dir, "--procs", "1", "--unconfined"];
    let words = [&words[..], &["--scale", "smoke", "--budget", "3s"]].concat();
    let output = place.assay(&words);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the budget of 3s ended within the first block"), "{said}");
    place.assert_clean();
    place.assert_no_process();
}

#[test]
fn program_that_fills_a_directory_is_ended_with_its_reserve_left() {
    for script in [
        "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $i; done",
        "i=0; while :; do i=$((i+1)); fallocate -l 1M $i; done",
    ] {
        let Some((reason, least)) = ended(script, |_| ()) else { return };
        assert!(reason.contains("`fio` was killed: "), "{reason}");
        assert!(
            reason.contains("4.0 MiB were planned") || reason.contains("8.0 MiB were planned"),
            "{reason}"
        );
        assert!(least > 300 * M, "{} MiB were left", least / M);
    }
}

#[test]
fn program_is_ended_when_others_take_what_its_file_system_keeps() {
    let fill = |bench: &Bench| {
        let private = bench.mounted.dir().join("data");
        wait_for("the program", || {
            let dirs = fs::read_dir(&private).unwrap().flatten();
            dirs.map(|dir| dir.path().join("p0/tool/started")).any(|file| file.exists())
        });
        let file = File::create(bench.mounted.dir().join("theirs")).unwrap();
        let bytes = bench.free() - 20 * M;
        rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes).unwrap();
    };
    let Some((reason, _)) = ended("touch started; sleep 30", fill) else { return };
    assert!(reason.contains("are free on its file system, below the reserve of"), "{reason}");
}

#[test]
fn plan_leaves_a_directory_its_reserve() {
    let Some(bench) = Bench::new() else { return };
    let job = bench.place.path("job.fio");
    let size = |bytes: u64| fs::write(&job, format!("[one]\nrw=write\nsize={bytes}\n")).unwrap();
    size(bench.free() - bench.reserve());
    let refused = bench.command("plan", &job, &["--scale", "1"]).output().unwrap();
    let why = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && why.contains("the reserve"), "{why}");
    size(bench.free() - 2 * bench.reserve());
    let planned = bench.command("plan", &job, &["--scale", "1"]).output().unwrap();
    assert!(planned.status.success(), "{}", text(&planned.stderr));
}

#[test]
fn jobs_that_wrote_without_bounds_keep_to_their_plan_or_are_refused() {
    let Some(bench) = Bench::new().filter(|_| needs::program_or_skip("fio")) else { return };
    let run: Vec<&str> = UNBOUNDED
        .into_iter()
        .filter(|(name, text)| {
            let job = bench.place.path(&format!("{name}.fio"));
            fs::write(&job, text).unwrap();
            bench.keeps_to_its_plan(&job)
        })
        .map(|(name, _)| name)
        .collect();
    assert_eq!(run, ["files", "large", "loops", "name", "delay", "range", "hex"]);
}

#[test]
fn examples_of_fio_keep_to_their_plan_or_are_refused() {
    let folder = env::var(EXAMPLES_VARIABLE).unwrap_or_else(|_| EXAMPLES.into());
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut jobs: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "fio")).collect();
    jobs.sort();
    if jobs.is_empty() {
        skip(
            Need::Other,
            format!("no examples of fio in {folder}; {EXAMPLES_VARIABLE} names a folder"),
        );
        return;
    }
    let Some(bench) = Bench::new().filter(|_| needs::program_or_skip("fio")) else { return };
    let ran = jobs.iter().filter(|job| bench.keeps_to_its_plan(job)).count();
    assert!(ran > jobs.len() / 10, "{ran} of {} ran", jobs.len());
}
