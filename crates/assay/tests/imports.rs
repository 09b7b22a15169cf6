//! What other tools wrote becomes a campaign like any other: stored, shown, exported, put beside
//! another; the published studies are shown as they stand.

use crate::common::{Place, text};
use std::{fs, path::PathBuf};

/// Outputs of real tools that hold no result: importing them must fail with one line.
const WITHOUT_RESULT: [&str; 4] = [
    "bonnie-r1g-error.txt",
    "fio-badopt.json",
    "sysbench-fileio-error-after-seqwr.txt",
    "sysbench-fileio-prepare.txt",
];

fn outputs() -> Vec<PathBuf> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures");
    let mut paths: Vec<_> = fs::read_dir(dir).unwrap().flatten().map(|e| e.path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    assert!(paths.len() > 20, "{dir}");
    paths
}

#[test]
fn the_output_of_every_tool_becomes_a_campaign_with_tables() {
    let place = Place::new();
    for path in outputs() {
        let (name, file) = (path.file_name().unwrap().to_str().unwrap(), path.to_str().unwrap());
        if WITHOUT_RESULT.contains(&name) {
            let line = place.fails(&["import", file], 1);
            assert!(line.contains(name), "{name}: {line}");
            continue;
        }
        let line = place.ok(&["import", file, "--target", "here"]);
        let id = line.split(':').next().unwrap();
        let tables = place.ok(&["report", id]);
        assert!(tables.contains("here"), "{name}: {tables}");
        let page = place.ok(&["report", id, "--format", "html"]);
        assert!(page.contains("<table"), "{name}");
        let out = format!("out-{name}");
        for format in
            ["csv", "json", "md", "fio-json", "bundle", "hyperfine", "benchfmt", "openmetrics"]
        {
            place.ok(&["export", id, "--format", format, "--out", &out]);
        }
        let again = place.ok(&["import", file, "--target", "here"]);
        assert!(again.contains("already there"), "{name}: {again}");
    }
}

#[test]
fn a_bundle_is_read_back_and_names_nobody_unless_it_is_asked_to() {
    let (here, there) = (Place::new(), Place::new());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures/mdtest-ext4.txt");
    let line = here.ok(&["import", file, "--target", "dir:/srv/jane"]);
    let id = line.split(':').next().unwrap();
    let export = |more: &[&str]| {
        let path =
            here.ok(&[&["export", id, "--format", "bundle", "--out", "bundle"], more].concat());
        here.path(path.trim()).display().to_string()
    };
    let bundle = export(&["--identify"]);
    assert!(here.ok(&["import", &bundle]).contains("already there"));
    assert!(there.ok(&["import", &bundle]).contains("samples of 1 targets"));
    let bundle = export(&[]);
    let line = there.ok(&["import", &bundle]);
    let tables = there.ok(&["report", line.split(": ").next().unwrap()]);
    assert!(tables.contains("dir:/path-1") && !tables.contains("jane"), "{tables}");
    fs::write(&bundle, &fs::read(&bundle).unwrap()[..200]).unwrap();
    let why = there.fails(&["import", &bundle], 1);
    assert!(why.contains(".assay.gz") && why.contains("damaged or cut"), "{why}");
    here.fails(&["export", id, "--format", "csv", "--identify"], 2);
}

#[test]
fn a_campaign_is_removed_by_name_and_the_others_stay() {
    let place = Place::new();
    let of = |target: &str| {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures/bonnie.csv");
        let line = place.ok(&["import", file, "--target", target]);
        line.split(':').next().unwrap().to_string()
    };
    let (first, second) = (of("one"), of("two"));
    assert!(place.fails(&["rm", &first, "nothing"], 1).contains("nothing"));
    assert_eq!(place.ok(&["rm", "last~1"]).trim(), format!("removed {first}"));
    let list = place.ok(&["list"]);
    assert!(list.contains(&second) && list.lines().count() == 1, "{list}");
}

#[test]
fn every_published_study_is_shown() {
    let place = Place::new();
    let list = place.ok(&["list", "--published"]);
    let ids: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(ids.iter().filter(|id| id.starts_with("published-")).count() >= 6, "{list}");
    for id in ids.iter().filter(|id| id.starts_with("published-")) {
        let tables = place.ok(&["report", id]);
        assert!(tables.contains("One run"), "{id}: {tables}");
        assert!(place.ok(&["report", id, "--format", "html"]).len() < 1_500_000, "{id}");
    }
}

#[test]
fn a_file_that_no_tool_wrote_is_named() {
    let place = Place::new();
    fs::write(place.path("notes.txt"), "some notes\n").unwrap();
    let line = place.fails(&["import", "notes.txt"], 1);
    assert!(line.contains("notes.txt"), "{line}");
    fs::write(place.path("empty.json"), "").unwrap();
    let line = place.fails(&["import", "empty.json", "--format", "fio"], 1);
    assert!(line.contains("empty.json"), "{line}");
    let line = place.fails(&["import", "notes.txt", "--format", "spreadsheet"], 1);
    assert!(line.contains("spreadsheet") && line.contains("mdtest"), "{line}");
}

#[test]
fn a_users_campaign_stands_beside_a_study() {
    let place = Place::new();
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures");
    let file = format!("{dir}/mdtest-ext4.txt");
    let line = place.ok(&["import", &file, "--target", "mine"]);
    let id = line.split(':').next().unwrap();
    let study = "published-cloud-2025-07-mdtest-ops";
    let output = place.assay(&["compare", study, id]);
    let tables = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for shown in ["ebs-gp3", "mine", "Directory creation"] {
        assert!(tables.contains(shown), "{shown}: {tables}");
    }
    let line = place.fails(&["compare", study, "published-cloud-2025-07-apps-seconds"], 2);
    assert!(line.contains("no test"), "{line}");
}
