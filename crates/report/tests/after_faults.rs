//! Tests that what is found after a fault is counted, bounded and named.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::markdown,
    common::{self, faults_alone},
};
use model::result::{
    AfterFault, Change, CrashStates, DamagedPlace, Dataset, ErrnoCount, FailedWrite, FailedWrites,
    Failing, FaultOnDisk, FileHistory, Found, FsyncAnswer, Harm, LegFault, MirrorReads, Mirrors,
    Moment, Origin, ReadBack, ReadFrom, Sample, Scrub, SilentFault, Spread, TurnedBits,
};
use stats::{description::Settings, evaluation::findings};
use std::collections::BTreeMap;

fn clean(tried: u64) -> CrashStates {
    CrashStates {
        fault: FaultOnDisk::Crash,
        contract: "append".into(),
        seed: 1,
        tried,
        harmed: 0,
        is_complete: false,
        recovery: Spread::of(vec![1_500_000, 2_500_000, 9_000_000]),
        checked: 0,
        found: BTreeMap::new(),
    }
}

/// A campaign in which each sample of the first cell and of the same test on xfs tried 200 states.
fn campaign() -> Dataset {
    let mut data = common::campaign(2);
    let case = data.samples[0].case.clone();
    for sample in &mut data.samples {
        let own = &sample.case;
        let is_tried = ["ext4", "xfs"].contains(&own.target.as_str());
        if own.test == case.test && own.procs == case.procs && is_tried {
            sample.evidence.after_fault = Some(Box::new(AfterFault::Crash(clean(200))));
        }
    }
    data
}

fn states(sample: &mut Sample) -> &mut CrashStates {
    match sample.evidence.after_fault.as_deref_mut() {
        Some(AfterFault::Crash(states)) => states,
        other => panic!("no states: {other:?}"),
    }
}

fn text(data: &Dataset) -> String {
    markdown(data, &findings(data, &Settings::default()).unwrap())
}

#[test]
fn no_harm_is_said_with_the_share_that_it_leaves_possible() {
    assert!(!text(&common::campaign(2)).contains("## After faults"), "no fault was made");
    let text = text(&campaign());
    let (_, section) = text.split_once("## After faults").unwrap();
    let row = section.lines().find(|line| line.contains("0 of 400")).unwrap();
    assert_eq!(row.matches("0 of 400 (below 0.746 %)").count(), 2, "{row}");
    assert!(section.contains("2.50") && section.contains("1.50-9.00"), "{section}");
    assert!(!section.contains("Harm after"), "{section}");
}

#[test]
fn lost_data_is_named_first_with_a_state_to_make_again() {
    let mut data = campaign();
    let hurt = data.samples.iter_mut().find(|s| s.evidence.after_fault.is_some()).unwrap();
    let target = hurt.case.target.clone();
    let after = states(hurt);
    after.harmed = 3;
    let found = |states, example, detail: &str| Found { states, example, detail: detail.into() };
    after.found.insert(Harm::Zeros, found(1, 9, "a: bytes 0 to 4096"));
    after.found.insert(Harm::Lost, found(2, 17, "a: ends at 4096"));
    let text = text(&data);
    let (_, section) = text.split_once("## After faults").unwrap();
    let said = format!("{target}: after a crash, acknowledged data is lost in 2 of 400");
    assert!(section.contains(&said), "{section}");
    let example = section.lines().find(|line| line.contains("state 17: a: ends at 4096")).unwrap();
    assert!(example.contains(&target), "{example}");
    assert!(section.contains("3 of 400"), "{section}");
    assert!(section.contains("at worst, acknowledged data is lost in 2"), "{section}");
    let case = &data.samples[0].case;
    let command = format!("assay remake {} {} {target} 17", data.campaign.id, case.test);
    assert!(example.contains(&command), "{example}");
    data.campaign.origin = Origin::Import;
    assert!(!self::text(&data).contains(&command), "nothing is kept of what was imported");
}

#[test]
fn without_a_score_the_verdict_is_what_faults_left() {
    let mut data = faults_alone(campaign());
    let all = text(&data);
    let (_, verdict) = all.split_once("After a power failure, ").unwrap();
    assert!(verdict.starts_with("ext4 and xfs were unharmed in 800 states."), "{verdict}");
    assert!(!all.contains("no sample of"), "{all}");
    let after = states(&mut data.samples[0]);
    after.harmed = 5;
    after.found.insert(Harm::Zeros, Found { states: 5, example: 1, detail: "a".into() });
    let target = data.samples[0].case.target.clone();
    let says = |data: &Dataset, what: &str| {
        let said = format!("{target} was harmed in 5 of 400 states ({what}); ");
        assert!(text(data).contains(&said), "{}", text(data));
    };
    says(&data, "zeros in place of data");
    let found = Found { states: 1, example: 1, detail: "a".into() };
    states(&mut data.samples[0]).found.insert(Harm::NotMounted, found);
    says(&data, "at worst, the file system cannot be mounted in 1");
}

/// An outcome of an fsync during which a commit failed.
fn write(fd2: FsyncAnswer, cut: ReadBack) -> FailedWrite {
    FailedWrite {
        history: FileHistory::Mounted,
        fd1: FsyncAnswer::Failed(5),
        fd2,
        fd3: FsyncAnswer::Done,
        fd1_again: FsyncAnswer::Done,
        cached: ReadBack::New,
        dropped: cut,
        remounted: cut,
        cut,
        tries: 2,
        injected: 2,
    }
}

/// A campaign in which a commit failed on ext4, which lied, and on xfs, which did not.
fn failed_writes() -> Dataset {
    let mut data = campaign();
    for sample in &mut data.samples {
        let fd2 = match sample.case.target.as_str() {
            "ext4" => FsyncAnswer::Done,
            _ => FsyncAnswer::Failed(5),
        };
        if sample.evidence.after_fault.is_some() {
            let (change, failing) = (Change::Append, Failing::Commit);
            let seen = vec![write(fd2, ReadBack::Absent)];
            let writes = FailedWrites { change, failing, seen };
            sample.evidence.after_fault = Some(Box::new(AfterFault::FailedWrite(writes)));
        }
    }
    data
}

#[test]
fn an_error_once_is_shown_and_a_lie_is_named() {
    let text = text(&faults_alone(failed_writes()));
    let (_, section) = text.split_once("## After faults").unwrap();
    let said = "When a write failed, fsync said success for lost data on ext4 in 1 of 1 faults.";
    assert!(section.contains(said), "{section}");
    assert!(text.matches(said).count() > 1, "the verdict says it, too: {text}");
    let row = section.lines().find(|line| line.contains("cut: short")).unwrap();
    assert!(row.contains("EIO, 0, 0, 0; cut: short") && row.contains("lie"), "{row}");
    assert!(row.contains("EIO, EIO, 0, 0; cut: short"), "{row}");
    assert_eq!(row.matches("lie").count(), 1, "{row}");
    assert!(section.contains("-: the file system has no such request"), "{section}");
}

/// A campaign in which `wrong` of 10 turned bits were read on each target and block.
fn turned_bits(wrong: u64) -> Dataset {
    let mut data = campaign();
    for sample in &mut data.samples {
        if sample.evidence.after_fault.is_some() {
            let mut bits = TurnedBits::new(SilentFault::TurnedBit, DamagedPlace::Data, 1);
            (bits.tries, bits.wrong) = (10, wrong);
            bits.note_error(5, 10 - wrong);
            let time = Spread::of(vec![3_000_000]);
            bits.scrub = Some(Scrub { tries: 10, detected: 10, repaired: 4, time });
            sample.evidence.after_fault = Some(Box::new(AfterFault::TurnedBit(bits)));
        }
    }
    faults_alone(data)
}

#[test]
fn silent_damage_is_counted_over_blocks_and_named() {
    let text = text(&turned_bits(3));
    let (_, section) = text.split_once("## After faults").unwrap();
    let row = section.lines().find(|line| line.contains("6 of 20")).unwrap();
    assert_eq!(row.matches("EIO 14").count(), 2, "{row}");
    assert!(section.contains("was read without an error on ext4 in 1 of 1 places"), "{section}");
    let scrub = section.lines().find(|line| line.contains("20 of 20")).unwrap();
    assert!(scrub.contains("repaired 8") && scrub.contains("3.00 ms"), "{scrub}");
}

#[test]
fn no_lie_and_no_silent_damage_is_the_verdict() {
    let text = text(&turned_bits(0));
    let said = "No fsync said success for lost data, and no damage was read without an error.";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("0 of 20 (below 13.9 %)"), "{text}");
}

/// A campaign in which on each target and block 10 bad copies were read through a mirror, `wrong` of them silently.
fn mirrors(wrong: u64) -> Dataset {
    let mut data = campaign();
    for sample in &mut data.samples {
        if sample.evidence.after_fault.is_some() {
            let mut mirrors = Mirrors::new(LegFault::BadData, 1);
            (mirrors.tries, mirrors.written) = (10, 640);
            let errors = vec![ErrnoCount { errno: 5, tries: 10 }];
            let none = MirrorReads {
                moment: Moment::Fault,
                from: ReadFrom::FaultyLeg,
                right: 0,
                wrong: 0,
                errors,
                missing: 10,
            };
            let right = 10 - wrong;
            let (moment, from, errors) = (Moment::Read, ReadFrom::Mirror, Vec::new());
            mirrors.note(&MirrorReads { moment, from, right, wrong, errors, missing: wrong });
            mirrors.note(&none);
            let time = Spread::of(vec![3_000_000]);
            mirrors.scrub = Some(Scrub { tries: 10, detected: 9, repaired: 8, time });
            mirrors.rebuild = Spread::of(vec![5_000_000]);
            sample.evidence.after_fault = Some(Box::new(AfterFault::Mirror(mirrors)));
        }
    }
    faults_alone(data)
}

#[test]
fn mirror_reads_are_added_over_blocks_and_silent_ones_named() {
    let text = text(&mirrors(3));
    let (_, section) = text.split_once("## After faults").unwrap();
    let row = |word: &str| section.lines().find(|line| line.contains(word)).unwrap();
    let read = row("| mirror |");
    assert!(read.contains("| 14 |") && read.contains("6 of 20"), "{read}");
    let leg = row("faulty leg alone");
    assert!(leg.contains("EIO 20") && leg.contains("0 of 20 (below 13.9 %)"), "{leg}");
    let repair = row("18 of 20");
    assert!(repair.contains("16 of 20") && repair.contains("3.00 ms"), "{repair}");
    assert!(repair.contains("1280") && repair.contains("5.00 ms"), "{repair}");
    let said = "Through a mirror with a faulty leg, wrong data was read without an error on ext4 in 6 of 20 reads";
    assert!(section.contains(said), "{section}");
    assert!(text.matches(said).count() > 1, "the verdict says it, too: {text}");
}

#[test]
fn mirror_that_is_right_is_no_callout() {
    let text = text(&mirrors(0));
    assert!(!text.contains("wrong data was read without an error on"), "{text}");
    assert!(text.contains("no damage was read without an error."), "{text}");
}
