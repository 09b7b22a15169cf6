//! Tests which requests fail, and what is refused.

use crate::{FailedWriteWork, FaultWork, Test, declare, testing};
use model::{
    result::{Change, Failing},
    target::Options,
};
use std::{borrow::Cow, path::Path};

fn test(settings: &str) -> Result<&'static dyn Test, String> {
    let head = "name = 'x'\nabout = 'y'\n[[test]]\nkind = 'failed_write'\nid = 'x.a'\n";
    let text = Cow::Owned(format!("{head}{settings}"));
    let suite = declare::suite("x.toml", text, &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

#[test]
fn what_is_declared_is_tried() {
    let job = testing::job("x.a", Path::new("/nowhere"));
    let settings = "change = 'overwrite'\nfailing = 'log_tree'\ntries = 3";
    let (change, failing, tries) = (Change::Overwrite, Failing::LogTree, 3);
    let known = FaultWork::FailedWrite(FailedWriteWork { change, failing, tries });
    assert_eq!(test(settings).unwrap().fault_work(&job), Some(known));
}

#[test]
fn what_cannot_be_tried_is_refused_by_name() {
    for (settings, word) in
        [("change = 'nope'", "nope"), ("failing = 'nope'", "nope"), ("tries = 0", "tries")]
    {
        let why = test(settings).err().unwrap();
        assert!(why.contains(word), "{settings}: {why}");
    }
}

#[test]
fn a_page_says_what_fails_and_what_a_lie_is() {
    let page = test("failing = 'commit'").unwrap().explain("x.a");
    assert!(page.contains("ext4's commit block") && page.contains("A lie is"), "{page}");
}
