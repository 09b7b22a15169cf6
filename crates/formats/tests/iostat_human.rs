//! iostat's text with `--human`, `--pretty`, `-h` and `--dec`.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use model::result::{Imported, Sample};

fn of<'a>(data: &'a model::result::Dataset, test: &str) -> Vec<&'a Sample> {
    data.samples.iter().filter(|sample| sample.case.test == test).collect()
}

/// sysstat 12.6.1, `iostat -dx --human 1 2`.
#[test]
fn sizes_have_their_own_units() {
    let data = read_fixtures(&["iostat-human.txt"]);
    let disk = of(&data, "iostat.vda");
    assert_eq!(disk.len(), 2);
    assert_eq!(*why(disk[0]), Imported::FirstReportSinceBoot {}.into());
    let second = disk[1];
    assert!(second.evidence.validity.is_valid(), "{second:?}");
    assert_eq!(
        (second.metric("read_iops"), second.metric("write_or_flush_iops")),
        (Some(16.0), Some(3.0))
    );
    assert!(near(second.metric("read_rate").unwrap(), 143_360.0 / 1e6));
    assert!(near(second.metric("write_rate").unwrap(), 36_864.0 / 1e6));
    assert_eq!(second.metric("util"), Some(0.8));
    let human = text("iostat-human.txt");
    let other = human.replace("16.00    140.0k", "16.0k    140.0k");
    let error = error(&[file("a.txt", &other)]);
    assert!(
        error.starts_with("a.txt, line 8: r/s is `16.0k`") && error.contains("--human"),
        "{error}"
    );
}

/// `iostat -dxh 1 2`: a report is four tables.
#[test]
fn tables_of_one_report_are_one() {
    let data = read_fixtures(&["iostat-h.txt"]);
    let disk = of(&data, "iostat.vda");
    assert_eq!(disk.len(), 2, "{:?}", data.samples);
    assert_eq!(*why(disk[0]), Imported::FirstReportSinceBoot {}.into());
    let second = disk[1];
    assert_eq!((second.metric("iops"), second.metric("read_iops")), (Some(1.0), Some(1.0)));
    assert!(near(second.metric("read_rate").unwrap(), 4096.0 / 1e6));
    assert_eq!((second.metric("util"), second.metric("write_rate")), (Some(0.0), Some(0.0)));
    let cut = text("iostat-h.txt");
    let cut = &cut[..cut.find("     w/s").unwrap()];
    assert!(error(&[file("a.txt", cut)]).contains("neither r/s and w/s nor tps"));
}

/// `iostat -dy --pretty 1 1` of an idle machine, and the same with some work.
#[test]
fn the_device_may_stand_last() {
    let data = read_fixtures(&["iostat-pretty.txt"]);
    assert_eq!(data.tests.len(), 3);
    assert_eq!(*invalid(&data, "iostat.vda"), Imported::DeviceIdle {}.into());
    let idle = "0.00         0.00         0.00         0.00          0          0          0 vda";
    let busy = "9.00        36.00         0.00         0.00         36          0          0 vda";
    let data = read(&[file("a.txt", &text("iostat-pretty.txt").replace(idle, busy))]);
    assert_eq!(value(&data, "iostat.vda"), 9.0);
}

/// With `--dec=0` every figure is whole, averages since boot too.
#[test]
fn whole_figures_do_not_show_an_interval() {
    let head = "Linux 6.18.44 (host) \t11/30/26 \t_x86_64_\t(2 CPU)\n\n";
    let table = "Device  r/s  rkB/s  rareq-sz  w/s  wkB/s  wareq-sz  %util\n";
    let of = |row: &str| {
        let text = format!("{head}{table}{row}\n");
        formats::import(&[file("a.txt", &text)], None, &options()).unwrap().samples.remove(0)
    };
    let boot = of("vda 152 4096 27 35 8704 249 3");
    assert_eq!(*why(&boot), Imported::FirstReportSinceBoot {}.into());
    let interval = of("vda 152.00 4096.00 26.95 35.00 8704.00 248.69 3.00");
    assert!(interval.evidence.validity.is_valid(), "{interval:?}");
}
