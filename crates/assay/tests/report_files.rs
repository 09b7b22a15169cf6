//! Files that the program writes for its user: never through a link, never into a device or a pipe, never over the
//! file of another user, and always whole.

use crate::common::{Disk, Place, finished, root_or_skip, text};
use needs::{Need, skip};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

const NOBODY: u32 = 65534;

/// What `run` is given to be short.
const NULL: [&str; 8] =
    ["--suite", "null", "--on", "null", "--preset", "smoke", "--scale", "smoke"];

/// A place with two campaigns: `first` and `last`.
fn measured() -> Place {
    let place = Place::new();
    for _ in 0..2 {
        place.ok(&[&["run", "--out", "first.html"][..], &NULL].concat());
    }
    let db = rusqlite::Connection::open(place.path("store.db")).unwrap();
    db.execute_batch("UPDATE campaign SET id = 'first' WHERE number = 1").unwrap();
    place
}

/// Every verb that takes `--out FILE`, with the status by which it refuses one.
fn verbs() -> [(Vec<&'static str>, i32); 5] {
    [
        ([&["run"][..], &NULL].concat(), 2),
        (vec!["resume", "last"], 1),
        (vec!["report", "last"], 1),
        (vec!["compare", "first", "last"], 1),
        (vec!["advise", "last", "--profile", "desktop"], 1),
    ]
}

/// Every such verb refuses to write to `out`, and says `part`.
fn every_verb_refuses(place: &Place, out: &str, part: &str) {
    for (verb, status) in verbs() {
        let output = finished(place.command(&[&verb[..], &["--out", out]].concat()));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{verb:?}: {stderr}");
        assert!(stderr.contains(part), "{verb:?}: {stderr}");
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn report_refuses_symlink_output() {
    let place = measured();
    fs::write(place.path("victim"), "precious").unwrap();
    symlink(place.path("victim"), place.path("report.html")).unwrap();
    symlink(place.path("made"), place.path("dangling.html")).unwrap();
    every_verb_refuses(&place, "report.html", "report.html: it is a symbolic link");
    every_verb_refuses(&place, "dangling.html", "dangling.html: it is a symbolic link");
    assert_eq!(fs::read_to_string(place.path("victim")).unwrap(), "precious");
    assert!(!place.path("made").exists());
    assert!(place.path("report.html").is_symlink() && place.path("dangling.html").is_symlink());
}

#[test]
fn report_refuses_disk_behind_link_and_by_name() {
    let Some(disk) = root_or_skip("a loop device").then(Disk::new).flatten() else { return };
    let place = measured();
    symlink(&disk.node, place.path("report.html")).unwrap();
    every_verb_refuses(&place, "report.html", "it is a symbolic link");
    every_verb_refuses(&place, &disk.node, "it is not a regular file");
    Command::new("sync").arg(&disk.node).status().unwrap();
    disk.assert_unchanged();
}

#[test]
fn report_refuses_pipe_without_waiting() {
    let place = measured();
    assert!(Command::new("mkfifo").arg(place.path("report.html")).status().unwrap().success());
    every_verb_refuses(&place, "report.html", "it is not a regular file");
}

#[test]
fn report_refuses_file_with_other_names() {
    let place = measured();
    fs::write(place.path("victim"), "precious").unwrap();
    fs::hard_link(place.path("victim"), place.path("report.html")).unwrap();
    every_verb_refuses(&place, "report.html", "it has other hard links");
    assert_eq!(fs::read_to_string(place.path("victim")).unwrap(), "precious");
}

#[test]
fn report_refuses_file_of_another_user() {
    if !root_or_skip("files of another user") {
        return;
    }
    let place = measured();
    let file = place.dir("theirs").join("report.html");
    fs::write(&file, "secret").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    for path in [&place.path("theirs"), &file] {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    every_verb_refuses(&place, "theirs/report.html", "it belongs to user 65534");
    assert_eq!(fs::read_to_string(&file).unwrap(), "secret");
    assert_eq!(names(&place.path("theirs")), ["report.html"]);
}

/// A link in a folder that another user can change leads nowhere, for every verb that writes; one's own does.
#[test]
fn report_follows_only_links_that_no_other_user_could_make() {
    if !root_or_skip("folders of another user") {
        return;
    }
    let place = measured();
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    let (private, theirs) = (place.dir("private"), place.dir("theirs"));
    symlink(&private, theirs.join("sub")).unwrap();
    chown(&theirs, Some(NOBODY), None).unwrap();
    let refused = "is a symbolic link in a folder that another user can change";
    every_verb_refuses(&place, "theirs/sub/report.html", refused);
    for args in [
        vec!["init", "theirs/sub/plan.toml"],
        vec!["export", "last", "--out", "theirs/sub"],
        vec!["export", "last", "--out", "theirs/sub/deeper"],
        vec!["man", "--out", "theirs/sub"],
    ] {
        let stderr = place.fails(&args, 1);
        assert!(stderr.contains(refused), "{args:?}: {stderr}");
    }
    assert_eq!(names(&private), Vec::<String>::new());
    // Links made by root in its own folder are followed, and also those in a shared one, e.g. /tmp.
    symlink(&private, place.path("own")).unwrap();
    place.ok(&["report", "last", "--out", "own/report.html"]);
    let shared = place.dir("shared");
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
    symlink(&private, shared.join("roots")).unwrap();
    symlink(&private, shared.join("theirs")).unwrap();
    std::os::unix::fs::lchown(shared.join("theirs"), Some(NOBODY), None).unwrap();
    place.ok(&["report", "last", "--out", "shared/roots/report.html"]);
    let stderr = place.fails(&["report", "last", "--out", "shared/theirs/report.html"], 1);
    assert!(stderr.contains(refused), "{stderr}");
    fs::remove_file(private.join("report.html")).unwrap();
    assert_eq!(names(&private), Vec::<String>::new());
    // Started in a folder of another user, too.
    let started = |args: &[&str]| {
        let mut command = place.command(args);
        finished_in(&mut command, &theirs)
    };
    let output = started(&["report", "last", "--out", "sub/report.html"]);
    assert!(text(&output.stderr).contains(refused), "{}", text(&output.stderr));
    let output = started(&["report", "last", "--out", "report.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(names(&theirs), ["report.html", "sub"]);
}

fn finished_in(command: &mut Command, dir: &Path) -> Output {
    command.current_dir(dir).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
}

/// The kernel ends the program in the middle of its writing, by a limit on the size of files; and a file system is
/// full.
#[test]
fn report_is_whole_or_the_old_one_stays() {
    let place = measured();
    place.ok(&["report", "last", "--out", "report.html"]);
    let page = fs::read(place.path("report.html")).unwrap();
    let own = place.command(&["report", "last", "--out", "report.html", "--baseline", "null"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 16 && exec \"$@\"", "sh"]).arg(own.get_program());
    limited.args(own.get_args()).current_dir(place.path(""));
    limited.env("ASSAY_STORE", place.path("store.db")).env("ASSAY_STATE", place.path("state"));
    let output = finished(limited);
    assert_eq!(output.status.code(), None, "it was not ended: {}", text(&output.stderr));
    assert!(fs::read(place.path("report.html")).unwrap() == page, "the old page is lost");
    if !root_or_skip("a full file system") {
        return;
    }
    let full = place.dir("full");
    let mounted = Mounted::new(&full, "size=16k");
    fs::write(full.join("report.html"), format!("a page of {}", id(&place))).unwrap();
    let stderr = place.fails(&["report", "last", "--out", "full/report.html"], 1);
    let (left, old) = (names(&full), fs::read_to_string(full.join("report.html")));
    drop(mounted);
    assert!(stderr.contains("No space left"), "{stderr}");
    assert_eq!(left, ["report.html"]);
    assert_eq!(old.unwrap(), format!("a page of {}", id(&place)));
}

/// A small file system in memory; unmounted when it is dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path, options: &str) -> Mounted {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(at);
        assert!(mount.status().unwrap().success());
        Mounted(at.into())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn id(place: &Place) -> String {
    let list = place.campaigns(&[]);
    let mut ids = list.iter().map(|campaign| campaign["id"].as_str().unwrap());
    ids.find(|id| !id.starts_with("first")).unwrap().into()
}

#[test]
fn report_goes_to_descriptors_and_devices_of_the_caller() {
    let place = measured();
    let assay = env!("CARGO_BIN_EXE_assay");
    let shell = |script: &str| {
        let mut command = Command::new("bash");
        command.args(["-c", &script.replace("ASSAY", &format!("{assay} report last --out"))]);
        command.current_dir(place.path("")).env("ASSAY_STORE", place.path("store.db"));
        command.env("ASSAY_STATE", place.path("state"));
        finished(command)
    };
    let is_page = |bytes: &[u8]| text(bytes).contains("</html>");
    let page = |script: &str| {
        let output = shell(script);
        assert!(output.status.success() && is_page(&output.stdout), "{script}: {output:.400?}");
    };
    page("ASSAY /dev/stdout --format html");
    page("ASSAY /dev/stderr --format html 2>&1");
    page("ASSAY /dev/fd/3 --format html 3>&1");
    page("ASSAY /proc/self/fd/4 --format html 4> file && cat file");
    page(
        "echo first > file; ASSAY /dev/stdout --format html >> file; head -1 file | grep -q first && cat file",
    );
    page(
        "ASSAY >(cat > piped) --format html; while ! grep -q /html piped; do sleep 0.1; done; cat piped",
    );
    assert!(shell("ASSAY /dev/null").status.success());
    let full = text(&shell("ASSAY /dev/full").stderr);
    assert!(full.contains("No space left"), "{full}");
    // What this program opened itself, its store among it, is not the caller's.
    for number in 3..10 {
        let output = shell(&format!("ASSAY /dev/fd/{number}"));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{number}: {stderr}");
        assert!(stderr.contains("is not open for writing"), "{number}: {stderr}");
    }
    let read_only = text(&shell("ASSAY /dev/fd/3 3< store.db").stderr);
    assert!(read_only.contains("is not open for writing"), "{read_only}");
    if root_or_skip("a device") {
        let made = Command::new("mknod").arg(place.path("zero")).args(["c", "1", "5"]).status();
        match made.is_ok_and(|made| made.success()) {
            true => every_verb_refuses(&place, "zero", "it is not a regular file"),
            false => skip(Need::program("mknod"), "no device can be made here"),
        }
    }
}

#[test]
fn report_keeps_closed_mode_and_follows_umask() {
    let place = measured();
    let mode = || fs::metadata(place.path("report.html")).unwrap().mode() & 0o777;
    let write = |umask: &str| {
        let own = place.command(&["report", "last", "--out", "report.html"]);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("umask {umask} && exec \"$@\""), "sh"]).arg(own.get_program());
        shell.args(own.get_args()).current_dir(place.path(""));
        shell.env("ASSAY_STORE", place.path("store.db")).env("ASSAY_STATE", place.path("state"));
        assert!(finished(shell).status.success());
        mode()
    };
    assert_eq!(write("027"), 0o640);
    assert_eq!(write("022"), 0o640);
    fs::set_permissions(place.path("report.html"), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(write("022"), 0o644);
}

/// A run looks early whether it can write, and makes nothing by that.
#[test]
fn run_checks_its_report_before_measuring_and_makes_nothing() {
    let place = Place::new();
    let data = place.dir("data");
    let is_refused = |out: &str, part: &str| {
        let stderr = place.fails(&[&["run", "--out", out][..], &NULL].concat(), 2);
        assert!(stderr.contains(part), "{out}: {stderr}");
        assert!(!place.path("store.db").exists(), "{out}: a store was made");
    };
    is_refused("none/report.html", "none: No such file");
    is_refused("data", "it is a folder");
    if root_or_skip("a read-only file system") {
        let mounted = Mounted::new(&place.dir("ro"), "ro");
        is_refused("ro/report.html", "Read-only file system");
        drop(mounted);
    }
    let target = format!("dir:{}", data.display());
    let slow = ["run", "--suite", "null", "--on", &target, "--knob", "write_us=50000"];
    let mut child = place.spawn(&[&slow[..], &["--blocks", "200", "--preset", "smoke"]].concat());
    crate::common::wait_for("campaign", || {
        !place.assay(&["list"]).stdout.is_empty() && !names(&data).is_empty()
    });
    assert!(!place.path("report.html").exists(), "the look left a file");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap();
    assert!(!place.path("report.html").exists());
    assert!(names(&place.path("")).iter().all(|name| !name.starts_with(".assay")));
}

/// A page of something else stays under another name, however long it is.
#[test]
fn report_keeps_long_file_of_something_else() {
    let place = measured();
    fs::File::create(place.path("report.html")).unwrap().set_len(1 << 40).unwrap();
    fs::write(place.path("report.1.html"), "taken").unwrap();
    let output = finished(place.command(&["report", "last", "--out", "report.html"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("which is now report.2.html"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(fs::metadata(place.path("report.2.html")).unwrap().len(), 1 << 40);
    assert!(fs::read_to_string(place.path("report.html")).unwrap().contains("</html>"));
}

/// SQLite takes a disk for an empty file and makes a store of it, waits for the writer of a pipe, and follows links.
#[test]
fn store_is_no_disk_no_pipe_and_no_link_of_another_user() {
    let place = Place::new();
    let run = [&["run", "--quiet"][..], &NULL].concat();
    let refused = |store: &str, part: &str| {
        for verb in [&run[..], &["list"], &["report"], &["rm", "last"], &["import", "/dev/null"]] {
            if verb[0] == "import" && part.contains("regular") {
                continue;
            }
            let output = finished(place.command(&[verb, &["--store", store]].concat()));
            let stderr = text(&output.stderr);
            assert!(!output.status.success() && stderr.contains(part), "{verb:?}: {stderr}");
        }
    };
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    refused("pipe", "it is not a regular file");
    refused("/dev/null", "it is not a regular file");
    // A link of one's own is followed, also to what is not there yet.
    symlink(place.path("far.db"), place.path("own.db")).unwrap();
    place.ok(&[&run[..], &["--store", "own.db"]].concat());
    assert!(place.path("far.db").is_file() && place.path("own.db").is_symlink());
    assert_eq!(place.ok(&["list", "--store", "own.db"]), place.ok(&["list", "--store", "far.db"]));
    if !root_or_skip("files of another user") {
        return;
    }
    let theirs = place.dir("theirs");
    symlink(place.path("made.db"), theirs.join("store.db")).unwrap();
    chown(&theirs, Some(NOBODY), None).unwrap();
    refused("theirs/store.db", "is a symbolic link in a folder that another user can change");
    symlink(place.path("far.db"), theirs.join("far.db")).unwrap();
    refused("theirs/far.db", "is a symbolic link in a folder that another user can change");
    symlink(place.dir("private"), theirs.join("sub")).unwrap();
    let stderr = place.fails_last(&[&run[..], &["--state", "theirs/sub/state"]].concat(), 1);
    assert!(stderr.contains("is a symbolic link in a folder that another user"), "{stderr}");
    assert!(!place.path("made.db").exists() && names(&place.path("private")).is_empty());
    if let Some(disk) = Disk::zeroed() {
        symlink(&disk.node, place.path("disk.db")).unwrap();
        refused("disk.db", "it is not a regular file");
        refused(&disk.node, "it is not a regular file");
        Command::new("sync").arg(&disk.node).status().unwrap();
        assert!(fs::read(&disk.image).unwrap().iter().all(|byte| *byte == 0), "it was written to");
    }
}

/// A folder in which the program is started gives it nothing that was not named: no plan, no suite, no profile, no
/// program. Whatever was opened would be waited for.
#[test]
fn folder_is_not_searched_for_plans_suites_profiles_or_programs() {
    let place = measured();
    let planted = [
        "assay.toml",
        ".assay.toml",
        ".assay",
        "plan.toml",
        ".env",
        "null",
        "null.toml",
        "columnar",
        "columnar.toml",
        "desktop",
        "desktop.toml",
        "last",
        "last.toml",
        "ext4",
        "mkfs.ext4",
        "mount",
        "losetup",
        "fio",
        "sh",
        "suites",
        "profiles",
        "config.toml",
        "assay.db",
        "state.db",
    ];
    let folder = place.dir("planted");
    for name in planted {
        let made = Command::new("mkfifo").arg(folder.join(name)).status().unwrap();
        assert!(made.success());
    }
    for verb in [
        &[&["run"][..], &NULL].concat()[..],
        &[&["plan"][..], &NULL].concat(),
        &["report", "last"],
        &["advise", "last", "--profile", "desktop"],
        &["explain", "columnar"],
        &["list"],
        &["doctor"],
        &["cleanup"],
    ] {
        let mut command = place.command(verb);
        command.current_dir(&folder);
        let output = finished(command);
        assert!(output.status.success(), "{verb:?}: {}", text(&output.stderr));
    }
    let mut left: Vec<String> = planted.map(String::from).to_vec();
    left.push("report.html".into());
    left.sort();
    assert_eq!(names(&folder), left);
}

#[test]
fn full_disk_of_the_store_is_named_and_the_campaign_continues() {
    if !root_or_skip("a small file system") {
        return;
    }
    let place = Place::new();
    let small = place.dir("small");
    let mounted = Mounted::new(&small, "size=600k");
    let store = small.join("store.db").display().to_string();
    let run = ["run", "--on", "null", "--suite", "null", "--procs", "1", "--blocks", "200"];
    let said = place.fails_last(&[&run[..], &["--store", &store]].concat(), 3);
    assert!(
        said.starts_with("assay: no space left for the store; free some on its disk"),
        "{said}"
    );
    assert!(said.contains("`assay resume --store "), "{said}");
    let more = Command::new("mount").args(["-o", "remount,size=64m"]).arg(&small).status();
    assert!(more.unwrap().success());
    let resumed = place.assay(&["resume", "--store", &store, "--quiet"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    drop(mounted);
}
