//! Every study that is built in has a plan file that does its work, and a row on the page that tells how to run it.

use crate::common::{Place, text};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The plan file of each study, by the table of the page.
fn plans() -> BTreeMap<String, PathBuf> {
    let page = fs::read_to_string(docs().join("studies.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `published-"));
    let of = |row: &str| {
        let id = row.split('`').nth(1).unwrap().to_string();
        let file = row.split("](").nth(1).unwrap().split(')').next().unwrap();
        (id, docs().join(file))
    };
    rows.map(of).collect()
}

#[test]
fn every_study_has_a_plan_and_every_plan_a_study() {
    let plans = plans();
    let studies = formats::published().unwrap();
    let ids: Vec<&str> = studies.iter().map(|data| data.campaign.id.as_str()).collect();
    assert_eq!(plans.len(), ids.len());
    assert!(ids.iter().all(|id| plans.contains_key(*id)), "{ids:?}");
    let files = fs::read_dir(docs().join("studies")).unwrap().flatten().map(|e| e.path());
    for file in files.filter(|file| file.is_file()) {
        assert!(plans.values().any(|plan| *plan == file), "{} is of no study", file.display());
    }
}

#[test]
fn the_plan_of_a_study_does_its_tests() {
    let place = Place::new();
    for data in formats::published().unwrap() {
        let plan = &plans()[&data.campaign.id];
        let written = fs::read_to_string(plan).unwrap();
        let suite = written.lines().find_map(|line| line.strip_prefix("suites = [\"")).unwrap();
        let suite = suite.split('"').next().unwrap();
        let has = match suite {
            "mdtest" | "bonnie++" => {
                formats::tool_tests(suite).iter().map(|test| test.id.clone()).collect()
            }
            _ => place.ok(&["explain", suite]),
        };
        let missing: Vec<&str> = data
            .tests
            .iter()
            .map(|test| test.id.as_str())
            .filter(|id| !has.contains(id) && !id.contains(".other."))
            .collect();
        assert_eq!(missing, [""; 0], "{}", plan.display());
    }
}

#[test]
fn every_plan_is_one_that_can_be_planned() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("target").display());
    for plan in plans().values() {
        let file = plan.to_str().unwrap();
        let args = ["plan", file, "--on", &dir, "--baseline", &dir];
        let small = ["--preset", "smoke", "--scale", "0.0005"];
        let output = place.assay(&[&args[..], &small].concat());
        let (told, why) = (text(&output.stdout), text(&output.stderr));
        match output.status.code() {
            Some(0) => assert!(told.contains("1 block: "), "{file}: {told}"),
            // The file of the study is twice the memory of its machine, whatever the scale.
            Some(2) => assert!(why.contains("needs 126 GiB"), "{file}: {why}"),
            // The programs of the study are not installed here.
            Some(3) => assert!(why.contains("needs the program"), "{file}: {why}"),
            other => panic!("{file}: {other:?} {why}"),
        }
    }
}
