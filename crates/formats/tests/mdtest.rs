//! mdtest's output, versions 1.9 to 4.1, plain and verbose.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;

#[test]
fn a_table_gives_a_sample_for_each_phase() {
    let data = read_fixtures(&["mdtest-xfs.txt"]);
    tests_are_of(&data, "mdtest");
    let tests: Vec<_> = data.tests.iter().map(|t| (t.id.as_str(), t.name.as_str())).collect();
    assert_eq!(tests[0], ("mdtest.dir.create", "Directory creation"));
    assert_eq!((tests.len(), data.samples.len()), (10, 10));
    let create = sample(&data, "mdtest.dir.create");
    assert_eq!(create.figures.metrics.len(), 1);
    assert_eq!((create.case.procs, create.case.threads), (2, 1));
    assert_eq!(create.metric("ops_rate"), Some(31111.518));
    assert_eq!(sample(&data, "mdtest.tree.remove").metric("ops_rate"), Some(900.143));
    assert_eq!(data.campaign.environment.0["tool.mdtest"], "4.1.0+dev");
    assert!(data.targets[0].facts.0["command"].contains("'-z' '3'"));
}

#[test]
fn files_are_targets_in_the_order_given() {
    let data = read_fixtures(&["mdtest-ext4.txt", "mdtest-xfs.txt", "mdtest-btrfs.txt"]);
    assert_eq!(labels(&data), ["ext4", "xfs", "btrfs"]);
    assert_eq!(data.campaign.plan.targets.len(), 3);
    assert!(data.samples.iter().all(|s| s.block == 0));
}

#[test]
fn files_of_one_named_target_are_repeats() {
    let files = [fixture("mdtest-ext4.txt"), fixture("mdtest-xfs.txt")];
    let named = formats::ImportOptions { target: Some("disk".into()), ..options() };
    let data = formats::import(&files, None, &named).unwrap();
    check(&data);
    assert_eq!(labels(&data), ["disk"]);
    assert_eq!(data.samples.len(), 20);
    assert!(data.samples.iter().all(|s| s.block == 0));
}

#[test]
fn directories_name_targets_when_files_do_not() {
    let rename = |dir: &str, name: &str| (format!("{dir}/mdtest.txt"), fixture(name).1);
    let data = read(&[rename("r/xfs", "mdtest-xfs.txt"), rename("r/ext4", "mdtest-ext4.txt")]);
    assert_eq!(labels(&data), ["xfs", "ext4"]);
    assert_eq!(labels(&read(&[rename("r/xfs", "mdtest-xfs.txt")])), ["xfs"]);
}

#[test]
fn iterations_give_their_mean_and_spread() {
    let data = read_fixtures(&["mdtest-ext4-i3-w3901.txt"]);
    let stat = sample(&data, "mdtest.file.stat");
    assert_eq!(stat.figures.metrics[0].value, 54750.178);
    assert_eq!(stat.metric("ops_rate_max"), Some(82547.805));
    assert_eq!(stat.metric("ops_rate_min"), Some(8534.663));
    assert_eq!(stat.metric("ops_rate_sd"), Some(40297.646));
}

#[test]
fn verbose_lines_of_one_rank_are_no_figures() {
    let data = read_fixtures(&["mdtest-xfs-F-u-v.txt"]);
    assert_eq!(data.samples.len(), 6);
    assert_eq!(sample(&data, "mdtest.file.create").figures.metrics[0].value, 62182.321);
    assert_eq!(sample(&data, "mdtest.tree.create").figures.metrics[0].value, 4164.255);
}

#[test]
fn rows_with_what_verbosity_puts_before_them_are_read() {
    let plain = text("mdtest-xfs.txt");
    let loud = plain.replace("   File stat ", "V-0: Rank   0 Line  1601    File stat ");
    assert_ne!(plain, loud);
    let (plain, loud) = (read(&[file("xfs.txt", &plain)]), read(&[file("xfs.txt", &loud)]));
    assert_eq!(plain, loud);
}

#[test]
fn phases_that_were_not_run_are_left_out() {
    let data = read_fixtures(&["mdtest-1.9.3.txt"]);
    let ids: Vec<_> = data.tests.iter().map(|t| t.id.as_str()).collect();
    let run = ["dir.create", "dir.stat", "file.create", "file.stat", "tree.create"];
    assert_eq!(ids, run.map(|id| format!("mdtest.{id}")));
    assert_eq!(sample(&data, "mdtest.dir.stat").figures.metrics[0].value, 211111.111);
    assert_eq!(data.samples[0].case.procs, 4);
    assert_eq!(data.campaign.environment.0["tool.mdtest"], "1.9.3");
}

#[test]
fn rates_of_single_ranks_and_times_are_no_figures() {
    let data = read_fixtures(&["mdtest-4.1-P-p.txt"]);
    assert_eq!(data.samples.len(), 3);
    assert_eq!(sample(&data, "mdtest.file.create").figures.metrics[0].value, 1200.016);
    assert_eq!(sample(&data, "mdtest.file.stat").case.procs, 10);
}

#[test]
fn other_work_is_never_a_repeat() {
    let why = error(&[fixture("mdtest-ext4.txt"), fixture("mdtest-ext4-i3-w3901.txt")]);
    let start = "mdtest-ext4-i3-w3901.txt, line 13: `mdtest.dir.create` did different work here \
                 than in \
                 mdtest-ext4.txt, line 14: `2 -w 3901 -e 3901` versus `2`; ";
    assert!(why.starts_with(start), "{why}");
}

#[test]
fn two_directories_in_one_file_are_not_one_target() {
    let both = text("mdtest-ext4.txt") + &text("mdtest-xfs.txt");
    let why = error(&[file("all.txt", &both)]);
    assert!(why.contains("was measured in `/mnt/xfs/md`, line 14 in `/mnt/ext4/md`"), "{why}");
    let twice = text("mdtest-ext4.txt") + &text("mdtest-ext4.txt").replace("2026", "2027");
    assert_eq!(read(&[file("ext4.txt", &twice)]).samples.len(), 20);
}

#[test]
fn damage_is_named_with_file_and_line() {
    every_cut_is_an_error("mdtest-xfs.txt", "-- finished", 600);
    let broken = text("mdtest-xfs.txt").replace("87220.731          0.000", "fast          0.000");
    assert_eq!(
        error(&[file("xfs.txt", &broken)]),
        "xfs.txt, line 20: File read is `fast`, not a number"
    );
    let nan = text("mdtest-xfs.txt").replace("87220.731", "-nan");
    assert!(error(&[file("xfs.txt", &nan)]).contains("line 20: File read is `-nan`"));
}
