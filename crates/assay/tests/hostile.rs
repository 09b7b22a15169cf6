//! Tests of foreign files and stores: they write only where the user said, control no terminal, and
//! end neither the program nor the patience of its user.

use crate::common::{Place, finished, text};
use model::{
    figure::{Better, Metric},
    plan::{LabKind, Plan},
    result::{
        Campaign, CampaignState, Environment, Note, Origin, Reason, Sample, TargetRecord,
        TargetState, Validity,
    },
    text::is_unprintable,
    workload::{Case, Group, TestInfo},
};
use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};
use store::Store;

/// What commands terminals, turns lines round, and is markup or a formula elsewhere.
const HARM: &str = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\r\n=cmd|<b>`x`";

/// A store as another program could make it: no name in it keeps a rule.
fn foreign_store(place: &Place, id: &str) {
    let mut store = Store::open(&place.path("store.db")).unwrap();
    let named = |what: &str| format!("{what}{HARM}");
    let facts = || Environment([(named("key"), named("value"))].into());
    let campaign = Campaign {
        id: id.into(),
        created: named("2026-11-22T00:00:00Z"),
        title: named("title"),
        origin: Origin::Import,
        state: CampaignState::Done,
        assay_version: named("0"),
        plan: Plan { suites: vec![named("suite")], tests: vec![named("glob")], ..Plan::default() },
        scale: 1.0,
        seed: 1,
        environment: facts(),
        notes: vec![Note::Said(named("note")), Note::DeviceInUse { target: named("device") }],
    };
    let targets = ["xfs", "ext4", "lost"].map(|label| TargetRecord {
        label: named(label),
        target: named(label),
        lab: LabKind::Host,
        state: match label {
            "lost" => TargetState::Failed(named("mkfs said")),
            _ => TargetState::Ok,
        },
        facts: facts(),
    });
    let test = TestInfo {
        id: named("s.test"),
        suite: named("s"),
        name: named("name"),
        testtype: named("type"),
        group: Group::Mixed,
        metric: named("rate"),
        unit: named("MB/s"),
        better: Better::Higher,
        shape: None,
    };
    store.create_campaign(&campaign, &targets, std::slice::from_ref(&test)).unwrap();
    for block in 0..2 {
        let order: Vec<String> = targets.iter().map(|t| t.label.clone()).collect();
        let attempt = store.start_block(id, block, &order).unwrap();
        for (position, target) in targets[..2].iter().enumerate() {
            let case = Case {
                target: target.label.clone(),
                suite: test.suite.clone(),
                test: test.id.clone(),
                procs: 1,
                threads: 1,
                cache: model::workload::CacheState::Any,
            };
            let value = 100.0 * (position + 1) as f64 + f64::from(block);
            let metric = Metric::new(&test.metric, value, &test.unit, Better::Higher);
            let sample = Sample::bare(block, position as u32, case, vec![metric]);
            store.append(id, (attempt, 1), &sample).unwrap();
            let validity = Validity::Invalid(Reason::Said(named("why")));
            store.append(id, (attempt, 1), &sample.judged(validity)).unwrap();
        }
        store.finish_block(id, block, attempt, 1.0).unwrap();
    }
}

fn assert_harmless(what: &str, output: &[u8]) {
    let text = text(output);
    let found = text.chars().find(|&c| is_unprintable(c) && c != '\n');
    assert_eq!(found, None, "{what}: {text:?}");
}

#[test]
fn no_verb_lets_a_name_command_the_terminal() {
    let place = Place::new();
    foreign_store(&place, "evil");
    let mut verbs: Vec<Vec<&str>> = vec![
        vec!["list"],
        vec!["show", "evil"],
        vec!["report", "evil"],
        vec!["report", "evil", "--summary"],
        vec!["compare", "evil", "evil"],
        vec!["report", "evil", "--baseline", HARM],
        vec!["report", "evil", "--metric", HARM],
        vec!["show", HARM],
        vec!["advise", "evil"],
        vec!["advise", "evil", "--profile", "oltp-database"],
        vec!["resume", "evil"],
        vec!["run", "--on", HARM],
        vec!["run", "--no-such-option\u{1b}[31m"],
    ];
    verbs.extend(["md", "csv", "json", "html"].map(|f| vec!["report", "evil", "--format", f]));
    verbs.extend(
        ["md", "csv", "json", "psv", "fio-json", "hyperfine", "benchfmt", "openmetrics"]
            .map(|f| vec!["export", "evil", "--format", f, "--out", "out"]),
    );
    for args in verbs {
        let output = place.assay(&args);
        assert!(output.status.code().is_some_and(|code| code != 101), "{args:?}: {output:?}");
        assert_harmless(&format!("{args:?}"), &output.stdout);
        assert_harmless(&format!("{args:?}"), &output.stderr);
    }
    let mut pending = vec![place.path("out")];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        assert_harmless(&path.display().to_string(), &fs::read(&path).unwrap());
        assert_harmless("name", path.display().to_string().as_bytes());
        seen += 1;
    }
    assert!(seen >= 6, "{seen} files");
    let file = place.path("\u{1b}[2J.json");
    fs::write(&file, "{").unwrap();
    assert_harmless("import", &place.assay(&["import", file.to_str().unwrap()]).stderr);
}

#[test]
fn only_the_colours_of_the_renderer_reach_a_terminal() {
    let place = Place::new();
    foreign_store(&place, "evil");
    // `script` gives the program a terminal, on which it shades its tables.
    let line = format!("{} report evil", env!("CARGO_BIN_EXE_assay"));
    let output = place
        .command(&[])
        .get_envs()
        .fold(Command::new("script"), |mut c, (k, v)| {
            if let Some(v) = v {
                c.env(k, v);
            }
            c
        })
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        return needs::skip(needs::Need::program("script"), "`script` is not installed");
    };
    let shown = text(&output.stdout).replace("\r\n", "\n");
    assert!(shown.contains("\u{1b}[1m"), "{shown:?}");
    let mut plain = String::new();
    for (i, part) in shown.split("\u{1b}[").enumerate() {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let rest = if i == 0 { part } else { rest.strip_prefix('m').unwrap_or("\u{1b}") };
        plain.push_str(rest);
    }
    assert_harmless("report on a terminal", plain.as_bytes());
}

#[test]
fn export_writes_nowhere_but_below_out() {
    for id in ["../../escaped", "/tmp/assay-escaped", "..", ".hidden", "a/b/c"] {
        let place = Place::new();
        foreign_store(&place, id);
        let before = entries(&place.path(""));
        for format in [
            "csv",
            "json",
            "md",
            "psv",
            "fio-json",
            "bundle",
            "hyperfine",
            "benchfmt",
            "openmetrics",
        ] {
            let out = format!("deep/er/{format}");
            let output = place.assay(&["export", id, "--format", format, "--out", &out]);
            assert!(output.status.success(), "{id}: {}", text(&output.stderr));
            let named = text(&output.stdout);
            assert!(
                named.lines().all(|line| line.starts_with(&out) && !line.contains("/../")),
                "{named}"
            );
        }
        let mut after = entries(&place.path(""));
        after.retain(|name| !before.contains(name));
        assert_eq!(after, ["deep"], "{id}");
        assert!(!Path::new("/tmp/assay-escaped.json").exists());
    }
}

fn entries(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn export_follows_no_link_and_replaces_only_its_own() {
    let place = Place::new();
    foreign_store(&place, "evil");
    let export = |format: &str, out: &str| {
        place.command(&["export", "evil", "--format", format, "--out", out])
    };
    let ok = |format, out| assert!(finished(export(format, out)).status.success());
    let refused = |format, out, says: &str| {
        let output = finished(export(format, out));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
    };
    let victim = place.path("victim");
    fs::write(&victim, "precious").unwrap();

    place.dir("links");
    symlink(&victim, place.path("links/evil.json")).unwrap();
    symlink(&victim, place.path("links/report.md")).unwrap();
    refused("json", "links", "is a symbolic link");
    refused("md", "links", "is a symbolic link");

    place.dir("elsewhere");
    ok("psv", "psv");
    let run = entries(&place.path("psv")).remove(0);
    place.dir("dirs");
    symlink(place.path("elsewhere"), place.path("dirs").join(&run)).unwrap();
    refused("psv", "dirs", "is a symbolic link");
    assert!(entries(&place.path("elsewhere")).is_empty());

    place.dir("hard");
    fs::hard_link(&victim, place.path("hard/evil.json")).unwrap();
    refused("json", "hard", "has other hard links");

    let fifo = place.dir("fifo").join("evil.json");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    refused("json", "fifo", "is not a regular file");

    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    ok("json", "again");
    let first = fs::read(place.path("again/evil.json")).unwrap();
    fs::write(place.path("again/evil.json"), [&first[..], &first[..]].concat()).unwrap();
    ok("json", "again");
    assert_eq!(fs::read(place.path("again/evil.json")).unwrap(), first);
    // The user's own choice of a folder may be a link.
    symlink(place.path("elsewhere"), place.path("chosen")).unwrap();
    ok("json", "chosen");
    assert!(place.path("elsewhere/evil.json").exists());
}

/// Runs and expects `status` with one line that has `part`.
fn says(place: &Place, args: &[&str], status: i32, part: &str) {
    let output = finished(place.command(args));
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr:.500}");
    assert!(stderr.contains(part) && stderr.lines().count() == 1, "{args:?}: {stderr:.500}");
    assert!(stderr.len() < 4000, "{args:?}: {} bytes", stderr.len());
}

fn fifo(place: &Place, name: &str) {
    let made = Command::new("mkfifo").arg(place.path(name)).status().unwrap();
    assert!(made.success());
}

fn sparse(place: &Place, name: &str, bytes: u64) {
    fs::File::create(place.path(name)).unwrap().set_len(bytes).unwrap();
}

#[test]
fn files_without_end_are_not_read() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("a").display());
    for name in ["pipe.toml", "pipe.fio", "pipe.json"] {
        fifo(&place, name);
    }
    sparse(&place, "large.toml", 1 << 30);
    sparse(&place, "large.fio", 1 << 30);
    sparse(&place, "large.json", 1 << 40);
    let regular = "is not a regular file";
    for (args, status, part) in [
        (vec!["import", "/dev/zero"], 1, regular),
        (vec!["import", "pipe.json"], 1, regular),
        (vec!["import", "large.json"], 1, "the limit is 1.0 GiB"),
        (vec!["run", "pipe.toml"], 1, regular),
        (vec!["run", "large.toml"], 1, "the limit is 1.0 MiB"),
        (vec!["run", "/dev/zero"], 1, regular),
        (vec!["plan", "pipe.toml"], 1, regular),
        (vec!["run", "--on", &dir, "--suite", "pipe.toml"], 2, regular),
        (vec!["run", "--on", &dir, "--suite", "large.toml"], 2, "the limit is 1.0 MiB"),
        (vec!["run", "--on", &dir, "--suite", "fio:pipe.fio"], 2, regular),
        (vec!["run", "--on", &dir, "--suite", "fio:large.fio"], 2, "the limit is 1.0 MiB"),
        (vec!["explain", "pipe.toml"], 2, regular),
        (vec!["run", "--on", &dir, "--data", "like:pipe.json"], 2, "no readable file"),
        (vec!["run", "--on", &dir, "--data", "like:/dev/zero"], 2, "no readable file"),
    ] {
        says(&place, &args, status, part);
    }
    foreign_store(&place, "evil");
    says(&place, &["advise", "evil", "--profile", "pipe.toml"], 2, regular);
    says(&place, &["advise", "evil", "--profile", "large.toml"], 2, "the limit is 1.0 MiB");
}

#[test]
fn a_folder_is_read_in_bounds_and_without_its_links() {
    let place = Place::new();
    let many = place.dir("many");
    for number in 0..10_001 {
        fs::File::create(many.join(format!("{number}.json"))).unwrap();
    }
    says(&place, &["import", "many"], 1, "more than 10000 files");
    let linked = place.dir("linked");
    fifo(&place, "linked/pipe");
    symlink("/etc/passwd", linked.join("passwd.json")).unwrap();
    says(&place, &["import", "linked"], 1, "no file to import");
    let large = place.dir("large");
    for number in 0..5 {
        let name = format!("large/{number}.json");
        sparse(&place, &name, 255 << 20);
    }
    says(&place, &["import", large.to_str().unwrap()], 1, "the files total 1.2 GiB");
}

#[test]
fn nothing_nested_ends_the_program() {
    let place = Place::new();
    let deep = "a(".repeat(40_000);
    says(&place, &["run", "--on", &deep], 2, "is not a target");
    assert_eq!(finished(place.command(&["plan", "--sweep", &deep])).status.code(), Some(2));
    for (name, plan) in [
        ("target.toml", format!("targets = [\"{}\"]", "a(".repeat(90_000))),
        ("sweep.toml", format!("[[sweeps]]\non = \"{}\"", "a(".repeat(90_000))),
        ("lists.toml", format!("targets = {}", "[".repeat(100_000))),
        ("tables.toml", format!("knobs = {}", "{a=".repeat(100_000))),
        ("keys.toml", format!("knobs.{}a = 1", "a.".repeat(100_000))),
        ("header.toml", format!("[knobs.{}a]", "a.".repeat(100_000))),
        ("data.toml", format!("data = \"like({}\"", "0x4=65535,".repeat(90_000))),
    ] {
        fs::write(place.path(name), plan).unwrap();
        let output = finished(place.command(&["plan", name]));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {stderr:.500}");
        assert!(stderr.len() < 2000, "{name}: {} bytes", stderr.len());
        let suite = ["plan", "--on", "dir:.", "--suite", name];
        assert_eq!(finished(place.command(&suite)).status.code(), Some(2), "{name} as a suite");
    }
}

#[test]
fn an_import_with_a_hostile_name_is_refused_in_one_line() {
    let place = Place::new();
    let dataset = |id: &str, label: &str| {
        let study = place.ok(&[
            "export",
            "published-cloud-2025-07-apps-seconds",
            "--format",
            "json",
            "--out",
            "x",
        ]);
        let json = fs::read_to_string(place.path(study.trim())).unwrap();
        let json = json.replacen(
            "\"id\": \"published-cloud-2025-07-apps-seconds\"",
            &format!("\"id\": {id:?}"),
            1,
        );
        json.replace("\"label\": \"ebs-gp3\"", &format!("\"label\": \"{label}\""))
    };
    for (id, label, part) in [
        ("/tmp/assay-escaped", "x", "ids consist"),
        ("../../escaped", "x", "ids consist"),
        ("fine", "x\\u001b]0;owned\\u0007", "labels are"),
    ] {
        fs::write(place.path("x.json"), dataset(id, label)).unwrap();
        says(&place, &["import", "x.json"], 1, part);
    }
}
