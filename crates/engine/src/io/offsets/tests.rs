//! Every block as often as the order says, for any size, seed and number of files.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

fn access(order: Order) -> Access {
    Access {
        files: 1,
        file_bytes: 1 << 20,
        block_bytes: 4096,
        blocks: None,
        order,
        read_percent: 100,
        passes: Some(1),
        seed: 1,
    }
}

fn all(access: &Access) -> Vec<Op> {
    let mut offsets = Offsets::new(access);
    std::iter::from_fn(|| offsets.next_op()).collect()
}

proptest! {
    #[test]
    fn a_permuted_pass_takes_every_block_once(
        count in 1u64..5000, files in 1u32..4, seed: u64, passes in 1u64..4,
    ) {
        let file_bytes = count * 512 + seed % 512;
        let access = Access {
            files, file_bytes, block_bytes: 512, seed, passes: Some(passes),
            ..access(Order::Permuted)
        };
        let ops = all(&access);
        prop_assert_eq!(ops.len() as u64, passes * access.total_blocks());
        for pass in ops.chunks(access.total_blocks() as usize) {
            let mut seen: Vec<_> = pass.iter().map(|op| (op.file, op.offset)).collect();
            seen.sort_unstable();
            let expected = (0..files).flat_map(|f| (0..count).map(move |b| (f, b * 512)));
            prop_assert!(seen.into_iter().eq(expected));
        }
    }

    #[test]
    fn a_sequential_range_is_covered_in_order(start in 0u64..300, len in 0u64..300) {
        let access = Access { blocks: Some(start..start + len), ..access(Order::Sequential) };
        let blocks: Vec<u64> = all(&access).iter().map(|op| op.offset / 4096).collect();
        prop_assert!(blocks.into_iter().eq(start..(start + len).min(256).max(start)));
    }
}

#[test]
fn a_permutation_is_neither_sequential_nor_the_same_twice() {
    let ops = all(&Access { file_bytes: 65536 * 4096, passes: Some(2), ..access(Order::Permuted) });
    let (first, second) = ops.split_at(65536);
    let neighbours = first.windows(2).filter(|w| w[1].offset == w[0].offset + 4096).count();
    assert!(neighbours < 30, "{neighbours} of 65535 follow their neighbour");
    let same = first.iter().zip(second).filter(|(a, b)| a.offset == b.offset).count();
    assert!(same < 30, "{same} of 65536 stand at the same place in both passes");
    // The mean distance of two uniform numbers is a third of the range.
    let distance: u64 = first.windows(2).map(|w| w[0].offset.abs_diff(w[1].offset) / 4096).sum();
    assert!((distance / 65535).abs_diff(65536 / 3) < 1000, "{}", distance / 65535);
}

#[test]
fn uniform_draws_with_replacement_over_all_files() {
    let ops = all(&Access { files: 4, passes: Some(100), ..access(Order::Uniform) });
    let mut counts = HashMap::new();
    ops.iter().for_each(|op| *counts.entry((op.file, op.offset)).or_insert(0u32) += 1);
    assert_eq!((ops.len(), counts.len()), (102_400, 1024));
    // Poisson of mean 100: six deviations.
    assert!(counts.values().all(|count| (40..160).contains(count)));
    assert!(ops.iter().all(|op| op.offset < 1 << 20 && op.offset % 4096 == 0));
}

#[test]
fn the_read_share_is_drawn_for_each_operation() {
    let share = |percent| {
        let ops =
            all(&Access { read_percent: percent, passes: Some(40), ..access(Order::Uniform) });
        ops.iter().filter(|op| !op.write).count() as f64 / ops.len() as f64
    };
    assert_eq!((share(0), share(100)), (0.0, 1.0));
    // 10240 draws: the deviation is 0.0045.
    assert!((share(70) - 0.7).abs() < 0.03, "{}", share(70));
}

#[test]
fn the_same_seed_gives_the_same_operations() {
    for order in [Order::Uniform, Order::Permuted] {
        let access = Access { read_percent: 50, ..access(order) };
        assert_eq!(all(&access), all(&access));
        assert_ne!(all(&access), all(&Access { seed: 2, ..access.clone() }));
    }
}

#[test]
fn a_source_without_a_block_ends_and_one_without_passes_does_not() {
    assert!(all(&Access { file_bytes: 4095, passes: None, ..access(Order::Uniform) }).is_empty());
    assert!(
        all(&Access { block_bytes: 0, passes: None, files: 0, ..access(Order::Permuted) })
            .is_empty()
    );
    let mut endless = Offsets::new(&Access { passes: None, ..access(Order::Sequential) });
    assert_eq!((0..1000).filter_map(|_| endless.next_op()).count(), 1000);
}
