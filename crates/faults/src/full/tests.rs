//! Tests that the files are what they say, and that each way of losing one is seen.

use super::*;

#[test]
fn every_block_is_like_no_other() {
    let content = Content::new(7);
    let mut all = std::collections::BTreeSet::new();
    for file in 0..20 {
        for number in 0..20 {
            for version in 0..3 {
                assert!(all.insert(content.block(file, number, version)));
            }
        }
    }
    assert_ne!(content.block(1, 1, 0), Content::new(8).block(1, 1, 0));
}

#[test]
fn pieces_of_a_file_make_the_whole() {
    let content = Content::new(1);
    let whole = content.bytes(5, 0, 5 * BLOCK);
    assert_eq!(whole[BLOCK..2 * BLOCK], content.block(5, 1, 0));
    for (at, length) in [(0, 1), (1, BLOCK), (100, 3 * BLOCK), (BLOCK, BLOCK), (4096 * 4, 10)] {
        assert!(content.bytes(5, at as u64, length) == whole[at..at + length], "{at} {length}");
    }
}

/// A file of which 10 000 bytes were acknowledged, with its content.
fn kept() -> (Content, Kept, Vec<u8>) {
    let content = Content::new(3);
    let found = content.bytes(9, 0, 3 * BLOCK);
    (content, Kept { bytes: 10_000, ..Kept::new("f9".into(), 9) }, found)
}

#[test]
fn each_way_of_losing_a_file_is_named() {
    let (content, kept, found) = kept();
    let wrong = |found: &[u8]| kept.wrong(&content, found);
    assert_eq!(wrong(&found), None);
    assert_eq!(wrong(&found[..10_000]), None, "what was not acknowledged may be missing");
    assert_eq!(wrong(&found[..9999]).unwrap(), "9999 bytes long, and 10000 were synced");
    let mut zeros = found.clone();
    zeros[BLOCK..].fill(0);
    assert_eq!(wrong(&zeros).unwrap(), "zeros in block 1, which was synced");
    let mut other = found.clone();
    other[9999] ^= 1;
    assert_eq!(wrong(&other).unwrap(), "other data in block 2, which was synced");
    other = found;
    other[10_000] ^= 1;
    assert_eq!(wrong(&other), None, "that one was never acknowledged");
}

#[test]
fn a_changed_block_has_the_version_that_was_acknowledged() {
    let (content, mut kept, found) = kept();
    let with = |version| {
        let mut found = found.clone();
        found[BLOCK..2 * BLOCK].copy_from_slice(&content.block(9, 1, version));
        found
    };
    kept.change(1, 1, true);
    assert_eq!(kept.wrong(&content, &with(1)), None);
    assert!(kept.wrong(&content, &with(0)).is_some(), "it was overwritten");
    kept.change(1, 2, false);
    assert_eq!(kept.wrong(&content, &with(1)), None, "the second one was refused");
    assert_eq!(kept.wrong(&content, &with(2)), None, "and may have been written");
    assert!(kept.wrong(&content, &with(3)).is_some());
}
