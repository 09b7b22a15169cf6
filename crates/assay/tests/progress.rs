//! Tests of progress output: lines for people, objects for programs, or nothing.

use crate::common::{Place, text, wait_for};
use needs::{Need, skip};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    process::{Command, Stdio},
};

/// What two directories under the suite null print on stderr, with these arguments.
fn said(place: &Place, more: &[&str]) -> String {
    let on = ["a", "b"].map(|name| format!("{name}=dir:{}", place.dir(name).display()));
    let mut args = vec!["run", "--suite", "null", "--on", &on[0], "--on", &on[1], "--blocks", "2"];
    args.extend(["--preset", "smoke", "--scale", "smoke", "--procs", "1"]);
    args.extend(more);
    let output = place.assay(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn programs_get_an_object_on_each_line() {
    let place = Place::new();
    let said = said(&place, &["--progress", "json"]);
    let objects: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str| objects.iter().filter(|o| o["event"] == event).collect::<Vec<_>>();
    place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let stored = fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let ids = stored.lines().skip(1).map(|row| row.split(',').take(9).collect::<String>());
    assert_eq!(of("sample").len(), ids.collect::<BTreeSet<_>>().len());
    let sample = of("sample")[0];
    assert!(sample["value"].as_f64().is_some_and(|value| value > 0.0), "{sample}");
    assert_eq!(of("step").len(), 4, "directories of one device go in turn, each in each block");
    let blocks: Vec<u64> = of("block").iter().map(|o| o["blocks"].as_u64().unwrap()).collect();
    assert_eq!(blocks, [1, 2]);
    assert_eq!(of("block")[1]["scores"].as_array().unwrap().len(), 2);
    // A sample of the second of two stands over that of the first, in the same block.
    assert!(of("sample").iter().any(|o| o["target"] == "b" && o["ratio"].is_number()));
}

#[test]
fn people_get_lines_with_the_scores_of_each_block_or_none() {
    let place = Place::new();
    let lines = said(&place, &[]);
    assert!(lines.contains("[0/") && lines.contains("Score over a after 2 blocks:"), "{lines}");
    for quiet in [&["--quiet"][..], &["--progress", "none"]] {
        let quiet = said(&place, quiet);
        assert!(!quiet.contains("[0/") && !quiet.contains("Score over"), "{quiet}");
        assert!(quiet.contains("campaign "), "{quiet}");
    }
}

/// A terminal whose program was killed shows again what is typed, and reads lines.
#[test]
fn the_terminal_has_echo_again_after_kill_9() {
    if Command::new("script").arg("--version").output().is_err() {
        return skip(Need::program("script"), "a terminal needs script");
    }
    let place = Place::new();
    let target = format!("dir:{}", place.dir("data").display());
    let dialogue = format!(
        "stty -a > before\n\
         sh -c 'echo $$ > pid; tty > tty; exec {} run --on {target} --suite null --procs 1 --preset smoke \
         --scale smoke --blocks 200 --knob write_us=50000'\n\
         for i in 1 2 3 4 5 6 7 8 9 10; do stty -a > after; cmp -s before after && exit 7; sleep 1; done\n\
         exit 1\n",
        env!("CARGO_BIN_EXE_assay")
    );
    fs::write(place.path("dialogue"), dialogue).unwrap();
    let mut command = Command::new("script");
    command.args(["-q", "-f", "-e", "-c", "sh dialogue", "typescript"]);
    command.env("ASSAY_STORE", place.path("store.db")).env("ASSAY_STATE", place.path("state"));
    command.env("TERM", "xterm");
    command.current_dir(place.path("")).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let shown = || fs::read_to_string(place.path("typescript")).unwrap_or_default();
    wait_for("figures of the machine", || shown().contains(" MB/s, CPU "));
    let said = |file: &str| fs::read_to_string(place.path(file)).unwrap().trim().to_string();
    let stty = Command::new("stty").args(["-a", "-F", &said("tty")]).output().unwrap();
    assert!(text(&stty.stdout).contains("-echo "), "{}", text(&stty.stdout));
    let pid = rustix::process::Pid::from_raw(said("pid").parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(7), "before: {}\nafter: {}", said("before"), said("after"));
    place.ok(&["cleanup"]);
    place.assert_clean();
}

/// script(1) gives the program a terminal of its own, and hands on what it is typed.
#[test]
fn the_key_q_stops_a_run_at_a_terminal() {
    if Command::new("script").arg("--version").output().is_err() {
        return skip(Need::program("script"), "a terminal needs script");
    }
    let place = Place::new();
    let target = format!("dir:{}", place.dir("data").display());
    let work =
        "--suite null --procs 1 --preset smoke --scale smoke --blocks 200 --knob write_us=50000";
    let run = format!("{} run --on {target} {work}", env!("CARGO_BIN_EXE_assay"));
    let mut command = place.command(&[]);
    let environment: Vec<_> = command
        .get_envs()
        .filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())))
        .collect();
    command = Command::new("script");
    command
        .args(["-q", "-f", "-e", "-c", &run, "typescript"])
        .envs(environment)
        .env("TERM", "xterm")
        .current_dir(place.path(""));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let shown = || fs::read_to_string(place.path("typescript")).unwrap_or_default();
    wait_for("figures of the machine", || shown().contains(" MB/s, CPU "));
    let mut keyboard = child.stdin.take().unwrap();
    keyboard.write_all(b"xq").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(shown().contains("q or ^C stops; finished samples are kept"), "{}", shown());
    assert!(place.ok(&["show", "last"]).contains("open"));
    assert_eq!(fs::read_dir(place.path("data")).unwrap().count(), 0);
    place.assert_clean();
}
