//! Aged and filled candidates, and data like the user's, from the command line to the report.

use crate::common::{Place, ready, root_or_skip, text};
use std::fs;

const TEST: &str = "columnar.write.int.small";

#[test]
fn a_campaign_says_in_which_state_its_file_systems_were() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let targets = ready(&place, &["ext4", "xfs"]).join(",");
    if targets.is_empty() {
        return;
    }
    let args = [
        "--on", &targets, "--preset", "smoke", "--scale", "smoke", "--procs", "1", "--tests", TEST,
    ];
    let state = ["--age", "10", "--fullness", "50", "--image-size", "600M", "--seed", "4"];
    let plan = place.ok(&[&["plan"][..], &args, &state].concat());
    assert!(plan.contains("each instance is first aged by 10 cycles, 50 % full: "), "{plan}");
    assert!(plan.contains(" written per instance in about "), "{plan}");

    let aged = place.ok(&[&["run"][..], &args, &state].concat());
    assert!(aged.contains("aged by 10 cycles, 50 % full"), "{aged}");
    place.assert_clean();
    let dataset = exported(&place);
    for key in ["layout_score", "fullness_pct", "age.layout_score.before", "age.fingerprint"] {
        assert!(dataset.contains(&format!("\"{key}\"")), "{key} is not stored");
    }

    let fresh = place.ok(&[&["run"][..], &args, &["--image-size", "600M"]].concat());
    assert!(fresh.contains("fresh file systems only"), "{fresh}");
    let ids: Vec<String> = place.ok(&["list"]).lines().filter_map(campaign_id).collect();
    let compared = place.ok(&["compare", &ids[1], &ids[0]]);
    assert!(compared.contains("condition"), "{compared}");
}

/// The last campaign with all its samples, as JSON.
fn exported(place: &Place) -> String {
    place.ok(&["export", "--format", "json", "--out", "out"]);
    let file = fs::read_dir(place.path("out")).unwrap().next().unwrap().unwrap().path();
    fs::read_to_string(file).unwrap()
}

/// The id of a campaign in a line of `assay list`.
fn campaign_id(line: &str) -> Option<String> {
    line.split_whitespace().next().filter(|word| word.starts_with("20")).map(str::to_string)
}

#[test]
fn what_cannot_be_aged_or_filled_is_refused_at_once() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("d").display());
    let error = place.fails(&["run", "--on", &dir, "--fullness", "80"], 2);
    assert!(error.contains("cannot be aged or filled"), "{error}");
    let error = place.fails(&["run", "--on", &dir, "--fullness", "99"], 2);
    assert!(error.contains("--fullness must be between 1 and"), "{error}");
    let error = place.fails(&["run", "--on", &dir, "--age", "20000"], 2);
    assert!(error.contains("--age must be between 0 and 10000, not 20000"), "{error}");
}

#[test]
fn data_like_files_is_stored_as_numbers_and_needs_the_files_no_more() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("d").display());
    let like = place.dir("like");
    fs::write(like.join("zeros"), vec![0; 1 << 20]).unwrap();
    fs::write(like.join("text"), "the quick brown fox, ".repeat(50_000)).unwrap();
    let data = format!("like:{}", like.display());
    let output = place.assay(&[
        "run", "--on", &dir, "--preset", "smoke", "--scale", "smoke", "--procs", "1", "--tests",
        TEST, "--data", &data,
    ]);
    let told = text(&output.stderr);
    assert!(output.status.success() && told.contains("of the blocks are zero"), "{told}");
    fs::remove_dir_all(&like).unwrap();
    let dataset = exported(&place);
    assert!(dataset.contains("\"like(zero=49") && !dataset.contains("like:"), "{told}");
    let error = place.fails(&["run", "--on", &dir, "--data", &data], 2);
    assert!(error.contains("cannot sample"), "{error}");
}
