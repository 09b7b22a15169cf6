//! Tests of outputs that options of a tool change: more percentiles, synced files, commands above the figures.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;

/// fio 3.33, `cmdprio_percentage=30`: percentiles of each priority follow those of all.
#[test]
fn percentiles_of_a_priority_are_not_those_of_all() {
    let data = read_fixtures(&["fio-3.33-prio.txt"]);
    let job = only(&data);
    for (name, us) in [("p50", 143.0), ("p95", 1582.0), ("p99", 6652.0), ("p999", 11_994.0)] {
        assert_eq!(job.metric(&format!("service_{name}_us")), Some(us), "{name}");
    }
    assert!(near(job.metric("service_mean_us").unwrap(), 392.73436));
    assert!(near(job.metric("iops").unwrap(), 39_934.0 / 2.004));
}
