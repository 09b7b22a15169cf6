//! `assay compare --fail-over`: the exit status of a regression, with the exact figures of the null
//! suite.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, text};

/// Runs the null suite with this length of a read and gives the campaign's id.
fn campaign(place: &Place, target: &str, blocks: &str, read_us: &str) -> String {
    let knob = format!("read_us={read_us}");
    let args = [
        "run", "--suite", "null", "--on", target, "--procs", "1", "--preset", "smoke", "--scale",
        "smoke",
    ];
    place.ok(&[&args[..], &["--blocks", blocks, "--knob", &knob]].concat());
    let show = place.ok(&["show"]);
    show.split_whitespace().next().unwrap().to_string()
}

#[test]
fn a_regression_beyond_the_limit_fails_and_is_named() {
    let place = Place::new();
    let (a, b) = (campaign(&place, "null", "3", "1000"), campaign(&place, "null", "3", "1250"));
    place.ok(&["compare", &a, &b]);
    let line = place.fails(&["compare", &a, &b, "--fail-over", "5%"], 1);
    let expected =
        "regression beyond 5 %: null read, 1 process: B:null is 0.80x A:null (95 % CI 0.80-0.80)";
    assert!(line.contains(expected), "{line}");
    let passed = place.assay(&["compare", &a, &b, "--fail-over", "30%"]);
    let line = text(&passed.stderr);
    assert!(passed.status.success() && line.starts_with("no regression beyond 30 %"), "{line}");
    // What became better is no regression.
    place.ok(&["compare", &b, &a, "--fail-over", "5%"]);
}

#[test]
fn a_limit_inside_the_band_is_kept() {
    let place = Place::new();
    let (a, b) = (campaign(&place, "null", "3", "1000"), campaign(&place, "null", "3", "1030"));
    place.ok(&["compare", &a, &b, "--fail-over", "5%"]);
    let line = place.fails(&["compare", &a, &b, "--fail-over", "0.02"], 1);
    assert!(line.contains("beyond 2 %") && line.contains("0.97x"), "{line}");
}

#[test]
fn a_gate_that_cannot_fail_does_not_pass() {
    let place = Place::new();
    let (a, b) = (campaign(&place, "null", "1", "1000"), campaign(&place, "null", "1", "2000"));
    let line = place.fails(&["compare", &a, &b, "--fail-over", "5%"], 2);
    assert!(line.contains("no ratio with an interval") && line.contains("--blocks 5"), "{line}");
}

#[test]
fn a_gate_needs_a_target_that_both_have() {
    let place = Place::new();
    let a = campaign(&place, "null", "2", "1000");
    let dir = format!("dir:{}", place.dir("data").display());
    let b = campaign(&place, &dir, "2", "1000");
    place.ok(&["compare", &a, &b]);
    let line = place.fails(&["compare", &a, &b, "--fail-over", "5%"], 2);
    assert!(line.contains("no target in common"), "{line}");
    let line = place.assay(&["compare", &a, &b, "--fail-over", "5"]);
    assert_eq!(line.status.code(), Some(2));
}
