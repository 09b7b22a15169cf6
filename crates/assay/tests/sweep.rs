//! `--sweep` from arguments to its table: on real XFS, in a dry run, and its refusals.

use crate::common::{Place, ready, ready_or_skip, root_or_skip, text};
use std::fs;

#[test]
fn a_sweep_on_real_xfs_ends_in_a_table_of_its_variants() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "xfs") {
        return;
    }
    let sweep = ["--sweep", "xfs[agcount=2,4;finobt=0;inobtcount=1]"];
    let work =
        ["--suite", "null", "--procs", "1", "--blocks", "2", "--image-size", "400M", "--full"];
    let left_out = place.assay(&[&["run"], &sweep[..], &work[..]].concat());
    let stderr = text(&left_out.stderr);
    assert_eq!(left_out.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("no variant is possible") && stderr.contains("finobt=1"), "{stderr}");

    let sweep = ["--sweep", "xfs[agcount=2,4;noatime;sunit=8]", "--sweep-mode", "one-at-a-time"];
    let output = place.assay(&[&["run"], &sweep[..], &work[..]].concat());
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("xfs and 3 variants (one-at-a-time)"), "{stderr}");
    assert!(stderr.contains("left out: xfs[sunit=8]: sunit needs swidth"), "{stderr}");
    let row = |variant: &str| {
        let begins = format!(" xfs      {variant}");
        stdout.lines().any(|line| line.starts_with(&begins) && line.contains("1.00 same"))
    };
    for variant in ["xfs[mkfs.d=agcount=2]", "xfs[mkfs.d=agcount=4]", "xfs[noatime]"] {
        assert!(row(variant), "{variant}: {stdout}");
    }
    assert!(stdout.contains("xfs[sunit=8]  sunit needs swidth"), "{stdout}");
    // The groups were really made.
    let shown = place.ok(&["show"]);
    assert!(shown.contains("agcount = 2") && shown.contains("agcount = 4"), "{shown}");
    let list = place.ok(&["list"]);
    assert!(list.contains("null on a sweep of xfs[agcount=2,4;noatime;sunit=8]"), "{list}");
    assert!(place.ok(&["report", "--format", "md"]).contains("variants against the default"));
    place.assert_clean();
}

#[test]
fn a_plan_file_sweeps_and_the_dry_run_shows_it() {
    let place = Place::new();
    let plan = "suites = [\"null\"]\nprocs = [1]\nscale = \"tiny\"\n\
                [[sweeps]]\non = \"xfs[reflink=0,1;rmapbt=0,1]\"\n\
                [[sweeps]]\non = \"ext4[noatime;commit=5,60]\"\nmode = \"one-at-a-time\"\n";
    fs::write(place.path("p.toml"), plan).unwrap();
    if !root_or_skip("making file systems") || ready(&place, &["xfs", "ext4"]).len() < 2 {
        return;
    }
    let text = place.ok(&["plan", "p.toml"]);
    assert!(text.contains("xfs[reflink=0,1;rmapbt=0,1]: xfs and 4 variants (grid)"), "{text}");
    assert!(text.contains("ext4 and 3 variants (one-at-a-time)"), "{text}");
    assert!(text.contains("-m reflink=0,rmapbt=1 "), "{text}");
    assert!(text.contains("3 blocks: "), "{text}");
    let all = place.ok(&["plan", "p.toml", "--sweep-mode", "one-at-a-time", "--on", "ext4"]);
    assert!(all.contains("xfs and 4 variants (one-at-a-time)"), "{all}");
    assert!(!all.contains("-m reflink=0,rmapbt=1 "), "{all}");
    place.assert_clean();
}

#[test]
fn wrong_sweeps_are_refused_before_anything_is_touched() {
    let place = Place::new();
    for (sweep, why) in [
        ("xfs[agcont=4]", "no option `agcont`"),
        ("xfs[reflink=2]", "use one of 0, 1"),
        ("xfs[size=1m]", "or mkfs.l=size or mkfs.i=size"),
        ("reiserfs[a=1]", "unknown file system"),
    ] {
        let told = place.fails(&["run", "--suite", "null", "--sweep", sweep], 2);
        assert!(told.contains(why), "{sweep}: {told}");
    }
    let output = place.assay(&["run", "--sweep", "xfs[a=1,b=2;c=]"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a value of `c` is missing"));
    assert!(!place.path("store.db").exists());
}
