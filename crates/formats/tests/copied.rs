//! Text that was copied gives the figures of the text.
#![allow(clippy::unwrap_used)]

use crate::{corpus, files};

use files::*;
use formats::{FormatError, import};
use model::result::{Copied, Dataset, Mending, Note};
use proptest::prelude::*;

/// Every output of another tool in the fixtures that holds a result.
fn outputs() -> Vec<String> {
    let names = corpus::fixtures().into_iter().map(|(name, _)| name);
    let names: Vec<String> = names.filter(|name| !corpus::is_refused(name)).collect();
    assert!(names.len() > 30);
    names
}

fn of(name: &str, text: &str) -> Result<Dataset, FormatError> {
    import(&[file(name, text)], None, &options())
}

fn each(text: &str, of: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| of(line) + "\n").collect()
}

/// The lines of `text` broken at `width`, as mail programs do.
fn wrapped(text: &str, width: usize) -> String {
    let mut broken = String::new();
    for line in text.lines() {
        let mut rest = line;
        while rest.len() > width {
            let at = rest[..=width].rfind(' ').filter(|&at| !rest[..at].trim().is_empty());
            let (part, after) = match at {
                Some(at) => (rest[..at].trim_end(), rest[at..].trim_start()),
                None => (&rest[..width], &rest[width..]),
            };
            broken += part;
            broken.push('\n');
            rest = after;
        }
        broken += rest;
        broken.push('\n');
    }
    broken
}

fn quoted_printable(text: &str) -> String {
    let encoded = |line: &str| {
        let line = line.replace('=', "=3D");
        let (mut parts, mut rest) = (String::new(), line.as_str());
        while rest.len() > 70 {
            let at = (60..=70).rev().find(|&at| !rest[at - 2..at].contains('=')).unwrap();
            parts += &format!("{}=\n", &rest[..at]);
            rest = &rest[at..];
        }
        parts + rest
    };
    each(text, encoded)
}

/// `decorated` gives what `text` gives.
fn same(name: &str, text: &str, decorated: &str, what: &str) {
    let plain = of(name, text).unwrap();
    let got = of(name, decorated).unwrap_or_else(|why| panic!("{name}, {what}: {why}"));
    assert_eq!(got.samples, plain.samples, "{name}, {what}");
    assert_eq!(got.tests, plain.tests, "{name}, {what}");
}

#[test]
fn ends_of_lines_and_lost_blank_lines_change_nothing() {
    for name in outputs() {
        let text = text(&name);
        same(&name, &text, &text.replace('\n', "\r\n"), "CRLF");
        same(&name, &text, &each(&text, |line| format!("{line}  ")), "blanks at the ends");
        let lost: String =
            text.lines().filter(|line| !line.trim().is_empty()).map(|l| format!("{l}\n")).collect();
        same(&name, &text, &lost, "no empty line");
        // A raw mail is known by what it does to `=` and to long lines.
        if text.is_ascii() && (text.contains('=') || text.lines().any(|line| line.len() > 70)) {
            same(&name, &text, &quoted_printable(&text), "quoted-printable");
        }
    }
}

#[test]
fn clean_text_gets_no_note() {
    for name in outputs() {
        let data = of(&name, &text(&name)).unwrap();
        let copied: Vec<_> =
            data.campaign.notes.iter().filter(|note| matches!(note, Note::Copied(_))).collect();
        assert!(copied.is_empty(), "{name}: {copied:?}");
    }
}

#[test]
fn lines_broken_by_a_mail_are_joined_or_refused_as_such() {
    let mut joined = 0;
    for name in outputs().iter().filter(|name| name.ends_with(".txt")) {
        for width in [72, 76, 78] {
            let text = text(name);
            match of(name, &wrapped(&text, width)) {
                Ok(got) => {
                    assert_eq!(got.samples, of(name, &text).unwrap().samples, "{name}, {width}");
                    joined += 1;
                }
                Err(why) => assert!(why.to_string().contains("wrapped"), "{name}, {width}: {why}"),
            }
        }
    }
    assert!(joined > 20, "{joined}");
}

#[test]
fn a_row_of_csv_that_a_mail_broke_within_a_cell_is_joined() {
    for name in ["bonnie-1.03.csv", "bonnie-1.96.csv", "bonnie.csv"] {
        let text = text(name);
        let row = text.lines().next().unwrap();
        for width in [72, 76] {
            same(name, &format!("{row}\n"), &wrapped(row, width), "a broken row");
        }
    }
}

#[test]
fn text_around_a_copied_part_is_left_out() {
    let mail = "Hello,\n\nI measured this on our new disk and wonder.\n\n";
    let long = "A line of a long story, as people tell it before they come to it.\n".repeat(200);
    for name in outputs().iter().filter(|name| name.ends_with(".txt")) {
        let text = text(name);
        same(name, &text, &format!("{mail}{text}\nThanks\n"), "a mail around");
        same(name, &text, &format!("{long}{text}"), "a long preamble");
        let block = each(&text, |line| format!("    {line}"));
        same(name, &text, &format!("{mail}{block}\nThanks\n"), "a block of code");
        let quoted = each(&text, |line| format!("> {line}"));
        same(name, &text, &format!("On Monday Jane wrote:\n{quoted}\nHow?\n"), "a reply");
    }
}

/// A posted text.
fn posted(name: &str) -> Result<Dataset, FormatError> {
    of(name, &text(&format!("copied/{name}")))
}

#[test]
fn what_people_posted_is_read() {
    for (name, iops, rate) in [
        ("fio-mail-quoted.txt", 1500.0, ("write_rate", 6.144)),
        ("fio-quoted-printable.txt", 1500.0, ("write_rate", 6.144)),
        ("fio-nested.json", 5000.0, ("read_rate", 20.48)),
        ("fio-stray-char.json", 5000.0, ("read_rate", 20.48)),
    ] {
        let data = posted(name).unwrap();
        check(&data);
        let job = &data.samples[0];
        assert_eq!((data.samples.len(), job.figures.metrics[0].value), (1, iops), "{name}");
        assert!((job.metric(rate.0).unwrap() - rate.1).abs() < 1e-9 * rate.1, "{name}");
    }
    let mdtest = posted("mdtest-indented.txt").unwrap();
    assert_eq!(sample(&mdtest, "mdtest.file.create").figures.metrics[0].value, 5000.0);
    assert_eq!(mdtest.samples.len(), 6);
    let bonnie = posted("bonnie-mail-wrapped.txt").unwrap();
    for (test, value) in
        [("put_block", 51.2), ("rewrite", 25.6), ("get_block", 61.44), ("seeks", 210.5)]
    {
        assert!(
            near(sample(&bonnie, &format!("bonnie.{test}")).figures.metrics[0].value, value),
            "{test}"
        );
    }
}

#[test]
fn an_excerpt_without_jobs_is_refused_by_name() {
    let why = posted("fio-rate-lines-only.txt").unwrap_err().to_string();
    assert!(why.contains("the lines of the jobs, `NAME: (groupid=...)`, are missing"), "{why}");
    let why = of("notes.txt", "some notes\n").unwrap_err().to_string();
    assert!(why.contains("--format"), "{why}");
}

#[test]
fn what_was_undone_is_noted() {
    let quoted = each(&text("mdtest-ext4.txt"), |line| format!("> {line}"));
    let data = of("mdtest.txt", &quoted).unwrap();
    let told = Note::Copied(Copied {
        mending: Mending::Prefix("> ".into()),
        files: vec!["mdtest.txt".into()],
        more_files: 0,
    });
    assert!(data.campaign.notes.contains(&told), "{:?}", data.campaign.notes);
}

#[test]
fn an_error_names_the_line_of_the_file_that_was_given() {
    let broken = text("mdtest-ext4.txt").replace("File creation", "File creation : x");
    let line = broken.lines().position(|line| line.contains(": x")).unwrap() + 1;
    let preamble = "Some words.\n".repeat(1000);
    let why = of("a.txt", &format!("{preamble}{broken}")).unwrap_err().to_string();
    assert!(why.starts_with(&format!("a.txt, line {}: ", line + 1000)), "{why}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decorated_text_gives_the_same_figures(
        which in any::<prop::sample::Index>(),
        indent in 0usize..20,
        prefix in prop::sample::select(vec![
            "", "> ", "| ", "> > ", "# ", "node-7: ", "2024-03-04T10:00:00.123Z ",
            "Mar  4 10:00:00 host fio[12]: ", "[2024-03-04 10:00:00] ", "10:00:01 ", "[1,0]<stdout>:",
            "2024-03-04T10:00:00.123456789Z stdout F ",
        ]),
        trimmed in any::<bool>(),
        empty_first in any::<bool>(),
    ) {
        let names = outputs();
        let name = which.get(&names);
        // Some tools write an empty line first.
        let first = if empty_first && name.ends_with(".txt") { "\n" } else { "" };
        let text = format!("{first}{}", text(name));
        let blanks = " ".repeat(indent);
        let line = |line: &str| {
            let line = format!("{prefix}{blanks}{line}");
            if trimmed { line.trim_end().to_owned() } else { line }
        };
        same(name, &text, &each(&text, line), &format!("{indent} blanks behind `{prefix}`"));
    }
}
