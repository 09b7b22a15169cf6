//! Generated findings after faults.

mod full;
mod snapshots;

use super::text;
use crate::result::{
    AfterFault, Change, CrashStates, DamagedPlace, ErrnoCount, FailedWrite, FailedWrites, Failing,
    FaultOnDisk, FileHistory, Found, FsyncAnswer, Harm, LegFault, MirrorReads, Mirrors, Moment,
    ReadBack, ReadFrom, Scrub, SilentFault, Spread, TurnedBits,
};
use proptest::{
    collection::{btree_map, vec},
    option,
    prelude::*,
    sample::select,
};

/// What any kind of fault left.
pub(super) fn after_fault() -> impl Strategy<Value = AfterFault> {
    prop_oneof![
        crash_states().prop_map(AfterFault::Crash),
        failed_writes().prop_map(AfterFault::FailedWrite),
        turned_bits().prop_map(AfterFault::TurnedBit),
        full::full_disk().prop_map(AfterFault::Full),
        mirrors().prop_map(AfterFault::Mirror),
        snapshots::snapshots().prop_map(AfterFault::Snapshots),
    ]
}

fn spread() -> impl Strategy<Value = Option<Spread>> {
    option::of(vec(any::<u64>(), 1..4).prop_map(Spread::of)).prop_map(Option::flatten)
}

fn crash_states() -> impl Strategy<Value = CrashStates> {
    let counts = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>());
    let found = btree_map(
        select(Harm::ALL.to_vec()),
        (any::<u64>(), any::<u64>(), text()).prop_map(|(states, example, detail)| Found {
            states,
            example,
            detail,
        }),
        0..4,
    );
    let fault = select(vec![FaultOnDisk::Crash, FaultOnDisk::CrashOfEarlyDisk]);
    (fault, text(), counts, any::<bool>(), spread(), found).prop_map(
        |(fault, contract, (seed, tried, harmed, checked), is_complete, recovery, found)| {
            CrashStates {
                fault,
                contract,
                seed,
                tried,
                harmed,
                is_complete,
                recovery,
                checked,
                found,
            }
        },
    )
}

fn answer() -> impl Strategy<Value = FsyncAnswer> {
    let number = any::<i32>();
    prop_oneof![
        Just(FsyncAnswer::Done),
        number.prop_map(FsyncAnswer::Failed),
        number.prop_map(FsyncAnswer::NotOpened),
    ]
}

fn read_back() -> impl Strategy<Value = ReadBack> {
    use ReadBack::*;
    prop_oneof![select(vec![New, Old, Zeros, Absent, Other]), any::<i32>().prop_map(Failed)]
}

fn failed_write() -> impl Strategy<Value = FailedWrite> {
    let reads = (read_back(), read_back(), read_back(), read_back());
    let fsyncs = (answer(), answer(), answer(), answer());
    let history = select(FileHistory::ALL.to_vec());
    (history, fsyncs, reads, any::<u32>(), any::<u32>()).prop_map(
        |(history, fsyncs, (cached, dropped, remounted, cut), tries, injected)| FailedWrite {
            history,
            fd1: fsyncs.0,
            fd2: fsyncs.1,
            fd3: fsyncs.2,
            fd1_again: fsyncs.3,
            cached,
            dropped,
            remounted,
            cut,
            tries: tries.into(),
            injected: injected.into(),
        },
    )
}

fn failed_writes() -> impl Strategy<Value = FailedWrites> {
    let (change, failing) = (select(Change::ALL.to_vec()), select(Failing::ALL.to_vec()));
    (change, failing, vec(failed_write(), 0..4)).prop_map(|(change, failing, all)| {
        let mut writes = FailedWrites { change, failing, seen: Vec::new() };
        all.into_iter().for_each(|one| writes.note(one));
        writes
    })
}

fn turned_bits() -> impl Strategy<Value = TurnedBits> {
    let what = (select(SilentFault::ALL.to_vec()), select(DamagedPlace::ALL.to_vec()));
    let errors = vec((any::<i32>(), any::<u32>()), 0..3);
    let counts = any::<[u64; 5]>();
    (what, counts, errors, option::of(scrub())).prop_map(
        |((fault, place), counts, errors, scrub)| {
            let [seed, tries, right, repaired, wrong] = counts;
            let mut bits = TurnedBits {
                tries,
                right,
                repaired,
                wrong,
                scrub,
                ..TurnedBits::new(fault, place, seed)
            };
            errors.into_iter().for_each(|(errno, tries)| bits.note_error(errno, tries.into()));
            bits
        },
    )
}

fn scrub() -> impl Strategy<Value = Scrub> {
    let scrub = (any::<u64>(), any::<u64>(), any::<u64>(), spread());
    scrub.prop_map(|(tries, detected, repaired, time)| Scrub { tries, detected, repaired, time })
}

fn mirror_reads() -> impl Strategy<Value = MirrorReads> {
    let place = (select(Moment::ALL.to_vec()), select(ReadFrom::ALL.to_vec()));
    let errors = vec((any::<i32>(), any::<u32>()), 0..3);
    (place, any::<[u32; 3]>(), errors).prop_map(|((moment, from), counts, all)| {
        let [right, wrong, missing] = counts.map(u64::from);
        let mut errors = Vec::new();
        for (errno, tries) in all {
            ErrnoCount::add(&mut errors, ErrnoCount { errno, tries: tries.into() });
        }
        MirrorReads { moment, from, right, wrong, errors, missing }
    })
}

fn mirrors() -> impl Strategy<Value = Mirrors> {
    let fault = select(LegFault::ALL.to_vec());
    let counts = any::<[u64; 7]>();
    let reads = vec(mirror_reads(), 0..4);
    (fault, counts, reads, option::of(scrub()), spread()).prop_map(
        |(fault, [seed, tries, written, refused, unmet, legs, enough], reads, scrub, rebuild)| {
            let new = Mirrors { legs, enough, unmet, ..Mirrors::new(fault, seed) };
            let mut mirrors = Mirrors { tries, written, refused, scrub, rebuild, ..new };
            reads.iter().for_each(|one| mirrors.note(one));
            mirrors
        },
    )
}
