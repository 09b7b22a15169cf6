//! Tests of tries: only the last try of each target counts.
#![allow(clippy::unwrap_used)]

use crate::scratch;

use model::result::{Fault, FaultKind, Sample};
use scratch::{Scratch, small};
use store::{Try, Unfinished};

#[test]
fn a_target_that_failed_in_a_block_is_tried_again_and_only_its_last_samples_count() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    let (id, sample) = (&data.campaign.id, &data.samples[0]);
    let label = sample.case.target.as_str();
    store.create_campaign(&data.campaign, &data.targets, &data.tests).unwrap();
    let fault = Fault { kind: FaultKind::Gone, reason: "the directory is gone".into() };
    let nth = |nth| Try { block: 0, attempt: 1, target: label, nth };

    store.start_block(id, 0, &[label.to_string()]).unwrap();
    store.append(id, (1, 1), sample).unwrap();
    store.finish_try(id, nth(1), Some(&fault), 1.0).unwrap();
    assert_eq!(
        store.unfinished(id).unwrap(),
        [],
        "a block that is cut off is run again as a whole"
    );
    store.finish_block(id, 0, 1, 2.0).unwrap();
    let failed =
        |tries, fault| Unfinished { block: 0, attempt: 1, target: label.into(), tries, fault };
    assert_eq!(store.unfinished(id).unwrap(), [failed(1, Some(fault.clone()))]);
    assert!(!store.has_worked(id, label).unwrap());

    // The second try is cut off before it measured anything, the third is not.
    store.start_try(id, nth(2)).unwrap();
    assert_eq!(store.unfinished(id).unwrap(), [failed(2, None)]);
    assert_eq!(store.dataset(id).unwrap().samples, std::slice::from_ref(sample));
    store.start_try(id, nth(3)).unwrap();
    let again = Sample { position: 9, ..sample.clone().lasting(42.0) };
    store.append(id, (1, 3), &again).unwrap();
    store.finish_try(id, nth(3), None, 0.5).unwrap();
    assert_eq!(store.unfinished(id).unwrap(), []);
    assert_eq!(store.dataset(id).unwrap().samples, [again]);
    assert!(store.has_worked(id, label).unwrap());
    let listed = store.list().unwrap().remove(0).unwrap();
    assert_eq!((listed.blocks, listed.samples), (1, 1));
    assert_eq!(store.seconds_used(id).unwrap(), 2.5);
    assert_eq!(store.block_times(id).unwrap(), [(0, 2.5)]);
    assert!(store.finish_try(id, nth(4), None, 0.0).is_err());
    assert!(store.start_try(id, Try { target: "unheard-of", ..nth(1) }).is_err());
}

#[test]
fn blocks_of_an_old_store_and_of_an_import_are_finished() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    store.import(&data).unwrap();
    assert_eq!(store.unfinished("last").unwrap(), []);
}
