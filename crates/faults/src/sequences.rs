//! Generates all short workloads: each operation on each of a few names, followed by each sync of a related file or
//! directory.
//!
//! The bounds are those of ACE, the generator of CrashMonkey (Mohan et al., OSDI 2018; docs/Ace.md and ace/common.py of
//! github.com/utsaslab/crashmonkey): files foo, A/foo, and as second names bar, A/bar; directories A and B; after an
//! operation an fsync of a file that it used, of its sibling or of its directory, or a sync of all. What is missing is
//! made before, and not synced; what is to be synced and is not there is made then.
//!
//! ACE counts 328 workloads of one operation (README.md: "328 seq-1 workloads"), of the 13 operations of its
//! `OperationSet`; [`one`] has as many of each. Where ACE makes the same one several times, they differ here: a write
//! through a mapping is followed by its msync, as in ACE, and then by each of the syncs; remove goes by way of the
//! directory, and unlink by the whole path. [`two`] adds sequences of two operations on names, of which one uses a name
//! of the other or one below or above it.

use crate::{
    ideal::{is_below, parent},
    workload::{How, Operation, Space, Workload},
};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 2] = ["foo", "A/foo"];
const SECOND: [&str; 2] = ["bar", "A/bar"];
/// Bytes of a file before something is done to it.
const BEFORE: u64 = 16 << 10;
const LENGTH: u64 = 8 << 10;

/// Offsets of writes to a file of [`BEFORE`]: behind it, within it across pages, and across its end.
const OFFSETS: [u64; 3] = [BEFORE, 5000, 14 << 10];
/// Those of direct writes and of writes through a mapping: behind it, and over its start.
const DIRECT_OFFSETS: [u64; 2] = [BEFORE, 0];
const SIZES: [u64; 2] = [0, 2504];
const SPACES: [Space; 5] =
    [Space::Zero, Space::ZeroKeep, Space::Punch, Space::Keep, Space::Allocate];

/// Sets of workloads by name, with what they are in words.
pub const SETS: &[(&str, &str)] = &[
    (ONE, "328 short sequences of one operation and a sync, as ACE of CrashMonkey has them"),
    (TWO, "3360 short sequences of two operations on names, each followed by a sync"),
];
const ONE: &str = "sequences";
const TWO: &str = "sequences-two";

/// The set with this name; `None` where there is none.
pub fn set(name: &str) -> Option<Vec<Workload>> {
    match name {
        ONE => Some(one()),
        TWO => Some(two()),
        _ => None,
    }
}

/// How many workloads the set with this name has.
pub fn count(name: &str) -> Option<u64> {
    match name {
        ONE => Some(328),
        TWO => Some(3360),
        _ => None,
    }
}

/// All workloads of one operation.
pub fn one() -> Vec<Workload> {
    let removes = FILES.iter().chain(&SECOND).map(|path| Operation::Remove((*path).into()));
    let all = names().into_iter().chain(removes).chain(contents());
    all.flat_map(|own| synced(&[own], &[None])).collect()
}

/// All workloads of two operations on names; nothing or all is synced between them.
pub fn two() -> Vec<Workload> {
    let between = [None, Some(Operation::Syncfs)];
    let pairs = names().into_iter().flat_map(|first| {
        let second = names().into_iter().filter({
            let first = first.clone();
            move |second| is_near(&first, second)
        });
        second.map(move |second| [first.clone(), second])
    });
    pairs.flat_map(|pair| synced(&pair, &between)).collect()
}

/// Operations on names.
fn names() -> Vec<Operation> {
    let text = |path: &str| path.to_string();
    let pairs = FILES.iter().chain(&SECOND).flat_map(|from| SECOND.map(|to| (*from, to)));
    let pairs: Vec<(&str, &str)> = pairs.filter(|(from, to)| from != to).collect();
    let links = pairs.iter().map(|(from, to)| Operation::Link { from: text(from), to: text(to) });
    let renames = pairs.iter().chain(&[("A", "B")]);
    let renames = renames.map(|(from, to)| Operation::Rename { from: text(from), to: text(to) });
    let creates = FILES.iter().map(|path| Operation::Create(text(path)));
    let unlinks = FILES.iter().chain(&SECOND).map(|path| Operation::Unlink(text(path)));
    let mkdir = [Operation::Mkdir(text("A"))];
    creates.chain(mkdir).chain(links).chain(unlinks).chain(renames).collect()
}

/// Operations on contents.
fn contents() -> Vec<Operation> {
    let of = |path: &str| {
        let path = path.to_string();
        let write = |offset, how| {
            let path = path.clone();
            Operation::Write { path, offset, length: LENGTH, how }
        };
        let buffered = OFFSETS.map(|offset| write(offset, How::Buffered));
        let direct = DIRECT_OFFSETS.map(|offset| write(offset, How::Direct));
        let mapped = DIRECT_OFFSETS.map(|offset| write(offset, How::Mapped));
        let attributes =
            [Operation::SetAttribute(path.clone()), Operation::RemoveAttribute(path.clone())];
        let truncates = SIZES.map(|size| Operation::Truncate { path: path.clone(), size });
        let allocate = |(space, offset)| {
            let path = path.clone();
            Operation::Fallocate { path, space, offset, length: LENGTH }
        };
        let spaces = SPACES.iter().flat_map(|space| OFFSETS.map(|offset| (*space, offset)));
        let spaces: Vec<Operation> = spaces.map(allocate).collect();
        let written = buffered.into_iter().chain(direct).chain(mapped);
        written.chain(truncates).chain(spaces).chain(attributes).collect::<Vec<_>>()
    };
    FILES.iter().flat_map(|path| of(path)).collect()
}

/// The names that an operation is given.
fn used(operation: &Operation) -> Vec<&str> {
    match operation {
        Operation::Create(path)
        | Operation::Mkdir(path)
        | Operation::Unlink(path)
        | Operation::Remove(path)
        | Operation::SetAttribute(path)
        | Operation::RemoveAttribute(path)
        | Operation::Msync { path, .. }
        | Operation::Rmdir(path)
        | Operation::Hold(path)
        | Operation::Fsync(path)
        | Operation::Fdatasync(path)
        | Operation::Symlink { path, .. }
        | Operation::Write { path, .. }
        | Operation::Truncate { path, .. }
        | Operation::Fallocate { path, .. } => vec![path],
        Operation::Rename { from, to } | Operation::Link { from, to } => vec![from, to],
        Operation::Syncfs | Operation::Mark(_) => Vec::new(),
    }
}

fn is_near(first: &Operation, second: &Operation) -> bool {
    let near = |one: &str, other: &str| is_below(one, other) || is_below(other, one);
    used(first).iter().any(|one| used(second).iter().any(|other| near(one, other)))
}

fn sibling(path: &str) -> &'static str {
    match path {
        "foo" => "bar",
        "bar" => "foo",
        "A/foo" => "A/bar",
        "A/bar" => "A/foo",
        "A" => "B",
        "B" => "A",
        _ => "",
    }
}

/// `operations`, with each of `between` after all but the last, and each sync of what is near at the end.
fn synced(operations: &[Operation], between: &[Option<Operation>]) -> Vec<Workload> {
    let used: BTreeSet<&str> = operations.iter().flat_map(used).collect();
    let near = used.iter().flat_map(|path| [*path, sibling(path), parent(path)]);
    let near: BTreeSet<&str> = near.collect();
    let last = near.into_iter().map(|path| Operation::Fsync(path.into()));
    let last: Vec<Operation> = last.chain([Operation::Syncfs]).collect();
    let all = between.iter().flat_map(|between| last.iter().map(move |last| (between, last)));
    all.map(|(between, last)| made(operations, between.as_ref(), last)).collect()
}

fn made(operations: &[Operation], between: Option<&Operation>, last: &Operation) -> Workload {
    let mut list = List::default();
    for (nth, operation) in operations.iter().enumerate() {
        if nth > 0
            && let Some(between) = between
        {
            list.perform(between);
        }
        list.perform(operation);
    }
    list.perform(last);
    let named = operations.iter().take(1).chain(between);
    let named = named.chain(operations.iter().skip(1)).chain([last]).map(words);
    let name = named.collect::<Vec<_>>().join("; ");
    let operations = list.operations;
    Workload { name, operations, prepared: 0, whole: Vec::new(), promised: Vec::new() }
}

/// Operations with what they need before them, and a mark after each.
#[derive(Default)]
struct List {
    operations: Vec<Operation>,
    marks: u64,
    /// Names that are there; what is no directory has the number of its file.
    there: BTreeMap<String, Option<u64>>,
}

impl List {
    fn perform(&mut self, operation: &Operation) {
        match operation {
            Operation::Create(path) | Operation::Mkdir(path) => {
                self.remove(path);
                self.need_directory(parent(path));
            }
            Operation::Rename { from, to } => {
                self.need(from);
                self.need_directory(parent(to));
                if self.there.get(from) == Some(&None) {
                    self.remove(to);
                }
            }
            Operation::Link { from, to } => {
                self.need(from);
                self.remove(to);
                self.need_directory(parent(to));
            }
            Operation::Fsync(path) if path.is_empty() => {}
            Operation::RemoveAttribute(path) => {
                self.need(path);
                self.add(Operation::SetAttribute(path.clone()));
            }
            other => used(other).into_iter().for_each(|path| self.need(path)),
        }
        self.add(operation.clone());
        if let Operation::Write { path, offset, length, how: How::Mapped } = operation {
            let (path, offset, length) = (path.clone(), *offset, *length);
            self.add(Operation::Msync { path, offset, length });
        }
    }

    fn need(&mut self, path: &str) {
        if self.there.contains_key(path) || path.is_empty() {
            return;
        }
        if matches!(path, "A" | "B") {
            return self.need_directory(path);
        }
        self.need_directory(parent(path));
        self.add(Operation::Create(path.into()));
        let (path, how) = (path.into(), How::Buffered);
        self.add(Operation::Write { path, offset: 0, length: BEFORE, how });
    }

    fn need_directory(&mut self, path: &str) {
        if !path.is_empty() && !self.there.contains_key(path) {
            self.add(Operation::Mkdir(path.into()));
        }
    }

    /// Removes what stands in the way, with what is in it.
    fn remove(&mut self, path: &str) {
        let below = self.there.iter().rev().filter(|(own, _)| is_below(own, path));
        let gone: Vec<(String, bool)> =
            below.map(|(own, file)| (own.clone(), file.is_none())).collect();
        for (path, is_directory) in gone {
            self.add(if is_directory { Operation::Rmdir(path) } else { Operation::Unlink(path) });
        }
    }

    fn add(&mut self, operation: Operation) {
        match &operation {
            Operation::Create(path) => {
                self.there.insert(path.clone(), Some(self.marks));
            }
            Operation::Link { from, to } => {
                self.there.insert(to.clone(), self.there.get(from).copied().flatten());
            }
            Operation::Mkdir(path) => {
                self.there.insert(path.clone(), None);
            }
            Operation::Unlink(path) | Operation::Remove(path) | Operation::Rmdir(path) => {
                self.there.remove(path);
            }
            Operation::Rename { from, to } => self.rename(from, to),
            _ => {}
        }
        self.operations.push(operation);
        self.operations.push(Operation::Mark(self.marks));
        self.marks += 1;
    }

    fn rename(&mut self, from: &str, to: &str) {
        let file = self.there.get(from).copied().flatten();
        if file.is_some() && self.there.get(to) == Some(&file) {
            // Two names of one file: rename(2) does nothing.
            return;
        }
        let moved: Vec<String> =
            self.there.keys().filter(|own| is_below(own, from)).cloned().collect();
        for own in moved {
            if let Some(file) = self.there.remove(&own) {
                self.there.insert(format!("{to}{}", &own[from.len()..]), file);
            }
        }
    }
}

/// An operation in a few words.
fn words(operation: &Operation) -> String {
    match operation {
        Operation::Create(path) => format!("create {path}"),
        Operation::Mkdir(path) => format!("mkdir {path}"),
        Operation::Write { path, offset, how: How::Buffered, .. } => {
            format!("write {path} at {offset}")
        }
        Operation::Write { path, offset, how: How::Direct, .. } => {
            format!("write {path} directly at {offset}")
        }
        Operation::Write { path, offset, how: How::Mapped, .. } => {
            format!("map {path} and write at {offset}")
        }
        Operation::Msync { path, offset, .. } => format!("msync {path} at {offset}"),
        Operation::Remove(path) => format!("remove {path}"),
        Operation::SetAttribute(path) => format!("setxattr {path}"),
        Operation::RemoveAttribute(path) => format!("removexattr {path}"),
        Operation::Truncate { path, size } => format!("truncate {path} to {size}"),
        Operation::Fallocate { path, space, offset, .. } => {
            format!("fallocate {path} {space:?} at {offset}")
        }
        Operation::Rename { from, to } => format!("rename {from} {to}"),
        Operation::Link { from, to } => format!("link {from} {to}"),
        Operation::Symlink { target, path } => format!("symlink {target} {path}"),
        Operation::Unlink(path) => format!("unlink {path}"),
        Operation::Rmdir(path) => format!("rmdir {path}"),
        Operation::Hold(path) => format!("open {path}"),
        Operation::Fsync(path) if path.is_empty() => "fsync .".into(),
        Operation::Fsync(path) => format!("fsync {path}"),
        Operation::Fdatasync(path) => format!("fdatasync {path}"),
        Operation::Syncfs => "sync".into(),
        Operation::Mark(mark) => format!("mark {mark}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;

    fn check(workloads: &[Workload]) {
        let names: BTreeSet<&str> = workloads.iter().map(|own| &*own.name).collect();
        assert_eq!(names.len(), workloads.len());
        for workload in workloads {
            let contract = Contract::new(workload.clone());
            assert!(contract.is_ok(), "{}: {contract:?}", workload.name);
        }
    }

    /// As many as ACE makes of each operation.
    #[test]
    fn one_operation_is_all_328() {
        let workloads = one();
        assert_eq!(Some(workloads.len() as u64), count("sequences"));
        check(&workloads);
        let of = |verb: &str| {
            let verb = format!("{verb} ");
            workloads.iter().filter(|own| own.name.starts_with(&verb)).count()
        };
        let verbs = ["create", "mkdir", "fallocate", "write", "map", "link", "unlink", "remove"];
        assert_eq!(verbs.map(of), [8, 4, 120, 40, 16, 36, 16, 16]);
        let verbs = ["rename", "setxattr", "removexattr", "truncate"];
        assert_eq!(verbs.map(of), [40, 8, 8, 16]);
    }

    #[test]
    fn two_operations_can_be_performed() {
        let workloads = two();
        check(&workloads);
        let has = |name: &str| workloads.iter().any(|own| own.name == name);
        // Generic/342 and generic/321 of xfstests.
        assert!(has("rename foo bar; create foo; fsync foo"));
        assert!(has("rename foo A/bar; unlink A/bar; fsync A"));
        assert_eq!(Some(workloads.len() as u64), count("sequences-two"));
    }
}
