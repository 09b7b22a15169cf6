//! The rate of the time in which all processes worked, next to that of the whole phase: what a worker has not reported
//! when another ends would be missing in the first.

use crate::common::Place;

#[test]
fn what_all_processes_read_together_is_about_what_they_read_in_all() {
    let place = Place::new();
    let target = format!("dir:{}", place.path("").display());
    place.ok(&[
        "run",
        "--suite",
        "columnar",
        "--on",
        &target,
        "--procs",
        "8",
        "--blocks",
        "1",
        "--scale",
        "0.03",
        "--preset",
        "smoke",
        "--tests",
        "columnar.random.1m,columnar.random.4k,columnar.read.float.large",
    ]);
    let samples = place.samples();
    assert_eq!(samples.len(), 3);
    for (test, own) in samples {
        let rate = own["rate"];
        assert!(rate > 0.0);
        // Others at work may leave too little time in which all ran: then there is no such rate.
        if let Some(together) = own.get("overlap_rate") {
            assert!(*together >= rate / 2.0, "{test}: {together} of {rate} MB/s");
        }
    }
}
