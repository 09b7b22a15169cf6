//! Assets of a suite reach its commands: on this machine, at a resumption without the file, and nothing else does.

use crate::common::{Place, confines_or_skip, root_or_skip, smallest};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A suite in a folder of its own, whose command checks what it was given; `data` is its asset.
fn suite(place: &Place, data: &str) {
    place.dir("suite/data");
    fs::write(place.path("suite/data/keys.csv"), data).unwrap();
    let command =
        "test \"$(cat {asset:data/keys.csv})\" = key && ! echo x >> {asset:data/keys.csv}";
    let text = format!(
        "name = \"mine\"\nabout = \"x\"\nassets = [\"data/keys.csv\"]\n[[test]]\nkind = \"app\"\nid = \
         \"mine.one\"\ncommand = '''\n{command}\n'''\n"
    );
    fs::write(place.path("suite/mine.toml"), text).unwrap();
}

fn args<'a>(verb: &'a str, on: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&smallest(verb, "suite/mine.toml", on)[..], more].concat()
}

fn on(place: &Place) -> String {
    format!("dir:{}", place.dir("data").display())
}

/// Why samples are invalid; empty when all are good.
fn faults(place: &Place) -> Vec<String> {
    let samples = place.exported_samples();
    assert!(!samples.is_empty());
    samples.iter().map(|s| s["validity"].to_string()).filter(|v| v != "\"Valid\"").collect()
}

#[test]
fn confined_command_reads_its_asset_and_cannot_write_it() {
    if !confines_or_skip() {
        return;
    }
    let place = Place::new();
    suite(&place, "key");
    let planned = place.ok(&args("plan", &on(&place), &[]));
    let hash = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683";
    let line = format!("asset data/keys.csv of suite/mine.toml: 3 B, SHA-256 {hash}");
    assert!(planned.contains(&line), "{planned}");
    assert!(!place.path("state/assets").exists(), "a dry run copies nothing");
    place.ok(&args("run", &on(&place), &["--blocks", "1"]));
    assert_eq!(faults(&place), [""; 0]);
    let copy = place.path("state/assets").join(format!("{hash}.csv"));
    assert_eq!(fs::read_to_string(&copy).unwrap(), "key");
    let why = place.fails_last(&["cleanup", "--store", "none.db"], 1);
    assert!(why.contains("none.db does not exist, so assay cannot tell"), "{why}");
    // The campaign needs it as long as it is in the store.
    assert!(place.ok(&["cleanup"]).contains("nothing to clean up"));
    assert!(copy.exists());
    let bundle = place.dir("bundle");
    place.ok(&["export", "last", "--format", "bundle", "--out", bundle.to_str().unwrap()]);
    let file = only_file(&bundle);
    let text = Command::new("zcat").arg(&file).stderr(Stdio::null()).output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&text).contains(hash), "the bundle tells the hash");
    place.ok(&["rm", "last"]);
    assert!(place.ok(&["cleanup"]).contains(hash));
    place.ok(&["import", file.to_str().unwrap()]);
    // The bundle has brought it back.
    assert_eq!(fs::read_to_string(&copy).unwrap(), "key");
    place.ok(&["rm", "last"]);
    assert!(place.ok(&["cleanup"]).contains(hash));
    place.assert_clean();
}

/// The same with a command that only reads, so that it can run unconfined.
fn suite_that_reads(place: &Place) {
    suite(place, "key");
    let text = fs::read_to_string(place.path("suite/mine.toml")).unwrap();
    let text = text.replace("&& ! echo x >> {asset:data/keys.csv}", "");
    fs::write(place.path("suite/mine.toml"), text).unwrap();
}

/// The one file in the folder `dir`.
fn only_file(dir: &Path) -> PathBuf {
    let mut files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let file = files.next().unwrap();
    assert!(files.next().is_none());
    file
}

#[test]
fn bundle_brings_its_assets_and_is_refused_by_name_if_they_are_others() {
    let place = Place::new();
    suite_that_reads(&place);
    place.ok(&args("run", &on(&place), &["--blocks", "1", "--unconfined"]));
    let copy = only_file(&place.path("state/assets"));
    let export = |out: &str, more: &[&str]| {
        let dir = place.dir(out);
        let words = ["export", "last", "--format", "bundle", "--identify", "--out", out];
        let output = place.assay(&[&words[..], more].concat());
        assert!(output.status.success());
        (only_file(&dir), String::from_utf8(output.stderr).unwrap())
    };
    let (with, said) = export("with", &[]);
    assert!(said.contains("enclosed: asset data/keys.csv of suite/mine.toml, 3 B"), "{said}");
    assert!(said.contains("holds 3 B of assets"), "{said}");
    let (without, said) = export("without", &["--without-assets"]);
    assert!(said.contains("left out: asset data/keys.csv of suite/mine.toml, 3 B"), "{said}");
    // Nothing of the campaign but its bundle is left.
    place.ok(&["rm", "last"]);
    fs::remove_dir_all(place.path("state/assets")).unwrap();
    place.ok(&["import", without.to_str().unwrap()]);
    assert!(!copy.exists());
    place.ok(&["rm", "last"]);
    place.ok(&["import", with.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(&copy).unwrap(), "key");
    assert!(place.ok(&["cleanup"]).contains("nothing to clean up"));
    place.ok(&["rm", "last"]);
    // The assets are a gzip stream of their own behind the campaign.
    let mut other = fs::read(&with).unwrap();
    let at = other.windows(4).rposition(|bytes| bytes == [0x1f, 0x8b, 8, 0]).unwrap();
    other.truncate(at);
    formats::export::enclose(&mut &b"kez"[..], &mut other).unwrap();
    fs::write(place.path("other.gz"), other).unwrap();
    let why = place.fails_last(&["import", "other.gz"], 2);
    assert!(why.contains("asset `data/keys.csv` of suite suite/mine.toml was damaged"), "{why}");
    assert!(!place.ok(&["list"]).contains("mine"), "nothing is stored");
    let why = place.fails_last(&["export", "last", "--format", "csv", "--without-assets"], 2);
    assert!(why.contains("only to --format bundle"), "{why}");
}

#[test]
fn campaign_whose_copy_is_gone_resumes_with_the_asset_of_its_bundle() {
    let place = Place::new();
    suite_that_reads(&place);
    place.ok(&args("run", &on(&place), &["--blocks", "1", "--unconfined"]));
    place.dir("out");
    place.ok(&["export", "last", "--format", "bundle", "--identify", "--out", "out"]);
    fs::remove_dir_all(place.path("suite")).unwrap();
    fs::remove_dir_all(place.path("state/assets")).unwrap();
    let resume = ["resume", "last", "--blocks", "+1", "--unconfined"];
    assert!(place.fails_last(&resume, 2).contains("asset `data/keys.csv`"));
    place.ok(&["import", only_file(&place.path("out")).to_str().unwrap()]);
    place.ok(&resume);
    assert_eq!(faults(&place), [""; 0]);
}

#[test]
fn resumed_campaign_takes_its_own_data_or_refuses() {
    if !confines_or_skip() {
        return;
    }
    let place = Place::new();
    suite(&place, "key");
    place.ok(&args("run", &on(&place), &["--blocks", "1"]));
    fs::write(place.path("suite/data/keys.csv"), "other").unwrap();
    place.ok(&["resume", "last", "--blocks", "+1"]);
    assert_eq!(faults(&place), [""; 0]);
    // Without its copy there is nothing left to take.
    fs::remove_dir_all(place.path("state/assets")).unwrap();
    let why = place.fails_last(&["resume", "last", "--blocks", "+1"], 2);
    assert!(why.contains("asset `data/keys.csv` of suite suite/mine.toml"), "{why}");
    fs::write(place.path("suite/data/keys.csv"), "key").unwrap();
    place.ok(&["resume", "last", "--blocks", "+1"]);
    assert_eq!(faults(&place), [""; 0]);
}

#[test]
fn asset_that_leads_out_of_its_folder_is_refused() {
    let place = Place::new();
    suite(&place, "key");
    fs::write(place.path("secret"), "key").unwrap();
    fs::remove_file(place.path("suite/data/keys.csv")).unwrap();
    symlink("../../secret", place.path("suite/data/keys.csv")).unwrap();
    let why = place.fails_last(&args("plan", &on(&place), &[]), 2);
    assert!(why.contains("leads out of the folder of the suite"), "{why}");
}

#[test]
fn workers_of_another_user_read_an_asset_that_root_keeps() {
    if !root_or_skip("a directory of another user") || !confines_or_skip() {
        return;
    }
    let place = Place::new();
    suite(&place, "key");
    let text = fs::read_to_string(place.path("suite/mine.toml")).unwrap();
    // Programs may go by the ending of the name.
    let text = text.replace("&& !", "&& echo {asset:data/keys.csv} | grep '[.]csv$' && !");
    fs::write(place.path("suite/mine.toml"), text.replace("'''", "\"\"\"")).unwrap();
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o755)).unwrap();
    let on = on(&place);
    std::os::unix::fs::chown(place.path("data"), Some(65534), Some(65534)).unwrap();
    for more in [&[][..], &["--unconfined"]] {
        place.ok(&args("run", &on, &[&["--blocks", "1"], more].concat()));
        assert_eq!(faults(&place), [""; 0], "{more:?}");
    }
}

#[test]
fn unconfined_command_reads_its_asset() {
    let place = Place::new();
    suite(&place, "key");
    let text = fs::read_to_string(place.path("suite/mine.toml")).unwrap();
    // Root can write to anything; what programs may go by is the ending of the name.
    let text = text.replace(
        "! echo x >> {asset:data/keys.csv}",
        "echo {asset:data/keys.csv} | grep '[.]csv$'",
    );
    fs::write(place.path("suite/mine.toml"), text.replace("'''", "\"\"\"")).unwrap();
    place.ok(&args("run", &on(&place), &["--blocks", "1", "--unconfined"]));
    assert_eq!(faults(&place), [""; 0]);
}
