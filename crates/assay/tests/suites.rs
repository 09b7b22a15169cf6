//! Every suite except the columnar one on real file systems: ext4, xfs and btrfs on a loop image at the smallest scale,
//! each sample valid, each test in the tables and in the page.

use crate::common::{Place, fields, ready, root_or_skip, text};
use std::{collections::BTreeSet, fs};

/// One test, because suites that ran at the same time would take each other's pages out of the cache.
#[test]
fn every_suite_is_valid_on_every_file_system() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let targets = ready(&place, &["ext4", "xfs", "btrfs"]);
    if targets.is_empty() {
        return;
    }
    let list = place.ok(&["explain"]);
    // The list ends at the first empty line.
    let suites = list.lines().map_while(|line| line.split_whitespace().next());
    let wrong: Vec<String> = suites
        .filter(|suite| *suite != "columnar")
        .flat_map(|s| check(&place, s, &targets))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs `suite` and says what is wrong with what came of it.
fn check(place: &Place, suite: &str, targets: &[&str]) -> Vec<String> {
    let on = targets.join(",");
    let all =
        ["run", "--suite", suite, "--on", &on, "--preset", "smoke", "--scale", "smoke", "--full"];
    // Which states a cut may leave is tested elsewhere.
    let few = if suite == "faults" { &["--knob", "states=5"][..] } else { &[] };
    let output = place.assay(&[&all[..], few].concat());
    let (tables, said) = (text(&output.stdout), text(&output.stderr));
    let left_out = said.lines().filter(|line| line.contains("left out"));
    left_out.for_each(|line| needs::skip(needs::Need::Other, line));
    place.assert_clean();
    if !output.status.success() {
        return vec![format!("{suite}: {said}{tables}")];
    }
    place.ok(&["export", "--out", suite]);
    let page = fs::read_to_string(place.path("report.html")).unwrap();
    let names = names(&place.ok(&["explain", suite]));
    let mut wrong = Vec::new();
    let mut measured = BTreeSet::new();
    let mut samples = csv(place, suite, "samples.csv");
    samples.retain(|f| f[0] != "campaign");
    for f in &samples {
        measured.insert((f[3].clone(), f[5].clone()));
        let validity = &f[23];
        // What a file system does not have is refused by name.
        if validity != "valid" && !validity.contains("not_supported") {
            wrong.push(format!("{} on {}: {validity}", f[5], f[3]));
        }
    }
    let tests: BTreeSet<String> = measured.iter().map(|(_, test)| test.clone()).collect();
    if tests.is_empty() {
        wrong.push(format!("{suite}: no sample"));
    }
    for test in &tests {
        for target in targets.iter().filter(|t| !measured.contains(&(t.to_string(), test.clone())))
        {
            wrong.push(format!("{test} was not measured on {target}"));
        }
        let name = &names.iter().find(|(id, _)| id == test).unwrap().1;
        for (what, shown) in [("tables", &tables), ("page", &page)] {
            if !shown.contains(name.as_str()) {
                wrong.push(format!("{test}: `{name}` is not in the {what}"));
            }
        }
    }
    wrong.dedup();
    wrong
}

/// Ids with names, from the list `ID NAME (TYPE)`.
fn names(list: &str) -> Vec<(String, String)> {
    let read = |line: &str| {
        let (id, rest) = line.split_once(' ')?;
        let name = rest.rsplit_once(" (")?.0;
        Some((id.to_string(), name.trim().to_string()))
    };
    list.lines().filter_map(read).collect()
}

fn csv(place: &Place, dir: &str, file: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(place.path(dir).join(file)).unwrap();
    text.lines().map(fields).collect()
}
