//! Tests how many states a crash test asks for, and what it refuses.

use crate::{FaultWork, Test, declare, testing};
use model::{target::Options, workload::Job};
use std::{borrow::Cow, path::Path};

fn test(settings: &str) -> Result<&'static dyn Test, String> {
    let text = format!("name = 'x'\nabout = 'y'\n[[test]]\nkind = 'crash'\nid = 'x.a'\n{settings}");
    let suite = declare::suite("x.toml", Cow::Owned(text), &Options::new());
    suite.map(|suite| suite.tests[0]).map_err(|error| error.to_string())
}

fn job(scale: f64) -> Job {
    Job { scale, ..testing::job("x.a", Path::new("/nowhere")) }
}

#[test]
fn states_are_as_many_as_set_at_any_scale() {
    for (settings, scale, states) in [("", 1.0, 400), ("", 0.002, 400), ("states = 7", 4.0, 7)] {
        let Some(FaultWork::Crash(work)) = test(settings).unwrap().fault_work(&job(scale)) else {
            panic!("{settings}: no power is cut");
        };
        assert_eq!(work.states, states, "{settings} at {scale}");
    }
}

#[test]
fn writes_are_torn_at_what_the_disk_writes_whole() {
    for (settings, bytes) in [("", 512), ("atomic_bytes = 4096", 4096)] {
        let Some(FaultWork::Crash(work)) = test(settings).unwrap().fault_work(&job(1.0)) else {
            panic!("{settings}: no power is cut");
        };
        assert_eq!(work.atomic_bytes, bytes, "{settings}");
    }
}

#[test]
fn what_cannot_be_tried_is_refused_by_name() {
    for (settings, word) in [
        ("contract = 'nope'", "nope"),
        ("states = 0", "states"),
        ("rounds = 0", "rounds"),
        ("atomic_bytes = 8192", "512 or 4096"),
    ] {
        let why = test(settings).err().unwrap();
        assert!(why.contains(word), "{settings}: {why}");
    }
}

#[test]
fn a_worker_refuses_it() {
    let test = test("").unwrap();
    let why = test.start(&job(1.0)).err().unwrap().to_string();
    assert!(why.contains("x.a is run by the lab"), "{why}");
}

#[test]
fn it_has_a_worker_and_no_score() {
    let test = test("").unwrap();
    assert!(!test.infos()[0].group.is_scored());
    assert_eq!(test.workers(), crate::Workers::Fixed(1));
}
