//! Compares the states with the simplest possible model of a disk: a map of sectors.

use super::*;
use crate::log::{Event, Log};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What is in each sector; the others hold what was there before.
type Disk = BTreeMap<u64, u8>;

/// A request: write of a value, discard, flush or mark.
#[derive(Clone, Debug)]
enum Asked {
    Write(u64, u64, u8),
    Discard(u64, u64),
    Flush,
    Mark,
}

fn requests(most: usize) -> impl Strategy<Value = Vec<Asked>> {
    let one = prop_oneof![
        6 => (0u64..8, 1u64..4, 1u8..4).prop_map(|(at, n, value)| Asked::Write(at, n, value)),
        1 => (0u64..8, 1u64..4).prop_map(|(at, n)| Asked::Discard(at, n)),
        2 => Just(Asked::Flush),
        2 => Just(Asked::Mark),
    ];
    prop::collection::vec(one, 0..most)
}

fn log(asked: &[Asked]) -> Log {
    let mut log = Log::new(1 << 20);
    for (nth, one) in asked.iter().enumerate() {
        match one {
            Asked::Write(at, n, value) => {
                log.write(at * SECTOR_BYTES, &vec![*value; (n * SECTOR_BYTES) as usize]).unwrap()
            }
            Asked::Discard(at, n) => {
                log.push(Event::Discard { offset: at * SECTOR_BYTES, length: n * SECTOR_BYTES })
            }
            Asked::Flush => log.push(Event::Flush),
            Asked::Mark => log.push(Event::Mark(nth as u64)),
        }
    }
    log
}

fn put(disk: &mut Disk, (at, n, value): (u64, u64, u8)) {
    disk.extend((at..at + n).map(|sector| (sector, value)));
}

/// All disks after some of `left`, in any order, on `disk`, the last one whole or torn.
fn visit(disk: &Disk, left: &[(u64, u64, u8)], all: &mut BTreeSet<Disk>) {
    all.insert(disk.clone());
    for (nth, one) in left.iter().enumerate() {
        for torn in 1..one.1 {
            let mut disk = disk.clone();
            put(&mut disk, (one.0, torn, one.2));
            all.insert(disk);
        }
        let mut disk = disk.clone();
        put(&mut disk, *one);
        let rest: Vec<_> = left.iter().enumerate().filter(|(at, _)| *at != nth).collect();
        visit(&disk, &rest.into_iter().map(|(_, one)| *one).collect::<Vec<_>>(), all);
    }
}

/// Every disk that the power may leave, with the latest mark before.
fn every(asked: &[Asked]) -> BTreeMap<Disk, Option<u64>> {
    let (mut all, mut disk, mut open, mut mark) = (BTreeMap::new(), Disk::new(), vec![], None);
    for (nth, one) in asked.iter().enumerate() {
        match one {
            Asked::Write(at, n, value) => open.push((*at, *n, *value)),
            Asked::Discard(at, n) => open.push((*at, *n, 0)),
            Asked::Mark => mark = Some(nth as u64),
            Asked::Flush => {
                let mut left = BTreeSet::new();
                visit(&disk, &open, &mut left);
                all.extend(left.into_iter().map(|disk| (disk, mark)));
                open.drain(..).for_each(|one| put(&mut disk, one));
            }
        }
    }
    let mut left = BTreeSet::new();
    visit(&disk, &open, &mut left);
    all.extend(left.into_iter().map(|disk| (disk, mark)));
    all
}

fn applied(patches: &[(u64, Vec<u8>)]) -> Disk {
    let mut disk = Disk::new();
    for (offset, bytes) in patches {
        for (nth, sector) in bytes.chunks(SECTOR_BYTES as usize).enumerate() {
            assert!(sector.iter().all(|byte| *byte == sector[0]));
            let old = disk.insert(offset / SECTOR_BYTES + nth as u64, sector[0]);
            assert_eq!(old, None, "patches do not overlap");
        }
    }
    disk
}

/// The disks of what is drawn, with their marks.
fn drawn(log: &Log, asked: Draw) -> (Vec<(Disk, Option<u64>)>, bool) {
    let epochs = Epochs::new(log).unwrap();
    let drawn = draw(&epochs, asked);
    let disks = drawn.states.iter().map(|state| {
        assert_eq!(epochs.state(state.number).as_ref(), Some(state), "made again by its number");
        (applied(&epochs.patches(state)), state.acknowledged)
    });
    (disks.collect(), drawn.is_complete)
}

const ALL: Draw = Draw { seed: 1, limit: usize::MAX, atomic_bytes: SECTOR_BYTES };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn small_epochs_give_every_state_once_with_its_latest_mark(asked in requests(12)) {
        let longest = asked.split(|one| matches!(one, Asked::Flush)).map(|epoch| {
            epoch.iter().filter(|one| !matches!(one, Asked::Mark)).count()
        }).max();
        prop_assume!(longest <= Some(5));
        let (disks, is_complete) = drawn(&log(&asked), ALL);
        prop_assert!(is_complete);
        let count = disks.len();
        let found: BTreeMap<Disk, Option<u64>> = disks.into_iter().collect();
        prop_assert_eq!(found.len(), count, "distinct");
        prop_assert_eq!(found, every(&asked));
    }

    #[test]
    fn large_epochs_give_distinct_states_that_can_be(asked in requests(60), seed: u64) {
        let (disks, _) = drawn(&log(&asked), Draw { seed, limit: 300, ..ALL });
        let count = disks.len();
        let found: BTreeMap<Disk, Option<u64>> = disks.into_iter().collect();
        prop_assert_eq!(found.len(), count, "distinct");
        for disk in found.keys() {
            prop_assert!(can_be(disk, &asked), "{:?}", disk);
        }
    }
}

#[test]
fn only_all_of_the_states_are_complete() {
    let mut log = Log::new(1 << 20);
    for at in 0..6 {
        (0..3)
            .for_each(|sector| log.write(at * 4096 + sector * 512, &[at as u8 + 1; 512]).unwrap());
        log.push(Event::Flush);
    }
    let all = drawn(&log, ALL).0.len();
    for limit in 1..=all + 1 {
        let (disks, is_complete) = drawn(&log, Draw { limit, ..ALL });
        assert_eq!(disks.len(), limit.min(all));
        assert!(!is_complete || limit >= all, "{limit} of {all}");
    }
}

/// Whether each sector holds what it held at some flush or one of the writes up to the next one.
fn can_be(found: &Disk, asked: &[Asked]) -> bool {
    let mut durable = Disk::new();
    asked.split(|one| matches!(one, Asked::Flush)).any(|epoch| {
        let writes = epoch.iter().filter_map(|one| match one {
            Asked::Write(at, n, value) => Some((*at, *n, *value)),
            Asked::Discard(at, n) => Some((*at, *n, 0)),
            Asked::Flush | Asked::Mark => None,
        });
        let writes: Vec<(u64, u64, u8)> = writes.collect();
        let is_possible = (0..12).all(|sector| {
            let held = found.get(&sector);
            let own = writes.iter().filter(|(at, n, _)| (*at..at + n).contains(&sector));
            held == durable.get(&sector)
                || own.map(|(_, _, value)| value).any(|value| Some(value) == held)
        });
        writes.into_iter().for_each(|one| put(&mut durable, one));
        is_possible
    })
}

#[test]
fn the_extremes_of_a_large_epoch_are_in() {
    let mut log = Log::new(1 << 20);
    (0..40).for_each(|at| log.write(at * 4096, &[7; 4096]).unwrap());
    log.push(Event::Mark(3));
    let epochs = Epochs::new(&log).unwrap();
    let drawn = draw(&epochs, Draw { seed: 5, limit: 2000, atomic_bytes: 4096 });
    assert_eq!((drawn.states.len(), drawn.is_complete), (2000, false));
    let has = |kept: Vec<usize>| drawn.states.iter().any(|state| state.kept == kept);
    assert!(has(vec![]) && has((0..40).collect()));
    for at in 0..40 {
        assert!(has(vec![at]) && has((0..40).filter(|own| *own != at).collect()), "{at}");
        assert!(has((0..at).collect()));
    }
    // Blocks of 4096 bytes are there or not.
    assert!(drawn.states.iter().all(|state| state.torn.is_none()));
    assert!(drawn.states.iter().all(|state| state.acknowledged == Some(3)));
}

#[test]
fn a_request_of_part_of_a_sector_is_refused() {
    let mut log = Log::new(1 << 10);
    log.write(100, &[7; 512]).unwrap();
    assert_eq!(Epochs::new(&log).unwrap_err(), Unaligned { offset: 100 });
}

#[test]
fn no_number_leads_out_of_the_log() {
    let asked = [Asked::Write(0, 3, 1), Asked::Write(1, 3, 2), Asked::Flush, Asked::Mark];
    let log = log(&asked);
    let epochs = Epochs::new(&log).unwrap();
    let mut rng = model::random::Rng::new(9);
    let mut known = 0;
    for _ in 0..200_000 {
        let number = rng.next_u64() & (((3 << 44) | ((1 << 44) - 1)) >> rng.below(46));
        if let Some(state) = epochs.state(number) {
            known += 1;
            assert_eq!(state.number, number);
            applied(&epochs.patches(&state));
        }
    }
    assert!(known > 1000, "{known}");
}
