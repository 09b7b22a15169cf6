//! Tests what snapshots are made of, and what is refused.

use crate::{FaultWork, SnapshotWork, Test, declare, testing};
use model::target::Options;
use std::{borrow::Cow, path::Path};

fn test(settings: &str) -> Result<&'static dyn Test, String> {
    let head = "name = 'x'\nabout = 'y'\n[[test]]\nkind = 'snapshots'\nid = 'x.a'\n";
    let text = Cow::Owned(format!("{head}{settings}"));
    let suite = declare::suite("x.toml", text, &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

#[test]
fn declared_work_is_done() {
    let job = testing::job("x.a", Path::new("/nowhere"));
    let settings = "tries = 2\ntimes = 7\nfiles = 9\nchange = 3\nstates = 0";
    let work = SnapshotWork { tries: 2, times: 7, files: 9, change: 3, states: 0 };
    let test = test(settings).unwrap();
    assert_eq!(test.fault_work(&job), Some(FaultWork::Snapshots(work)));
    assert!(test.makes_own_disk());
}

#[test]
fn impossible_setting_is_refused_by_name() {
    for (settings, word) in [
        ("tries = 0", "tries"),
        ("times = 1001", "times"),
        ("files = 0", "files"),
        ("change = 101", "change"),
        ("states = 10001", "states"),
        ("fill = 'large'", "fill"),
    ] {
        let why = test(settings).err().unwrap();
        assert!(why.contains(word), "{settings}: {why}");
    }
}

#[test]
fn page_says_what_is_done_and_more_of_it_takes_longer() {
    let page = test("files = 33").unwrap().explain("x.a");
    assert!(page.contains("33 files of 64 KiB") && page.contains("15 times"), "{page}");
    let job = testing::job("x.a", Path::new("/nowhere"));
    let seconds = |settings: &str| test(settings).unwrap().estimate(&job).fixed_s;
    for more in ["tries = 4", "times = 16", "files = 65", "states = 101"] {
        assert!(seconds(more) > seconds(""), "{more}");
    }
}
