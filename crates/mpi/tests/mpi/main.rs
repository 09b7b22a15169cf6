//! Real ranks under a real `mpirun`: on this host, and on hosts that are network, mount, name and time namespaces of
//! this machine, joined by a bridge. `make test-mpi` runs this.
#![allow(clippy::unwrap_used)]

mod hosts;
mod job;

use hosts::Hosts;
use job::{Job, Place, rank, with_patience};
use model::workload::CacheState;
use needs::{Need, skip};
use std::{
    fs,
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// All of a campaign's end: the launcher's, the keeper's, and the removal of what was made.
const BOUND: Duration = Duration::from_secs(60);

/// Leave to use `mpirun`, where there is one: jobs side by side would only wait for each other.
fn mpirun() -> Option<MutexGuard<'static, ()>> {
    static ONE: Mutex<()> = Mutex::new(());
    let found = Command::new("mpirun").arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        skip(Need::program("mpirun"), "there is no MPI");
    }
    found.then(|| ONE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Hosts of namespaces, where they can be made.
fn hosts(count: u8) -> Option<Hosts> {
    match Hosts::missing() {
        Some(why) => {
            skip(Need::Namespaces, why);
            None
        }
        None => Some(Hosts::make(count).unwrap()),
    }
}

#[test]
fn four_ranks_on_one_host() {
    let Some(_one) = mpirun() else { return };
    let place = Place::new();
    let job = Job::start(&place, None, 4, &place.run(&["--procs", "1,2,4"], "0.002"));
    let (status, output) = job.wait(BOUND);
    assert!(status.success(), "{output}");
    let rows = place.rows();
    for procs in [1, 2, 4] {
        let valid = rows.iter().filter(|row| row.procs == procs && row.is_valid);
        assert!(valid.count() > 0, "nothing valid at {procs} processes: {output}");
    }
    assert!(rows.iter().any(|row| row.metric == "slowest_rank_ops_per_s"));
    place.assert_clean();
}

#[test]
fn more_processes_than_ranks_are_refused() {
    let Some(_one) = mpirun() else { return };
    let place = Place::new();
    let (status, output) =
        Job::start(&place, None, 2, &place.run(&["--procs", "3"], "0.002")).wait(BOUND);
    assert!(!status.success());
    assert!(
        output.contains(
            "3 processes were requested, but only 2 ranks are \
                             running"
        ),
        "{output}"
    );
}

#[test]
fn hosts_have_their_own_figures_clocks_and_cold_caches() {
    let Some(_one) = mpirun() else { return };
    for count in [2, 3] {
        let Some(hosts) = hosts(count) else { return };
        let place = Place::new();
        let ranks = usize::from(count);
        let procs = ranks.to_string();
        let words = place.run(&["--procs", &procs, "--tests", "metadata.find.cold"], "0.2");
        let (status, output) = Job::start(&place, Some(&hosts), ranks, &words).wait(4 * BOUND);
        assert!(status.success(), "{output}");
        let rows = place.rows();
        let value =
            |metric: &str| rows.iter().find(|row| row.metric == metric).map(|row| row.value);
        assert_eq!(value("hosts"), Some(f64::from(count)), "{output}");
        assert!(value("clock_bound_ms").is_some_and(|ms| ms > 0.0), "clocks of two namespaces");
        for host in hosts.names() {
            assert!(value(&format!("host_ops_per_s.{host}")).is_some_and(|rate| rate > 0.0));
            assert_eq!(value(&format!("host_ranks.{host}")), Some(1.0));
        }
        // Clocks are thousands of seconds apart: a start by the wrong one would be seen here.
        let seconds = rows.iter().map(|row| row.seconds).fold(0.0, f64::max);
        assert!(seconds < 100.0, "a timed part of {seconds} s");
        assert!(rows.iter().all(|row| row.cache == CacheState::Cold), "{output}");
        place.assert_clean();
    }
}

#[test]
fn hosts_that_lack_an_asset_get_it_from_the_first() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    let place = Place::new();
    fs::create_dir(place.path("state")).unwrap();
    hosts.separate(&place.path("state"));
    // More than one piece; longer than the clocks of the hosts may differ.
    fs::write(place.path("keys.csv"), vec![b'k'; (2 << 20) + 1]).unwrap();
    let suite = "name = 'mine'\nabout = 'x'\nassets = ['keys.csv']\n[[test]]\nkind = 'app'\nid = 'mine.one'\ncommand = \
                 'test \"$(wc -c < {asset:keys.csv})\" = 2097153 && sleep 1'\n";
    fs::write(place.path("mine.toml"), suite).unwrap();
    let on = place.on();
    let words = ["run", "--on", &on, "--suite", "mine.toml", "--preset", "smoke", "--procs", "2"];
    let words = words.iter().chain(&["--blocks", "1", "--unconfined"]);
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    let (status, output) = Job::start(&place, Some(&hosts), 2, &words).wait(4 * BOUND);
    assert!(status.success(), "{output}");
    assert!(place.rows().iter().any(|row| row.is_valid), "{output}");
}

/// Tests that read, and whose files are written by other tests or by filling.
const READERS: [&str; 6] = [
    "--suite",
    "columnar",
    "--tests",
    "columnar.read.float.large",
    "--tests",
    "metadata.hard.file.*",
];

#[test]
fn where_hosts_are_shifted_none_reads_what_it_wrote() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    let place = Place::new();
    let words = |more: &[&str]| place.run(&[&READERS, more].concat(), "0.02");
    let run = |words: &[String]| Job::start(&place, Some(&hosts), 4, words).wait(4 * BOUND);
    let (status, output) = run(&words(&["--shift", "--procs", "1"]));
    assert!(!status.success() && output.contains("1 process would be on assayh1:1"), "{output}");
    let own_readers = |rows: &[job::Row]| {
        let own = rows.iter().filter(|row| row.metric == "readers_of_own_host");
        own.map(|row| (row.procs, row.cache, row.value)).collect::<Vec<_>>()
    };
    // Unasked all ranks and not one.
    let (status, output) = run(&words(&["--shift"]));
    assert!(status.success(), "{output}");
    let rows = place.rows();
    assert_eq!(own_readers(&rows)[0], (4, CacheState::Cold, 0.0), "{output}");
    assert!(own_readers(&rows).iter().all(|(.., own)| *own == 0.0));
    assert!(rows.iter().all(|row| row.procs == 4), "{output}");
    assert!(rows.iter().any(|row| row.metric == "ops_rate" && row.is_valid), "no phases: {output}");
    place.assert_clean();
    let (status, output) = run(&words(&["--procs", "4"]));
    assert!(status.success(), "{output}");
    assert_eq!(own_readers(&place.rows()), []);
}

#[test]
fn a_plan_knows_the_allocation() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    let place = Place::new();
    let plan = |more: &[&str]| {
        let mut words = place.run(more, "0.002");
        words[0] = "plan".into();
        Job::start(&place, Some(&hosts), 4, &words).wait(BOUND)
    };
    let (status, output) = plan(&[]);
    assert!(status.success(), "{output}");
    for line in ["1 process on assayh1:1", "4 processes on assayh1:2, assayh2:2"] {
        assert!(output.lines().any(|own| own == line), "no `{line}`: {output}");
    }
    let (status, output) = plan(&["--procs", "2,5"]);
    assert!(!status.success());
    assert!(
        output.contains(
            "5 processes were requested, but only 4 ranks are \
                             running"
        ),
        "{output}"
    );
    let (status, output) = plan(&["--shift", "--procs", "3"]);
    assert!(!status.success() && output.contains("3 processes would be on"), "{output}");
    let (status, output) = plan(&["--numa", "round-robin"]);
    assert!(
        !status.success() && output.contains("ranks are bound by what starts them"),
        "{output}"
    );
    assert!(!place.is_busy(), "a plan leaves nothing");
}

#[test]
fn the_phases_of_io500_run_on_two_hosts_with_a_file_of_all() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    let place = Place::new();
    let on = place.on();
    let words = ["run", "--on", &on, "--suite", "io500", "--scale", "0.002", "--preset", "smoke"];
    let words: Vec<String> = words.iter().chain(&["--shift"]).map(ToString::to_string).collect();
    let (status, output) = Job::start(&place, Some(&hosts), 4, &words).wait(4 * BOUND);
    assert!(status.success(), "{output}");
    let rows = place.rows();
    let rates = rows.iter().filter(|row| row.metric == "durable_rate" || row.metric == "rate");
    assert_eq!(rates.count(), 4, "easy and hard, written and read: {output}");
    assert!(
        rows.iter().filter(|row| row.metric == "readers_of_own_host").all(|row| row.value == 0.0)
    );
    assert!(place.page().contains("not an official submission"));
    place.assert_clean();
}

/// Arguments of a small campaign of names on every host alone.
fn each_host(place: &Place, more: &[&str]) -> Vec<String> {
    let mut words = place.run(&["--procs", "1", "--blocks", "2"], "0.002");
    let own = ["--each-host"].iter().chain(more).map(ToString::to_string);
    drop(words.splice(1..1, own));
    words
}

#[test]
fn each_host_has_a_campaign_and_equal_hosts_are_pooled() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    for (more, order) in [
        (&[][..], ["assayh1 begins", "assayh2 begins", "assayh1 has ended"]),
        (&["in-turn"][..], ["assayh1 begins", "assayh1 has ended", "assayh2 begins"]),
    ] {
        let place = Place::new();
        let (status, output) =
            Job::start(&place, Some(&hosts), 4, &each_host(&place, more)).wait(4 * BOUND);
        assert!(status.success(), "{output}");
        let at =
            order.map(|line| output.find(line).unwrap_or_else(|| panic!("no {line}: {output}")));
        assert!(at.is_sorted(), "{more:?}: {output}");
        assert!(output.contains("2 hosts, each one block"), "{output}");
        let tags = place.tags();
        let of = |key: &str| tags.iter().map(|tags| tags[key].as_str()).collect::<Vec<_>>();
        assert_eq!(of("host"), ["assayh1", "assayh2"]);
        assert_eq!(of("class")[0], of("class")[1]);
        place.assert_clean_at(&hosts.names());
    }
}

#[test]
fn when_a_rank_is_killed_the_campaigns_of_all_hosts_are_undone() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    for victim in [1, 0] {
        let place = Place::new();
        let mut words = each_host(&place, &[]);
        *words.iter_mut().find(|word| *word == "0.002").unwrap() = "0.5".into();
        let job = Job::start(&place, Some(&hosts), 2, &words);
        with_patience(BOUND, || (place.busy() == 2).then_some(()));
        let pid = with_patience(BOUND, || rank(&place, victim));
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        let (status, output) = job.wait(BOUND);
        assert!(!status.success(), "{output}");
        with_patience(BOUND, || place.is_clean_at(&hosts.names()).then_some(()));
    }
}

#[test]
fn keeper_cleans_up_in_relative_state_folder() {
    let Some(_one) = mpirun() else { return };
    let place = Place::new();
    let job = Job::start(&place, None, 2, &place.run(&["--procs", "2"], "0.25"));
    with_patience(BOUND, || place.is_busy().then_some(()));
    let pid = with_patience(BOUND, || rank(&place, 0));
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let (status, output) = job.wait(BOUND);
    assert!(!status.success(), "{output}");
    with_patience(BOUND, || place.is_clean().then_some(()));
}

#[test]
fn what_a_killed_rank_leaves_is_removed_and_resumed() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    for victim in [3, 0] {
        let place = Place::new();
        let job = Job::start(&place, Some(&hosts), 4, &place.run(&["--procs", "4"], "0.25"));
        with_patience(BOUND, || place.is_busy().then_some(()));
        let pid = with_patience(BOUND, || rank(&place, victim));
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        let (status, output) = job.wait(BOUND);
        assert!(!status.success());
        let host = hosts.names()[victim / 2].clone();
        let named = output.contains(&format!("rank {victim} with PID"))
            && output.contains(&format!("on node {host} exited on signal 9"));
        assert!(named, "{output}");
        with_patience(BOUND, || place.is_clean().then_some(()));
        let id = place.campaign(&output);
        let words = ["resume".into(), id];
        let (status, output) = Job::start(&place, None, 4, &words).wait(BOUND);
        assert!(!status.success());
        let refusal = "was started on assayh1:2,assayh2:2, and this is";
        assert!(output.contains(refusal) && output.contains("--hosts-changed"), "{output}");
        let again = Job::start(&place, Some(&hosts), 4, &words);
        let (status, output) = again.wait(4 * BOUND);
        assert!(status.success(), "{output}");
        place.assert_clean();
    }
}

#[test]
fn a_stopped_rank_is_named_and_ends_the_campaign() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    let place = Place::new();
    let job = Job::start(&place, Some(&hosts), 4, &place.run(&["--procs", "4"], "0.25"));
    with_patience(BOUND, || place.is_busy().then_some(()));
    let pid = with_patience(BOUND, || rank(&place, 3));
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let (status, output) = job.wait(2 * BOUND);
    assert!(!status.success());
    assert!(output.contains("rank 3 on assayh2"), "{output}");
    with_patience(BOUND, || place.is_clean().then_some(()));
}

#[test]
fn stopped_rank_0_is_named_and_leaves_nothing() {
    let Some(_one) = mpirun() else { return };
    let Some(hosts) = hosts(2) else { return };
    let place = Place::new();
    let job = Job::start(&place, Some(&hosts), 4, &place.run(&["--procs", "4"], "0.25"));
    with_patience(BOUND, || place.is_busy().then_some(()));
    let pid = with_patience(BOUND, || rank(&place, 0));
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let (status, output) = job.wait(BOUND);
    assert!(!status.success());
    assert!(output.contains("no message from rank 0"), "{output}");
    with_patience(BOUND, || place.is_clean().then_some(()));
}
