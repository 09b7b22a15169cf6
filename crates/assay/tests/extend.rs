//! A campaign is given more blocks than were planned: what it has stays, what is not its own is refused. Exact
//! figures, no disk, no root.

use crate::common::{Place, text};
use rusqlite::Connection;
use std::fs;

const RUN: [&str; 11] =
    ["run", "--suite", "null", "--on", "null", "--on", "null", "--procs", "1", "--preset", "smoke"];

/// A place with a campaign of one block, which is done.
fn measured() -> Place {
    let place = Place::new();
    place.ok(&RUN);
    place
}

/// The lines of samples of a block, as they are exported.
fn samples(place: &Place, block: u32) -> Vec<String> {
    place.ok(&["export", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let of_block = |line: &&str| line.split(',').nth(1) == Some(&block.to_string());
    csv.lines().filter(of_block).map(str::to_string).collect()
}

/// Attempts at each block, in the store.
fn attempts(place: &Place) -> Vec<(u32, u32)> {
    let db = Connection::open(place.path("store.db")).unwrap();
    let mut rows = db.prepare("SELECT block, max(attempt) FROM block GROUP BY block").unwrap();
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_done_campaign_gets_more_blocks_and_keeps_what_it_has() {
    let place = measured();
    let first = samples(&place, 0);
    let report = place.ok(&["resume", "--blocks", "+2"]);
    assert_eq!(attempts(&place), [(0, 1), (1, 1), (2, 1)], "a block was measured again");
    assert!(!first.is_empty() && samples(&place, 0) == first, "the first block changed");
    assert_eq!(samples(&place, 2).len(), first.len());
    assert!(report.contains("3 blocks"), "{report}");
    assert!(
        report.contains(
            "2 more blocks were added after looking at the results of \
                             1"
        ),
        "{report}"
    );
    let show = place.ok(&["show"]);
    assert!(show.contains("blocks = 3") && place.ok(&["list"]).contains(" done "), "{show}");
    // Its mark is of what it is now.
    let nothing = place.assay(&["resume"]);
    assert!(text(&nothing.stderr).contains("nothing to run"));
    place.ok(&["resume", "--blocks", "+1"]);
    assert_eq!(attempts(&place).len(), 4);
    place.assert_clean();
}

#[test]
fn campaign_that_ended_when_precise_gets_exactly_n_more_blocks() {
    let place = Place::new();
    place.ok(&[&RUN[..9], &["--preset", "standard", "--no-aa"]].concat());
    assert_eq!(attempts(&place).len(), 5);
    place.ok(&["resume", "--blocks", "+1"]);
    assert_eq!(attempts(&place).len(), 6);
    assert!(place.ok(&["show"]).contains("blocks = 6"));
}

#[test]
fn an_interrupted_extension_goes_on() {
    let place = measured();
    place.ok(&["resume", "--blocks", "+2"]);
    let db = Connection::open(place.path("store.db")).unwrap();
    db.execute_batch(
        "UPDATE campaign SET state = 'open'; UPDATE block SET state = 'open' WHERE block = 2",
    )
    .unwrap();
    drop(db);
    place.ok(&["resume"]);
    assert_eq!(attempts(&place), [(0, 1), (1, 1), (2, 2)]);
}

#[test]
fn what_may_not_be_resumed_gets_no_blocks_and_is_left_as_it_was() {
    let edits = ["UPDATE campaign SET mark = NULL", "UPDATE campaign SET seed = seed + 1"];
    for sql in edits {
        let place = measured();
        Connection::open(place.path("store.db")).unwrap().execute_batch(sql).unwrap();
        let before = fs::read(place.path("store.db")).unwrap();
        let line = place.fails(&["resume", "--blocks", "+2"], 2);
        assert!(line.contains("assay run PLAN.toml"), "{line}");
        assert!(fs::read(place.path("store.db")).unwrap() == before, "a refusal changed the store");
    }
    let place = measured();
    let line = place.fails(&["resume", "--blocks", "+1000"], 2);
    assert!(line.contains("--blocks must be between 1 and 1000, not 1001"), "{line}");
    assert!(place.ok(&["show"]).contains(" done "));
    let bare = place.assay(&["resume", "--blocks", "5"]);
    assert_eq!(bare.status.code(), Some(2));
    assert!(text(&bare.stderr).contains("e.g. +5 for five more blocks"));
    assert!(
        !place
            .assay(&["resume", "published-cloud-2025-07-mdtest-ops", "--blocks", "+1"])
            .status
            .success()
    );
}
