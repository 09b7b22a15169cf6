//! Tests of the section on time series.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown, terminal},
    common,
};
use model::{
    figure::{Series, series},
    result::{Dataset, Sample},
};
use report::TerminalOptions;
use stats::{description::Settings, evaluation::findings};

/// The campaign of the other tests, in which one test ran for five seconds and a half, on xfs with a
/// dip; its operations were told while it ran, its bytes were not.
fn campaign() -> Dataset {
    let mut data = common::campaign(3);
    for s in data.samples.iter_mut().filter(|s| s.case.test == "columnar.sort.disk") {
        let dip = if s.case.target == "xfs" { 10 } else { 100 };
        let ops = vec![100, 100, dip, 100, 100, 90];
        s.figures.series = Some(Box::new(Series {
            end_ms: vec![1000, 2000, 3000, 4000, 5000, 5100],
            columns: [(series::OPS.to_owned(), ops)].into(),
        }));
    }
    data
}

fn page(data: &Dataset) -> String {
    markdown(data, &findings(data, &Settings::default()).unwrap())
}

#[test]
fn a_dip_is_in_the_table_and_what_is_left_of_a_second_is_not() {
    let text = page(&campaign());
    let text = text.split_once("## Over time").unwrap().1.split_once("\n## ").unwrap().0;
    let line = |label: &str| text.lines().find(|l| l.starts_with(&format!("| {label} |")));
    assert_eq!(line("xfs"), Some("| xfs | 3 | 15 | 10.0 | 100 | 100 | 0.10 |"));
    assert_eq!(line("ext4"), Some("| ext4 | 3 | 15 | 100 | 100 | 100 | 1.00 |"));
}

#[test]
fn html_draws_each_run_and_the_terminal_leaves_it_to_others() {
    let data = campaign();
    let found = findings(&data, &Settings::default()).unwrap();
    let page = html(&data, &found);
    let plots = page.split("class=\"c\"").skip(1).filter_map(|rest| rest.split_once("</figure>"));
    let lines: usize = plots.map(|(plot, _)| plot.matches("<polyline").count()).sum();
    let runs = data
        .samples
        .iter()
        .filter(|s| s.figures.series.is_some() && s.evidence.validity.is_valid());
    assert!(lines > 0 && lines == runs.count(), "{lines}");
    assert!(!terminal(&data, &found, &TerminalOptions::default()).contains("Over time"));
}

#[test]
fn a_drawer_speaks_of_rates_where_they_are_drawn() {
    let speaks = |last_ms| {
        let mut data = campaign();
        let series = data.samples.iter_mut().filter_map(|s| s.figures.series.as_mut());
        series.for_each(|s| s.end_ms.iter_mut().for_each(|ms| *ms = *ms * last_ms / 5100));
        let page = html(&data, &findings(&data, &Settings::default()).unwrap());
        page.contains("Its rates of each second are under Over time.")
    };
    assert!(speaks(5100));
    assert!(!speaks(130));
}

#[test]
fn short_runs_and_runs_that_tell_nothing_have_no_section() {
    let without = |change: fn(&mut Sample)| {
        let mut data = campaign();
        data.samples.iter_mut().for_each(change);
        !page(&data).contains("Over time")
    };
    assert!(without(|s| s.figures.series = None));
    assert!(without(|s| {
        if let Some(series) = &mut s.figures.series {
            series.end_ms.truncate(3);
            series.columns.values_mut().for_each(|column| column.truncate(3));
        }
    }));
    assert!(without(|s| {
        if let Some(series) = &mut s.figures.series {
            series.columns.clear();
        }
    }));
}
