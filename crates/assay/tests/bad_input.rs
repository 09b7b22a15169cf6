//! Every mistake a user can make: one line that says what, on which object, and what to do next,
//! the documented exit status, and nothing left behind.

use crate::common::{Place, root_or_skip, text};
use needs::Mounted;
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, process::Command};

#[test]
fn wrong_names_are_refused_before_anything_is_touched() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("a").display());
    for (args, says) in [
        (vec!["run", "--on", "ext5"], "unknown file system `ext5`"),
        (vec!["run", "--on", "ext4[mkfs"], "`]` is missing"),
        (vec!["run", "--on", "ext4[noatme]"], "ext4 has no option `noatme`"),
        (vec!["run", "--on", "nfs[async](ext4)"], "ambiguous: for the server that assay starts"),
        (vec!["run", "--on", "zfs[mirror,resync=20]"], "zfs"),
        (vec!["run", "--on", &dir, "--suite", "rows"], "unknown suite `rows`"),
        (vec!["run", "--on", &dir, "--tests", "columnar.no"], "matches `columnar.no`"),
        (vec!["run", "--on", &dir, "--procs", "0"], "must be between 1 and 65536, not 0"),
        (vec!["run", "--on", &dir, "--procs", "2000"], "2000 processes"),
        (vec!["plan", "--on", &dir, "--procs", "2000"], "2000 processes"),
        (vec!["run", "--on", &dir, "--blocks", "0"], "--blocks must be between 1 and 1000, not 0"),
        (vec!["run", "--on", &dir, "--knob", "set_mode"], "has no value"),
        (vec!["run", "--on", &dir, "--knob", "set_mode=x"], "`set_mode=x` is not allowed"),
        (vec!["run", "--on", &dir, "--baseline", "xfs"], "baseline `xfs` is not a target"),
        (
            vec!["run", "--on", &dir, "--suite", "missing.toml"],
            "cannot read the suite missing.toml",
        ),
        (vec!["run", "--on", &dir, "--suite", "null,null"], "two tests of these suites"),
        (vec!["explain", "mdtest.none", "--suite", "mdtest"], "unknown test"),
        (vec!["explain", "columnar", "--toml"], "no TOML declaration"),
        (vec!["explain", "columnar.no"], "unknown test or suite `columnar.no`"),
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
    fs::write(place.path("plan.toml"), "suites = [\"columnar\"]\nproces = [1]\n").unwrap();
    let line = place.fails(&["run", "plan.toml"], 2);
    assert!(line.contains("plan.toml:2") && line.contains("proces"), "{line}");
    let line = place.fails(&["run", "missing.toml"], 1);
    assert!(line.contains("cannot read the plan missing.toml"), "{line}");
}

#[test]
fn a_name_that_is_not_utf8_is_named() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"p\xff.toml");
    fs::write(place.path("").join(name), "targets = [\"null\"]\n").unwrap();
    for words in [&["run"][..], &["plan"], &["run", "--on", "null", "--suite"]] {
        let output = place.command(words).arg(name).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("`p\u{fffd}.toml` is not UTF-8") && said.lines().count() == 1,
            "{said}"
        );
    }
    place.assert_clean();
}

#[test]
fn a_suite_with_a_mistake_names_file_and_test() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("a").display());
    let head = "name = 'mine'\nabout = 'x'\n";
    for (test, says) in [
        ("[[test]\n", "mine.toml:3"),
        ("[[test]]\nid = 'mine.a'\n", "test mine.a: it has no `kind`"),
        ("[[test]]\nid = 'mine.a'\nkind = 'none'\n", "unknown kind `none`"),
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
        assert!(line.contains("is not a directory; choose an existing one"), "{line}");
    }
    let line = place.fails(&["run", "--on", "dir:.,dir:file", "--preset", "smoke"], 2);
    assert!(line.contains("give each directory its own --on"), "{line}");
    place.assert_clean();
}

#[test]
fn a_read_only_directory_is_named() {
    if !root_or_skip("a read-only mount") {
        return;
    }
    let place = Place::new();
    let dir = place.dir("read-only");
    let mounted = Mounted::new(&["-t", "tmpfs", "-o", "ro", "none"], &dir);
    let target = format!("dir:{}", dir.display());
    let output = place.assay(&["run", "--on", &target, "--preset", "smoke", "--scale", "smoke"]);
    drop(mounted);
    let stderr = crate::common::text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("cannot write in") && stderr.contains("Read-only"), "{stderr}");
    place.assert_clean();
}

#[test]
fn campaigns_and_stores_that_do_not_fit_are_named() {
    let place = Place::new();
    let line = place.fails(&["show", "last"], 1);
    assert!(line.contains("no campaigns in"), "{line}");
    fs::write(
        place.path("store.db"),
        "this is not a database, whatever its name says ".repeat(100),
    )
    .unwrap();
    let line = place.fails(&["list"], 1);
    assert!(line.contains("store.db"), "{line}");
    fs::remove_file(place.path("store.db")).unwrap();
    place.ok(&["run", "--on", "null", "--suite", "null", "--preset", "smoke", "--scale", "smoke"]);
    let whole = fs::read(place.path("store.db")).unwrap();
    for left in [100, 4096, whole.len() / 2] {
        fs::write(place.path("store.db"), &whole[..left]).unwrap();
        for verb in [&["list"][..], &["report"], &["run", "--on", "null", "--suite", "null"]] {
            let line = place.fails(verb, 1);
            assert!(line.contains("store.db is damaged or truncated"), "{verb:?}: {line}");
        }
    }
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
fn a_full_folder_of_images_is_named_before_anything_is_stored() {
    if !root_or_skip("a small mount") {
        return;
    }
    let place = Place::new();
    let dir = place.dir("small");
    let mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=20m", "none"], &dir);
    let images = dir.display().to_string();
    let common = ["--on", "ext4", "--preset", "smoke", "--image-dir", &images];
    let said: Vec<_> = [&["plan"][..], &["run"], &["run", "--image-size", "64MiB"]]
        .into_iter()
        .map(|verb| place.assay(&[verb, &common].concat()))
        .collect();
    let data = format!("dir:{images}");
    let full = Command::new("sh").args(["-c", "cat /dev/zero > fill"]).current_dir(&dir).status();
    let on_full = place.assay(&["run", "--on", &data, "--preset", "smoke", "--suite", "files"]);
    drop(mounted);
    for output in &said {
        let line = crate::common::text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{line}");
        assert!(
            line.contains(
                " free, but the image of \
                               "
            ) && line.contains("--image-dir"),
            "{line}"
        );
    }
    assert!(!full.unwrap().success(), "it is full");
    let line = crate::common::text(&on_full.stderr);
    assert_eq!(on_full.status.code(), Some(3), "{line}");
    assert!(line.contains("has no space for the speed test"), "{line}");
    assert_eq!(place.campaigns(&[]).len(), 1, "the last alone was begun");
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
    assert!(line.contains("`o.ssh_command=reboot` is unknown") && line.contains("--on"), "{line}");
    let line = plan("raid1(xfs[o.x=1])");
    assert!(line.contains("`o.x=1` is unknown"), "{line}");
    let line = plan("xfs[mkfs.l=\"logdev=/dev/sdb\"]");
    assert!(line.contains("is refused: it names a path"), "{line}");
    // A disk of others is refused wherever it is named.
    let on = "ext4[mkfs.J=\"device=UUID=x\"]";
    assert!(place.fails(&["run", "--on", on], 2).contains("it names a disk"));
}

#[test]
fn a_slip_is_answered_with_what_may_be_meant() {
    let place = Place::new();
    let on = format!("dir:{}", place.dir("a").display());
    let study = "published-nano-2025-09-rhel9-p5510";
    for (args, meant) in [
        (vec!["run", "--on", &on, "--tests", "columnar.wirte.*"], "`columnar.write.*`"),
        (vec!["run", "--on", &on, "--preset", "quik"], "`quick`"),
        (vec!["run", "--on", &on, "--lab", "umll"], "`uml`"),
        (vec!["run", "--on", &on, "--order", "interleavd"], "`interleaved`"),
        (vec!["run", "--on", &on, "--scale", "tny"], "`tiny`"),
        (vec!["run", "--on", &on, "--data", "zeroes"], "`zeros`"),
        (vec!["run", "--on", &on, "--knob", "set_mode=trun"], "`trunc`"),
        (vec!["run", "--on", "ext4,xfs", "--baseline", "xsf"], "`xfs`"),
        (vec!["run", "--on", "xfs[agcnt=4]"], "`mkfs.d=agcount`"),
        (vec!["run", "--sweep", "xfs[agcount=4,8]", "--sweep-mode", "gird"], "`grid`"),
        (vec!["tune", "--on", "ext4", "--suite", "null", "--try", "lazytim"], "`lazytime`"),
        (vec!["selftest", "--only", "cap.raed.500"], "`cap.read.500`"),
        (vec!["doctor", "--install", "zfss"], "`zfs`"),
        (vec!["report", study, "--metric", "nano_rat"], "`nano_rate`"),
        (vec!["report", study, "--price", "xsf=0.08*500GB"], "`xfs`"),
        (vec!["advise", study, "--profile", "desktop", "--require", "snapshot"], "`snapshots`"),
    ] {
        let output = place.assay(&args);
        let said = crate::common::text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(&format!("did you mean {meant}?")), "{args:?}: {said}");
    }
    assert!(!place.path("store.db").exists());
    place.assert_clean();
}

#[test]
fn a_number_below_zero_is_refused_as_a_number() {
    let place = Place::new();
    for (option, value) in [
        ("--procs", "-1"),
        ("--threads", "-2"),
        ("--blocks", "-3"),
        ("--seed", "-1"),
        ("--scale", "-1"),
        ("--age", "-1"),
        ("--fullness", "-5"),
        ("--case-timeout", "-1"),
        ("--image-size", "-1"),
        ("--budget", "-5m"),
    ] {
        let output = place.assay(&["plan", "--on", "ext4", option, value]);
        let said = crate::common::text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{option}: {said}");
        let about = format!("invalid value '{value}' for '{option}");
        assert!(said.contains(&about), "{option}: {said}");
    }
}

#[test]
fn a_plan_with_a_wrong_value_says_what_is_wanted() {
    let place = Place::new();
    for (line, says) in [
        ("preset = 3", "expected text in quotes"),
        ("preset = 'quik'", "did you mean `quick`?"),
        ("presett = 'quick'", "did you mean `preset`?"),
        ("procs = -1", "expected a list in brackets"),
        ("blocks = 'x'", "expected a whole number"),
        ("blocks = -1", "expected a whole number"),
    ] {
        fs::write(place.path("plan.toml"), format!("{line}\n")).unwrap();
        let said = place.fails(&["run", "plan.toml"], 2);
        assert!(said.contains("plan.toml:1") && said.contains(says), "{line}: {said}");
    }
}

#[test]
fn one_machine_has_no_other_host_to_read_from() {
    let place = Place::new();
    let target = format!("dir:{}", place.dir("target").display());
    fs::write(place.path("p.toml"), "shift = true\nsuites = ['metadata']\n").unwrap();
    for verb in ["plan", "run"] {
        let said = place.fails(&[verb, "p.toml", "--on", &target, "--scale", "smoke"], 2);
        assert!(said.contains("`shift` needs several hosts, and this is one machine"), "{said}");
        assert!(said.contains("mpirun") && !said.contains("--shift:"), "{said}");
    }
    assert!(!place.path("store.db").exists());
    place.assert_clean();
}

#[test]
fn a_server_is_named_on_the_command_line_alone() {
    let place = Place::new();
    let target = "nfs[server=files.lan:/srv]";
    fs::write(place.path("p.toml"), format!("targets = ['{target}']\nsuites = ['null']\n"))
        .unwrap();
    let line = place.fails(&["run", "p.toml"], 2);
    assert!(
        line.contains(
            "a file cannot make this machine \
                           mount"
        ) && line.contains("--on"),
        "{line}"
    );
    if fs::read_to_string("/proc/filesystems").unwrap().lines().any(|line| line.ends_with("nfs4")) {
        return needs::skip(needs::Need::Other, "this kernel has NFS, and would ask for files.lan");
    }
    // No guest is booted for what no guest reaches.
    let line = place.fails(&["run", "--suite", "null", "--on", target], 3);
    assert!(line.contains("it has no network, so it cannot reach the server"), "{line}");
}
