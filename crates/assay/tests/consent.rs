//! The consent to destroy a disk is given for one run, on the command line or typed. No file gives it: not
//! a plan, not a suite, not a stored campaign. A loop device with a stable name stands in for the disk.

use crate::common::{Place, ready, root_or_skip, text};
use crate::stand_in::{Disk, can_attach};
use rusqlite::Connection;
use std::{
    fs,
    io::Write,
    os::unix::fs::FileExt,
    process::{Command, Output, Stdio},
};

const SIZE: u64 = 1 << 30;
/// What the user has on the disk: nothing that a tool knows.
const MINE: &[u8] = b"years of work";
/// Work that is done in a moment.
const WORK: [&str; 6] = ["--suite", "null", "--procs", "1", "--blocks", "1"];

/// A place, and a blank disk where ext4 can be made.
fn set_up() -> Option<(Place, Disk)> {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return None;
    }
    let place = Place::new();
    (!ready(&place, &["ext4"]).is_empty()).then(|| (place, Disk::new(SIZE)))
}

fn write_mine(disk: &Disk) {
    let image = fs::File::options().write(true).open(disk.image()).unwrap();
    image.write_all_at(MINE, 4096).unwrap();
    // What the loop device has read before is not asked again.
    let direct = ["--flushbufs", disk.node.to_str().unwrap()];
    Command::new("blockdev").args(direct).output().unwrap();
}

fn assert_mine(disk: &Disk) {
    let mut bytes = vec![0; MINE.len()];
    fs::File::open(disk.image()).unwrap().read_exact_at(&mut bytes, 4096).unwrap();
    assert_eq!(bytes, MINE, "the disk was written to");
}

fn assert_refused(output: &Output, says: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.lines().last().unwrap().contains(says), "{stderr}");
}

const NONE: &str = "would be destroyed; confirm with --destroy SERIAL";

#[test]
fn a_plan_file_that_consents_is_refused() {
    let place = Place::new();
    for (consent, key) in [
        ("destroy = ['S1']", "destroy"),
        ("destroy = []", "destroy"),
        ("wipe_signatures = ['ext4']", "wipe_signatures"),
        ("wipe_signature = 'ext4'", "wipe_signature"),
    ] {
        let devices = "devices = ['/dev/disk/by-id/x']";
        fs::write(place.path("plan.toml"), format!("[backing]\n{devices}\n{consent}\n")).unwrap();
        for verb in [&["run", "plan.toml"][..], &["plan", "plan.toml"]] {
            let line = place.fails(verb, 2);
            assert!(line.contains("a plan file cannot consent") && line.contains(key), "{line}");
        }
        let line = place.fails(&["tune", "plan.toml", "--on", "ext4"], 2);
        assert!(line.contains("a plan file cannot consent"), "{line}");
    }
    fs::write(place.path("plan.toml"), "backing.destroy = 1\n").unwrap();
    assert!(place.fails(&["run", "plan.toml"], 2).contains("a plan file cannot consent"));
}

#[test]
fn a_suite_that_consents_is_refused() {
    let place = Place::new();
    for line in ["destroy = ['S1']", "[backing]\ndestroy = ['S1']"] {
        let suite = format!("name = 'mine'\nabout = 'x'\n{line}\n");
        fs::write(place.path("mine.toml"), suite).unwrap();
        let args = ["run", "--suite", "mine.toml", "--on", "null"];
        let told = place.fails(&args, 2);
        assert!(told.contains("mine.toml"), "{told}");
    }
}

#[test]
fn a_plan_file_with_a_disk_runs_with_consent_alone() {
    let Some((place, disk)) = set_up() else { return };
    let (link, serial) = (disk.link.to_str().unwrap(), disk.serial());
    let plan = |consent: &str| {
        let text = format!("targets = ['ext4']\n[backing]\ndevices = ['{link}']\n{consent}");
        fs::write(place.path("plan.toml"), text).unwrap();
    };
    let run = |more: &[&str]| place.assay(&[&["run", "plan.toml"], &WORK[..], more].concat());
    write_mine(&disk);
    plan(&format!("destroy = ['{serial}']\n"));
    assert_refused(&run(&[]), "a plan file cannot consent");
    assert_refused(&run(&["--wipe-signature", "unknown"]), "a plan file cannot consent");
    plan("");
    assert_refused(&run(&["--wipe-signature", "unknown"]), NONE);
    assert_refused(&run(&["--destroy", &serial]), "--wipe-signature unknown");
    assert_mine(&disk);
    assert!(!place.path("store.db").exists());
    let output = run(&["--destroy", &serial, "--wipe-signature", "unknown"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stored = fs::read(place.path("store.db")).unwrap();
    let holds = |text: &[u8]| stored.windows(text.len()).any(|window| window == text);
    assert!(holds(link.as_bytes()) && !holds(serial.as_bytes()), "the store holds the consent");
    place.assert_clean();
}

/// A place and a disk with a campaign on it that has its only block to go, and something of the user's.
fn interrupted() -> Option<(Place, Disk)> {
    let (place, disk) = set_up()?;
    let (link, serial) = (disk.link.to_str().unwrap(), disk.serial());
    let on = ["run", "--device", link, "--destroy", &serial, "--on", "ext4"];
    let output = place.assay(&[&on[..], &WORK[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let open = "UPDATE campaign SET state = 'open'; UPDATE block SET state = 'open'";
    Connection::open(place.path("store.db")).unwrap().execute_batch(open).unwrap();
    write_mine(&disk);
    Some((place, disk))
}

#[test]
fn a_campaign_on_a_disk_is_resumed_with_a_new_consent_alone() {
    let Some((place, disk)) = interrupted() else { return };
    let serial = disk.serial();
    let resume = |more: &[&str]| place.assay(&[&["resume"], more].concat());
    assert_refused(&resume(&[]), NONE);
    assert_refused(&resume(&["--wipe-signature", "unknown"]), NONE);
    assert_refused(&resume(&["--destroy", "S0"]), "--wipe-signature unknown");
    let wrong = resume(&["--destroy", "S0", "--wipe-signature", "unknown"]);
    assert_refused(&wrong, "which --destroy does not name");
    assert_refused(&resume(&["--destroy", &serial]), "--wipe-signature unknown");
    assert_mine(&disk);
    assert!(place.ok(&["list"]).contains(" open "));
    let output = resume(&["--destroy", &serial, "--wipe-signature", "unknown"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(place.ok(&["list"]).contains(" done "));
    place.assert_clean();
}

#[test]
fn a_search_on_a_disk_needs_a_consent_of_its_own() {
    let Some((place, disk)) = interrupted() else { return };
    let serial = disk.serial();
    let args = ["tune", "--on", "ext4", "--try", "noatime", "--budget", "1s"];
    let tune = |more: &[&str]| place.assay(&[&args[..], more].concat());
    assert_refused(&tune(&["--wipe-signature", "unknown"]), NONE);
    assert_refused(&tune(&["--destroy", &serial]), "--wipe-signature unknown");
    let allowed = tune(&["--destroy", &serial, "--wipe-signature", "unknown"]);
    assert_refused(&allowed, "too short to measure");
    assert_mine(&disk);
}

/// Runs `assay` at a terminal, at which `typed` is typed.
fn at_terminal(place: &Place, args: &str, typed: &str) -> Option<Output> {
    let line = format!("{} {args}", env!("CARGO_BIN_EXE_assay"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    for name in ["ASSAY_STORE", "ASSAY_STATE"] {
        let of = place.command(&[]);
        let value = of.get_envs().find(|(key, _)| *key == name).unwrap().1.unwrap().to_owned();
        command.env(name, value);
    }
    command.current_dir(place.path(".")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{typed}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    Some(output)
}

#[test]
fn a_consent_may_be_typed() {
    let Some((place, disk)) = interrupted() else { return };
    let resume = "resume --wipe-signature unknown";
    let Some(wrong) = at_terminal(&place, resume, "yes") else {
        return needs::skip(needs::Need::program("script"), "a terminal needs `script`");
    };
    let told = text(&wrong.stdout);
    assert!(told.contains("Type the serial number of"), "{told}");
    assert_eq!(wrong.status.code(), Some(2), "{told}");
    assert_mine(&disk);
    let right = at_terminal(&place, resume, &disk.serial()).unwrap();
    assert!(right.status.success(), "{}", text(&right.stdout));
    assert!(place.ok(&["list"]).contains(" done "));
    place.assert_clean();
}
