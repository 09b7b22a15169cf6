//! Tests of all renderers on one campaign.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown, summary, terminal},
    common,
};
use report::{TerminalOptions, csv};
use stats::{
    description::Settings,
    evaluation::{Findings, findings},
};

fn judged(dataset: &model::result::Dataset) -> Findings {
    findings(dataset, &Settings::default()).unwrap()
}

fn on_terminal(width: usize, color: bool) -> String {
    let data = common::campaign(5);
    terminal(&data, &judged(&data), &TerminalOptions { width, color })
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in 40..200 {
        let text = on_terminal(width, false);
        let widest = text.lines().map(|l| l.chars().count()).max();
        assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
        for row in ["sequential", "disk sort", "MAX RATIO"] {
            assert!(text.contains(row), "{row} is missing at {width}");
        }
        assert!(text.contains("1.22 better*"), "a ratio was cut at {width}:\n{text}");
    }
}

#[test]
fn a_narrow_terminal_gets_pieces_that_each_repeat_the_test() {
    let (wide, narrow) = (on_terminal(160, false), on_terminal(48, false));
    let rows =
        |text: &str| text.lines().filter(|l| l.trim_start().starts_with("disk sort  ")).count();
    assert!(rows(&wide) == 2 && rows(&narrow) > 2, "{narrow}");
    let tables = |text: &str| text.split_once("Ratios are over").unwrap().1.to_string();
    assert!(tables(&wide).contains("1.20-1.24") && !tables(&narrow).contains("1.20-1.24"));
}

#[test]
fn colour_is_an_extra() {
    assert!(!on_terminal(120, false).contains('\x1b'));
    let coloured = on_terminal(120, true);
    assert!(coloured.contains("\x1b[") && coloured.contains("better"));
}

#[test]
fn csv_has_its_header_and_rows() {
    let data = common::campaign(5);
    let text = csv(&data, &judged(&data));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "group,procs,testtype,test,target,value,unit,ratio,ratio_low,ratio_high,verdict,lab,bytes,ops,seconds,durability,left_out"
    );
    assert_eq!(lines[1].matches(',').count(), 16);
    assert!(lines[1].starts_with("write-critical,1,write disk,columnar.write.float.large,ext4,10"));
    assert!(lines[1].ends_with(",MB/s,1,,,,host,268435456,64,1.5,keeps,"));
    assert!(lines[2].ends_with(",better,host,268435456,64,1.5,keeps,"));
    let invalid = "read-cold,1,read disk,columnar.read.random,btrfs[compress=zstd:3],,MB/s,,,,invalid,host,\
                   268435456,64,1.5,keeps,";
    let left_out = lines.iter().find_map(|line| line.strip_prefix(invalid)).unwrap();
    assert_eq!(left_out.matches("(1)").count(), 5, "{left_out}");
    for footer in ["GEOMETRIC MEAN", "MIN RATIO", "MAX RATIO"] {
        let start = format!("write-critical,1,,{footer},xfs,");
        assert!(lines.iter().any(|l| l.starts_with(&start)), "{footer}");
    }
    assert!(text.contains("read-cold,64,,MIN RATIO,ext4,,,1,,,,host,,,,keeps,\n"));
}

/// In every form: named, and counted.
#[test]
fn samples_without_a_value_are_reported() {
    let mut data = common::campaign(5);
    let test = data.tests[0].id.clone();
    let own = |s: &&mut model::result::Sample| {
        s.case.test == test && s.case.target == "xfs" && s.block < 2
    };
    let mut zeros = 0;
    for sample in data.samples.iter_mut().filter(own) {
        sample.figures.metrics[0].value = 0.0;
        zeros += 1;
    }
    let (note, found) = (format!("{zeros} of "), judged(&data));
    let wide = TerminalOptions { width: 160, color: false };
    for page in [terminal(&data, &found, &wide), markdown(&data, &found), html(&data, &found)] {
        let plain = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains(&note) && plain.contains("samples of xfs are zero"), "{plain}");
        assert!(plain.contains("is 0"), "named among the invalid: {plain}");
    }
    assert!(json(&data, &found).contains("samples of xfs are zero"));
    assert!(
        csv(&data, &found)
            .lines()
            .any(|line| line.contains(",xfs,") && line.ends_with(" is 0 (2)"))
    );
}

#[test]
fn one_run_per_cell_has_points_and_no_interval() {
    let data = common::campaign(1);
    let text = terminal(&data, &judged(&data), &TerminalOptions::default());
    assert!(text.contains("One run per cell: no interval, no P(best)."), "{text}");
    assert!(text.contains(" ?") && !text.contains("better*"));
}

#[test]
fn html_is_closed_to_the_world_and_escaped() {
    let data = common::campaign(5);
    let page = html(&data, &judged(&data));
    assert!(page.contains("Content-Security-Policy") && page.contains("default-src 'none'"));
    for outside in ["http://", "https://", "src=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("href=").count(), page.matches("<a href=\"#").count());
    assert!(page.contains("&lt;on&gt; a loop image") && !page.contains("<on>"));
    for semantic in [
        "<caption>",
        "scope=\"row\"",
        "scope=\"col\"",
        "scope=\"rowgroup\"",
        "light-dark(#fff,#161719)",
    ] {
        assert!(page.contains(semantic), "{semantic}");
    }
}

/// The campaign with `harm` in every name that it has.
fn harmed(harm: &str) -> model::result::Dataset {
    let mut data = common::campaign(5);
    let add = |text: &mut String| text.push_str(harm);
    let campaign = &mut data.campaign;
    [&mut campaign.id, &mut campaign.title, &mut campaign.assay_version].into_iter().for_each(add);
    campaign.notes.push(model::result::Note::DeviceInUse { target: harm.into() });
    for note in &mut campaign.notes {
        if let model::result::Note::Said(text) = note {
            add(text);
        }
    }
    campaign.environment.0.insert(format!("key{harm}"), format!("value{harm}"));
    for target in &mut data.targets {
        add(&mut target.label);
        target.facts.0.insert(format!("key{harm}"), format!("value{harm}"));
    }
    for test in &mut data.tests {
        [&mut test.id, &mut test.name, &mut test.testtype, &mut test.unit]
            .into_iter()
            .for_each(add);
    }
    for sample in &mut data.samples {
        let case = &mut *sample.case;
        [&mut case.target, &mut case.test].into_iter().for_each(add);
        for metric in &mut sample.figures.metrics {
            add(&mut metric.kind.unit);
        }
        if let model::result::Validity::Invalid(why) | model::result::Validity::Lukewarm(why) =
            &mut *sample.evidence.validity
        {
            why.texts_mut().into_iter().for_each(add);
        }
    }
    data
}

#[test]
fn no_renderer_passes_on_what_commands_a_terminal() {
    let data = harmed("\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\u{2066}\r\t\u{7f}");
    let findings = judged(&data);
    for (name, text) in [
        ("terminal", terminal(&data, &findings, &TerminalOptions::default())),
        ("summary", summary(&data, &findings, &TerminalOptions::default(), "")),
        ("html", html(&data, &findings)),
        ("markdown", markdown(&data, &findings)),
        ("csv", csv(&data, &findings)),
        ("json", json(&data, &findings)),
    ] {
        let found = text.lines().flat_map(str::chars).find(|&c| model::text::is_unprintable(c));
        assert_eq!(found, None, "{name}");
        assert!(text.contains("owned"), "{name}");
    }
}

#[test]
fn names_are_escaped_everywhere_in_html() {
    let data = harmed("</title></style></script><script>x</script><img src=x onerror=y>\"'& a=b");
    let page = html(&data, &judged(&data));
    assert!(!page.contains("<img"));
    // A picture has a title of its own.
    let titles = page.matches("<title>").count();
    for (tag, count) in [
        ("</title>", titles),
        ("</style>", 1),
        ("<style", 1),
        ("<body", 1),
        // Two of them are data.
        ("<script type=\"application/json\"", 2),
        ("<script", 3),
        ("</script", 3),
    ] {
        assert_eq!(page.matches(tag).count(), count, "{tag}");
    }
    // Between the quotes of an attribute a name ends nothing: what follows one is another, or the end.
    let body = page.split_once("</style>").unwrap().1.split_once("<script").unwrap().0;
    for attribute in body.split("=\"").skip(1) {
        let (_, after) = attribute.split_once('"').unwrap();
        assert!(after.starts_with([' ', '>', '/']), "{after:.40}");
    }
}

#[test]
fn markdown_keeps_names_as_text() {
    let data = harmed("|`b`<i>[l](http://example.org)![p](q)");
    let text = markdown(&data, &judged(&data));
    for markup in ["[l](", "![p](", "<i>"] {
        let bare = text.match_indices(markup).filter(|(at, _)| !text[..*at].ends_with('\\'));
        assert_eq!(bare.count(), 0, "{markup}");
    }
    assert!(!text.contains("http://"));
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let tables = text.split("\n\n").filter(|part| part.starts_with('|'));
    for table in tables {
        let counts: Vec<usize> = table.lines().map(cells).collect();
        assert!(counts.iter().all(|count| *count == counts[0]), "{table}");
    }
}

#[test]
fn csv_holds_no_formula() {
    let mut data = common::campaign(5);
    let target = data.targets[1].label.clone();
    data.targets[1].label = "=HYPERLINK(\"x\")".into();
    for sample in data.samples.iter_mut().filter(|sample| sample.case.target == target) {
        sample.case.target = "=HYPERLINK(\"x\")".into();
    }
    data.tests.iter_mut().for_each(|test| test.unit = "@x".into());
    let text = csv(&data, &judged(&data));
    assert!(text.contains(",\"'=HYPERLINK(\"\"x\"\")\",") && text.contains(",'@x,"), "{text}");
    assert!(!text.contains(",=") && !text.contains("\"=") && !text.contains(",@"), "{text}");
}

#[test]
fn invalid_samples_are_counted_by_reason() {
    let data = common::campaign(5);
    let text = markdown(&data, &judged(&data));
    assert!(text.contains("12 of 150 samples"), "{text}");
    assert!(text.contains("| 10 | invalid: no space left after 17 MB |"), "{text}");
    assert!(text.contains("| 2 | lukewarm: 12.5 % was resident before |"), "{text}");
}

#[test]
fn json_is_the_findings() {
    let data = common::campaign(5);
    let value: serde_json::Value = serde_json::from_str(&json(&data, &judged(&data))).unwrap();
    assert_eq!(value["targets"][0], "ext4");
    assert_eq!(value["tables"][0]["rows"][0]["cells"][1]["verdict"], "better");
    assert_eq!(value["call"]["kind"], "equivalent");
}

#[test]
fn nothing_measured_is_still_a_report() {
    let mut data = common::campaign(1);
    data.samples.clear();
    let findings = judged(&data);
    let options = TerminalOptions::default();
    for text in
        [terminal(&data, &findings, &options), html(&data, &findings), markdown(&data, &findings)]
    {
        assert!(text.contains("No recommendation: no sample of columnar is valid."), "{text}");
    }
}

#[test]
fn a_terminal_table_looks_like_this() {
    let data = common::campaign(5);
    let text = terminal(&data, &judged(&data), &TerminalOptions::default());
    let start = text.find("Read, cold, 1 process").unwrap();
    let end = text.find("Read, cold, 64").unwrap();
    insta::assert_snapshot!(text[start..end].trim_end(), @r"
    Read, cold, 1 process
     Test                        ext4        xfs                               ratio     btrfs[                      ratio
                                 MB/s       MB/s                                      compress=
                                                                                        zstd:3]
                                                                                           MB/s
    -----------------------------------------------------------------------------------------------------------------------
     read disk
     sequential read             2196   2222 n=4     1.01 same             0.98-1.05       2926     1.33 better* 1.31-1.35
     random read 64k            0.815  0.847         1.04 slightly better* 1.02-1.06    invalid        -
     GEOMETRIC MEAN              2196   2222         1.01 same             0.98-1.05       2926     1.33 better  1.31-1.35
     MIN RATIO                                       1.01                  0.98-1.05                1.33         1.31-1.35
     MAX RATIO                                       1.04                  1.02-1.06                1.33         1.31-1.35
     better/same/worse/unclear                    1/1/0/0                                        1/0/0/0
    one sample: sequential read 268 MB · 1.5 s; random read 64k 268 MB · 1.5 s.
    Geometric means over the 1 of 2 tests valid on all targets.
    xfs: smallest ratio in sequential read, largest in random read 64k.
    ");
}

#[test]
fn size_and_time_of_a_sample_stand_in_every_row() {
    let mut data = common::campaign(5);
    data.targets.truncate(2);
    data.samples.retain(|s| s.case.target != "btrfs[compress=zstd:3]");
    let short = |s: &&mut model::result::Sample| s.case.test == "columnar.read.random";
    data.samples
        .iter_mut()
        .filter(short)
        .for_each(|s| (s.figures.bytes, s.figures.seconds) = (4096, 0.0018));
    let findings = judged(&data);
    let cold = |width| {
        let text = terminal(&data, &findings, &TerminalOptions { width, color: false });
        let table = text.split("\n\n").find(|part| part.starts_with("Read, cold, 1 process"));
        let summed = |line: &&str| line.contains("RATIO") || line.contains("MEAN");
        table.unwrap().lines().filter(|line| !summed(line)).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(cold(100), @r"
    Read, cold, 1 process
     Test                        ext4        xfs                               ratio       one sample
                                 MB/s       MB/s
    --------------------------------------------------------------------------------------------------
     read disk
     sequential read             2196   2222 n=4     1.01 same             0.97-1.05   268 MB · 1.5 s
     random read 64k            0.815  0.847         1.04 slightly better* 1.02-1.06  4.1 kB · 1.8 ms
     better/same/worse/unclear                    1/1/0/0
    xfs: smallest ratio in sequential read, largest in random read 64k.
    ");
    insta::assert_snapshot!(cold(84), @r"
    Read, cold, 1 process
     Test                        ext4        xfs                               ratio
                                 MB/s       MB/s
    ---------------------------------------------------------------------------------
     read disk
     sequential read             2196   2222 n=4     1.01 same             0.97-1.05
     random read 64k            0.815  0.847         1.04 slightly better* 1.02-1.06
     better/same/worse/unclear                    1/1/0/0
    one sample: sequential read 268 MB · 1.5 s; random read 64k 4.1 kB · 1.8 ms.
    xfs: smallest ratio in sequential read, largest in random read 64k.
    ");
    let dim = terminal(&data, &findings, &TerminalOptions { width: 120, color: true });
    assert!(dim.contains("\u{1b}[2m"), "{dim}");
    for text in [html(&data, &findings), markdown(&data, &findings)] {
        assert!(text.contains("one sample") && text.contains("4.1 kB · 1.8 ms"), "{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&json(&data, &findings)).unwrap();
    assert_eq!(json["tables"][0]["rows"][0]["amount"]["seconds"], 1.5);
}
