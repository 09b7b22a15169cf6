//! Tests that foreign campaigns are read but never run: imports, stores of another machine, and edited campaigns. A
//! campaign continues only if the store and the state folder agree that this installation started it.

use crate::common::{Place, confines_or_skip, copy_program, skip_another_user, text};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The user `nobody`, on every Linux.
const NOBODY: u32 = 65534;

/// A place with one campaign on the null file system, all of whose blocks are stored.
fn measured() -> Place {
    let place = Place::new();
    place.ok(&[
        "run", "--suite", "null", "--on", "null", "--procs", "1", "--preset", "smoke", "--scale",
        "smoke",
    ]);
    place
}

/// The id of the only campaign.
fn id(place: &Place) -> String {
    place.campaigns(&[])[0]["id"].as_str().unwrap().into()
}

/// A command that makes the file which it names.
const ONCE: &str = "/usr/bin/touch";

/// A place with a campaign whose command makes a file; also that file, which is not there any more.
fn of_a_command() -> (Place, PathBuf) {
    let place = Place::new();
    let (dir, trace) = (place.dir("target"), place.path("trace"));
    let suite = format!(
        "name = 'other'\nabout = 'x'\n[[test]]\nkind = 'app'\nid = 'other.a'\n\
         command = '{ONCE} {}'\n",
        trace.display()
    );
    fs::write(place.path("other.toml"), suite).unwrap();
    let on = format!("dir:{}", dir.display());
    let args = [
        "run",
        "--suite",
        "other.toml",
        "--on",
        &on,
        "--procs",
        "1",
        "--preset",
        "smoke",
        "--scale",
        "smoke",
    ];
    place.assay(&args);
    // Nothing is there where the command was kept from making it.
    let _ = fs::remove_file(&trace);
    (place, trace)
}

/// What `export --format` wrote of that campaign, edited so that it says that it was run here and is not
/// finished. The store is gone.
fn attack(format: &str, devices: &Value) -> (Place, PathBuf) {
    let (place, trace) = of_a_command();
    place.ok(&["export", "--format", format, "--out", "out"]);
    fs::remove_file(place.path("store.db")).unwrap();
    let mut documents = files(&place.path("out"));
    documents.retain(|path| path.extension().unwrap() == "json");
    let [path] = &documents[..] else { panic!("{documents:?}") };
    let mut document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    poison(&mut document["campaign"], devices);
    // The reader of a dataset wants its schema first.
    let schema = document.as_object_mut().unwrap().remove("schema");
    let head = schema.map_or("{".into(), |schema| format!("{{\"schema\":{schema},"));
    fs::write(path, head + &document.to_string()[1..]).unwrap();
    (place, trace)
}

/// Makes a campaign one that was run here, has a block to go, and may destroy `devices`.
fn poison(campaign: &mut Value, devices: &Value) {
    campaign["origin"] = json!("run");
    campaign["state"] = json!("open");
    campaign["plan"]["blocks"] = json!(2);
    if devices.as_array().unwrap().is_empty() {
        return;
    }
    campaign["plan"]["backing"]["devices"] = devices.clone();
}

/// Every file below `dir`.
fn files(dir: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The folder that holds what was exported.
fn exported(place: &Place) -> PathBuf {
    files(&place.path("out"))[0].parent().unwrap().into()
}

fn assert_refused(output: &Output, says: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(says), "{stderr}");
}

/// Imports what was exported and tries to run it, each by what `assay` makes of arguments.
fn import_is_never_run(place: &Place, trace: &Path, assay: &dyn Fn(&[&str]) -> Output) {
    let imported = assay(&["import", exported(place).to_str().unwrap()]);
    // Nothing of it is valid, as its command was kept from running.
    assert!(
        text(&imported.stderr).contains("stored, but the only sample is not valid"),
        "{imported:?}"
    );
    let list = text(&assay(&["list"]).stdout);
    assert!(list.contains(" import ") && list.contains(" done "), "{list}");
    assert!(!list.contains(" open "), "{list}");
    assert_refused(&assay(&["resume"]), "was imported");
    assert_refused(&assay(&["resume", "--destroy", "S1"]), "was imported");
    assert_refused(&assay(&["tune", "--on", "ext4"]), "was imported");
    assert!(!trace.exists(), "a command of the file was run");
    let report = assay(&["report"]);
    assert!(report.status.success(), "{}", text(&report.stderr));
    assert!(!text(&assay(&["show"]).stdout).contains("destroy"));
}

/// Runs as the user `nobody` in `place`, which becomes theirs; `None` where that cannot be done.
fn as_nobody(place: &Place) -> Option<impl Fn(&[&str]) -> Output> {
    let program = place.path("assay");
    copy_program(&program);
    chown(place.path("."), Some(NOBODY), Some(NOBODY)).ok()?;
    chown(place.dir("target"), Some(NOBODY), Some(NOBODY)).ok()?;
    let run = move |args: &[&str]| {
        let dir = program.parent().unwrap();
        let ids = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        let mut command = Command::new("setpriv");
        command.args(ids).arg(&program).args(args).current_dir(dir);
        command.env("ASSAY_STORE", dir.join("mine.db")).env("ASSAY_STATE", dir.join("mine"));
        command.output().unwrap()
    };
    let can = Command::new("setpriv").arg("--version").output().is_ok_and(|o| o.status.success());
    (can && run(&["list", "--published"]).status.success()).then_some(run)
}

#[test]
fn a_dataset_is_imported_and_never_run() {
    if !confines_or_skip() {
        return;
    }
    for devices in [json!([]), json!(["/dev/disk/by-id/none"])] {
        let (place, trace) = attack("json", &devices);
        import_is_never_run(&place, &trace, &|args| place.assay(args));
    }
}

#[test]
fn tables_are_imported_and_never_run() {
    if !confines_or_skip() {
        return;
    }
    for devices in [json!([]), json!(["/dev/disk/by-id/none"])] {
        let (place, trace) = attack("csv", &devices);
        import_is_never_run(&place, &trace, &|args| place.assay(args));
    }
}

#[test]
fn a_dataset_that_gives_a_consent_is_refused() {
    let place = measured();
    place.ok(&["export", "--format", "json", "--out", "out"]);
    let [path] = &files(&place.path("out"))[..] else { panic!("it is one file") };
    let text = fs::read_to_string(path).unwrap();
    let consenting = text.replacen("\"backing\": {", "\"backing\": {\"destroy\": [\"S1\"],", 1);
    assert_ne!(consenting, text);
    fs::write(path, consenting).unwrap();
    let why = place.fails(&["import", path.to_str().unwrap()], 1);
    assert!(why.contains("unknown field `destroy`"), "{why}");
}

#[test]
fn a_plain_user_runs_no_import_either() {
    if !confines_or_skip() {
        return;
    }
    for format in ["json", "csv"] {
        let (place, trace) = attack(format, &json!([]));
        let Some(assay) = as_nobody(&place) else {
            return skip_another_user();
        };
        import_is_never_run(&place, &trace, &assay);
    }
}

/// Opens the store like an editor would.
fn edit(place: &Place, sql: &str) {
    let db = Connection::open(place.path("store.db")).unwrap();
    db.execute_batch(sql).unwrap();
}

/// A place with an open campaign of one block on a directory, which this assay began.
fn begun() -> Place {
    let place = measured();
    edit(&place, "UPDATE campaign SET state = 'open'; UPDATE block SET state = 'open'");
    place
}

#[test]
fn what_this_assay_began_goes_on() {
    let place = begun();
    let output = place.assay(&["resume"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(place.ok(&["list"]).contains(" done "));
}

#[test]
fn a_campaign_that_was_edited_is_not_run() {
    let other = "UPDATE campaign SET id = 'other'";
    let scale = "UPDATE campaign SET scale = 2";
    let seed = "UPDATE campaign SET seed = seed + 1";
    let unmarked = "UPDATE campaign SET mark = NULL";
    let wrong = "UPDATE campaign SET mark = 'x'";
    let test = "PRAGMA foreign_keys = 0; UPDATE test SET name = 'x'";
    for sql in [other, scale, seed, unmarked, wrong, test] {
        let place = begun();
        edit(&place, sql);
        assert_refused(&place.assay(&["resume"]), "assay run PLAN.toml");
        assert_refused(&place.assay(&["tune", "--on", "ext4"]), "assay run PLAN.toml");
    }
}

#[test]
fn a_command_that_was_put_into_a_store_is_not_run() {
    if !confines_or_skip() {
        return;
    }
    let (place, trace) = of_a_command();
    let again = "UPDATE campaign SET state = 'open'; UPDATE block SET state = 'open'";
    edit(&place, &format!("{again}; UPDATE campaign SET plan = replace(plan, '{ONCE}', 'touch')"));
    assert_refused(&place.assay(&["resume"]), "was modified after it was started");
    assert!(!trace.exists(), "the command was run");
}

#[test]
fn a_store_of_another_state_is_read_and_not_run() {
    let (place, other) = (measured(), begun());
    fs::copy(other.path("store.db"), place.path("store.db")).unwrap();
    assert_refused(&place.assay(&["resume"]), "a state folder other than");
    assert_refused(&place.assay(&["tune", "--on", "ext4"]), "a state folder other than");
    assert!(place.ok(&["show"]).contains(&id(&other)));
    // Nor where this assay has not run anything yet.
    fs::remove_dir_all(place.path("state")).unwrap();
    assert_refused(&place.assay(&["resume"]), "a state folder other than");
    assert!(!place.path("state").exists(), "something was made");
}

#[test]
fn the_key_is_for_its_owner_alone() {
    let place = begun();
    let key = place.path("state/key");
    let about = fs::symlink_metadata(&key).unwrap();
    assert_eq!((about.mode() & 0o7777, about.len()), (0o600, 32));
    let first = fs::read(&key).unwrap();
    for mode in [0o640, 0o602] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        assert_refused(&place.assay(&["resume"]), "accessible to other users");
        let run = place.assay(&[
            "run", "--suite", "null", "--on", "null", "--preset", "smoke", "--scale", "smoke",
        ]);
        assert_refused(&run, "accessible to other users");
    }
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(&key, place.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), &key).unwrap();
    assert_refused(&place.assay(&["resume"]), "not a regular file");
    fs::remove_file(&key).unwrap();
    fs::write(&key, &first[..31]).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    assert_refused(&place.assay(&["resume"]), "32 bytes");
    fs::rename(place.path("elsewhere"), &key).unwrap();
    if chown(&key, Some(NOBODY), None).is_ok() {
        assert_refused(&place.assay(&["resume"]), "another user");
        chown(&key, Some(0), None).unwrap();
    }
    assert!(place.assay(&["resume"]).status.success());
}

#[test]
fn a_campaign_without_a_mark_is_read_and_not_run() {
    let place = begun();
    edit(&place, "UPDATE campaign SET mark = NULL");
    let before = fs::read(place.path("store.db")).unwrap();
    for verb in [&["list"][..], &["show"], &["report"]] {
        place.ok(verb);
    }
    assert_refused(&place.assay(&["resume"]), "created by another installation");
    assert_refused(&place.assay(&["tune", "--on", "ext4"]), "created by another installation");
    assert!(fs::read(place.path("store.db")).unwrap() == before, "a refusal changed the store");
}

#[test]
fn a_file_with_more_in_it_than_a_store_is_no_store() {
    let place = begun();
    edit(
        &place,
        "CREATE TRIGGER t AFTER UPDATE ON campaign BEGIN UPDATE campaign SET origin = 'run'; END",
    );
    for verb in [&["list"][..], &["resume"], &["run", "--suite", "null", "--on", "null"]] {
        assert!(place.fails(verb, 1).contains("is not an assay store"));
    }
}

#[test]
fn a_published_study_is_not_run() {
    let place = Place::new();
    let study = "published-cloud-2025-07-mdtest-ops";
    assert_refused(&place.assay(&["resume", study]), "published study");
    assert_refused(&place.assay(&["tune", study, "--on", "ext4"]), "published study");
}
