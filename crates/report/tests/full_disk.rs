//! Tests that what a full disk refuses and keeps is shown, and that one which loses synced data is not advised.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{bare::markdown, common};
use model::result::{
    AfterFault, Dataset, Fill, Freed, FullAnswer, FullAnswers, FullCall, FullDisk, FullOperation,
    FullRefusal, FullSpeed, FullTry, Spread,
};
use stats::{
    description::{Durability, Settings, durability},
    evaluation::findings,
};

/// One try, with appends twice as slow at 95 % and refused at 100 %.
fn one_try() -> FullTry {
    let (done, full) = (FullAnswer::Done, FullAnswer::Refused(28));
    let speed = |percent, operation, ns: Option<u64>| FullSpeed {
        percent,
        operation,
        time: ns.and_then(|ns| Spread::of(vec![ns])),
        refused: ns.is_none().then_some(28),
    };
    let append = FullOperation::Append;
    FullTry {
        refused: Some(FullRefusal { call: FullCall::Write, errno: 28 }),
        user_bytes: 750,
        after_sync_bytes: 0,
        said_free_bytes: 2048,
        unanswered_bytes: 0,
        answers: FullAnswers {
            overwrite: full,
            create: done,
            mkdir: full,
            rename: done,
            unlink: done,
            truncate: done,
        },
        freed: Freed {
            bytes: 75,
            wanted: 60,
            written: 60,
            refusals: 4,
            syncs: 0,
            waited_ns: 40_000_000,
        },
        lost: 0,
        example: None,
        is_damaged: Some(false),
        speeds: vec![
            speed(50, append, Some(100)),
            speed(95, append, Some(200)),
            speed(100, append, None),
        ],
    }
}

/// A campaign of two blocks, in which ext4 is as `on_ext4` and xfs as [`one_try`].
fn campaign(on_ext4: &FullTry) -> Dataset {
    let mut data = common::campaign(2);
    let case = data.samples[0].case.clone();
    for sample in &mut data.samples {
        let own = &sample.case;
        let is_tried = ["ext4", "xfs"].contains(&own.target.as_str());
        if own.test == case.test && own.procs == case.procs && is_tried {
            let one = if own.target == "ext4" { on_ext4.clone() } else { one_try() };
            let disk =
                FullDisk { fill: Fill::Large, seed: 1, device_bytes: 1000, tries: vec![one] };
            sample.evidence.after_fault = Some(Box::new(AfterFault::Full(disk)));
        }
    }
    data
}

/// The same without any other sample, so no test has a score.
fn alone(on_ext4: &FullTry) -> String {
    let data = common::faults_alone(campaign(on_ext4));
    markdown(&data, &findings(&data, &Settings::default()).unwrap())
}

#[test]
fn refusals_waits_and_ratios_are_shown() {
    let text = alone(&one_try());
    assert!(text.contains("No full disk lost what it had acknowledged."), "{text}");
    let (_, section) = text.split_once("## After faults").unwrap();
    let row = |word: &str| section.lines().find(|line| line.contains(word)).unwrap();
    let first = row("write: ENOSPC");
    assert!(first.contains("75.0 %") && first.contains("harm 0 of 2"), "{first}");
    assert_eq!(row(": overwrite |").matches("ENOSPC").count(), 2, "{section}");
    assert_eq!(row(": rename |").matches("done").count(), 2, "{section}");
    assert!(row("refused 4").contains("40.0"), "{section}");
    assert!(row("1 MiB append, 95 %").contains("2.00"), "{section}");
    assert!(row("1 MiB append, 100 %").contains("ENOSPC"), "{section}");
    assert!(section.contains("statvfs said up to 2.00 KiB to be available"), "{section}");
}

#[test]
fn a_loss_is_named_and_costs_the_advice() {
    let example = Some("f3: zeros in block 1, which was synced".into());
    let loser = FullTry { lost: 2, example, ..one_try() };
    let text = alone(&loser);
    let said = "2 files lost acknowledged data (f3: zeros in block 1, which was synced)";
    assert!(text.contains(&format!("On a full disk, ext4 in 2 of 2 tries: {said}.")), "{text}");
    let data = campaign(&loser);
    let Durability::Loses(why) = durability(&data, "ext4") else { panic!("it lost data") };
    assert!(why.contains("2 of 2 full disks lost what was acknowledged"), "{why}");
    assert_eq!(durability(&data, "xfs"), Durability::Keeps);
    let damaged = FullTry { is_damaged: Some(true), ..one_try() };
    assert!(alone(&damaged).contains("ext4 in 2 of 2 tries: the checker finds damage"));
    assert_eq!(durability(&campaign(&damaged), "ext4"), Durability::Keeps);
}
