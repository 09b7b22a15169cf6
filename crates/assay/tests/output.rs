//! Tests that output arrives, or the exit status says that it did not; and that reading verbs only read: they need no
//! write permission, and one bad row or another process does not stop them.

use crate::common::{Place, copy_program, skip_another_user, text};
use needs::Need;
use rusqlite::Connection;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

/// A place with two campaigns on the null file system.
fn measured() -> Place {
    let place = Place::new();
    for _ in 0..2 {
        place.ok(&[
            "run", "--suite", "null", "--on", "null", "--procs", "1", "--preset", "smoke",
            "--scale", "smoke",
        ]);
    }
    // So that the first can be named.
    let db = Connection::open(place.path("store.db")).unwrap();
    db.execute_batch("UPDATE campaign SET id = 'first' WHERE number = 1").unwrap();
    place
}

/// Every verb that prints and ends soon.
const VERBS: &[&[&str]] = &[
    &["list"],
    &["list", "--published"],
    &["show"],
    &["report"],
    &["report", "--format", "json"],
    &["report", "--summary"],
    &["compare", "first", "last"],
    &["advise", "--profiles"],
    &["advise", "--tiers"],
    &["advise", "--profile", "desktop"],
    &["explain"],
    &["explain", "mixed"],
    &["export", "--out", "out"],
    &["import", "out"],
    &["plan", "--suite", "null", "--on", "null", "--preset", "smoke", "--scale", "smoke"],
    &[
        "run",
        "--suite",
        "null",
        "--on",
        "null",
        "--preset",
        "smoke",
        "--scale",
        "smoke",
        "--out",
        "full.html",
    ],
    &["cleanup"],
    &["--help"],
    &["--version"],
];

#[test]
fn a_run_ends_with_the_answer_and_prints_all_of_it_on_request() {
    let place = Place::new();
    let run =
        ["run", "--suite", "null", "--on", "null", "--on", "null", "--procs", "1", "--blocks", "2"];
    let answer = place.ok(&run);
    let lines = answer.lines().count();
    assert!(lines <= 40 && !answer.contains("Write, critical, 1"), "{lines} lines: {answer}");
    let id = place.campaigns(&[])[0]["id"].as_str().unwrap().to_string();
    let page = place.path("report.html").canonicalize().unwrap();
    for said in ["Scope: ", "P(best)", "Write, critical: null#2", "Left out: nothing, "] {
        assert!(answer.contains(said), "{said}: {answer}");
    }
    assert!(
        answer.contains("null#2 and null are the same within 5 %")
            || answer.contains("null and null#2 are"),
        "{answer}"
    );
    let end = format!("All tables: `assay report {id}`. Report: {}\n", page.display());
    assert!(answer.ends_with(&end), "{answer}");
    // The same again, without a page; all of it; and as it was.
    let again = place.ok(&["report", "--summary"]);
    assert_eq!(again.lines().count(), lines);
    assert!(again.ends_with(&format!("All tables: `assay report {id}`.\n")), "{again}");
    assert!(place.ok(&["report"]).contains("Write, critical, 1 process\n"));
    let full = place.ok(&[&run[..], &["--full", "--tests", "null.write"]].concat());
    assert!(full.contains("Write, critical, 1 process\n"), "{full}");
    let left_out = "Left out: 1 of the 3 tests of null: excluded by --tests.";
    assert!(place.ok(&["report", "--summary"]).contains(left_out));
    let both = place.assay(&["report", "--summary", "--format", "md"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both.stderr));
}

#[test]
fn output_that_is_lost_is_a_failure() {
    let place = measured();
    place.ok(&["export", "--out", "out"]);
    for verb in VERBS {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(verb).stdout(full).output().unwrap();
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{verb:?}: {stderr}");
        if !verb[0].starts_with('-') {
            assert!(stderr.contains("cannot write to the standard output"), "{verb:?}: {stderr}");
        }
    }
    // The report is there all the same.
    assert!(fs::read_to_string(place.path("full.html")).unwrap().contains("<table"));
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let place = measured();
    for verb in VERBS {
        let mut child =
            place.command(verb).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{verb:?}: {stderr}");
        assert!(!stderr.contains("standard output"), "{verb:?}: {stderr}");
    }
}

/// Runs `args` as the user `nobody`, with the store of `place`; `None` where that cannot be done.
fn as_nobody(place: &Place, args: &[&str]) -> Option<Output> {
    let ids = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let mut command = Command::new("setpriv");
    command.args(ids).arg(place.path("assay")).args(args).current_dir("/");
    command.env("ASSAY_STORE", place.path("store.db")).env("HOME", "/nonexistent");
    command.env("ASSAY_STATE", std::env::temp_dir().join("assay-of-plain-user"));
    let output = command.output().ok()?;
    (!text(&output.stderr).starts_with("setpriv")).then_some(output)
}

const READING: &[&[&str]] = &[
    &["list"],
    &["show"],
    &["report"],
    &["compare", "first", "last"],
    &["advise", "--tiers"],
    &["plan", "--suite", "null", "--on", "null", "--preset", "smoke", "--scale", "smoke"],
];

#[test]
fn a_plain_user_reads_the_store_of_root() {
    let place = measured();
    copy_program(place.path("assay"));
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o755)).unwrap();
    let names = || fs::read_dir(place.path(".")).unwrap().count();
    let before = (names(), fs::read(place.path("store.db")).unwrap());
    for verb in READING {
        let Some(output) = as_nobody(&place, verb) else {
            return skip_another_user();
        };
        assert!(output.status.success(), "{verb:?}: {}", text(&output.stderr));
    }
    assert!((names(), fs::read(place.path("store.db")).unwrap()) == before, "something changed");
    // Also during a write: data that is only in the log is visible.
    let writer = Connection::open(place.path("store.db")).unwrap();
    writer.execute_batch("UPDATE campaign SET title = 'in the log'").unwrap();
    let output = as_nobody(&place, &["list"]).unwrap();
    assert!(text(&output.stdout).contains("in the log"), "{}", text(&output.stderr));
    drop(writer);
    // What may not be written, no verb that writes begins with.
    let output = as_nobody(&place, &["import", "/etc/hostname"]).unwrap();
    assert_ne!(output.status.code(), Some(0));
}

/// Where root keeps store and state when it names neither.
#[test]
fn a_plain_user_reads_the_store_of_root_where_it_lies_by_itself() {
    let place = measured();
    copy_program(place.path("assay"));
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o755)).unwrap();
    let script = "mount -t tmpfs none /var/lib || exit 99
        ./assay run --suite null --on null --preset smoke --procs 1 >&2 || exit 98
        stat -c %a /var/lib/assay/state
        exec setpriv --reuid 65534 --regid 65534 --clear-groups \
            ./assay list --store /var/lib/assay/assay.db";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script]).current_dir(place.path("."));
    let Ok(output) = command.output() else {
        return needs::skip(Need::program("unshare"), "unshare is missing");
    };
    let said = text(&output.stderr);
    if output.status.code() == Some(99) || said.starts_with("unshare:") {
        return needs::skip(Need::Namespaces, said);
    }
    let listed = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(listed.starts_with("700\n") && listed.contains("null on null"), "{listed}{said}");
}

#[test]
fn readers_leave_nothing_next_to_a_store() {
    let place = measured();
    let names = || {
        let entries = fs::read_dir(place.path(".")).unwrap();
        entries
            .filter(|entry| {
                entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("store.db")
            })
            .count()
    };
    for verb in READING {
        place.ok(verb);
        assert_eq!(names(), 1, "{verb:?}");
    }
}

#[test]
fn one_bad_row_does_not_hide_the_others() {
    let place = measured();
    let db = Connection::open(place.path("store.db")).unwrap();
    db.execute_batch("UPDATE campaign SET state = 'odd' WHERE number = 1").unwrap();
    let output = place.assay(&["list"]);
    assert!(output.status.success());
    assert_eq!(text(&output.stdout).lines().count(), 2, "a heading and the other");
    assert!(text(&output.stderr).contains("unreadable state"), "{}", text(&output.stderr));
}

#[test]
fn a_store_that_is_locked_for_a_while_does_not_end_a_campaign() {
    let place = Place::new();
    let slow = ["--blocks", "20", "--knob", "write_us=50000"];
    let args = ["run", "--suite", "null", "--on", "null", "--procs", "1"];
    let mut child = place.spawn(&[&args[..], &slow].concat());
    let begun = || {
        let db = Connection::open(place.path("store.db")).ok()?;
        db.query_row("SELECT count(*) FROM sample", [], |row| row.get::<_, u32>(0)).ok()
    };
    while begun().unwrap_or(0) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        thread::sleep(Duration::from_millis(20));
    }
    let holder = Connection::open(place.path("store.db")).unwrap();
    holder.busy_timeout(Duration::from_secs(60)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Longer than any one statement waits.
    thread::sleep(Duration::from_secs(12));
    assert!(child.try_wait().unwrap().is_none(), "it ended");
    drop(holder);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_named_report_is_replaced_and_what_is_not_ours_is_kept() {
    let place = measured();
    let page = place.path("page.html");
    let out = |id: &str| place.assay(&["report", id, "--format", "html", "--out", "page.html"]);
    fs::write(&page, "mine").unwrap();
    let output = out("first");
    assert!(
        text(&output.stderr).contains("page.html held other content, which is now page.1.html")
    );
    assert_eq!(fs::read_to_string(place.path("page.1.html")).unwrap(), "mine");
    // The same campaign again takes the place of its own page.
    assert!(out("first").stderr.is_empty());
    // So does that of another, as the file was named.
    let first = fs::read_to_string(&page).unwrap();
    assert_eq!(text(&out("last").stderr), "");
    assert_ne!(fs::read_to_string(&page).unwrap(), first);
    assert!(!place.path("page.2.html").exists());
}

#[test]
fn a_report_under_the_usual_name_keeps_that_of_another_campaign() {
    let place = Place::new();
    let run = || place.assay(&["run", "--suite", "null", "--on", "null", "--preset", "smoke"]);
    assert!(!text(&run().stderr).contains("which is now"));
    let first = fs::read_to_string(place.path("report.html")).unwrap();
    assert!(text(&run().stderr).contains("which is now report.1.html"));
    assert_eq!(fs::read_to_string(place.path("report.1.html")).unwrap(), first);
}

#[test]
fn a_report_has_the_format_of_the_file_it_is_written_to() {
    let place = measured();
    let begins = |name: &str, more: &[&str]| {
        place.ok(&[&["report", "first", "--out", name], more].concat());
        let written = fs::read_to_string(place.path(name)).unwrap();
        written.chars().take(9).collect::<String>()
    };
    assert_eq!(begins("a.HTML", &[]), "<!DOCTYPE");
    assert!(begins("a.json", &[]).starts_with('{'));
    assert_eq!(begins("a.csv", &[]), "group,pro");
    assert!(begins("a.md", &[]).starts_with("# "));
    assert_eq!(begins("a.txt", &[]), "null on n");
    assert!(begins("c.html", &["--format", "json"]).starts_with('{'), "what is said counts");
    place.ok(&["advise", "first", "--profile", "desktop", "--out", "advice.html"]);
    assert!(fs::read_to_string(place.path("advice.html")).unwrap().starts_with("<!DOCTYPE"));
    place.ok(&["compare", "first", "last", "--out", "advice.html"]);
    assert!(!fs::read_to_string(place.path("advice.html")).unwrap().contains("desktop"));
    assert!(!place.path("advice.1.html").exists());
    place.ok(&["compare", "first", "last", "--out", "changes.md"]);
    assert!(fs::read_to_string(place.path("changes.md")).unwrap().starts_with("# "));
    for verb in ["report", "export", "advise", "run"] {
        let output = place.assay(&[verb, "--out", "-"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{verb}: {said}");
        assert!(said.contains("omit --out to print to stdout"), "{verb}: {said}");
    }
    assert!(!place.path("-").exists());
    fs::write(place.path("mine.csv"), "mine").unwrap();
    place.ok(&["report", "first", "--out", "mine.csv"]);
    assert_eq!(fs::read_to_string(place.path("mine.1.csv")).unwrap(), "mine");
}

#[test]
fn a_log_of_both_streams_has_each_sentence_once() {
    let place = Place::new();
    let log = place.path("log");
    let file = fs::File::create(&log).unwrap();
    let mut run = place.command(&[
        "run", "--suite", "null", "--on", "null", "--procs", "1", "--preset", "smoke", "--scale",
        "smoke", "--quiet",
    ]);
    assert!(run.stdout(file.try_clone().unwrap()).stderr(file).status().unwrap().success());
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(said.matches("report.html").count(), 1, "{said}");
}

#[test]
fn a_campaign_that_is_not_stored_is_answered_with_one_that_is() {
    let place = measured();
    assert!(place.fails(&["show", "frist"], 1).contains("`frist` (did you mean `first`?)"));
    assert!(place.fails(&["report", "lst"], 1).contains("did you mean `last`?"));
    assert!(place.fails(&["show", "last~7"], 1).contains("no campaign `last~7`"));
}

#[test]
fn several_campaigns_stand_side_by_side_and_no_table_pools_them() {
    let place = measured();
    place.ok(&["report", "first", "last", "--format", "html", "--out", "both.html"]);
    let page = fs::read_to_string(place.path("both.html")).unwrap();
    assert_eq!(page.matches("<h2>Verdict</h2>").count(), 1);
    assert_eq!(page.matches("class=\"beside\"").count(), page.matches("<h2>").count());
    assert_eq!(page.matches(", first</h3>").count(), page.matches("<h2>").count());
    let text = place.ok(&["report", "first", "last"]);
    let alone = place.ok(&["report", "first"]);
    assert!(text.starts_with(alone.trim_end()), "{text}");
    let said = place.fails(&["report", "first", "last", "--format", "csv"], 2);
    assert!(said.contains("csv and json hold one campaign"), "{said}");
}

#[test]
fn the_page_says_how_to_run_it_again_and_the_hash_of_its_samples() {
    let place = measured();
    place.ok(&["report", "first", "--out", "page.html"]);
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("To run it again: <code>assay run --on null "), "{page}");
    let (_, again) = page.split_once("To run it again: <code>").unwrap();
    assert!(again.split_once("</code>").unwrap().0.contains(" --seed "), "{page}");
    assert!(page.contains("Order of the candidates: block 1 "), "{page}");
    let (_, rest) = page.split_once("SHA-256 of the samples: ").unwrap();
    place.ok(&["export", "first", "--format", "bundle", "--identify"]);
    let hash = "zcat *.assay.gz | tail -n +3 | sha256sum";
    let output = Command::new("sh").args(["-c", hash]).current_dir(place.path("")).output();
    assert_eq!(rest[..64], text(&output.unwrap().stdout)[..64]);
}

#[test]
fn a_command_in_a_message_carries_the_store_that_was_given() {
    let place = Place::new();
    let (store, state) = (place.path("own.db"), place.path("own-state"));
    let own = ["--store", store.to_str().unwrap(), "--state", state.to_str().unwrap()];
    let run = ["run", "--suite", "null", "--on", "null", "--procs", "1", "--preset", "smoke"];
    let output = place.assay(&[&run[..], &own].concat());
    let said = text(&output.stdout);
    let command = format!("`assay report --store {} --state {} ", store.display(), state.display());
    assert!(output.status.success() && said.contains(&command), "{said}");
    let (_, rest) = said.split_once("`assay ").unwrap();
    let words: Vec<&str> = rest.split('`').next().unwrap().split_whitespace().collect();
    assert!(place.ok(&words).contains("null"), "{words:?}");
    let given = format!(" --store {} --state {} ", store.display(), state.display());
    for format in ["html", "md"] {
        let report = place.ok(&[&["report", "last", "--format", format][..], &own].concat());
        let bare = ["assay run --like", "assay resume c"];
        assert!(bare.iter().all(|command| !report.contains(command)), "{report}");
        assert_eq!(
            report.contains(&format!("assay run{given}--like ")),
            format == "html",
            "{report}"
        );
    }
}

#[test]
fn report_of_an_import_carries_no_path_of_this_machine() {
    let place = Place::new();
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/fixtures/fio-seqwrite-fsync.json");
    let (store, state) = (place.path("own.db"), place.path("own-state"));
    let own = ["--store", store.to_str().unwrap(), "--state", state.to_str().unwrap()];
    place.ok(&[&["import", file, "--target", "here"], &own[..]].concat());
    for format in ["html", "md", "json", "table"] {
        let report = place.ok(&[&["report", "last", "--format", format], &own[..]].concat());
        assert_eq!(
            report.contains("`assay run --aa`"),
            matches!(format, "md" | "table"),
            "{report}"
        );
        let is_of_page = report.contains("<code class=\"whole\">assay run --aa</code>");
        assert_eq!(is_of_page, format == "html", "{report}");
        assert!(!report.contains("run --store") && !report.contains("run --state"), "{report}");
    }
    // A message is for its reader here.
    let said = place.fails_last(&["report", "last", "--store", "none.db"], 1);
    assert!(said.contains("`assay run --store "), "{said}");
}
