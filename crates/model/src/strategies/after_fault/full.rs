//! Generated findings of full disks.

use super::{super::text, spread};
use crate::result::{
    Fill, Freed, FullAnswer, FullAnswers, FullCall, FullDisk, FullOperation, FullRefusal,
    FullSpeed, FullTry,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

fn answer() -> impl Strategy<Value = FullAnswer> {
    prop_oneof![Just(FullAnswer::Done), any::<i32>().prop_map(FullAnswer::Refused)]
}

fn answers() -> impl Strategy<Value = FullAnswers> {
    let each = (answer(), answer(), answer(), answer(), answer(), answer());
    each.prop_map(|(overwrite, create, mkdir, rename, unlink, truncate)| FullAnswers {
        overwrite,
        create,
        mkdir,
        rename,
        unlink,
        truncate,
    })
}

fn freed() -> impl Strategy<Value = Freed> {
    any::<[u64; 6]>().prop_map(|[bytes, wanted, written, refusals, syncs, waited_ns]| Freed {
        bytes,
        wanted,
        written,
        refusals,
        syncs,
        waited_ns,
    })
}

fn speed() -> impl Strategy<Value = FullSpeed> {
    let operation = select(FullOperation::ALL.to_vec());
    (0..=100_u64, operation, spread(), option::of(any::<i32>())).prop_map(
        |(percent, operation, time, refused)| FullSpeed { percent, operation, time, refused },
    )
}

fn one_try() -> impl Strategy<Value = FullTry> {
    let call = (select(FullCall::ALL.to_vec()), any::<i32>());
    let refused = option::of(call.prop_map(|(call, errno)| FullRefusal { call, errno }));
    let after = (option::of(text()), option::of(any::<bool>()), vec(speed(), 0..3));
    (refused, any::<[u64; 5]>(), answers(), freed(), after).prop_map(
        |(refused, counts, answers, freed, (example, is_damaged, speeds))| {
            let [user_bytes, after_sync_bytes, said_free_bytes, unanswered_bytes, lost] = counts;
            FullTry {
                refused,
                user_bytes,
                after_sync_bytes,
                said_free_bytes,
                unanswered_bytes,
                answers,
                freed,
                lost,
                example,
                is_damaged,
                speeds,
            }
        },
    )
}

/// What was seen of a disk that was filled.
pub(super) fn full_disk() -> impl Strategy<Value = FullDisk> {
    (select(Fill::ALL.to_vec()), any::<u64>(), any::<u64>(), vec(one_try(), 0..3))
        .prop_map(|(fill, seed, device_bytes, tries)| FullDisk { fill, seed, device_bytes, tries })
}
