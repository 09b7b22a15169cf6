//! fs_mark's tables, with and without `-v`.

use crate::files;

use files::*;

#[test]
fn each_iteration_is_a_repeat_with_its_files() {
    let data = read_fixtures(&["fs_mark-3.3.txt"]);
    let rates: Vec<f64> = data.samples.iter().map(|s| s.figures.metrics[0].value).collect();
    assert_eq!(rates, [461.9, 322.6, 356.0]);
    let first = &data.samples[0];
    assert_eq!((first.case.test.as_str(), first.case.procs), ("fs_mark.create", 2));
    assert_eq!((first.figures.ops, first.metric("app_overhead_us")), (400, Some(15769.0)));
    assert_eq!(data.samples.iter().map(|s| s.figures.ops).collect::<Vec<_>>(), [400; 3]);
    assert_eq!(data.campaign.environment.0["tool.fs_mark"], "3.3");
}

#[test]
fn calls_of_a_verbose_table_have_times_and_those_never_made_have_none() {
    let data = read_fixtures(&["fs_mark-3.3-v.txt"]);
    let first = &data.samples[0];
    assert_eq!(first.figures.metrics[0].value, 3295.9);
    assert_eq!(first.metric("creat_service_mean_us"), Some(250.0));
    assert_eq!(first.metric("creat_service_max_us"), Some(18591.0));
    assert_eq!(first.metric("close_service_max_us"), Some(2852.0));
    assert_eq!(first.metric("fsync_service_mean_us"), None);
}

#[test]
fn runs_of_other_work_are_not_put_together() {
    let both = text("fs_mark-3.3.txt") + &text("fs_mark-3.3-v.txt");
    let why = error(&[file("all.txt", &both)]);
    assert!(why.contains("all.txt, line "), "{why}");
}

#[test]
fn a_cut_row_and_a_table_without_rows_are_errors() {
    every_cut_is_an_error("fs_mark-3.3.txt", "26251", 55);
    let whole = text("fs_mark-3.3.txt");
    let at = whole.find("App Overhead\n").unwrap() + "App Overhead\n".len();
    let why = error(&[file("a.txt", &whole[..at])]);
    assert!(why.contains("a.txt, line 9: the table has no row"), "{why}");
}
