//! Tests what is filled, and what is refused.

use crate::{FaultWork, FullWork, Test, declare, testing};
use model::{result::Fill, target::Options};
use std::{borrow::Cow, path::Path};

fn test(settings: &str) -> Result<&'static dyn Test, String> {
    let head = "name = 'x'\nabout = 'y'\n[[test]]\nkind = 'full'\nid = 'x.a'\n";
    let text = Cow::Owned(format!("{head}{settings}"));
    let suite = declare::suite("x.toml", text, &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

#[test]
fn what_is_declared_is_filled() {
    let job = testing::job("x.a", Path::new("/nowhere"));
    let settings = "fill = 'small'\ntries = 2\ntimes = 7";
    let known = FaultWork::Full(FullWork { fill: Fill::Small, tries: 2, times: 7 });
    assert_eq!(test(settings).unwrap().fault_work(&job), Some(known));
}

#[test]
fn what_cannot_be_filled_is_refused_by_name() {
    for (settings, word) in
        [("fill = 'nope'", "nope"), ("tries = 0", "tries"), ("times = 1001", "times")]
    {
        let why = test(settings).err().unwrap();
        assert!(why.contains(word), "{settings}: {why}");
    }
}

#[test]
fn a_page_says_what_fills_the_disk() {
    let page = test("fill = 'small'").unwrap().explain("x.a");
    assert!(page.contains("files of 16 KiB") && page.contains("15 times"), "{page}");
    assert!(test("").unwrap().explain("x.a").contains("files of 8 MiB"));
}
