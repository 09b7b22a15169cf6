//! Tests of the sections on cost and steady state.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown, terminal},
    common,
};
use model::result::Dataset;
use report::TerminalOptions;
use stats::{description::Settings, evaluation::findings};

/// The campaign of the other tests: xfs needs half of the processor time of ext4, btrfs twice as much;
/// one test ran sustained, and drifted on xfs.
fn campaign() -> Dataset {
    let mut data = common::campaign(3);
    for s in &mut data.samples {
        let share = match s.case.target.as_str() {
            "xfs" => 0.5,
            "ext4" => 1.0,
            _ => 2.0,
        };
        (s.covariates.cpu_user_s, s.covariates.cpu_sys_s) = (0.2 * share, 0.7 * share);
        if s.case.test == "columnar.sort.disk" {
            let step = if s.case.target == "xfs" { 10.0 } else { 0.0 };
            let rates = [0.0, 1.0, 2.0, 3.0, 4.0].map(|i| 100.0 - i * step);
            s.set_round_rates(rates);
        }
    }
    let facts = &mut data.targets[1].facts;
    facts.0.insert("cost.unmount_ms".into(), "0/1 10, 1/1 30".into());
    data
}

fn text() -> String {
    let data = campaign();
    let judged = findings(&data, &Settings::default()).unwrap();
    terminal(&data, &judged, &TerminalOptions { width: 200, color: false })
}

/// The line of the table under `caption` that begins with `target`.
fn line<'a>(text: &'a str, caption: &str, target: &str) -> Vec<&'a str> {
    let table = text.split_once(caption).unwrap().1;
    let line = table.lines().find(|line| line.trim_start().starts_with(target)).unwrap();
    line.split_whitespace().collect()
}

#[test]
fn prices_are_next_to_what_they_buy() {
    let data = campaign();
    let given = [("ext4", "0.08*100GB"), ("xfs", "0.08*100GB+0.005*1600IOPS")];
    let prices = given.map(|(label, text)| (label.to_string(), text.parse().unwrap())).into();
    let judged = findings(&data, &Settings { prices, ..Settings::default() }).unwrap();
    let text = terminal(&data, &judged, &TerminalOptions { width: 200, color: false });
    let row = |target: &str| line(&text, "Price, as given", target).join(" ");
    assert!(row("ext4").starts_with("ext4 0.0800 - - 8.00 1"), "{}", row("ext4"));
    assert!(row("xfs").starts_with("xfs 0.0800 0.00500 - 16.0 "), "{}", row("xfs"));
    assert!(html(&data, &judged).contains("Speed against work per money"));
    assert!(!self::text().contains("Price, as given"));
}

#[test]
fn costs_are_next_to_speed() {
    let text = text();
    let caption = "CPU efficiency";
    let xfs = line(&text, caption, "xfs");
    assert!(xfs.contains(&"2.00"), "half of the time: {xfs:?}");
    assert_eq!(line(&text, caption, "ext4").last(), Some(&"xfs"), "certainly, in processor time");
    assert_eq!(xfs.last(), Some(&"-"));
    let upkeep = line(&text, "Upkeep, mean over instances", "xfs");
    assert_eq!(upkeep[..], ["xfs", "-", "-", "20.0", "-"]);
    assert!(!text.contains("cost.unmount_ms"));
}

#[test]
fn a_drifting_run_is_named_and_noted() {
    let text = text();
    assert!(text.contains("not steady"), "{text}");
    let xfs = line(&text, "Not steady:", "disk sort, 1 process");
    assert_eq!(xfs[4..], ["xfs", "3", "of", "3", "50", "%", "50", "%"]);
    assert!(text.contains("4 of 6 sustained cells were steady"));
}

#[test]
fn the_picture_is_in_the_page_and_its_numbers_everywhere() {
    let data = campaign();
    let judged = findings(&data, &Settings::default()).unwrap();
    let page = html(&data, &judged);
    let cost = page.split("<h2>Cost").nth(1).unwrap().split("</section>").next().unwrap();
    assert_eq!(cost.matches("<circle class=\"k").count(), 3);
    assert!(markdown(&data, &judged).contains("work per CPU time / ext4"));
}

#[test]
fn the_bytes_that_a_write_costs_are_bars_and_none_where_no_device_was_counted() {
    let mut data = campaign();
    let same = html(&data, &findings(&data, &Settings::default()).unwrap());
    let said =
        "Written to the device: 1.00 bytes per logical byte over all tests, for every candidate.";
    assert!(same.contains(said), "of about 1.00 it is a sentence: {same}");
    for sample in data.samples.iter_mut().filter(|own| own.case.target == "xfs") {
        let written = &mut sample.covariates.device_write_bytes;
        *written = written.map(|bytes| 2 * bytes);
    }
    let judged = findings(&data, &Settings::default()).unwrap();
    let page = html(&data, &judged);
    assert!(page.contains("Written to the device"), "{page}");
    assert!(page.matches("<rect class=\"amount\"").count() >= judged.costs.len());
    data.samples.iter_mut().for_each(|s| s.covariates.device_write_bytes = None);
    let judged = findings(&data, &Settings::default()).unwrap();
    assert!(!html(&data, &judged).contains("Written to the device"));
}

#[test]
fn device_bytes_per_byte_are_shown_by_test_and_next_to_the_samples() {
    let mut data = campaign();
    for sample in data.samples.iter_mut().filter(|s| s.case.test == "columnar.read.cold") {
        let times = if sample.case.target == "xfs" { 8 } else { 4 };
        sample.covariates.device_read_bytes = Some(times * sample.figures.bytes);
    }
    let judged = findings(&data, &Settings::default()).unwrap();
    let text = markdown(&data, &judged);
    let table = text.split_once("Device bytes per byte of a test").unwrap().1;
    let row = table.lines().find(|l| l.starts_with("| Read, cold: sequential read | 1 ")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[3..6], ["4.00", "8.00", "4.00"], "{row}");
    let page = html(&data, &judged);
    let (_, drawer) = page.split_once("sequential read, 1 process</summary>").unwrap();
    let (summary, _) = drawer.split_once("</table>").unwrap();
    let xfs = summary.split_once(">xfs<").unwrap().1.split_once("</tr>").unwrap().0;
    for said in ["device 100 %", ">8.00<", ">1.00<"] {
        assert!(xfs.contains(said), "{said}: {xfs}");
    }
    assert!(drawer.contains("The device read more than requested, e.g. by read-ahead."));
    assert!(!table.contains("| Write, critical: open append mid float, sync once | 1 | 0"));
}

#[test]
fn the_test_that_writes_most_unlike_is_named_in_short() {
    let mut data = campaign();
    let said = |data: &Dataset| {
        let page = html(data, &findings(data, &Settings::default()).unwrap());
        let (_, own) = page.split_once("At what cost?").unwrap();
        own.split_once("</tr>").unwrap().0.to_string()
    };
    assert!(!said(&data).contains("differ most"), "{}", said(&data));
    let is_meant =
        |s: &model::result::Sample| s.case.test == "columnar.sort.disk" && s.case.procs == 1;
    for sample in data.samples.iter_mut().filter(|s| is_meant(s)) {
        let times = if sample.case.target == "xfs" { 4 } else { 6 };
        sample.covariates.device_write_bytes = Some(times * sample.figures.bytes / 4);
    }
    let own = said(&data);
    assert!(
        own.contains(
            "Bytes written differ most in disk sort, 1 process: ext4 1.50, xfs 1.00, btrfs"
        ),
        "{own}"
    );
}

#[test]
fn a_sync_that_had_a_part_left_says_so_and_is_called_neither_better_nor_worse() {
    let mut data = campaign();
    data.tests[2].group = model::workload::Group::Sync;
    for sample in data.samples.iter_mut().filter(|s| s.case.test == "columnar.sort.disk") {
        let left = if sample.case.target == "ext4" { 8 } else { 1 };
        sample.covariates.device_write_bytes = Some(sample.figures.bytes / left);
    }
    let text = markdown(&data, &findings(&data, &Settings::default()).unwrap());
    let table = text.split_once("**Sync after a write, 1 process**").unwrap().1;
    let row = table.lines().find(|line| line.starts_with("| disk sort ")).unwrap();
    assert!(
        row.contains("left 12 %") && !row.contains("better") && !row.contains("worse"),
        "{row}"
    );
    assert_eq!(row.matches("left 100 %").count(), 2, "{row}");
}

#[test]
fn nothing_is_said_where_nothing_was_measured() {
    let mut data = common::campaign(2);
    data.samples.iter_mut().for_each(|s| {
        (s.covariates.cpu_user_s, s.covariates.cpu_sys_s, s.covariates.device_write_bytes) =
            (0.0, 0.0, None);
    });
    let judged = findings(&data, &Settings::default()).unwrap();
    let text = terminal(&data, &judged, &TerminalOptions::default());
    assert!(!text.contains("Processor time") && !text.contains("steady"), "{text}");
}
