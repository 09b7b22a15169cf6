//! Tables that a test writes, sound, broken, and without end.

use super::*;
use proptest::prelude::*;

const MIB: u64 = 1 << 20;
const SIZE: u64 = 64 * MIB;

fn disk(patches: &[(u64, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; SIZE as usize];
    for (at, patch) in patches {
        bytes[*at as usize..][..patch.len()].copy_from_slice(patch);
    }
    bytes
}

fn read_all(bytes: &[u8], is_inner: bool) -> Result<Vec<Partition>, TableError> {
    let read = |at: u64, len: usize| Ok(bytes[at as usize..][..len].to_vec());
    let sectors = [SECTOR, 4096].into();
    Space { read: &read, size: bytes.len() as u64, sectors, is_inner }.all(SECTOR)
}

fn found(bytes: &[u8]) -> Vec<(u64, u64)> {
    read_all(bytes, false).unwrap().iter().map(|p| (p.start, p.len)).collect()
}

fn unread(bytes: &[u8]) -> String {
    match read_all(bytes, false) {
        Err(TableError::Unread(why)) => why,
        other => panic!("read: {other:?}"),
    }
}

/// A sector with a table of `entries`: type, first MiB, MiB.
fn table(entries: &[(u8, u64, u64)]) -> [u8; 512] {
    let mut sector = [0; 512];
    for (number, (kind, first, len)) in entries.iter().enumerate() {
        let entry = &mut sector[446 + 16 * number..];
        entry[4] = *kind;
        entry[8..12].copy_from_slice(&((first * MIB / 512) as u32).to_le_bytes());
        entry[12..16].copy_from_slice(&((len * MIB / 512) as u32).to_le_bytes());
    }
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

/// A header of a GPT whose `count` entries lie in sector `table`.
fn gpt_head(table: u64, count: u32, bytes: u32) -> Vec<u8> {
    let mut head = vec![0; 92];
    head[..8].copy_from_slice(b"EFI PART");
    head[72..80].copy_from_slice(&table.to_le_bytes());
    head[80..84].copy_from_slice(&count.to_le_bytes());
    head[84..88].copy_from_slice(&bytes.to_le_bytes());
    head
}

fn gpt_entries(ranges: &[(u64, u64)]) -> Vec<u8> {
    let entry = |(first, last): &(u64, u64)| {
        let mut entry = vec![0; 128];
        entry[32..40].copy_from_slice(&first.to_le_bytes());
        entry[40..48].copy_from_slice(&last.to_le_bytes());
        entry
    };
    ranges.iter().flat_map(entry).collect()
}

#[test]
fn primary_partitions_are_found_and_cut_off_at_the_end() {
    let own = table(&[(0x83, 1, 2), (0x83, 60, 100), (0x83, 64, 1), (0xee, 1, 100)]);
    assert_eq!(found(&disk(&[(0, &own)])), [(MIB, 2 * MIB), (60 * MIB, 4 * MIB)]);
    assert!(found(&disk(&[])).is_empty());
}

#[test]
fn logical_partitions_are_found_through_their_chain() {
    let own = table(&[(0x83, 1, 2), (0x0f, 8, 40)]);
    let first = table(&[(0x83, 1, 9), (0x05, 20, 10)]);
    let second = table(&[(0x83, 2, 4)]);
    let bytes = disk(&[(0, &own), (8 * MIB, &first), (28 * MIB, &second)]);
    let expected = [(MIB, 2 * MIB), (8 * MIB, 40 * MIB), (9 * MIB, 9 * MIB), (30 * MIB, 4 * MIB)];
    assert_eq!(found(&bytes), expected);
    let extended = read_all(&bytes, false).unwrap().iter().filter(|p| p.is_extended).count();
    assert_eq!(extended, 1);
    // An extended partition without logical partitions.
    assert_eq!(found(&disk(&[(0, &own)])), expected[..2]);
}

#[test]
fn a_chain_that_cannot_be_followed_is_an_error() {
    let own = table(&[(0x05, 8, 40)]);
    let broken = |first: &[u8]| unread(&disk(&[(0, &own), (8 * MIB, first)]));
    assert!(broken(b"no table here").contains("no table of a logical partition at 8388608"));
    let to_nothing = broken(&table(&[(0x83, 1, 9), (0x05, 20, 10)]));
    assert!(to_nothing.contains("no table of a logical partition at 29360128"), "{to_nothing}");
    assert!(broken(&table(&[(0x83, 1, 9), (0x05, 0, 10)])).contains("does not end"));
    assert!(broken(&table(&[(0x83, 1, 9), (0x05, 60, 10)])).contains("is beyond its end"));
    let outside = table(&[(0x05, 70, 1)]);
    assert!(unread(&disk(&[(0, &outside)])).contains("is beyond its end"));
}

#[test]
fn a_gpt_is_found_at_either_end() {
    let entries = gpt_entries(&[(2048, 4095), (4096, 8191), (9000, u64::MAX)]);
    let expected = [(MIB, MIB), (2 * MIB, 2 * MIB), (9000 * 512, SIZE - 9000 * 512)];
    let head = gpt_head(2, 3, 128);
    assert_eq!(found(&disk(&[(512, &head), (1024, &entries)])), expected);
    let backup = gpt_head(SIZE / 512 - 33, 3, 128);
    let bytes = disk(&[(SIZE - 512, &backup), (SIZE - 33 * 512, &entries)]);
    assert_eq!(found(&bytes), expected, "where the first is gone");
    // Of a disk with larger sectors.
    let entries = gpt_entries(&[(256, 511)]);
    let bytes = disk(&[(4096, &gpt_head(2, 1, 128)), (8192, &entries)]);
    assert_eq!(found(&bytes), [(MIB, MIB)]);
}

#[test]
fn a_gpt_that_cannot_be_read_in_full_is_an_error() {
    for head in [gpt_head(2, 4096, 128), gpt_head(2, 4, 64), gpt_head(2, 4, 1 << 20)] {
        assert!(unread(&disk(&[(512, &head)])).contains("entries of"));
    }
    for table in [SIZE / 512, u64::MAX] {
        assert!(unread(&disk(&[(512, &gpt_head(table, 4, 128))])).contains("is beyond its end"));
    }
    assert!(found(&disk(&[(512, &gpt_head(2, 0, 0))])).is_empty());
}

#[test]
fn boot_code_in_a_partition_is_no_table() {
    let mut sector = table(&[(0x83, 1, 2)]);
    assert_eq!(read_all(&disk(&[(0, &sector)]), true).unwrap().len(), 1);
    sector[446] = 0xeb;
    assert!(read_all(&disk(&[(0, &sector)]), true).unwrap().is_empty());
    assert_eq!(read_all(&disk(&[(0, &sector)]), false).unwrap().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever lies there: the reader comes to an end and stays inside.
    #[test]
    fn any_table_is_read(sectors in 0usize..600, odd in 0usize..512, patches in prop::collection::vec(
        (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 1..100)), 0..20,
    )) {
        let mut bytes = vec![0; sectors * 512 + odd];
        for (at, patch) in patches {
            let at = at.index(bytes.len().max(1));
            let end = (at + patch.len()).min(bytes.len());
            if let Some(place) = bytes.get_mut(at..end) { place.copy_from_slice(&patch[..end - at]) }
        }
        for at in (0..bytes.len().saturating_sub(511)).step_by(512) {
            bytes[at + 510..at + 512].copy_from_slice(&[0x55, 0xaa]);
        }
        for inner in [false, true] {
            if let Ok(all) = read_all(&bytes, inner) {
                let inside = |p: &Partition| p.start > 0 && p.start + p.len <= bytes.len() as u64;
                prop_assert!(all.iter().all(inside));
            }
        }
    }
}
