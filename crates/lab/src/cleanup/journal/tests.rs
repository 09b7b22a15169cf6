//! The journal of one campaign, kept, damaged, removed and in the hands of others.

use super::*;
use crate::{cleanup::Cleanup, ownership::private_dir, programs::Run};
use ::fs::Cmd;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

/// A state folder with the mark of the campaign `c` in it.
struct Fixture {
    _top: tempfile::TempDir,
    state: State,
    mark: Mark,
}

impl Fixture {
    fn new() -> Fixture {
        let top = tempfile::tempdir().unwrap();
        let state = State::open(&top.path().join("state")).unwrap();
        Fixture { _top: top, mark: Mark::new(state.path(), "c"), state }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.state.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.path("journal/c.jsonl")
    }

    fn open(&self) -> Journal {
        Journal::open(&self.state, &self.mark).unwrap()
    }

    /// A private directory that the journal names.
    fn made(&self, journal: &Journal, name: &str) -> PathBuf {
        let dir = self.path(&mark::own_name(name));
        journal.record(&remove_dir(&dir)).unwrap();
        private_dir::create(&dir, &self.mark).unwrap();
        dir
    }

    fn cleanup(&self) -> CleanupReport {
        Cleanup::of(self.state.path()).run().unwrap()
    }
}

fn remove_dir(path: &Path) -> Undo {
    Undo::RemoveDir { path: path.into() }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    record::line(value).unwrap()
}

#[test]
fn records_are_plain_lines_and_room_is_kept_behind_them() {
    let fixture = Fixture::new();
    let journal = fixture.open();
    journal.record(&Undo::Unmount { mount_point: "/m".into() }).unwrap();
    journal.record(&Undo::DetachLoop { image: "/i".into() }).unwrap();
    let text = fs::read_to_string(fixture.file()).unwrap();
    let mut lines = text.lines().map(|line| line.splitn(3, ' ').last().unwrap());
    assert_eq!(lines.next(), Some(&*format!("{{\"boot\":\"{}\"}}", mark::boot())));
    assert_eq!(lines.next(), Some("{\"undo\":\"unmount\",\"mount_point\":\"/m\"}"));
    assert_eq!(lines.next(), Some("{\"undo\":\"detach_loop\",\"image\":\"/i\"}"));
    let stat = rustix::fs::stat(fixture.file()).unwrap();
    assert!(stat.st_blocks as u64 * 512 >= text.len() as u64 + RESERVE, "{stat:?}");
    assert_eq!(stat.st_mode & 0o7777, 0o600);
}

#[test]
fn after_another_boot_only_what_outlives_one_is_undone() {
    let fixture = Fixture::new();
    let dirs = &[remove_dir(Path::new("/assay-d"))];
    let entries = |head: &[u8]| {
        let cap = Undo::Uncap { file: "/f".into(), device: "7:0".into() };
        let unmount = Undo::Unmount { mount_point: "/m".into() };
        let text = [head, &line(&unmount), &line(&dirs[0]), &line(&cap)].concat();
        drop(fixture.open());
        fs::write(fixture.file(), text).unwrap();
        fixture.open().entries()
    };
    assert_eq!(entries(&line(&Head { boot: "another".into() })), *dirs);
    assert_eq!(entries(&line(&Head { boot: mark::boot() })).len(), 3);
    assert_eq!(entries(b"9 00000000 {\"boot\":\"\n"), *dirs, "of an unknown boot");
}

#[test]
fn a_live_campaign_is_skipped_and_a_dead_one_undone_despite_a_torn_line() {
    let fixture = Fixture::new();
    let journal = fixture.open();
    let dir = fixture.made(&journal, "1");
    assert_eq!(fixture.cleanup().live, ["c"]);
    assert!(dir.exists());

    journal.lock().file.write_all(b"123 0123abcd {\"undo\":\"unm").unwrap();
    drop(journal);
    let report = fixture.cleanup();
    assert_eq!(report.done, [format!("removed {}", dir.display())]);
    assert!(report.messages[0].contains("torn") && report.failed.is_empty(), "{report:?}");
    assert!(!dir.exists() && !fixture.file().exists());
    assert_eq!(fixture.cleanup(), CleanupReport::default());
}

#[test]
fn a_damaged_line_is_reported_and_the_others_are_undone() {
    let fixture = Fixture::new();
    let journal = fixture.open();
    let dirs =
        [fixture.made(&journal, "1"), fixture.made(&journal, "2"), fixture.made(&journal, "3")];
    drop(journal);
    // The record of the second directory: it is found by its mark.
    let text = fs::read_to_string(fixture.file()).unwrap().replace("assay-2", "assay-x");
    fs::write(fixture.file(), text).unwrap();
    let report = fixture.cleanup();
    assert!(report.messages[0].contains("line 3 is damaged"), "{report:?}");
    assert_eq!((report.done.len(), report.failed.len()), (3, 0), "{report:?}");
    assert!(dirs.iter().all(|dir| !dir.exists()) && !fixture.file().exists());
}

#[test]
fn a_failed_undo_is_reported_and_keeps_the_journal() {
    let fixture = Fixture::new();
    let foreign = fixture.path("assay-x");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("precious"), "x").unwrap();
    fixture.open().record(&remove_dir(&foreign)).unwrap();
    let report = fixture.cleanup();
    assert!(report.failed[0].contains("marker"), "{report:?}");
    assert!(foreign.join("precious").exists() && fixture.file().exists());
}

#[test]
fn entries_outside_the_campaign_are_reported_and_left() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().canonicalize().unwrap();
    let up = fixture.path("mnt/assay-c/../../..").join(path.file_name().unwrap());
    let journal = fixture.open();
    for entry in [
        Undo::Unmount { mount_point: "/proc".into() },
        Undo::Unmount { mount_point: up.clone() },
        Undo::DetachLoop { image: path.join("disk.img") },
        remove_dir(&path),
        remove_dir(&up),
        Undo::RemoveMapping { name: "root".into() },
    ] {
        journal.record(&entry).unwrap();
    }
    let dir = fixture.made(&journal, "1");
    drop(journal);
    let report = fixture.cleanup();
    assert_eq!(report.done, [format!("removed {}", dir.display())]);
    assert_eq!(report.failed.len(), 6, "{report:?}");
    assert!(
        report.failed.iter().all(|line| line.contains(
            "is in the journal of campaign \
                                                           c"
        )),
        "{report:?}"
    );
    assert!(path.exists() && Path::new("/proc/self").exists());
}

#[test]
fn a_journal_that_others_could_have_written_is_not_obeyed() {
    let fixture = Fixture::new();
    let journal = fixture.open();
    let dir = fixture.made(&journal, "1");
    drop(journal);
    let file = fixture.file();
    let real = fixture.path("real");
    let refused = |why: &str| {
        let report = fixture.cleanup();
        assert!(report.failed[0].contains(why), "{why}: {report:?}");
        assert!(file.symlink_metadata().is_ok(), "it is kept");
    };
    // By its mark the directory is found in any case; here the journal alone counts.
    fs::write(dir.join("file"), "x").unwrap();
    fs::rename(dir.join(".assay-private"), fixture.path("marker")).unwrap();
    for mode in [0o666, 0o620, 0o602] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        refused("is writable by others");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::hard_link(&file, &real).unwrap();
    refused("has 2 hard links");
    fs::remove_file(&file).unwrap();
    symlink(&real, &file).unwrap();
    refused("is a link");
    fs::remove_file(&file).unwrap();
    Cmd::new("mkfifo").arg("-m600").arg(&file).run().unwrap();
    refused("is not a regular file");
    fs::remove_file(&file).unwrap();
    if rustix::process::geteuid().is_root() {
        fs::copy(&real, &file).unwrap();
        std::os::unix::fs::chown(&file, Some(12345), None).unwrap();
        refused("belongs to user 12345");
        fs::remove_file(&file).unwrap();
    }
    assert!(dir.exists());
    fs::rename(&real, &file).unwrap();
    fs::rename(fixture.path("marker"), dir.join(".assay-private")).unwrap();
    assert_eq!(fixture.cleanup().done, [format!("removed {}", dir.display())]);
}

#[test]
fn a_removed_journal_is_reported_rewritten_and_undone_from_memory() {
    let fixture = Fixture::new();
    let journal = fixture.open();
    let first = fixture.made(&journal, "1");
    fs::remove_dir_all(fixture.path("journal")).unwrap();
    let second = fixture.made(&journal, "2");
    let text = fs::read_to_string(fixture.file()).unwrap();
    assert!(text.contains("assay-1") && text.contains("assay-2"), "{text}");
    assert_eq!(fixture.cleanup().live, ["c"], "the new one is locked");
    fs::remove_dir_all(fixture.path("journal")).unwrap();
    let mut report = CleanupReport::default();
    journal.undo_all(&mut report).unwrap();
    assert_eq!((report.done.len(), report.failed.len()), (2, 0), "{report:?}");
    assert!(report.messages[0].contains("was removed"), "{report:?}");
    assert!(!first.exists() && !second.exists());
    assert!(!fixture.path("journal/c.jsonl").exists());
}

#[test]
fn a_dry_run_reports_the_same_and_changes_nothing() {
    let fixture = Fixture::new();
    let journal = fixture.open();
    let dir = fixture.made(&journal, "1");
    drop(journal);
    let unnamed = fixture.path("assay-2");
    private_dir::create(&unnamed, &fixture.mark).unwrap();
    let dry = Cleanup { dry_run: true, ..Cleanup::of(fixture.state.path()) };
    for _ in 0..2 {
        let would = dry.run().unwrap();
        let lines = [&dir, &unnamed].map(|dir| format!("would remove {}", dir.display()));
        assert_eq!(would.done, lines);
        assert!(dir.exists() && unnamed.exists() && fixture.file().exists());
    }
    let lines = [&dir, &unnamed].map(|dir| format!("removed {}", dir.display()));
    assert_eq!(fixture.cleanup().done, lines);
}

#[test]
fn without_a_journal_an_unmarked_directory_is_removed_if_empty() {
    let fixture = Fixture::new();
    let [torn, empty, full] = ["assay-1", "assay-2", "assay-3"].map(|name| fixture.path(name));
    for dir in [&torn, &empty, &full] {
        fs::create_dir(dir).unwrap();
    }
    fs::write(torn.join(".assay-private"), "{").unwrap();
    fs::write(full.join("precious"), "x").unwrap();
    let report = fixture.cleanup();
    assert_eq!((report.done.len(), report.failed.len()), (2, 0), "{report:?}");
    assert!(!torn.exists() && !empty.exists() && full.join("precious").exists());
}

#[test]
fn without_room_for_the_next_record_the_act_does_not_happen() {
    if !rustix::process::geteuid().is_root() {
        return needs::skip(needs::Need::Root, "mounting needs root");
    }
    let top = tempfile::tempdir().unwrap();
    let path = top.path().canonicalize().unwrap();
    let _mounted =
        needs::Mounted::new(&["-t", "tmpfs", "-o", "size=64k,mode=700", "assay-test"], &path);
    fill(&path);
}

/// Makes private directories in the full file system at `path` until one cannot be made.
fn fill(path: &Path) {
    let state = State::open(&path.join("state")).unwrap();
    let mark = Mark::new(state.path(), "c");
    let journal = Journal::open(&state, &mark).unwrap();
    let entry = |n: usize| remove_dir(&state.path().join(format!("assay-{n}-{}", "x".repeat(200))));
    let full = (0..10_000).find_map(|n| journal.record(&entry(n)).err().map(|error| (n, error)));
    let (count, error) = full.unwrap();
    assert!(error.to_string().contains("No space left"), "{error}");
    let text = fs::read(state.path().join("journal/c.jsonl")).unwrap();
    assert!(text.ends_with(b"\n"), "no line is torn");
    assert_eq!(journal.entries().len(), count);
    drop(journal);
    let again = Journal::open(&state, &mark).unwrap();
    assert_eq!(again.entries().len(), count, "all that was recorded is read");
    let mut report = CleanupReport::default();
    again.undo_all(&mut report).unwrap();
    assert_eq!(report, CleanupReport::default());
}
