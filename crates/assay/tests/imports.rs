//! Tests that results of other tools become ordinary campaigns: stored, shown, exported, compared; published studies
//! are shown as they are.

use crate::common::{Place, text};
use formats::export;
use model::{
    plan::Scale,
    result::{Dataset, Origin},
    workload::{CacheState, TestSize},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Whether an output of a real tool holds a valid result; importing another must fail with one line.
fn has_result(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let file = (name, fs::read(path).unwrap());
    let valid = |data: Dataset| data.samples.iter().any(|s| s.evidence.validity.is_valid());
    let created = "2026-01-02T03:04:05Z".into();
    let options = formats::ImportOptions { created, ..Default::default() };
    formats::import(&[file], None, &options).is_ok_and(valid)
}

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
    assert!(outputs().iter().filter(|path| has_result(path)).count() > 70);
    for path in outputs() {
        let (name, file) = (path.file_name().unwrap().to_str().unwrap(), path.to_str().unwrap());
        if !has_result(&path) {
            let line = place.fails(&["import", file], 1);
            let is_told = line.contains(name) || line.contains("valid");
            assert!(is_told, "{name}: {line}");
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
        assert!(again.contains("already in the store"), "{name}: {again}");
    }
}

#[test]
fn bundle_is_read_back_and_is_anonymous_by_default() {
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
    assert!(here.ok(&["import", &bundle]).contains("already in the store"));
    assert!(there.ok(&["import", &bundle]).contains("samples of 1 target"));
    let bundle = export(&[]);
    let line = there.ok(&["import", &bundle]);
    let tables = there.ok(&["report", line.split(": ").next().unwrap()]);
    assert!(tables.contains("dir:/path-1") && !tables.contains("jane"), "{tables}");
    fs::write(&bundle, &fs::read(&bundle).unwrap()[..200]).unwrap();
    let why = there.fails(&["import", &bundle], 1);
    assert!(why.contains(".assay.gz") && why.contains("damaged or truncated"), "{why}");
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
    assert!(list.contains(&second) && list.lines().count() == 2, "{list}");
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
fn targets_without_a_common_job_say_what_to_rename() {
    let place = Place::new();
    let (output, job) = (fixture("fio-seqwrite-fsync.json"), "\"jobname\" : \"w\"");
    assert!(output.contains(job));
    let files = ["ext4", "xfs"].map(|target| {
        let own = output.replace(job, &format!("\"jobname\" : \"{target}-job\""));
        fs::write(place.path(&format!("{target}.json")), own).unwrap();
        format!("{target}.json")
    });
    place.ok(&["import", &files[0], &files[1]]);
    let said = place.ok(&["report", "--summary"]).replace('\n', " ");
    let told = "the targets have no test in common (ext4: ext4-job; xfs: xfs-job). Name the same work alike";
    assert!(said.contains(told) && !said.contains("no sample of fio is valid"), "{said}");
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
fn campaign_of_a_user_is_shown_next_to_a_study() {
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

/// What a user of assay measured of the tests of `study`, at `scale`, as its JSON.
fn own_of(study: &Dataset, scale: f64) -> Vec<u8> {
    let mut own = study.clone();
    let campaign = &mut own.campaign;
    (campaign.id, campaign.origin, campaign.scale) = (format!("own-{scale}"), Origin::Run, scale);
    campaign.plan.scale = Scale::Factor(scale);
    campaign.environment.0.insert("kernel.release".into(), "6.1".into());
    own.samples.iter_mut().for_each(|sample| sample.case.cache = CacheState::Any);
    export::json(&own).unwrap().remove(0).1
}

#[test]
fn a_study_is_compared_by_its_metric_with_what_did_all_of_its_work_and_nothing_else() {
    let place = Place::new();
    let import = |name: &str, json: Vec<u8>| {
        fs::write(place.path(name), json).unwrap();
        let line = place.ok(&["import", name]);
        line.split(':').next().unwrap().to_string()
    };
    for study in formats::published().unwrap() {
        let [small, full] = [0.002, 1.0].map(|scale| import("own.json", own_of(&study, scale)));
        let study = study.campaign.id.as_str();
        for sides in [[study, &small], [&small, study]] {
            let line = place.fails(&["compare", sides[0], sides[1]], 2);
            assert!(line.contains("0.002") && line.contains("--scale full"), "{line}");
        }
        assert!(place.ok(&["compare", study, &full]).contains("Targets over the cells"));
    }
    let nano = formats::published().unwrap().swap_remove(0);
    let study = nano.campaign.id.as_str();
    let mut own = nano.clone();
    own.samples.iter_mut().for_each(|sample| {
        let mut other = sample.figures.metrics[0].clone();
        other.kind.name = "durable_rate".into();
        sample.figures.metrics.insert(0, other);
    });
    own.tests.iter_mut().for_each(|test| test.metric = "durable_rate".into());
    let size = |test: &model::workload::TestInfo| TestSize {
        test: test.id.clone(),
        procs: 1,
        scale: 0.25,
        work: None,
    };
    own.campaign.plan.sizes = own.tests.iter().map(size).collect();
    let sized = import("own.json", own_of(&own, 1.0));
    let line = place.fails(&["compare", study, &sized], 2);
    assert!(line.contains("--metric nano_rate"), "{line}");
    let line = place.fails(&["compare", study, &sized, "--metric", "nano_rate"], 2);
    assert!(line.contains("0.25") && line.contains("--scale full"), "{line}");
    own.campaign.plan.sizes.clear();
    let full = import("own.json", own_of(&own, 1.0));
    let tables = place.ok(&["compare", study, &full, "--metric", "nano_rate"]);
    assert!(tables.contains("Targets over the cells"), "{tables}");
}

fn fixture(name: &str) -> String {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures");
    fs::read_to_string(format!("{dir}/{name}")).unwrap()
}

#[test]
fn an_import_without_a_valid_sample_fails() {
    let place = Place::new();
    fs::write(place.path("full.json"), fixture("fio-enospc-error.json")).unwrap();
    let line = place.fails(&["import", "full.json"], 1);
    assert!(line.contains("nothing was stored: the only sample is not valid"), "{line}");
    assert!(line.contains("No space left on device"), "{line}");
    assert!(!place.ok(&["list"]).contains("full"));

    let mut own = formats::published().unwrap().swap_remove(0);
    let write = |own: &Dataset| {
        fs::write(place.path("own.json"), export::json(own).unwrap().remove(0).1).unwrap();
    };
    // A failed campaign may be shared, and says that it failed.
    for sample in &mut own.samples {
        *sample.evidence.validity =
            model::result::Validity::Invalid(model::result::Reason::said("the disk was full"));
    }
    write(&own);
    let output = place.assay(&["import", "own.json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("of them invalid"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("stored, but none of"), "{}", text(&output.stderr));
    own.samples.clear();
    write(&own);
    assert!(place.fails(&["import", "own.json"], 1).contains("the files contain no samples"));
}

/// A run of fio that gave `iops`, at its own time.
fn run_of_fio(at: u64, iops: f64) -> String {
    let text =
        fixture("fio-3.12-sync-zero.json").replace("1600000000", &(1_600_000_000 + at).to_string());
    let text = text.replace("\"iops\":5000.0", &format!("\"iops\":{iops}"));
    text.replace("\"total_ios\":50000,", &format!("\"total_ios\":{},", (iops * 10.0) as u64))
}

#[test]
fn files_of_named_targets_are_compared_with_intervals() {
    let place = Place::new();
    for n in 0..4 {
        let (at, off) = (n * 100, n as f64);
        fs::write(place.path(&format!("a-{n}.json")), run_of_fio(at, 5000.0 + off)).unwrap();
        fs::write(place.path(&format!("b-{n}.json")), run_of_fio(at + 50, 5200.0 + off)).unwrap();
    }
    let targets = ["--target", "alpha=a-*.json", "--target", "beta=b-*.json"];
    let line = place.ok(&[&["import", "--format", "fio-json"], &targets[..]].concat());
    assert!(line.contains("8 samples of 2 targets"), "{line}");
    let id = line.split(':').next().unwrap();
    let tables = place.ok(&["report", id]);
    assert!(tables.contains("beta is best") || tables.contains("beta is ahead"), "{tables}");
    place.ok(&["export", id, "--format", "csv", "--out", "out"]);
    let samples = fs::read_to_string(place.path("out").join("samples.csv")).unwrap();
    assert!(samples.contains(",3,0,alpha,") && samples.contains(",3,1,beta,"), "{samples}");

    for (arguments, part) in [
        (&["import", "a-0.json", "--target", "alpha,beta"][..], "combine 2"),
        (&["import", "a-0.json", "--target", "beta=b-*.json"], "a-0.json belongs to no target"),
        (&["import", "--target", "alpha=z-*.json"], "no file matches z-*.json"),
        (
            &["import", "--target", "alpha=a-*.json", "--target", "beta=a-0.json"],
            "is given for both target alpha and target beta",
        ),
    ] {
        let line = place.fails(arguments, 1);
        assert!(line.contains(part), "{line}");
    }
}
