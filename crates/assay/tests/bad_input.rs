//! Every mistake a user can make: one line that says what, on which object, and what to do next,
//! the documented exit status, and nothing left behind.

use crate::common::{Place, root_or_skip};
use std::{fs, process::Command};

#[test]
fn wrong_names_are_refused_before_anything_is_touched() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("a").display());
    for (args, says) in [
        (vec!["run", "--on", "ext5"], "`ext5` is not a file system"),
        (vec!["run", "--on", "ext4[mkfs"], "`]` is missing"),
        (vec!["run", "--on", "ext4[noatme]"], "ext4 has no option `noatme`"),
        (vec!["run", "--on", &dir, "--suite", "rows"], "there is no suite `rows`"),
        (vec!["run", "--on", &dir, "--tests", "columnar.no"], "matches `columnar.no`"),
        (vec!["run", "--on", &dir, "--procs", "0"], "0 processes"),
        (vec!["run", "--on", &dir, "--procs", "2000"], "2000 processes"),
        (vec!["plan", "--on", &dir, "--procs", "2000"], "2000 processes"),
        (vec!["run", "--on", &dir, "--blocks", "0"], "0 blocks"),
        (vec!["run", "--on", &dir, "--knob", "set_mode"], "has no value"),
        (vec!["run", "--on", &dir, "--knob", "set_mode=x"], "`set_mode=x` is not allowed"),
        (vec!["run", "--on", &dir, "--baseline", "xfs"], "baseline `xfs` is not a target"),
        (
            vec!["run", "--on", &dir, "--suite", "missing.toml"],
            "cannot read the suite missing.toml",
        ),
        (vec!["run", "--on", &dir, "--suite", "null,null"], "two tests of these suites"),
        (vec!["explain", "mdtest.none", "--suite", "mdtest"], "there is no test"),
        (vec!["explain", "columnar", "--toml"], "code, not TOML"),
        (vec!["explain", "columnar.no"], "there is no test or suite `columnar.no`"),
    ] {
        let line = place.fails(&args, 2);
        assert!(line.contains(says), "{args:?}: {line}");
    }
    place.assert_clean();
    assert!(!place.path("store.db").exists());
}

#[test]
fn a_search_with_more_processes_than_a_machine_starts_is_refused() {
    let place = Place::new();
    let search = ["tune", "--on", "ext4", "--suite", "null", "--procs", "2000"];
    let line = place.fails(&search, 2);
    assert!(line.contains("2000 processes"), "{line}");
    place.assert_clean();
}

#[test]
fn a_plan_with_a_wrong_key_names_file_and_line() {
    let place = Place::new();
    fs::write(place.path("plan.toml"), "suite = \"columnar\"\nproces = [1]\n").unwrap();
    let line = place.fails(&["run", "plan.toml"], 2);
    assert!(line.contains("plan.toml:2") && line.contains("proces"), "{line}");
    let line = place.fails(&["run", "missing.toml"], 1);
    assert!(line.contains("cannot read the plan missing.toml"), "{line}");
}

#[test]
fn a_suite_with_a_mistake_names_file_and_test() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("a").display());
    let head = "name = 'mine'\nabout = 'x'\n";
    for (test, says) in [
        ("[[test]\n", "mine.toml:3"),
        ("[[test]]\nid = 'mine.a'\n", "test mine.a: it has no `kind`"),
        ("[[test]]\nid = 'mine.a'\nkind = 'none'\n", "there is no kind `none`"),
    ] {
        fs::write(place.path("mine.toml"), format!("{head}{test}")).unwrap();
        let line = place.fails(&["run", "--on", &dir, "--suite", "mine.toml"], 2);
        assert!(line.contains("mine.toml") && line.contains(says), "{line}");
    }
    place.assert_clean();
}

#[test]
fn directories_that_cannot_be_used_are_named() {
    let place = Place::new();
    fs::write(place.path("file"), "").unwrap();
    for target in ["dir:/no/such/place", "dir:file"] {
        let line =
            place.fails(&["run", "--on", target, "--preset", "smoke", "--scale", "smoke"], 2);
        assert!(line.contains("is not a directory; name one that exists"), "{line}");
    }
    place.assert_clean();
}

#[test]
fn a_read_only_directory_is_named() {
    if !root_or_skip("a read-only mount") {
        return;
    }
    let place = Place::new();
    let dir = place.dir("read-only");
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "ro", "none"]).arg(&dir).status();
    assert!(mounted.unwrap().success());
    let target = format!("dir:{}", dir.display());
    let output = place.assay(&["run", "--on", &target, "--preset", "smoke", "--scale", "smoke"]);
    assert!(Command::new("umount").arg(&dir).status().unwrap().success());
    let stderr = crate::common::text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("cannot write in") && stderr.contains("Read-only"), "{stderr}");
    place.assert_clean();
}

#[test]
fn campaigns_and_stores_that_do_not_fit_are_named() {
    let place = Place::new();
    let line = place.fails(&["show", "last"], 1);
    assert!(line.contains("there is no campaign yet"), "{line}");
    fs::write(
        place.path("store.db"),
        "this is not a database, whatever its name says ".repeat(100),
    )
    .unwrap();
    let line = place.fails(&["list"], 1);
    assert!(line.contains("store.db"), "{line}");
}

#[test]
fn an_unwritable_report_is_found_before_measuring() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("a").display());
    let line = place.fails(&["run", "--on", &dir, "--html", "/no/such/report.html"], 2);
    assert!(line.contains("/no/such/report.html"), "{line}");
    assert!(!place.path("store.db").exists());
}

#[test]
fn a_host_without_room_for_the_image_is_refused() {
    if !root_or_skip("a loop image") {
        return;
    }
    let place = Place::new();
    let output = place.assay(&[
        "run",
        "--on",
        "ext4",
        "--preset",
        "smoke",
        "--image-size",
        "900T",
        "--tests",
        "columnar.size",
    ]);
    let stderr = crate::common::text(&output.stderr);
    assert!(!output.status.success() && stderr.contains("free"), "{stderr}");
    place.assert_clean();
}

#[test]
fn a_plan_cannot_hand_unknown_options_to_programs_nor_name_other_disks() {
    let place = Place::new();
    let plan = |target: &str| {
        fs::write(place.path("p.toml"), format!("targets = ['{target}']\nsuites = ['null']\n"))
            .unwrap();
        place.fails(&["run", "p.toml"], 2)
    };
    let line = plan("sshfs[o.ssh_command=reboot](ext4)");
    assert!(line.contains("`o.ssh_command` is not known here") && line.contains("--on"), "{line}");
    let line = plan("raid1(xfs[o.x=1])");
    assert!(line.contains("`o.x` is not known here"), "{line}");
    let line = plan("xfs[mkfs.l=\"logdev=/dev/sdb\"]");
    assert!(line.contains("is refused: it names a path"), "{line}");
    // A disk of others is refused wherever it is named.
    let on = "ext4[mkfs.J=\"device=UUID=x\"]";
    assert!(place.fails(&["run", "--on", on], 2).contains("it names a disk"));
}
