//! Tests what happens to a leg, and what is refused.

use crate::{FaultWork, MirrorWork, Test, declare, testing};
use model::{result::LegFault, target::Options};
use std::{borrow::Cow, path::Path};

fn test(settings: &str) -> Result<&'static dyn Test, String> {
    let head = "name = 'x'\nabout = 'y'\n[[test]]\nkind = 'mirror'\nid = 'x.a'\n";
    let text = Cow::Owned(format!("{head}{settings}"));
    let suite = declare::suite("x.toml", text, &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

#[test]
fn declared_fault_is_tried() {
    let job = testing::job("x.a", Path::new("/nowhere"));
    for (settings, fault, tries) in [
        ("", LegFault::BadData, 10),
        ("fault = 'bad_metadata'\ntries = 3", LegFault::BadMetadata, 3),
        ("fault = 'lost_disk'\ntries = 1000", LegFault::LostDisk, 1000),
    ] {
        let known = FaultWork::Mirror(MirrorWork { fault, tries });
        let test = test(settings).unwrap();
        assert_eq!(test.fault_work(&job), Some(known));
        assert!(test.makes_own_disk());
    }
}

#[test]
fn unknown_fault_and_no_tries_are_refused_by_name() {
    for (settings, word) in [("fault = 'nope'", "nope"), ("tries = 0", "tries")] {
        let why = test(settings).err().unwrap();
        assert!(why.contains(word), "{settings}: {why}");
    }
}

#[test]
fn page_says_what_happens_to_the_leg() {
    for (fault, word) in [
        ("bad_data", "of their data"),
        ("bad_metadata", "the tree"),
        ("lost_disk", "an empty disk"),
        ("power_cut", "the power of all legs"),
    ] {
        let page = test(&format!("fault = '{fault}'")).unwrap().explain("x.a");
        assert!(page.contains(word) && page.contains("Each leg is read alone at"), "{page}");
    }
}
