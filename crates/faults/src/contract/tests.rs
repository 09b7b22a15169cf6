//! The contract against model file systems: one that obeys is never accused, and one that loses an fsync always is.

use super::*;
use crate::{
    content::{Author, Origin, Run},
    workload::{CONTRACTS, How, named},
};
use model::random::Rng;
use proptest::prelude::*;

const BLOCK: u64 = 4096;

/// A file's words of 8 bytes.
type Words = Vec<Origin>;

fn runs(words: &[Origin]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (nth, origin) in words.iter().enumerate() {
        let bytes = nth as u64 * 8..nth as u64 * 8 + 8;
        match runs.last_mut() {
            Some(run) if run.origin == *origin => run.bytes.end = bytes.end,
            _ => runs.push(Run { bytes, origin: *origin }),
        }
    }
    runs
}

fn file(words: &[Origin], node: Node, links: u64) -> Entry {
    let size = words.len() as u64 * 8;
    Entry::File { size, runs: runs(words), inode: node as u64, links }
}

fn put(words: &mut Words, change: &Change) {
    let place = |bytes: u64| (bytes / 8) as usize;
    let fill = |words: &mut Words, range: &std::ops::Range<u64>, origin| {
        let end = place(range.end).max(words.len());
        words.resize(end, Origin::Zeros);
        words[place(range.start)..place(range.end)].fill(origin);
    };
    match change {
        Change::Written(range, author) => fill(words, range, Origin::Written(*author)),
        Change::Zeroed(range) => fill(words, range, Origin::Zeros),
        Change::Size(size) => words.resize(place(*size), Origin::Zeros),
        Change::Attribute(_) => {}
    }
}

/// What `node` holds after the first `done` operations.
fn words(ideal: &Ideal, node: Node, done: usize) -> Words {
    let mut words = Words::new();
    ideal.changes(node, 0..done).for_each(|change| put(&mut words, change));
    words
}

/// `tree` with `content` in its files.
fn observed(
    ideal: &Ideal,
    tree: &BTreeMap<String, Node>,
    content: &dyn Fn(Node) -> Words,
) -> Observed {
    let links = |node: &Node| tree.values().filter(|own| *own == node).count() as u64;
    let entries = tree.iter().filter(|(path, _)| !path.is_empty()).map(|(path, node)| {
        let entry = match &ideal.nodes[*node] {
            Kind::Directory => Entry::Directory,
            Kind::Symlink(target) => Entry::Symlink(target.clone()),
            Kind::File(_) => file(&content(*node), *node, links(node)),
        };
        (path.clone(), entry)
    });
    Observed { entries: entries.collect(), ..Observed::default() }
}

/// Everything as it was after the first `done` operations.
fn at(ideal: &Ideal, done: usize) -> Observed {
    observed(ideal, &ideal.trees[done], &|node| words(ideal, node, done))
}

/// A random workload that can be performed, with a mark after each operation.
fn random(rng: &mut Rng, length: usize) -> Workload {
    const PATHS: [&str; 8] = ["foo", "bar", "A", "B", "A/foo", "A/bar", "B/foo", "B/bar"];
    let mut own = Workload {
        name: "random".into(),
        operations: vec![],
        prepared: 0,
        whole: vec![],
        promised: vec![],
    };
    while own.operations.len() < 2 * length {
        let path = |rng: &mut Rng| PATHS[rng.below(8) as usize].to_string();
        let (one, other) = (path(rng), path(rng));
        let (offset, length) = (rng.below(5) * BLOCK / 2, (1 + rng.below(4)) * BLOCK / 2);
        let spaces = [crate::workload::Space::Punch, crate::workload::Space::Zero];
        let operation = match rng.below(16) {
            0 | 1 => Operation::Create(one),
            2 => Operation::Mkdir(one),
            3 | 4 => Operation::Write { path: one, offset, length, how: How::Buffered },
            5 => Operation::Truncate { path: one, size: offset },
            6 => {
                let space = spaces[rng.below(2) as usize];
                Operation::Fallocate { path: one, space, offset, length }
            }
            7 | 8 => Operation::Rename { from: one, to: other },
            9 => Operation::Link { from: one, to: other },
            10 => Operation::Unlink(one),
            11 => Operation::Rmdir(one),
            12 => Operation::Fsync(String::new()),
            13 => Operation::Fdatasync(one),
            14 if rng.below(4) == 0 => Operation::Syncfs,
            _ => Operation::Fsync(one),
        };
        own.operations.push(operation);
        // A directory is not moved into itself.
        let is_loop = match own.operations.last() {
            Some(Operation::Rename { from, to }) => from != to && is_below(to, from),
            _ => false,
        };
        if is_loop || Ideal::new(&own).is_err() {
            own.operations.pop();
        } else {
            own.operations.push(Operation::Mark(own.operations.len() as u64));
        }
    }
    own
}

/// What a file holds on a file system that obeys: all that was synced, and of each later change, block by block, the
/// state before or after it, never going back. Only what is within `size` is seen.
fn obeyed(
    ideal: &Ideal,
    node: Node,
    (since, begun): (usize, usize),
    size: u64,
    rng: &mut Rng,
) -> Words {
    let past: Vec<Words> = (since..=begun).map(|done| words(ideal, node, done)).collect();
    let longest = past.iter().map(Vec::len).max().unwrap_or(0);
    let mut found = Words::new();
    for block in 0..longest.div_ceil(512) {
        let then = &past[rng.below(past.len() as u64) as usize];
        let end = ((block + 1) * 512).min(longest);
        let of = |place: usize| then.get(place).copied().unwrap_or(Origin::Zeros);
        found.extend((block * 512..end).map(of));
    }
    found.resize((size / 8) as usize, Origin::Zeros);
    found
}

/// A crash of a file system with a journal: names and sizes are those after some operation that is not before the last
/// sync, and data is as it was written back.
fn journaled(contract: &Contract, (done, begun): (usize, usize), rng: &mut Rng) -> Observed {
    let (ideal, operations) = (&contract.ideal, &contract.workload.operations);
    let is_sync = |own: &Operation| {
        matches!(own, Operation::Syncfs | Operation::Fsync(_) | Operation::Fdatasync(_))
    };
    let last = operations[..done].iter().rposition(is_sync).map_or(0, |at| at + 1);
    let committed = last + rng.below((begun - last + 1) as u64) as usize;
    let promises = Promises::new(&contract.workload, (ideal, &contract.lives), done);
    let seed = rng.next_u64();
    observed(ideal, &ideal.trees[committed], &|node| {
        let since = promises.data.get(&node).copied().unwrap_or(0);
        let size = ideal.size(node, committed);
        obeyed(ideal, node, (since, begun), size, &mut Rng::new(seed ^ node as u64))
    })
}

/// A crash of a file system that commits all at once now and then, and logs what is synced in between: a file with the
/// name that it was synced by, a directory with all of its names.
fn logged(contract: &Contract, (done, begun): (usize, usize), rng: &mut Rng) -> Observed {
    let (ideal, operations) = (&contract.ideal, &contract.workload.operations);
    let all = operations[..done].iter().rposition(|own| *own == Operation::Syncfs);
    let all = all.map_or(0, |at| at + 1);
    let committed = all + rng.below((begun - all + 1) as u64) as usize;
    let mut tree = ideal.trees[committed].clone();
    for (number, operation) in operations[..done].iter().enumerate().skip(committed) {
        let Operation::Fsync(path) = operation else { continue };
        // A change of a name that was synced is logged together with all before it: the whole tree is.
        let then = &ideal.trees[number + 1];
        let is_new = |path: &str| {
            then.get(path)
                .is_some_and(|node| !ideal.trees[committed].values().any(|own| own == node))
        };
        let is_simple = then.iter().all(|(own, node)| {
            ideal.trees[..=number]
                .iter()
                .all(|tree| tree.iter().all(|(other, its)| its != node || own == other))
        });
        if is_simple
            && is_new(path)
            && ideal.trees[committed].iter().all(|(own, node)| then.get(own) == Some(node))
        {
            let mut own = path.as_str();
            while !own.is_empty() {
                tree.insert(own.into(), then[own]);
                own = parent(own);
            }
            if ideal.nodes[then[path]] == Kind::Directory {
                // Of names that an earlier sync logged and that are gone since, nothing is left.
                let is_gone =
                    |own: &str| parent(own) == path && !own.is_empty() && !then.contains_key(own);
                let gone: Vec<String> = tree.keys().filter(|own| is_gone(own)).cloned().collect();
                tree.retain(|own, _| !gone.iter().any(|gone| own == gone || is_below(own, gone)));
                let inner = then.iter().filter(|(own, _)| parent(own) == path && !own.is_empty());
                tree.extend(inner.map(|(own, node)| (own.clone(), *node)));
            }
        } else {
            tree = then.clone();
        }
    }
    let promises = Promises::new(&contract.workload, (ideal, &contract.lives), done);
    let seed = rng.next_u64();
    observed(ideal, &tree, &|node| {
        let since = promises.data.get(&node).copied().unwrap_or(0);
        let at = since
            .max(committed)
            .max(since + rng_of(seed, node).below((begun - since + 1) as u64) as usize);
        let size = ideal.size(node, at.min(begun));
        obeyed(ideal, node, (since, begun), size, &mut Rng::new(seed ^ node as u64))
    })
}

fn rng_of(seed: u64, node: Node) -> Rng {
    Rng::new(seed.rotate_left(17) ^ node as u64)
}

/// Operations done when the mark after operation `number` was the last one, and those that had begun.
fn mark_after(workload: &Workload, number: usize) -> (Option<u64>, usize, usize) {
    let done =
        workload.operations[..=number].iter().rposition(|own| matches!(own, Operation::Mark(_)));
    let mark = done.map(|at| match workload.operations[at] {
        Operation::Mark(mark) => mark,
        _ => unreachable!(),
    });
    let done = done.map_or(0, |at| at + 1);
    let next = workload.operations[done..].iter().position(|own| matches!(own, Operation::Mark(_)));
    (mark, done, next.map_or(workload.operations.len(), |at| done + at))
}

/// Crashes of file systems that obey, in a workload drawn by `seed`: none is accused.
fn never_accused(seed: u64) -> Result<(), TestCaseError> {
    let mut rng = Rng::new(seed);
    let length = 3 + rng.below(12) as usize;
    let contract = Contract::new(random(&mut rng, length)).unwrap();
    for _ in 0..20 {
        let number = rng.below(contract.workload.operations.len() as u64) as usize;
        let (mark, done, begun) = mark_after(&contract.workload, number);
        let expected = contract.expect(mark).unwrap();
        for crash in [journaled, logged] {
            let found = crash(&contract, (done, begun), &mut rng);
            let wrong = expected.check(&found);
            prop_assert!(
                wrong.is_empty(),
                "{:?}\n{:?}\nbut {:?}",
                &contract.workload.operations[..begun],
                found,
                wrong
            );
        }
    }
    Ok(())
}

#[test]
fn names_that_were_logged_and_then_removed_are_gone() {
    never_accused(2902143574068549401).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_file_system_that_obeys_is_never_accused(seed: u64) {
        never_accused(seed)?;
    }

    #[test]
    fn a_lost_fsync_is_always_caught(seed: u64) {
        let mut rng = Rng::new(seed);
        let length = 3 + rng.below(10) as usize;
        let mut workload = random(&mut rng, length);
        let ideal = Ideal::new(&workload).unwrap();
        let before = workload.operations.len();
        let files = ideal.trees[before].iter();
        let files = files.filter(|(_, node)| matches!(ideal.nodes[**node], Kind::File(_)));
        let files: Vec<&String> = files.map(|(path, _)| path).collect();
        prop_assume!(!files.is_empty());
        let path = files[rng.below(files.len() as u64) as usize].clone();
        let (offset, length) = (rng.below(4) * BLOCK, BLOCK);
        let write = Operation::Write { path: path.clone(), offset, length, how: How::Buffered };
        // Without any fsync of it or of all, fdatasync promises no name to find it by.
        let promises = Promises::new(&workload, (&ideal, &Lives::new(&ideal)), before);
        let sync = if promises.exists.contains_key(&ideal.trees[before][&path]) {
            Operation::Fdatasync(path)
        } else {
            Operation::Fsync(path)
        };
        workload.operations.extend([write, sync, Operation::Mark(1 << 40)]);
        let contract = Contract::new(workload).unwrap();
        let expected = contract.expect(Some(1 << 40)).unwrap();
        let wrong = expected.check(&at(&contract.ideal, before));
        prop_assert!(!wrong.is_empty());
        let wrong = expected.check(&at(&contract.ideal, before + 3));
        prop_assert!(wrong.is_empty(), "{:?}", wrong);
    }
}

/// Of each named workload, what is left when the last acknowledged round is lost is wrong, and what is left when
/// nothing is lost is right.
#[test]
fn each_named_contract_catches_a_lost_round() {
    let rename = Operation::Rename { from: "config.new".into(), to: "config".into() };
    for (name, _) in CONTRACTS {
        let contract = Contract::new(named(name, 12).unwrap()).unwrap();
        let operations = &contract.workload.operations;
        let marks =
            operations.iter().enumerate().filter(|(_, own)| matches!(own, Operation::Mark(_)));
        let marks: Vec<usize> = marks.map(|(at, _)| at).collect();
        for (nth, place) in marks.iter().enumerate() {
            let Operation::Mark(mark) = operations[*place] else { unreachable!() };
            let expected = contract.expect(Some(mark)).unwrap();
            let wrong = expected.check(&at(&contract.ideal, place + 1));
            assert_eq!(wrong, [], "{name} {mark}");
            let before = if nth == 0 { contract.workload.prepared } else { marks[nth - 1] };
            let wrong = expected.check(&at(&contract.ideal, before));
            // A rename alone is no promise.
            let promises = operations[place - 1] != rename;
            assert_eq!(!wrong.is_empty(), promises, "{name} {mark}: {wrong:?}");
        }
    }
}

fn harms(expected: &Expected<'_>, found: &Observed) -> Vec<Harm> {
    expected.check(found).into_iter().map(|own| own.harm).collect()
}

/// The file that was synced is found by no name then.
#[test]
fn a_synced_replacement_that_is_empty_is_lost() {
    let contract = Contract::new(named("replace", 3).unwrap()).unwrap();
    let expected = contract.expect(Some(2)).unwrap();
    let mut found = at(&contract.ideal, contract.ideal.trees.len() - 1);
    found.entries.insert("config".into(), file(&[], 999, 1));
    assert_eq!(harms(&expected, &found), [Harm::Empty, Harm::Lost]);
}

#[test]
fn a_replaced_file_is_whole_or_wrong() {
    let contract = Contract::new(named("replace-unsynced", 3).unwrap()).unwrap();
    let expected = contract.expect(Some(4)).unwrap();
    let whole = at(&contract.ideal, contract.ideal.trees.len() - 1);
    assert_eq!(harms(&expected, &whole), []);
    let with = |words: &[Origin]| {
        let mut found = whole.clone();
        found.entries.insert("config".into(), file(words, 999, 1));
        harms(&expected, &found)
    };
    let own = |file, write| Origin::Written(Author { file, write });
    let old = contract.ideal.trees[contract.workload.prepared]["config"];
    let new = contract.ideal.trees[contract.ideal.trees.len() - 1]["config"];
    let of = |node| words(&contract.ideal, node, contract.ideal.trees.len() - 1);
    assert_eq!(with(&of(old)), []);
    assert_eq!(with(&of(new)), []);
    assert_eq!(with(&[]), [Harm::Empty]);
    assert_eq!(with(&[Origin::Zeros; 2048]), [Harm::Zeros]);
    assert_eq!(with(&of(new)[..512]), [Harm::Torn]);
    let mixed = [&of(old)[..512], &of(new)[512..]].concat();
    assert_eq!(with(&mixed), [Harm::Torn]);
    assert_eq!(with(&[own(900, 3); 2048]), [Harm::OtherFile]);
    assert_eq!(with(&[Origin::Foreign; 2048]), [Harm::Foreign]);
}

#[test]
fn each_kind_of_harm_has_its_name() {
    let contract = Contract::new(named("append", 4).unwrap()).unwrap();
    let expected = contract.expect(Some(1)).unwrap();
    let node = 1;
    let good = words(&contract.ideal, node, contract.ideal.trees.len() - 1);
    let with = |words: &[Origin], links| {
        let mut found = Observed::default();
        found.entries.insert("log".into(), file(words, node, links));
        harms(&expected, &found)
    };
    // Three blocks are acknowledged, and a fourth has begun.
    assert_eq!(with(&good[..3 * 512], 1), []);
    assert_eq!(with(&good[..4 * 512], 1), []);
    assert_eq!(with(&good[..2 * 512], 1), [Harm::Lost]);
    assert_eq!(with(&good, 1), [Harm::Old, Harm::Size]);
    assert_eq!(with(&good[..3 * 512], 2), [Harm::Links]);
    let mut zeros = good[..3 * 512].to_vec();
    zeros[1024..].fill(Origin::Zeros);
    assert_eq!(with(&zeros, 1), [Harm::Lost, Harm::Zeros]);
    let gone = Observed::default();
    assert_eq!(harms(&expected, &gone), [Harm::NameGone]);
    let mut other = Observed::default();
    other.entries.insert("log".into(), Entry::Directory);
    other.entries.insert("more".into(), Entry::Directory);
    assert_eq!(harms(&expected, &other), [Harm::Kind, Harm::NameUnknown]);
    let contract = Contract::new(named("deletes", 2).unwrap()).unwrap();
    let expected = contract.expect(Some(0)).unwrap();
    let found = at(&contract.ideal, contract.workload.prepared);
    assert_eq!(harms(&expected, &found), [Harm::NameStays]);
    assert_eq!(contract.expect(Some(77)).unwrap_err(), UnknownMark(77));
}

/// What is wrong with `observed` when all of `operations` and their last mark are over.
fn wrong(operations: Vec<Operation>, change: impl Fn(&mut Observed)) -> Vec<Harm> {
    let mut operations = operations;
    operations.push(Operation::Mark(1));
    let workload =
        Workload { name: "x".into(), operations, prepared: 0, whole: vec![], promised: vec![] };
    let contract = Contract::new(workload).unwrap();
    let mut observed = at(contract.ideal(), contract.workload().operations.len());
    change(&mut observed);
    let expected = contract.expect(Some(1)).unwrap();
    expected.check(&observed).into_iter().map(|finding| finding.harm).collect()
}

#[test]
fn attributes_that_were_synced_are_there() {
    let path = || "a".to_string();
    let set = || Operation::SetAttribute(path());
    let has = |value: &'static str| {
        move |observed: &mut Observed| {
            observed.attributes.insert("a".into(), value.into());
        }
    };
    let synced = || vec![Operation::Create(path()), set(), Operation::Fsync(path())];
    assert_eq!(wrong(synced(), has("1")), []);
    assert_eq!(wrong(synced(), |_| ()), [Harm::Lost]);
    assert_eq!(wrong(synced(), has("7")), [Harm::Foreign]);
    let twice = || [synced(), vec![set(), Operation::Fsync(path())]].concat();
    assert_eq!(wrong(twice(), has("3")), []);
    assert_eq!(wrong(twice(), has("1")), [Harm::Old]);
    // What was not synced may be there or not, and an fdatasync is not for attributes.
    let loose = || vec![Operation::Create(path()), set(), Operation::Fdatasync(path())];
    assert_eq!(wrong(loose(), has("1")), []);
    assert_eq!(wrong(loose(), |_| ()), []);
    let removed =
        || [synced(), vec![Operation::RemoveAttribute(path()), Operation::Syncfs]].concat();
    assert_eq!(wrong(removed(), |_| ()), []);
    assert_eq!(wrong(removed(), has("1")), [Harm::Old]);
}

#[test]
fn msync_promises_its_part_alone() {
    let write =
        |offset| Operation::Write { path: "a".into(), offset, length: BLOCK, how: How::Mapped };
    let msync = Operation::Msync { path: "a".into(), offset: BLOCK, length: BLOCK };
    let all = || vec![Operation::Create("a".into()), write(0), write(BLOCK), msync.clone()];
    let zeroed = |block: usize| {
        move |observed: &mut Observed| {
            let Some(Entry::File { runs: own, .. }) = observed.entries.get_mut("a") else {
                panic!("no file")
            };
            let written = |write| Origin::Written(Author { file: 1, write });
            let mut words = vec![written(1); 512];
            words.extend([written(2); 512]);
            words[block * 512..][..512].fill(Origin::Zeros);
            *own = runs(&words);
        }
    };
    assert_eq!(wrong(all(), |_| ()), []);
    assert_eq!(wrong(all(), zeroed(0)), [], "it was not synced");
    assert_eq!(wrong(all(), zeroed(1)), [Harm::Lost, Harm::Zeros]);
    let shorter = |observed: &mut Observed| {
        let Some(Entry::File { size, runs, .. }) = observed.entries.get_mut("a") else {
            panic!("no file")
        };
        (*size, *runs) = (0, vec![]);
    };
    assert_eq!(wrong(all(), shorter), [Harm::Lost]);
}
