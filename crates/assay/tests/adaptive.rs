//! Tests of the number of blocks, and of the A/A pair: exact figures, no disk, no root.

use crate::common::{Place, text};

/// Two candidates of the null suite, whose figures never vary.
const RUN: [&str; 12] = [
    "run", "--suite", "null", "--on", "null", "--on", "null", "--procs", "1", "--scale", "smoke",
    "--seed=7",
];

/// What a run prints, on one line: where it is wrapped depends on the name of the disk.
fn run(place: &Place, more: &[&str]) -> String {
    let printed = place.ok(&[&RUN[..], more].concat());
    printed.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_standard_campaign_ends_when_it_is_precise_and_says_so() {
    let place = Place::new();
    let report = run(&place, &["--preset", "standard"]);
    let why = "Ended after 5 blocks: 3 of 3 ratios over the baseline are decided or known to 5 %.";
    assert!(report.contains(why), "{report}");
    let shown = place.ok(&["show"]);
    assert!(shown.contains(&format!("note: {why}")) && shown.contains("done"), "{shown}");
    assert!(shown.contains("45 samples: 45 valid"), "5 blocks, 3 entrants, 3 figures: {shown}");
    place.assert_clean();
}

#[test]
fn a_plain_campaign_ends_with_its_call_and_says_so() {
    let place = Place::new();
    let report = run(&place, &[]);
    let why = "Ended after 3 blocks: null and null#2 are the same within 5 %; 3 of 3 ratios over the baseline are \
               decided or known to 5 %.";
    assert!(report.contains(why), "{report}");
    let shown = place.ok(&["show"]);
    assert!(shown.contains(&format!("note: {why}")) && shown.contains("done"), "{shown}");
    let alone =
        place.ok(&["run", "--suite", "null", "--on", "null", "--procs", "1", "--scale", "smoke"]);
    let why = "Ended after 3 blocks: more blocks would not decide a verdict.";
    assert!(alone.contains(why), "{alone}");
    let given = run(&place, &["--blocks", "2"]);
    assert!(!given.contains("Ended after"), "{given}");
    place.assert_clean();
}

/// A candidate that left stays away when the campaign is given more blocks, and the others are compared over
/// all of theirs.
#[test]
fn dropped_candidate_gets_no_more_blocks() {
    let place = Place::new();
    run(&place, &["--on", "null"]);
    let mut store = store::Store::open(&place.path("store.db")).unwrap();
    let id = store.resolve("last").unwrap();
    let mut third = store.dataset(&id).unwrap().targets.remove(2);
    third.leave_after(3);
    store.set_target(&id, &third).unwrap();
    drop(store);
    let report = place.ok(&["resume", "--blocks", "+2"]);
    assert!(!report.contains("Not finished"), "{report}");
    let data = store::Store::open(&place.path("store.db")).unwrap().dataset(&id).unwrap();
    let blocks = |label: &str| {
        let own = data.samples.iter().filter(|s| s.case.target == label).map(|s| s.block);
        own.collect::<std::collections::BTreeSet<u32>>().len()
    };
    assert_eq!(["null", "null#2", "null#3"].map(blocks), [5, 5, 3]);
    assert_eq!(data.campaign.plan.looked_at, [3]);
    let json: serde_json::Value =
        serde_json::from_str(&place.ok(&["report", "--format", "json"])).unwrap();
    assert_eq!(json["call"]["blocks"], 5, "of the two that went on");
    place.assert_clean();
}

/// `^C` after the first block leaves the report of what there is.
#[test]
fn a_stopped_campaign_reports_what_it_has() {
    let place = Place::new();
    let slow = ["--preset", "standard", "--knob", "write_us=100000", "--html", "here.html"];
    let mut child = place
        .command(&[&RUN[..], &slow].concat())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !has_block(&place, 1) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was stopped");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{printed}");
    assert!(printed.contains("Not finished"), "{printed}");
    let page = std::fs::read_to_string(place.path("here.html")).unwrap();
    assert!(page.contains("Not finished"), "{page}");
    place.assert_clean();
}

/// Whether a sample of block number `block` is stored, so that those before it are whole.
fn has_block(place: &Place, block: u32) -> bool {
    let Ok(store) = store::Store::open_read_only(&place.path("store.db")) else { return false };
    let data = store.resolve("last").and_then(|id| store.dataset(&id));
    data.is_ok_and(|data| data.samples.iter().any(|sample| sample.block == block))
}

#[test]
fn the_twin_is_checked_and_is_no_candidate() {
    let place = Place::new();
    let report = run(&place, &["--preset", "standard", "--blocks", "6", "--full"]);
    assert!(report.contains("A/A pair passes") && report.contains("0 of 3"), "{report}");
    assert!(!report.contains("Ended after"), "a given number needs no reason: {report}");
    let list = place.ok(&["list"]);
    assert!(list.contains("null on null, null#2") && !list.contains("null#3"), "{list}");
    let csv = place.ok(&["report", "--format", "csv"]);
    assert!(csv.contains("null#2") && !csv.contains("null#3"), "{csv}");
    let line = place.fails(&["report", "--baseline", "null#3"], 2);
    assert!(line.contains("choose the baseline from: null, null#2"), "{line}");
    place.ok(&["export", "--out", "out"]);
    let samples = std::fs::read_to_string(place.path("out/samples.csv")).unwrap();
    assert!(samples.contains(",null#3,"), "the raw data has it");
    place.ok(&["import", "out", "--store", "other.db"]);
    assert_eq!(csv, place.ok(&["report", "--format", "csv", "--store", "other.db"]));
}

#[test]
fn the_pair_is_asked_for_or_left_out() {
    let place = Place::new();
    let with = run(&place, &["--preset", "quick", "--aa", "--full"]);
    assert!(with.contains("A/A pair: cells in which"), "{with}");
    let without = run(&place, &["--preset", "standard", "--blocks", "2", "--no-aa"]);
    assert!(!without.contains("A/A pair"), "{without}");
    let usual = run(&place, &["--preset", "quick"]);
    assert!(!usual.contains("A/A pair"), "{usual}");
}

#[test]
fn a_budget_ends_a_campaign_before_it_is_overrun() {
    let place = Place::new();
    // A block takes longer than half of the budget, so that a second one never fits, and the first fits with seconds
    // to spare for a busy machine.
    let slow = ["--preset", "smoke", "--knob", "write_us=6000000", "--budget", "20s"];
    let report = run(&place, &slow);
    assert!(
        report.contains("Ended after 1 block: another block does not fit the budget of 20s"),
        "{report}"
    );
    let shown = place.ok(&["show"]);
    assert!(
        shown.contains("At that point, 0 of 3 ratios") && shown.contains("budget_s = 20"),
        "{shown}"
    );
}

#[test]
fn a_number_of_blocks_and_a_budget_exclude_each_other() {
    let place = Place::new();
    let both = place.assay(&[&RUN[..], &["--blocks", "3", "--budget", "1h"]].concat());
    assert_eq!(both.status.code(), Some(2), "{}", text(&both.stderr));
    std::fs::write(place.path("plan.toml"), "suites = ['null']\nblocks = 3\nbudget_s = 60\n")
        .unwrap();
    let line = place.fails(&["plan", "plan.toml", "--on", "null"], 2);
    assert!(line.contains("exclude each other"), "{line}");
}

#[test]
fn a_resumed_campaign_goes_on_to_the_same_end() {
    let place = Place::new();
    let slow = ["--preset", "standard", "--knob", "write_us=100000"];
    let mut child = place.spawn(&[&RUN[..], &slow].concat());
    // However slow the machine is: not before there is a campaign, and at whatever block it then is.
    while !place.assay(&["show"]).status.success() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without a campaign");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap();
    let resumed = place.ok(&["resume"]);
    assert!(resumed.contains("Ended after 5 blocks: 3 of 3 ratios"), "{resumed}");
    let shown = place.ok(&["show"]);
    assert!(shown.contains("done") && shown.contains("45 samples: 45 valid"), "{shown}");
    assert_eq!(shown.matches("Ended after").count(), 1, "{shown}");
}

#[test]
fn a_plan_tells_time_and_precision_by_look() {
    let place = Place::new();
    let args = [&["plan"], &RUN[1..], &["--preset", "standard"]].concat();
    let fresh = place.ok(&args);
    assert!(fresh.contains("A/A check: null#3 is null measured a second time"), "{fresh}");
    for look in ["5 blocks: 30 cases", "20 blocks: 120 cases", "noise   5 blocks   8 blocks"] {
        assert!(fresh.contains(look), "{look}: {fresh}");
    }
    assert!(fresh.contains("      5 %        9 %"), "{fresh}");
    run(&place, &["--blocks", "3"]);
    let learnt = place.ok(&args);
    assert!(learnt.contains("estimated from the spread of campaign"), "{learnt}");
    let line = "5 blocks: median 0 %, widest 0 %; 3 of 3 ratios decided or known to 5 %";
    assert!(learnt.contains(line) && learnt.contains("expected to end after 5 blocks"), "{learnt}");
}
