//! Limits hold to the byte, and looks come before a limit can be passed.

use super::*;

const M: u64 = 1 << 20;

fn judged(bounds: &Bounds, look: Observation, held: u64) -> Option<Breach> {
    bounds.judge(&look, || held)
}

#[test]
fn more_written_than_planned_and_a_tenth_is_a_breach() {
    let limit = 110 * M + SPARE_BYTES;
    for (count, pages, calls) in [(Count::Calls, 0, 1), (Count::Pages, 1, 0), (Count::Lesser, 1, 1)]
    {
        let bounds = Bounds { written: Some(100 * M), count, ..Bounds::default() };
        let at = |bytes: u64| Observation {
            calls: calls * bytes,
            pages: pages * bytes,
            free: M,
            ..Observation::default()
        };
        assert_eq!(judged(&bounds, at(limit), 0), None);
        let breach = judged(&bounds, at(limit + 1), 0).unwrap();
        assert_eq!(
            breach,
            Breach::Written { planned: Bytes(100 * M), seen: Bytes(limit + 1) },
            "{count:?}"
        );
        assert_eq!(breach.to_string(), "it wrote 142 MiB, but 100 MiB were planned");
    }
    let lesser = Bounds { written: Some(M), ..Bounds::default() };
    let pipes = Observation { calls: 1 << 40, ..Observation::default() };
    assert_eq!(judged(&lesser, pipes, 0), None, "what goes to pipes is not written to files");
}

#[test]
fn growth_is_a_breach_where_the_directory_holds_it() {
    let bounds = Bounds { space: Some(100 * M), ..Bounds::default() };
    let grown = Observation { grown: 200 * M, free: M, ..Observation::default() };
    assert_eq!(judged(&bounds, grown, 100 * M), None, "another process wrote it");
    assert_eq!(
        judged(&bounds, grown, 190 * M),
        Some(Breach::Space { planned: Bytes(100 * M), seen: Bytes(190 * M) })
    );
    let small = Observation { grown: 100 * M, ..grown };
    assert_eq!(bounds.judge(&small, || panic!("no look is needed")), None);
}

#[test]
fn less_free_than_the_reserve_is_a_breach() {
    let bounds = Bounds { reserve: 35 * M, ..Bounds::default() };
    let at = |free: u64| Observation { free, ..Observation::default() };
    assert_eq!(judged(&bounds, at(35 * M), 0), None);
    assert_eq!(
        judged(&bounds, at(35 * M - 1), 0),
        Some(Breach::Reserve { free: Bytes(35 * M - 1), reserve: Bytes(35 * M) })
    );
    let files = |free: u64| Observation { files: (2000, free), ..at(35 * M) };
    assert_eq!(judged(&bounds, files(100), 0), None);
    assert_eq!(judged(&bounds, files(99), 0), Some(Breach::Files { free: 99 }));
    assert!(Bounds::default().are_none() && !bounds.are_none());
    assert_eq!(judged(&Bounds::default(), Observation { grown: 1 << 60, ..at(0) }, 1 << 60), None);
}

#[test]
fn the_nearer_the_limit_the_sooner_is_the_next_look() {
    let bounds = Bounds { reserve: 100 * M, written: Some(1 << 40), ..Bounds::default() };
    let pause = |free: u64| {
        bounds.pause(&Observation { free, ..Observation::default() }, Duration::from_micros(10))
    };
    assert_eq!(pause(100 << 30), LATEST);
    assert_eq!(pause(100 * M), SOONEST);
    let ahead = pause(900 * M);
    assert!(ahead > SOONEST && ahead.as_secs_f64() * FASTEST_BYTES_PER_S <= 801.0 * M as f64);
    let look = Observation { free: 100 * M, ..Observation::default() };
    let costly = bounds.pause(&look, Duration::from_millis(10));
    assert_eq!(costly, Duration::from_millis(500), "looking takes a fiftieth of the time");
}

#[test]
fn files_that_exceed_the_space_above_the_reserve_lack_room() {
    let bounds = Bounds { reserve: 10 * M, space: Some(20 * M), ..Bounds::default() };
    assert_eq!(bounds.lacks(30 * M), None);
    assert_eq!(bounds.lacks(30 * M - 1), Some((Bytes(20 * M), Bytes(20 * M - 1))));
    assert_eq!(
        Bounds { reserve: 0, ..bounds }.lacks(0),
        None,
        "what is made for a target may be full"
    );
    let look = Observation { free: 1 << 40, files: (20_000, 1500), ..Observation::default() };
    assert_eq!(bounds.pause(&look, Duration::ZERO), SOONEST);
}

#[test]
fn a_file_may_be_as_long_as_all_files_together() {
    let of = |space| Bounds { space, ..Bounds::default() }.file_bytes();
    assert_eq!(of(None), None);
    assert_eq!(of(Some(M)), Some(LEAST_FILE_BYTES));
    assert_eq!(of(Some(1000 * M)), Some(1100 * M + SPARE_BYTES));
    assert_eq!(of(Some(u64::MAX)), Some(u64::MAX));
}
