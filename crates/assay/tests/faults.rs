//! Faults that pass, and faults that do not: what is tried again, when a campaign continues without a target, when it
//! stops, and what `resume` then does. The test looks at what the program says, and takes a directory or a disk away,
//! or gives it back, at just that moment.

use crate::common::{Place, ready_or_skip, root_or_skip, text};
use crate::stand_in::{Disk, can_attach, run};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Lines},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Stdio},
    thread,
    time::Duration,
};

/// Blocks of a run, long enough that its middle can be met.
const BLOCKS: u32 = 16;
/// Figures of a block of the null suite.
const FIGURES: u32 = 3;

/// A campaign at work.
struct Campaign {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
    told: Vec<String>,
}

impl Campaign {
    fn start(place: &Place, args: &[&str]) -> Campaign {
        let mut command = place.command(args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Campaign { child, lines, told: Vec::new() }
    }

    /// Reads on to the first line that has `word`.
    fn until(&mut self, word: &str) {
        loop {
            let line = self.lines.next().unwrap_or_else(|| panic!("no {word}: {:#?}", self.told));
            self.told.push(line.unwrap());
            if self.told.last().unwrap().contains(word) {
                return;
            }
        }
    }

    /// Reads on to the end. Returns the exit status, and all that was told.
    fn end(mut self) -> (i32, Vec<String>) {
        self.told.extend(self.lines.map(Result::unwrap));
        (self.child.wait().unwrap().code().unwrap(), self.told)
    }
}

/// A directory to measure, which can be taken away.
struct Data {
    path: PathBuf,
    target: String,
}

impl Data {
    fn new(place: &Place, name: &str) -> Data {
        let path = place.dir(name);
        Data { target: format!("dir:{}", path.display()), path }
    }

    fn take_away(&self) {
        fs::rename(&self.path, self.path.with_extension("away")).unwrap();
    }

    fn give_back(&self) {
        fs::rename(self.path.with_extension("away"), &self.path).unwrap();
    }
}

/// A run of slow blocks on `targets`, which all need nothing but a directory.
fn args<'a>(blocks: &'a str, targets: &[&'a str]) -> Vec<&'a str> {
    let on = targets.iter().flat_map(|target| ["--on", target]);
    let work =
        ["--suite", "null", "--procs", "1", "--preset", "smoke", "--scale", "smoke", "--seed=1"];
    let slow = ["--knob", "write_us=50000", "--blocks", blocks];
    ["run"].into_iter().chain(on).chain(work).chain(slow).collect()
}

fn counted(samples: u32) -> String {
    let noun = if samples == 1 { "sample" } else { "samples" };
    format!("{samples} {noun}: {samples} valid, 0 lukewarm, 0 disturbed, 0 invalid")
}

fn state(place: &Place) -> String {
    place.campaigns(&[])[0]["state"].as_str().unwrap().to_string()
}

#[test]
fn a_directory_that_was_gone_for_a_moment_is_measured_in_every_block() {
    let place = Place::new();
    let data = Data::new(&place, "data");
    let mut campaign = Campaign::start(&place, &args(&BLOCKS.to_string(), &[&data.target]));
    campaign.until(&format!("block 3/{BLOCKS} "));
    data.take_away();
    campaign.until(" 1 process: ");
    data.give_back();
    let (status, told) = campaign.end();
    assert_eq!(status, 0, "{told:#?}");
    let shown = place.ok(&["show"]);
    assert!(shown.contains(&counted(BLOCKS * FIGURES)), "{shown}");
    assert!(!shown.contains("failed:"), "it is measured in full: {shown}");
    assert_eq!(state(&place), "done");
    let report = place.ok(&["report"]);
    assert!(report.contains("run again after"), "{report}");
    assert_eq!(fs::read_dir(&data.path).unwrap().count(), 0, "what was made in it is removed");
    place.assert_clean();
}

#[test]
fn target_that_never_works_is_tried_three_times_and_reported_once() {
    let place = Place::new();
    let data = Data::new(&place, "data");
    // No user can create a directory there.
    for blocks in ["1", "8"] {
        let (status, told) =
            Campaign::start(&place, &args(blocks, &["dir:/proc", &data.target, "null"])).end();
        assert_eq!(status, 4, "{told:#?}");
        let of_it = |line: &&String| line.starts_with("dir:/proc: ");
        let given_up: Vec<&String> = told.iter().filter(of_it).collect();
        assert_eq!(given_up.len(), 2, "the first failure, and the end: {given_up:#?}");
        assert!(given_up[1].contains("dropped after 3 failures in a row"), "{given_up:#?}");
        // Beside the others the first time, and then alone.
        let is_step = |line: &&String| line.starts_with('[') && line.contains("dir:/proc ·");
        let at_first = |line: &&String| line.starts_with('[') && line.contains("dir:/proc,");
        let steps = told.iter().filter(|line| is_step(line) || at_first(line)).count();
        assert_eq!(steps, 3, "{told:#?}");
        let shown = place.ok(&["show"]);
        assert!(shown.contains(&counted(2 * blocks.parse::<u32>().unwrap() * FIGURES)), "{shown}");
        let report = place.ok(&["report"]);
        assert!(report.contains("could not be measured") && !report.contains("Not finished"));
        assert_eq!(state(&place), "done");
    }
    place.assert_clean();
}

#[test]
fn a_campaign_of_which_nothing_works_any_more_stops_and_resumes_when_it_is_mended() {
    let place = Place::new();
    let data = Data::new(&place, "data");
    let mut campaign = Campaign::start(&place, &args(&BLOCKS.to_string(), &[&data.target]));
    campaign.until(&format!("block 3/{BLOCKS} "));
    data.take_away();
    let (status, told) = campaign.end();
    assert_eq!(status, 1, "{told:#?}");
    let last = told.last().unwrap();
    assert!(last.contains("stopped after 3 failures in a row") && last.contains("assay resume"));
    assert!(last.contains(&data.target), "{last}");
    let failures = told.iter().filter(|line| line.contains(" 1 process: ")).count();
    assert_eq!(failures, 2, "the first, and the end: {told:#?}");
    assert_eq!(state(&place), "open");

    place.fails(&["resume"], 2);
    assert_eq!(state(&place), "open");

    data.give_back();
    place.ok(&["resume"]);
    let shown = place.ok(&["show"]);
    assert!(shown.contains(&counted(BLOCKS * FIGURES)) && !shown.contains("failed:"), "{shown}");
    assert_eq!(state(&place), "done");
    place.assert_clean();
}

#[test]
fn resume_runs_only_what_is_missing() {
    let place = Place::new();
    let data = Data::new(&place, "data");
    let all = args("12", &[&data.target, "null", "tmpfs"]);
    let mut campaign = Campaign::start(&place, &all);
    campaign.until("block 4/12 ");
    data.take_away();
    let (status, told) = campaign.end();
    assert_eq!(status, 4, "{told:#?}");
    assert!(told.iter().any(|line| line.contains("dropped") && line.contains("assay resume")));
    assert_eq!(state(&place), "open", "blocks are missing");
    assert!(place.ok(&["report"]).contains("Not finished"));
    let rows = |target: &str| -> Vec<String> {
        place.ok(&["export", "--out", "out"]);
        let samples = fs::read_to_string(place.path("out/samples.csv")).unwrap();
        let own = samples.lines().filter(|row| row.split(',').nth(3) == Some(target));
        own.map(str::to_string).collect()
    };
    let others = ["null", "tmpfs"];
    let theirs = others.map(rows);
    assert!(theirs.iter().all(|rows| blocks_of(rows) == 12), "the others went on");
    let before = blocks_of(&rows(&data.target));
    assert!((2..12).contains(&before), "{before}");

    data.give_back();
    let (status, told) = Campaign::start(&place, &["resume"]).end();
    assert_eq!(status, 0, "{told:#?}");
    let steps = |target: &str| told.iter().filter(|l| l.contains(&format!("· {target} ·"))).count();
    assert_eq!(others.map(steps), [0, 0], "{told:#?}");
    assert_eq!(steps(&data.target), 12 - before, "{told:#?}");
    assert!(others.map(rows) == theirs, "what was measured is not touched");
    assert_eq!(blocks_of(&rows(&data.target)), 12);
    assert!(place.ok(&["show"]).contains(&counted(3 * 12 * FIGURES)));
    assert_eq!(state(&place), "done");
    let nothing = place.assay(&["resume"]);
    assert!(text(&nothing.stderr).contains("nothing to run"));
    place.assert_clean();
}

/// Of rows of `samples.csv`, whose second column is the block. One that was cut off has fewer rows.
fn blocks_of(rows: &[String]) -> usize {
    let mut rows_of = BTreeMap::<&str, u32>::new();
    for block in rows.iter().filter_map(|row| row.split(',').nth(1)) {
        *rows_of.entry(block).or_default() += 1;
    }
    rows_of.values().filter(|rows| **rows >= FIGURES).count()
}

#[test]
fn a_lost_disk_stops_a_campaign_at_once() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let (place, disk) = (Place::new(), Disk::new(1 << 30));
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let serial = disk.serial();
    let link = disk.link.to_str().unwrap();
    let disk_args = ["--device", link, "--destroy", &serial];
    let mut campaign =
        Campaign::start(&place, &[&args("12", &["ext4", "null"])[..], &disk_args].concat());
    campaign.until("block 2/12 · ext4");
    // As udev does with the name of a disk that is unplugged.
    fs::remove_file(&disk.link).unwrap();
    assert_stopped_at_once(&place, campaign, "ext4");
}

#[test]
fn disk_that_is_detached_is_kept_to_the_end() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let (place, disk) = (Place::new(), Disk::new(1 << 30));
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let serial = disk.serial();
    let disk_args = ["--device", disk.link.to_str().unwrap(), "--destroy", &serial];
    let mut campaign =
        Campaign::start(&place, &[&args("12", &["ext4", "null"])[..], &disk_args].concat());
    campaign.until("block 2/12 · ext4");
    run("losetup", &["--detach", disk.node.to_str().unwrap()]);
    assert!(!assert_stopped_at_once_or_whole(&place, campaign, "ext4"), "it was lost");
    assert_eq!(state(&place), "done");
}

#[test]
fn an_exchanged_disk_stops_a_campaign_at_once_and_is_not_touched() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let (place, disk, other) = (Place::new(), Disk::new(1 << 30), Disk::new(1 << 30));
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    run("mkfs.ext4", &["-q", other.node.to_str().unwrap()]);
    let content = || run("sha256sum", &[other.image().to_str().unwrap()]);
    let before = content();
    let serial = disk.serial();
    let link = disk.link.to_str().unwrap();
    let allowed = ["--device", link, "--destroy", &serial, "--wipe-signature", "ext4"];
    let all = [&args("12", &["ext4", "null"])[..], &allowed].concat();
    let mut campaign = Campaign::start(&place, &all);
    campaign.until("block 2/12 · ext4");
    fs::remove_file(&disk.link).unwrap();
    std::os::unix::fs::symlink(&other.node, &disk.link).unwrap();
    assert_stopped_at_once(&place, campaign, "ext4");
    assert!(content() == before, "the other disk was written to");
}

#[test]
fn a_campaign_that_ends_when_it_is_precise_looks_at_whole_blocks() {
    let place = Place::new();
    let data = Data::new(&place, "data");
    let looked: Vec<&str> = ["run", "--on", &data.target, "--on", "null", "--no-aa", "--seed=1"]
        .into_iter()
        .chain(["--suite", "null", "--procs", "1", "--preset", "standard", "--scale", "smoke"])
        .chain(["--knob", "write_us=50000"])
        .collect();
    let mut campaign = Campaign::start(&place, &looked);
    campaign.until("block 4/5 ");
    data.take_away();
    campaign.until(" 1 process: ");
    data.give_back();
    let (status, told) = campaign.end();
    assert_eq!(status, 0, "{told:#?}");
    assert_eq!(told.iter().filter(|line| line.starts_with("Ended after 5 blocks")).count(), 1);
    assert!(place.ok(&["show"]).contains(&counted(2 * 5 * FIGURES)));
    assert_eq!(state(&place), "done");
    place.assert_clean();
}

#[test]
fn a_loop_image_that_is_detached_is_lost_at_once_or_not_at_all() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let image = ["--image-size", "64M"];
    let mut campaign =
        Campaign::start(&place, &[&args("12", &["ext4", "null"])[..], &image].concat());
    campaign.until("block 2/12 · ext4");
    let mine = place.path("").display().to_string();
    let list = run("losetup", &["--list", "--noheadings", "--output", "NAME,BACK-FILE"]);
    let own: Vec<&str> = list.lines().filter(|line| line.contains(&mine)).collect();
    let node = own[0].split_whitespace().next().unwrap();
    run("losetup", &["--detach", node]);
    // The kernel keeps a device while it is open.
    if assert_stopped_at_once_or_whole(&place, campaign, "ext4") {
        // A new image is made for what is left.
        place.ok(&["resume"]);
    }
    assert_eq!(state(&place), "done");
    assert!(place.ok(&["show"]).contains(&counted(2 * 12 * FIGURES)));
    place.assert_clean();
}

/// Whether there is a file called `name` below `dir`.
fn has_below(dir: &Path, name: &str) -> bool {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        entry.file_name() == name || is_dir && has_below(&entry.path(), name)
    })
}

/// Kills the guest that runs for `place`, by what started it, as soon as its program has begun to tell what
/// happens: one that does not come so far is booted again at once.
fn kill_guest(place: &Place, campaign: &mut Campaign) {
    let mine = place.path("").display().to_string();
    let is_guest = |pid: &i32| {
        let read = |name| text(&fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default());
        read("cmdline").contains(&mine) && read("comm").trim() == "unshare"
    };
    loop {
        assert!(campaign.child.try_wait().unwrap().is_none(), "it ended without a guest");
        if !has_below(&place.path("state"), "reports.jsonl") {
            thread::sleep(Duration::from_millis(5));
            continue;
        }
        let all = fs::read_dir("/proc").unwrap().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        if let Some(pid) = pids.filter(is_guest).max() {
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            return rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    }
}

#[test]
fn a_guest_that_died_is_booted_again() {
    if !needs::uml_or_skip() {
        return;
    }
    if !root_or_skip("a guest as another user") {
        return;
    }
    let place = Place::new();
    let args = [
        "run", "--lab", "uml", "--on", "tmpfs", "--suite", "null", "--preset", "smoke", "--scale",
        "smoke",
    ];
    let slow = ["--procs", "1", "--blocks", "3", "--knob", "write_us=2000000"];
    let mut campaign = Campaign::start(&place, &[&args[..], &slow].concat());
    campaign.until("block 2/3 · tmpfs · booting");
    kill_guest(&place, &mut campaign);
    let (status, told) = campaign.end();
    assert_eq!(status, 0, "{told:#?}");
    let failed = told.iter().filter(|line| line.contains("retrying")).count();
    assert_eq!(failed, 1, "{told:#?}");
    assert!(place.ok(&["show"]).contains(&counted(3 * FIGURES)));
    assert_eq!(state(&place), "done");
    place.assert_clean();
}

fn assert_stopped_at_once(place: &Place, campaign: Campaign, target: &str) {
    assert!(assert_stopped_at_once_or_whole(place, campaign, target), "it went on");
}

/// Whether it stopped; else it is whole.
fn assert_stopped_at_once_or_whole(place: &Place, campaign: Campaign, target: &str) -> bool {
    let from = campaign.told.len();
    let (status, told) = campaign.end();
    if status == 0 {
        return false;
    }
    assert_eq!(status, 1, "{told:#?}");
    let after: Vec<&String> =
        told[from..].iter().filter(|l| l.contains(&format!("· {target} ·"))).collect();
    // The instance that stood when the disk went may end well: the kernel keeps what is mounted.
    assert!(after.len() <= 1, "nothing is tried again: {told:#?}");
    let last = told.last().unwrap();
    assert!(last.contains("stopped") && last.contains("assay resume"), "{told:#?}");
    assert_eq!(state(place), "open");
    true
}
