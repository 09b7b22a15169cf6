//! `assay compare --fail-on-regression`: the exit statuses of a gate, with the exact figures of the null
//! suite, and campaigns that do the same work.

use crate::common::{Place, text};
use rusqlite::Connection;
use std::fs;

/// Runs the null suite with this length of a read and gives the campaign's id.
fn campaign(place: &Place, target: &str, blocks: &str, read_us: &str) -> String {
    campaign_at(place, target, (blocks, "smoke"), read_us)
}

fn campaign_at(
    place: &Place,
    target: &str,
    (blocks, scale): (&str, &str),
    read_us: &str,
) -> String {
    let knob = format!("read_us={read_us}");
    let args = [
        "run", "--suite", "null", "--on", target, "--procs", "1", "--preset", "smoke", "--scale",
        scale,
    ];
    place.ok(&[&args[..], &["--blocks", blocks, "--knob", &knob]].concat());
    last(place)
}

fn last(place: &Place) -> String {
    place.ok(&["show"]).split_whitespace().next().unwrap().to_string()
}

/// The figures of the null suite follow from its settings: other processes are no reason to doubt them.
#[test]
fn a_busy_machine_makes_no_exact_figure_unclear() {
    let place = Place::new();
    let id = campaign(&place, "null", "1", "300000");
    place.ok(&["export", &id, "--format", "json", "--out", "j"]);
    let json = fs::read_to_string(place.path(&format!("j/{id}.json"))).unwrap();
    assert!(json.contains("null.read") && !json.contains("foreign_cpu_pct"), "{json}");
}

/// Two campaigns of the null suite, as a side.
fn side(place: &Place, read_us: &str) -> String {
    let ids = [(); 2].map(|()| campaign(place, "null", "2", read_us));
    ids.join(",")
}

#[test]
fn a_regression_beyond_the_limit_has_a_status_of_its_own_and_is_named() {
    let place = Place::new();
    let (a, b) = (side(&place, "1000"), side(&place, "1250"));
    place.ok(&["compare", &a, &b]);
    let failed = place.assay(&["compare", &a, &b, "--fail-on-regression", "5%"]);
    let line = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(6), "{line}");
    let expected =
        "regression beyond 5 %: null read, 1 process: B:null is 0.80x A:null (95 % CI 0.80-0.80)";
    assert!(line.contains(expected), "{line}");
    let last = line.lines().last().unwrap();
    assert!(
        last.contains("unconfirmed regression") && line.contains("confirm with --rerun"),
        "{line}"
    );
    let b1 = b.split(',').next().unwrap();
    let command =
        format!("`assay run --like {b1} --on 'null' --tests 'null.read' --procs '1'`, 2 times");
    assert!(line.contains(&command), "{line}");
    let passed = place.assay(&["compare", &a, &b, "--fail-on-regression", "30%"]);
    let line = text(&passed.stderr);
    assert!(passed.status.success() && line.starts_with("no regression beyond 30 %"), "{line}");
    assert!(line.contains("of 0.0 % in the worst would have been found with 80 % power"), "{line}");
    // What became better is no regression.
    place.ok(&["compare", &b, &a, "--fail-on-regression", "5%"]);
}

/// Unknown campaigns, no store and a damaged one are no regressions, nor passes: a bisection skips them.
#[test]
fn what_is_no_answer_has_other_statuses() {
    let place = Place::new();
    let args = ["compare", "a,b", "c,d", "--fail-on-regression", "5%"];
    assert!(place.fails(&args, 1).contains("no campaigns in"));
    let (a, b) = (side(&place, "1000"), side(&place, "1000"));
    assert!(place.fails(&["compare", &a, "c,d", "--fail-on-regression", "5%"], 1).contains("`c`"));
    fs::write(place.path("store.db"), "no store at all, but long enough to be looked at").unwrap();
    place.fails(&["compare", &a, &b, "--fail-on-regression", "5%"], 1);
}

#[test]
fn what_became_worse_is_measured_again_before_it_is_called_a_regression() {
    let place = Place::new();
    let (a, b) = (side(&place, "1000"), side(&place, "1250"));
    let args = ["compare", &a, &b, "--fail-on-regression", "5%", "--rerun"];
    let failed = place.assay(&args);
    let line = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(6), "{line}");
    assert!(line.contains("measuring it again") && line.contains("measured again: "), "{line}");
    let told = line.lines().last().unwrap();
    assert!(told.contains("regression beyond 5 %: null read, 1 process"), "{line}");
    assert!(!told.contains("unconfirmed"), "{line}");
    // Two campaigns more, of the one cell.
    assert_eq!(place.ok(&["list"]).matches(" run ").count(), 6, "{}", place.ok(&["list"]));
    let show = place.ok(&["show"]);
    assert!(show.contains("null.read") && !show.contains("null.write"), "{show}");
}

/// A read that was slow in both campaigns of B, and is not when it is measured for itself.
#[test]
fn what_is_not_so_again_is_no_regression() {
    let place = Place::new();
    let (a, b) = (side(&place, "1000"), side(&place, "1000"));
    let slow = "UPDATE metric SET value = 0.8 * value WHERE sample IN
                (SELECT number FROM sample WHERE test = 'null.read' AND campaign > 2)";
    Connection::open(place.path("store.db")).unwrap().execute_batch(slow).unwrap();
    let failed = place.assay(&["compare", &a, &b, "--fail-on-regression", "5%"]);
    assert_eq!(failed.status.code(), Some(6), "{}", text(&failed.stderr));
    let passed = place.assay(&["compare", &a, &b, "--fail-on-regression", "5%", "--rerun"]);
    let line = text(&passed.stderr);
    assert_eq!(passed.status.code(), Some(0), "{line}");
    let last = line.lines().last().unwrap();
    assert!(
        line.contains("regression beyond 5 %: null read")
            && last.starts_with("no regression beyond"),
        "{line}"
    );
}

#[test]
fn a_limit_inside_the_band_is_kept() {
    let place = Place::new();
    let (a, b) = (side(&place, "1000"), side(&place, "1030"));
    place.ok(&["compare", &a, &b, "--fail-on-regression", "5%"]);
    let failed = place.assay(&["compare", &a, &b, "--fail-on-regression", "0.02"]);
    let line = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(6), "{line}");
    assert!(line.contains("beyond 2 %") && line.contains("0.97x"), "{line}");
}

#[test]
fn a_gate_that_could_not_find_it_does_not_pass() {
    let place = Place::new();
    let (a, b) = (campaign(&place, "null", "3", "1000"), campaign(&place, "null", "3", "2000"));
    let line = place.fails(&["compare", &a, &b, "--fail-on-regression", "5%"], 5);
    assert!(
        line.contains("do not cover the variation between runs")
            && line.contains("A1,A2,A3 B1,B2,B3"),
        "{line}"
    );
    let shown = place.ok(&["compare", &a, &b]);
    assert!(shown.contains("One campaign per side is only a first look"), "{shown}");
    let (other, another) =
        (campaign(&place, "null", "3", "1000"), campaign(&place, "null", "3", "1000"));
    let several = format!("{a},{other},{another}");
    let line = place.fails(&["compare", &several, &b, "--fail-on-regression", "5%"], 5);
    assert!(line.contains("a single value"), "{line}");
}

#[test]
fn a_gate_needs_a_target_that_both_have() {
    let place = Place::new();
    let a = campaign(&place, "null", "2", "1000");
    let dir = format!("dir:{}", place.dir("data").display());
    let b = campaign(&place, &dir, "2", "1000");
    place.ok(&["compare", &a, &b]);
    let line = place.fails(&["compare", &a, &b, "--fail-on-regression", "5%"], 2);
    assert!(line.contains("no target in common"), "{line}");
    let line = place.assay(&["compare", &a, &b, "--fail-on-regression", "5"]);
    assert_eq!(line.status.code(), Some(2));
    assert!(place.fails(&["compare", &a, &a], 2).contains("named twice"));
}

#[test]
fn campaigns_of_another_scale_are_refused() {
    let place = Place::new();
    let a = campaign_at(&place, "null", ("2", "0.1"), "1000");
    let b = campaign_at(&place, "null", ("2", "0.02"), "1000");
    let line = place.fails(&["compare", &a, &b], 2);
    let said = format!("{a} and {b} did different work");
    assert!(line.contains(&said) && line.contains(": scale 0.1 and 0.02; "), "{line}");
}

#[test]
fn fewer_tests_are_judged_where_that_is_asked() {
    let place = Place::new();
    let (a, b) = (side(&place, "1000"), side(&place, "1250"));
    place.ok(&["compare", &a, &b, "--fail-on-regression", "5%", "--tests", "null.write"]);
    let line = place.fails(&["compare", &a, &b, "--tests", "columnar.*"], 2);
    assert!(line.contains("matches `columnar.*`"), "{line}");
}

/// Small writes in a directory, with the sizes that a trial finds.
#[test]
fn a_campaign_like_another_has_its_sizes() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("data").display());
    let tests = "columnar.write.int.small,columnar.append.int.small";
    place.ok(&[
        "run", "--on", &dir, "--tests", tests, "--procs", "1", "--preset", "smoke", "--blocks", "1",
    ]);
    let first = last(&place);
    let sizes = |id: &str| {
        place.ok(&["export", id, "--format", "json", "--out", "j"]);
        let json = fs::read_to_string(place.path(&format!("j/{id}.json"))).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        (json["campaign"]["plan"]["sizes"].clone(), json["campaign"]["seed"].clone())
    };
    place.ok(&["run", "--like", &first, "--blocks", "2"]);
    let second = last(&place);
    let ((own, seed), (like, another)) = (sizes(&first), sizes(&second));
    assert!(own.as_array().is_some_and(|sizes| sizes.len() == 2), "{own}");
    assert_eq!(own, like);
    assert_ne!(seed, another);
    place.ok(&["compare", &first, &second]);
    let part = ["run", "--like", &first, "--blocks", "1", "--tests", "columnar.write.int.small"];
    place.ok(&part);
    place.ok(&["compare", &first, "last"]);
    let line = place.fails(&["run", "--like", &first, "--procs", "2"], 2);
    assert!(line.contains("did not run columnar.write.int.small at 2 processes"), "{line}");
    let line = place.assay(&["run", "--like", &first, "--scale", "1"]);
    assert_eq!(line.status.code(), Some(2));
    // The original suite's tables rank by another metric, which ours have too.
    let nano = "published-nano-2025-09-rhel9";
    let line = place.fails(&["compare", &first, nano], 2);
    let said = "rank them by different metrics, e.g. durable_rate in MB/s and nano_rate in MB/s; \
                rank both by their common metric: --metric nano_rate";
    assert!(line.contains(said), "{line}");
    let shown = place.ok(&["compare", &first, nano, "--metric", "nano_rate"]);
    assert!(shown.contains("Ranked by nano_rate"), "{shown}");
}
