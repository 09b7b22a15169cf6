//! Traces of any calls: none leaves its tree or hangs.

use super::*;
use proptest::prelude::*;

/// Any call on few paths, handles and mappings, with lengths that end.
fn call() -> impl Strategy<Value = Call> {
    let ids = (0..4_u32, 0..6_u32, 0..4_u32, 0..12_u32, 0..12_u32);
    let numbers = (0..100_000_u64, 0..100_000_u64, any::<u32>(), any::<u32>(), -40..5000_i64);
    (0..Op::ALL.len(), ids, numbers).prop_map(|(op, ids, numbers)| {
        let (thread, handle, other, path, path2) = ids;
        let (offset, len, flags, mode, result) = numbers;
        let op = Op::ALL[op];
        let call = Call { thread, result, handle, other, path, path2, ..Call::new(op, thread) };
        let mut call = Call { offset, len, flags, mode, ..call };
        if op == Op::CopyTo {
            call.set_to_offset(u64::from(flags) % 100_000);
        }
        call
    })
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|n| n.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_trace_leaves_its_tree_or_hangs(calls in proptest::collection::vec(call(), 1..200)) {
        let mut story = Story::new();
        // Names that meet those of the directories above the tree.
        for (parent, name) in [(0, "tree"), (0, "w0"), (1, "r0"), (2, "tree"), (3, "x"), (1, "x"), (5, "filled")] {
            story.path(parent, name);
        }
        story.calls = calls;
        for (at, call) in (0..).zip(&mut story.calls) {
            call.at_ns = 1000 * at;
            call.path %= story.paths.len() as u32;
            call.path2 %= story.paths.len() as u32;
        }
        let (_, dir, root) = story.replay("");
        let tree = root.parent().unwrap();
        prop_assert_eq!(names(dir.path()), ["app.trace", "w0"]);
        prop_assert_eq!(names(&dir.path().join("w0")), ["x.app"]);
        prop_assert_eq!(names(tree.parent().unwrap()), ["tree"]);
    }
}
