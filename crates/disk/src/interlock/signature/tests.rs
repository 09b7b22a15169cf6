//! The reader on content that a test puts there, and on any.

use super::*;
use proptest::prelude::*;

const SIZE: u64 = 64 << 20;

fn blank(size: u64) -> Ends {
    let len = size.min(EDGE_BYTES) as usize;
    Ends { size, head: vec![0; len], tail: vec![0; len] }
}

/// Puts `bytes` at `at` into whichever ends reach there.
fn put(ends: &mut Ends, at: u64, bytes: &[u8]) {
    let tail_at = ends.size - ends.tail.len() as u64;
    for (from, end) in [(0, &mut ends.head), (tail_at, &mut ends.tail)] {
        let Some(from) = at.checked_sub(from).map(|from| from as usize) else { continue };
        if from + bytes.len() <= end.len() {
            end[from..from + bytes.len()].copy_from_slice(bytes);
        }
    }
}

fn kinds(ends: &Ends) -> Vec<String> {
    signatures(ends).into_iter().map(|signature| signature.kind).collect()
}

fn kinds_of(bytes: &[(u64, &[u8])]) -> Vec<String> {
    let mut ends = blank(SIZE);
    bytes.iter().for_each(|(at, bytes)| put(&mut ends, *at, bytes));
    kinds(&ends)
}

#[test]
fn every_magic_number_is_seen_where_it_lies() {
    for magic in magic::all() {
        let at = match magic.at {
            At::Start(at) => at,
            At::End { align, back } => SIZE / align * align - back,
        };
        assert_eq!(kinds_of(&[(at, magic.bytes)]), [magic.kind], "{magic:?}");
        let elsewhere = kinds_of(&[(at + 1, magic.bytes)]);
        assert_ne!(elsewhere, [magic.kind], "{magic:?} is seen one byte behind its place");
    }
}

#[test]
fn a_blank_disk_shows_nothing_and_any_byte_something() {
    assert!(kinds(&blank(SIZE)).is_empty());
    let ones = Ends { size: SIZE, head: vec![0xff; 4096], tail: vec![0xff; 4096] };
    assert!(kinds(&ones).is_empty(), "erased flash");
    for at in [0, 1000, EDGE_BYTES - 1, SIZE - 1, SIZE - EDGE_BYTES] {
        assert_eq!(kinds_of(&[(at, &[7])]), [UNKNOWN], "{at}");
    }
}

#[test]
fn the_generations_of_ext_differ_in_their_features() {
    let ext = |features: [u32; 3]| {
        let features: Vec<u8> = features.iter().flat_map(|f| f.to_le_bytes()).collect();
        let uuid = [0xab; 16];
        let parts: [(u64, &[u8]); 3] =
            [(1024 + 0x38, &[0x53, 0xef]), (1024 + 0x5c, &features), (1024 + 0x68, &uuid)];
        let mut ends = blank(SIZE);
        parts.iter().for_each(|(at, bytes)| put(&mut ends, *at, bytes));
        signatures(&ends).into_iter().next().unwrap()
    };
    assert_eq!(ext([0, 2, 1]).kind, "ext2");
    assert_eq!(ext([4, 2, 3]).kind, "ext3");
    assert_eq!(ext([0x3c, 0x2c2, 0x46b]).kind, "ext4");
    assert_eq!(ext([0, 8, 0]).kind, "jbd");
    assert_eq!(ext([4, 2, 3]).id, "ab".repeat(16));
}

#[test]
fn each_of_the_four_labels_of_a_pool_member_is_seen() {
    // A size that is no multiple of the label's.
    let size = SIZE + 100 * 1024;
    for label in [0, 1, size / ZFS_LABEL - 2, size / ZFS_LABEL - 1] {
        for (at, bytes) in [
            ((16 << 10) + 24, b"version\0".to_vec()),
            (128 << 10, 0x00ba_b10c_u64.to_le_bytes().to_vec()),
            (255 << 10, 0x00ba_b10c_u64.to_be_bytes().to_vec()),
        ] {
            let mut ends = blank(size);
            put(&mut ends, label * ZFS_LABEL + at, &bytes);
            assert_eq!(kinds(&ends), ["zfs_member"], "label {label}, {at}");
        }
    }
}

#[test]
fn a_boot_sector_is_no_partition_table() {
    let end: (u64, &[u8]) = (510, &[0x55, 0xaa]);
    assert_eq!(kinds_of(&[end]), ["dos"]);
    assert_eq!(kinds_of(&[end, (82, b"FAT32   ")]), ["vfat"]);
    assert_eq!(kinds_of(&[end, (3, b"NTFS    ")]), ["ntfs"]);
    assert_eq!(kinds_of(&[end, (512, b"EFI PART")]), ["dos", "gpt"]);
}

#[test]
fn two_bytes_count_only_alone() {
    let minix: (u64, &[u8]) = (0x410, &[0x7f, 0x13]);
    assert_eq!(kinds_of(&[minix]), ["minix"]);
    assert_eq!(kinds_of(&[minix, (1024 + 0x38, &[0x53, 0xef])]), ["ext2"]);
}

#[test]
fn two_file_systems_of_one_type_have_two_identities() {
    let xfs = |uuid: u8| {
        let mut ends = blank(SIZE);
        put(&mut ends, 0, b"XFSB");
        put(&mut ends, 32, &[uuid; 16]);
        signatures(&ends)
    };
    assert_ne!(xfs(1), xfs(2));
    assert_eq!(xfs(1), xfs(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever lies there: the reader comes to an end, and content is never taken for nothing.
    #[test]
    fn any_content_is_read(size in 1u64..300_000, patches in prop::collection::vec(
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::collection::vec(1u8..255, 1..40)), 1..20,
    )) {
        let mut ends = blank(size);
        for (at, magic, bytes) in patches {
            put(&mut ends, at.index(size as usize) as u64, &bytes);
            let all: Vec<&Magic> = magic::all().collect();
            let magic = *magic.get(&all);
            if let At::Start(at) = magic.at { put(&mut ends, at, magic.bytes) }
        }
        let blank = ends.is_blank();
        prop_assert_eq!(signatures(&ends).is_empty(), blank);
    }
}
