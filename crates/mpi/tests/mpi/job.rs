//! A job of `mpirun` in a place of its own, and what it left there.

use super::hosts::Hosts;
use model::{result::Sample, workload::CacheState};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    collections::BTreeMap,
    fs,
    fs::File,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};
use store::Store;

/// Directory, store and state of one campaign.
pub(crate) struct Place(tempfile::TempDir);

/// A metric of a sample.
pub(crate) struct Row {
    pub(crate) procs: u32,
    pub(crate) cache: CacheState,
    pub(crate) is_valid: bool,
    pub(crate) metric: String,
    pub(crate) value: f64,
    pub(crate) seconds: f64,
}

impl Place {
    pub(crate) fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::create_dir(place.target()).unwrap();
        place
    }

    fn target(&self) -> PathBuf {
        self.0.path().join("shared")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The target as a word.
    pub(crate) fn on(&self) -> String {
        format!("dir:{}", self.target().display())
    }

    /// The page of the last campaign.
    pub(crate) fn page(&self) -> String {
        fs::read_to_string(self.path("report.html")).unwrap()
    }

    /// The words of a campaign of names; `more` without `--tests` takes those of one test.
    pub(crate) fn run(&self, more: &[&str], scale: &str) -> Vec<String> {
        let on = self.on();
        let words = ["run", "--on", &on, "--suite", "metadata", "--preset", "smoke"];
        let mut words: Vec<String> =
            words.iter().chain(more).map(|word| word.to_string()).collect();
        words.extend(["--scale".into(), scale.into()]);
        if !more.contains(&"--tests") {
            words.extend(["--tests".into(), "metadata.file.*".into()]);
        }
        words
    }

    /// Whether a campaign has made something.
    pub(crate) fn is_busy(&self) -> bool {
        let Some(Ok(made)) = fs::read_dir(self.target()).unwrap().next() else { return false };
        fs::read_dir(made.path()).is_ok_and(|mut inside| inside.next().is_some())
    }

    /// How many campaigns have made something.
    pub(crate) fn busy(&self) -> usize {
        let made = fs::read_dir(self.target()).unwrap().flatten();
        made.filter(|made| fs::read_dir(made.path()).is_ok_and(|mut dir| dir.next().is_some()))
            .count()
    }

    /// Whether nothing is left: no directory, no mount point, no process.
    pub(crate) fn is_clean(&self) -> bool {
        self.is_clean_in(&["state".into()])
    }

    /// The same where each of `hosts` has a state folder of its own.
    pub(crate) fn is_clean_at(&self, hosts: &[String]) -> bool {
        let states: Vec<String> = hosts.iter().map(|host| format!("state/{host}")).collect();
        self.is_clean_in(&states)
    }

    fn is_clean_in(&self, states: &[String]) -> bool {
        let is_empty = |dir: PathBuf| fs::read_dir(dir).is_ok_and(|mut dir| dir.next().is_none());
        let is_undone = |state: &String| {
            is_empty(self.path(&format!("{state}/mnt")))
                && is_empty(self.path(&format!("{state}/journal")))
        };
        is_empty(self.target()) && states.iter().all(is_undone) && processes(self).is_empty()
    }

    pub(crate) fn assert_clean_at(&self, hosts: &[String]) {
        assert!(self.is_clean_at(hosts), "left: {:?}", processes(self));
    }

    /// Tags of all campaigns, by host.
    pub(crate) fn tags(&self) -> Vec<BTreeMap<String, String>> {
        let store = Store::open(&self.path("assay.db")).unwrap();
        let of = |id: &str| store.dataset(id).unwrap().campaign.plan.tags;
        let list = store.list().unwrap().into_iter();
        let mut tags: Vec<_> = list.map(|campaign| of(&campaign.unwrap().id)).collect();
        tags.sort();
        tags
    }

    pub(crate) fn assert_clean(&self) {
        let left = || fs::read_dir(self.target()).unwrap().flatten().map(|entry| entry.path());
        assert!(self.is_clean(), "left: {:?} {:?}", left().collect::<Vec<_>>(), processes(self));
    }

    /// The campaign of which `output` tells.
    pub(crate) fn campaign(&self, output: &str) -> String {
        let line = output.lines().find_map(|line| line.strip_prefix("campaign ")).unwrap();
        line.split(':').next().unwrap().to_string()
    }

    /// Every metric of the last campaign.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let store = Store::open(&self.path("assay.db")).unwrap();
        let id = store.list().unwrap().pop().unwrap().unwrap().id;
        let dataset = store.dataset(&id).unwrap();
        let of_sample = |sample: Sample| {
            let (procs, cache, is_valid) =
                (sample.case.procs, sample.case.cache, sample.evidence.validity.is_valid());
            let seconds = sample.figures.seconds;
            sample.all_metrics().into_owned().into_iter().map(move |metric| Row {
                procs,
                cache,
                is_valid,
                metric: metric.name.to_string(),
                value: metric.value,
                seconds,
            })
        };
        dataset.samples.into_iter().flat_map(of_sample).collect()
    }
}

/// A running `mpirun`. What is left of it is killed when it is dropped.
pub(crate) struct Job {
    child: Child,
    output: PathBuf,
}

impl Job {
    /// Starts `ranks` with the words of the program.
    pub(crate) fn start(
        place: &Place,
        hosts: Option<&Hosts>,
        ranks: usize,
        words: &[String],
    ) -> Job {
        let output = place.path("output");
        let file = File::create(&output).unwrap();
        let mut command = Command::new("mpirun");
        command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
        command.args(hosts.map(|hosts| hosts.words(ranks)).unwrap_or_default());
        command.arg(env!("CARGO_BIN_EXE_assay-mpi")).args(words);
        // Relative, as a user writes it; the keeper works elsewhere.
        command.args(["--state", "state"]).arg("--store").arg(place.path("assay.db"));
        command.current_dir(place.path("")).process_group(0).stdin(Stdio::null());
        command.stdout(file.try_clone().unwrap()).stderr(file);
        Job { child: command.spawn().unwrap(), output }
    }

    /// Waits for its end, which must come within `bound`: its status, and all that was printed.
    pub(crate) fn wait(mut self, bound: Duration) -> (ExitStatus, String) {
        let since = Instant::now();
        loop {
            let output = fs::read_to_string(&self.output).unwrap_or_default();
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, fs::read_to_string(&self.output).unwrap_or(output));
            }
            assert!(since.elapsed() < bound, "not over after {bound:?}: {output}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

/// What `find` finds within `bound`.
pub(crate) fn with_patience<T>(bound: Duration, mut find: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(since.elapsed() < bound, "not found in {bound:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The process of rank `number` of the campaign in `place`.
pub(crate) fn rank(place: &Place, number: usize) -> Option<Pid> {
    let is_it = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let wanted = format!("OMPI_COMM_WORLD_RANK={number}");
        environment.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes())
    };
    processes(place).into_iter().filter(|pid| is_it(pid)).find_map(Pid::from_raw)
}

/// Ranks and keepers of the campaign in `place`: their arguments name it.
fn processes(place: &Place) -> Vec<i32> {
    let mark = place.0.path().display().to_string();
    let names_it = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let program = line.split('\0').next().unwrap_or_default();
        Path::new(program).file_name().is_some_and(|name| name == "assay-mpi")
            && line.contains(&mark)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse().ok()).filter(names_it).collect()
}
