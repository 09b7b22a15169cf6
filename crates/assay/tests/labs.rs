//! A stored campaign of several labs, through the verbs that rank: none of them ranks across labs.

use crate::common::{Place, text};
use std::fs;

/// Exports the last campaign, has `change` rewrite the lines of its samples, and imports it as `id`.
fn changed(place: &Place, id: &str, change: impl Fn(&str) -> String) {
    let dir = format!("export-{id}");
    place.ok(&["export", "last", "--format", "csv", "--out", &dir]);
    let path = place.path(&dir).join("samples.csv");
    let samples = fs::read_to_string(&path).unwrap();
    let own = samples.lines().next().unwrap().to_string();
    let lines = samples.lines().skip(1).map(&change);
    let table: Vec<String> = [own].into_iter().chain(lines).collect();
    fs::write(&path, table.join("\n") + "\n").unwrap();
    let old = table[1].split(',').next().unwrap().to_string();
    for file in ["samples.csv", "campaign.json"] {
        let path = place.path(&dir).join(file);
        fs::write(&path, fs::read_to_string(&path).unwrap().replace(&old, id)).unwrap();
    }
    place.ok(&["import", &dir]);
}

/// The line as if it had been measured in `lab`.
fn moved(line: &str, lab: &str) -> String {
    // Lab, durability and what a fault left are the last.
    let mut from_end = line.rsplitn(4, ',');
    let (after_fault, durability, _) = (from_end.next(), from_end.next(), from_end.next());
    let (rest, ends) = (from_end.next().unwrap(), [durability.unwrap(), after_fault.unwrap()]);
    format!("{rest},{lab},{}", ends.join(","))
}

fn measured() -> Place {
    let place = Place::new();
    let on = ["--on", "null", "--on", "null", "--on", "null"];
    let work = ["--suite", "null", "--procs", "1", "--blocks", "3", "--no-aa", "--seed", "7"];
    place.ok(&[&["run"][..], &on[..], &work[..]].concat());
    place
}

#[test]
fn a_campaign_of_two_labs_has_two_parts_everywhere() {
    let place = measured();
    changed(&place, "mixed", |line| {
        let lab = if line.contains("null#3") { "uml" } else { "host" };
        moved(line, lab)
    });
    let report = place.ok(&["report", "mixed"]);
    assert!(report.contains("2 kinds of lab (on the host: null, null#2;"), "{report}");
    assert!(report.contains("Measured in User-Mode Linux: null#3. One CPU"), "{report}");
    assert!(!report.contains("null#3  value"), "{report}");
    let csv = place.ok(&["report", "mixed", "--format", "csv"]);
    let labs = |target: &str| csv.lines().filter(|l| l.contains(target)).collect::<Vec<_>>();
    assert!(labs(",null#3,").iter().all(|line| line.contains(",uml,")), "{csv}");
    assert!(labs(",null#2,").iter().all(|line| line.contains(",host,")), "{csv}");
    assert!(place.ok(&["export", "mixed", "--format", "json", "--out", "j"]).contains("j"));
}

#[test]
fn campaigns_of_two_labs_are_not_compared() {
    let place = measured();
    changed(&place, "there", |line| moved(line, "tcg"));
    changed(&place, "here", |line| moved(line, "host"));
    let shown = place.ok(&["compare", "here", "there"]);
    assert!(shown.contains("figures of different labs are not comparable"), "{shown}");
    assert!(shown.contains("settings: lab") && shown.contains("side by side, not comparable"));
    let gated = place.assay(&["compare", "here", "there", "--fail-on-regression", "5%"]);
    assert_eq!(gated.status.code(), Some(2), "{}", text(&gated.stderr));
    assert!(text(&gated.stderr).contains("measured in different labs"));
}
