//! Tests what is damaged, and what is refused.

use crate::{FaultWork, Test, TurnedBitWork, declare, testing};
use model::{
    result::{DamagedPlace, SilentFault},
    target::Options,
};
use std::{borrow::Cow, path::Path};

fn test(settings: &str) -> Result<&'static dyn Test, String> {
    let head = "name = 'x'\nabout = 'y'\n[[test]]\nkind = 'turned_bit'\nid = 'x.a'\n";
    let text = Cow::Owned(format!("{head}{settings}"));
    let suite = declare::suite("x.toml", text, &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

#[test]
fn what_is_declared_is_tried() {
    let job = testing::job("x.a", Path::new("/nowhere"));
    let settings = "fault = 'lost_write'\nplace = 'name'\ntries = 3";
    let (fault, place, tries) = (SilentFault::LostWrite, DamagedPlace::Name, 3);
    let known = FaultWork::TurnedBit(TurnedBitWork { fault, place, tries });
    assert_eq!(test(settings).unwrap().fault_work(&job), Some(known));
}

#[test]
fn what_cannot_be_tried_is_refused_by_name() {
    for (settings, word) in [
        ("fault = 'nope'", "nope"),
        ("place = 'nope'", "nope"),
        ("tries = 0", "tries"),
        ("fault = 'lost_write'\nplace = 'superblock'", "lost write"),
        ("fault = 'misdirected_write'\nplace = 'name'", "misdirected write"),
    ] {
        let why = test(settings).err().unwrap();
        assert!(why.contains(word), "{settings}: {why}");
    }
}

#[test]
fn a_page_says_what_is_damaged() {
    let page = test("place = 'tree'").unwrap().explain("x.a");
    assert!(page.contains("600 pieces of a file") && page.contains("one bit"), "{page}");
}
