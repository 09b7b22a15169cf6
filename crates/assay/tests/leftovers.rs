//! Tests of cleanup after a torn, damaged, foreign or missing journal: leftovers are found by their mark, reported and
//! removed; everything unmarked, of a running campaign, or of another state folder is left alone.

use crate::common::{Place, ready, record, root_or_skip, text, wait_for};
use needs::Mounted;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

const RUN: [&str; 11] = [
    "run",
    "--preset",
    "smoke",
    "--scale",
    "smoke",
    "--procs",
    "1",
    "--tests",
    "columnar.write.*",
    "--on",
    "ext4",
];

fn can_run(place: &Place) -> bool {
    root_or_skip("loop devices") && !ready(place, &["ext4"]).is_empty()
}

/// Loop devices on files below `dir`.
fn loops(dir: &Path) -> usize {
    let backing = fs::read_dir("/sys/block").unwrap().flatten();
    let backing = backing.map(|e| fs::read_to_string(e.path().join("loop/backing_file")));
    backing.flatten().filter(|file| Path::new(file.trim()).starts_with(dir)).count()
}

fn mounted(dir: &Path) -> bool {
    !mounts(dir).is_empty()
}

/// Mount points below `dir`.
fn mounts(dir: &Path) -> Vec<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let points = table.lines().filter_map(|line| line.split(' ').nth(4));
    points.filter(|at| Path::new(at).starts_with(dir)).map(String::from).collect()
}

/// Waits for a mount of the campaign; that of the rehearsal before it has a journal of its own.
fn wait_for_mount(place: &Place) {
    let of_campaign = |at: &String| !at.contains("rehearsal");
    wait_for("mount", || mounts(&place.path("state/mnt")).iter().any(of_campaign));
}

/// A run, killed at the latest when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Starts a run and returns when its file system is mounted.
fn at_work(place: &Place, more: &[&str]) -> Running {
    let child = Running(place.spawn(&[&RUN[..], more].concat()));
    wait_for_mount(place);
    child
}

fn lose_journal(place: &Place) {
    fs::remove_dir_all(place.path("state/journal")).unwrap();
}

#[test]
fn next_run_names_what_a_killed_one_left() {
    let place = Place::new();
    if !can_run(&place) {
        return;
    }
    let next = ["run", "--on", "null", "--suite", "null", "--preset", "smoke", "--procs", "1"];
    let said = |args: &[&str]| text(&place.assay(args).stderr);
    drop(at_work(&place, &[]));
    let told = said(&next);
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("`assay cleanup`")).collect();
    let [line] = lines[..] else { panic!("{told}") };
    assert!(line.contains("unmount ") && line.contains("a killed run left"), "{line}");
    place.ok(&["cleanup"]);
    assert!(!said(&next).contains("assay cleanup"));
    place.assert_clean();
}

#[test]
fn without_its_journal_a_killed_run_is_undone_by_its_marks() {
    let place = Place::new();
    if !can_run(&place) {
        return;
    }
    let images = place.dir("elsewhere");
    for more in [vec![], vec!["--image-dir", images.to_str().unwrap()]] {
        drop(at_work(&place, &more));
        lose_journal(&place);
        assert_eq!(loops(&place.path("")), 1);
        let dry = place.ok(&["cleanup", "--dry-run", "--in", "elsewhere"]);
        assert!(mounted(&place.path("state")) && loops(&place.path("")) == 1, "{dry}");
        let done = place.ok(&["cleanup", "--in", "elsewhere"]);
        let verbs = |lines: &str, verb: String| {
            lines.lines().filter(|line| line.starts_with(&verb)).count()
        };
        for (would, did) in
            [("unmount", "unmounted"), ("detach", "detached"), ("remove", "removed")]
        {
            let told = verbs(&dry, format!("would {would} "));
            assert!(told > 0 && told == verbs(&done, format!("{did} ")), "{dry}{done}");
        }
        place.assert_clean();
        assert_eq!(fs::read_dir(&images).unwrap().count(), 0);
        assert!(place.ok(&["cleanup"]).contains("nothing to clean up"));
    }
}

#[test]
fn after_the_state_folder_was_removed_its_loop_device_is_still_found() {
    let place = Place::new();
    if !can_run(&place) {
        return;
    }
    drop(at_work(&place, &[]));
    // As `rm -rf` does: what is busy stays.
    let _ = Command::new("rm").args(["-rf", "--one-file-system"]).arg(place.path("state")).output();
    place.ok(&["cleanup"]);
    assert!(loops(&place.path("")) == 0 && !mounted(&place.path("")));
}

#[test]
fn a_run_whose_journal_is_removed_undoes_all_and_says_so() {
    let place = Place::new();
    if !can_run(&place) {
        return;
    }
    let mut child = place.command(&RUN);
    let child = child.stderr(Stdio::piped()).spawn().unwrap();
    wait_for_mount(&place);
    lose_journal(&place);
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert!(told.contains("was removed while its campaign was running"), "{told}");
    assert!(matches!(output.status.code(), Some(0 | 4)), "{told}");
    place.assert_clean();
}

#[test]
fn a_live_run_is_left_alone_without_its_journal() {
    let place = Place::new();
    if !can_run(&place) {
        return;
    }
    let child = at_work(&place, &["--blocks", "1000"]);
    lose_journal(&place);
    for args in [&["cleanup"][..], &["cleanup", "--dry-run"]] {
        let output = place.assay(args);
        let (out, told) = (text(&output.stdout), text(&output.stderr));
        assert!(out.contains("nothing to clean up"), "{out}{told}");
        assert!(told.contains("is running; nothing of it was removed"), "{out}{told}");
    }
    // Between two tests nothing is mounted for a moment.
    wait_for_mount(&place);
    assert_eq!(loops(&place.path("")), 1);
    let refused = text(&place.assay(&["resume"]).stderr);
    assert!(refused.contains("is running in another process"), "{refused}");
    drop(child);
    place.ok(&["cleanup"]);
    place.assert_clean();
}

#[test]
fn a_cleanup_takes_nothing_of_another_state_folder() {
    let (ours, theirs) = (Place::new(), Place::new());
    if !can_run(&ours) {
        return;
    }
    // One lives, one is dead, and neither has its journal.
    let live = at_work(&theirs, &["--blocks", "1000"]);
    drop(at_work(&ours, &[]));
    let dead = Place::new();
    drop(at_work(&dead, &[]));
    for place in [&ours, &theirs, &dead] {
        lose_journal(place);
    }
    let inside = dead.path("state/images");
    // Even where its image folder is named.
    let done = ours.ok(&["cleanup", "--in", inside.to_str().unwrap()]);
    ours.assert_clean();
    for place in [&theirs, &dead] {
        assert!(!done.contains(place.path("").to_str().unwrap()), "{done}");
        wait_for_mount(place);
        assert_eq!(loops(&place.path("")), 1);
    }
    drop(live);
    for place in [&theirs, &dead] {
        place.ok(&["cleanup"]);
        place.assert_clean();
    }
}

#[test]
fn what_carries_no_mark_is_left_alone() {
    let place = Place::new();
    if !can_run(&place) {
        return;
    }
    drop(at_work(&place, &[]));
    lose_journal(&place);
    // A foreign loop device next to ours, in a directory named like ours.
    let theirs = place.dir("state/images/assay-theirs-image0");
    let image = theirs.join("image");
    fs::File::create(&image).unwrap().set_len(1 << 20).unwrap();
    let elsewhere = place.dir("assay-x-image0").join("image");
    fs::copy(&image, &elsewhere).unwrap();
    let attach =
        Command::new("losetup").args(["--find", "--show"]).arg(&elsewhere).output().unwrap();
    let node = text(&attach.stdout).trim().to_string();
    place.ok(&["cleanup", "--in", "."]);
    assert!(!mounted(&place.path("")) && image.exists() && elsewhere.exists());
    assert_eq!(loops(&place.path("")), 1, "{node} is detached");
    assert!(Command::new("losetup").args(["--detach", &node]).status().unwrap().success());
}

/// A journal in another's hands that names a directory which carries our mark.
struct Forged {
    place: Place,
    journal: PathBuf,
    marked: PathBuf,
}

impl Forged {
    fn new() -> Forged {
        let place = Place::new();
        let state = place.dir("state").canonicalize().unwrap();
        let marked = place.dir("data/assay-c-0");
        fs::write(marked.join("precious"), "x").unwrap();
        let mark =
            format!("{{\"campaign\":\"c\",\"state\":\"{}\",\"boot\":\"b\"}}", state.display());
        fs::write(marked.join(".assay-private"), mark).unwrap();
        let journal = place.dir("state/journal").join("c.jsonl");
        fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
        let forged = Forged { place, journal, marked };
        forged.write(&[&format!(
            "{{\"undo\":\"remove_dir\",\"path\":\"{}\"}}",
            forged.marked.display()
        )]);
        forged
    }

    fn write(&self, entries: &[&str]) {
        let head = "{\"boot\":\"b\"}";
        let lines = [head].into_iter().chain(entries.iter().copied()).map(record);
        fs::write(&self.journal, lines.collect::<String>()).unwrap();
        fs::set_permissions(&self.journal, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Cleans up, which must fail and touch nothing; tells why.
    fn refused(&self, why: &str) {
        let output = self.place.assay(&["cleanup"]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{why}: {told}");
        assert!(told.contains(why), "{why}: {told}");
        assert!(self.marked.join("precious").exists(), "{why}");
    }
}

#[test]
fn a_journal_of_anybody_is_not_obeyed() {
    let forged = Forged::new();
    let chmod =
        |mode| fs::set_permissions(&forged.journal, fs::Permissions::from_mode(mode)).unwrap();
    chmod(0o666);
    forged.refused("is writable by others (mode 0666)");
    chmod(0o600);
    let real = forged.place.path("real");
    fs::rename(&forged.journal, &real).unwrap();
    symlink(&real, &forged.journal).unwrap();
    forged.refused("is a link");
    fs::remove_file(&forged.journal).unwrap();
    fs::hard_link(&real, &forged.journal).unwrap();
    forged.refused("has 2 hard links");
    fs::remove_file(&real).unwrap();
    if root_or_skip("giving files away") {
        let journal = forged.journal.as_path();
        let folder = journal.parent().unwrap();
        let state = folder.parent().unwrap();
        for path in [journal, folder, state] {
            chown(path, Some(12345), None).unwrap();
            forged.refused("belongs to user 12345");
            chown(path, Some(0), None).unwrap();
        }
    }
    forged.place.ok(&["cleanup"]);
    assert!(!forged.marked.exists(), "our own is obeyed");
}

#[test]
fn what_a_journal_names_outside_is_left() {
    let forged = Forged::new();
    let data = forged.place.path("data");
    let up = forged.place.path("state/mnt/assay-c/../../../data");
    let names = |kind: &str, key: &str, path: &Path| {
        format!("{{\"undo\":\"{kind}\",\"{key}\":\"{}\"}}", path.display())
    };
    let entries = [
        names("remove_dir", "path", &data),
        names("remove_dir", "path", &up),
        names("remove_dir", "path", Path::new("/etc")),
        names("detach_loop", "image", &data.join("image")),
        names("remove_mapping", "name", Path::new("assay-vg")),
    ];
    forged.write(&entries.each_ref().map(String::as_str));
    forged.refused("/etc is in the journal of campaign c");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1);
}

#[test]
fn state_and_files_are_closed_to_others_whatever_the_umask() {
    let place = Place::new();
    let target = format!("dir:{}", place.dir("data").display());
    let run = format!(
        "umask 0; exec '{}' run --on {target} --suite null --procs 1 --preset smoke --blocks 40 \
         --knob write_us=50000",
        env!("CARGO_BIN_EXE_assay")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &run]).stdout(Stdio::null()).stderr(Stdio::null());
    shell.env("ASSAY_STORE", place.path("store.db")).env("ASSAY_STATE", place.path("state"));
    let child = Running(shell.current_dir(place.path("")).spawn().unwrap());
    let journals = || fs::read_dir(place.path("state/journal")).into_iter().flatten().flatten();
    wait_for("journal", || journals().any(|e| e.metadata().is_ok_and(|m| m.len() > 300)));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let journal = journals().next().unwrap().path();
    let modes =
        [&place.path("state"), &place.path("state/mnt"), journal.parent().unwrap()].map(mode);
    drop(child);
    assert_eq!((modes, mode(&journal)), ([0o700; 3], 0o600));
    place.ok(&["cleanup"]);
    assert_eq!(fs::read_dir(place.path("data")).unwrap().count(), 0);
}

#[test]
fn a_state_folder_without_room_tears_no_record_and_all_is_undone() {
    if !root_or_skip("mounts") {
        return;
    }
    let place = Place::new();
    let state = place.dir("state");
    // Its records are long.
    let data = "d".repeat(200);
    let mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=16k,mode=700", "assay-test"], &state);
    let target = format!("dir:{}", place.dir(&data).display());
    let run = [
        "run", "--on", &target, "--suite", "null", "--procs", "1", "--preset", "smoke", "--scale",
        "smoke",
    ];
    let output = place.assay(&[&run[..], &["--blocks", "30"]].concat());
    let told = text(&output.stderr);
    // Nothing works any more: the campaign stops, and is to be resumed.
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("No space left"), "{told}");
    assert_eq!(fs::read_dir(place.path(&data)).unwrap().count(), 0, "{told}");
    place.ok(&["cleanup"]);
    mounted.remount("size=8m");
    let resumed = place.assay(&["resume"]);
    let told = text(&resumed.stderr);
    assert!(matches!(resumed.status.code(), Some(0 | 4)), "{told}");
    assert_eq!(fs::read_dir(place.path(&data)).unwrap().count(), 0);
}
