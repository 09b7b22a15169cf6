//! Plans from arguments and from files.

mod strangers;

use super::*;
use crate::cli::{Cli, Verb};
use clap::Parser;

fn plan(words: &[String]) -> Plan {
    let words = ["assay".to_string()].into_iter().chain(words.iter().cloned());
    match Cli::try_parse_from(words).unwrap().verb {
        Verb::Run(args) => from_args(&args.plan).unwrap(),
        _ => unreachable!(),
    }
}

/// Words as a shell takes them where quotes hold none.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (at, part) in command.split('\'').enumerate() {
        let mut pieces = if at % 2 == 1 { vec![part] } else { part.split(' ').collect() };
        let first = pieces.remove(0);
        words.last_mut().unwrap().push_str(first);
        words.extend(pieces.into_iter().map(String::from));
    }
    words
}

#[test]
fn the_command_of_a_plan_asks_for_that_plan() {
    for command in [
        "run --on ext4[commit=5] --on 'fast=dir:/mnt/a b,c' --sweep xfs[agcount=4,8] --sweep-mode one-at-a-time \
         --suite files,oltp --tests files.* --procs 1,4 --threads 2 --preset standard --budget 90m --scale small \
         --seed 7 --age 100 --fullness 80 --baseline fast --order in-turn --data zeros --knob 'a=b c' --lab uml \
         --case-timeout 60 --image-size 1GiB --no-aa",
        "run --on raid1(xfs) --device /dev/disk/by-id/x --condition --split --aa --blocks 4 --kernel /boot/k",
        "run --on old=xfs@6.12 --on 'raid1(ext4[noatime])@6.1.0-18-amd64' --sweep xfs[agcount=4,8]@6.12 --lab qemu",
        "run",
    ] {
        let asked = plan(&words(command));
        let again = words(&asked.command());
        assert_eq!(again[0], "assay");
        assert_eq!(plan(&again[1..]), asked, "{}", asked.command());
    }
}

#[test]
fn candidates_are_words_too() {
    let asked = plan(&words("run ext4 xfs,fast=dir:/mnt/a --seed 7"));
    assert_eq!(asked, plan(&words("run --on ext4 --on xfs,fast=dir:/mnt/a --seed 7")));
}

#[test]
fn pace_and_window_are_settings_of_the_suite() {
    let asked = plan(&words("run --suite traces --pace 2x --window 1s..2s --seed 7"));
    let knobs = "run --suite traces --knob pace=2x --knob window=1s..2s --seed 7";
    assert_eq!(asked, plan(&words(knobs)));
}

#[test]
fn one_word_may_be_a_plan_file() {
    let args = |command: &str| {
        let words = ["assay".to_string()].into_iter().chain(words(command));
        match Cli::try_parse_from(words).unwrap().verb {
            Verb::Run(args) => args.plan,
            _ => unreachable!(),
        }
    };
    let file = |command: &str| args(command).plan_file().map(|file| file.map(Path::to_path_buf));
    assert_eq!(file("run nightly.toml ext4"), Ok(Some("nightly.toml".into())));
    assert_eq!(args("run nightly.toml ext4 --on xfs").candidates(), ["ext4", "xfs"]);
    assert_eq!(file("run ./nightly"), Ok(Some("./nightly".into())));
    assert_eq!(file("run plans/nightly"), Ok(Some("plans/nightly".into())));
    // A file of this package, and one that is a file system.
    assert_eq!(file("run build.rs ext4"), Ok(Some("build.rs".into())));
    assert_eq!(file("run dir:/mnt/a.toml"), Ok(None));
    let two = file("run a.toml b.toml").unwrap_err();
    assert_eq!(two, "two plan files, a.toml and b.toml; run one, then the other");
    let like = file("run a.toml --like last").unwrap_err();
    assert_eq!(like, "--like cannot be used with a plan file; omit --like or a.toml");
}
