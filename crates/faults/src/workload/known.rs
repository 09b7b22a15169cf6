//! Workloads that exposed bugs of file systems: those of CrashMonkey on Linux 4.16 (Mohan et al., OSDI 2018; newBugs.md
//! of github.com/utsaslab/crashmonkey). The bugs were fixed since, so these are regression tests of a kernel.

use super::{How, Operation, Space, Workload};

/// A workload after which a file system did not have what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its number in newBugs.md.
    pub number: u8,
    /// The file system on which it was found, as it is registered.
    pub found_on: &'static str,
    /// What is performed, with the names that were wrong then.
    pub workload: Workload,
}

/// Bytes of the files that are written.
const WRITTEN: u64 = 16 << 10;

/// All of them except number 8, in order. Number 8 loses blocks that were allocated beyond the end of a file, which
/// reading files cannot show.
pub fn known() -> Vec<Known> {
    let of = |number, found_on, operations: Vec<Operation>, promised: &[&str]| {
        let mut operations = operations;
        operations.push(Operation::Mark(0));
        let promised = promised.iter().map(|path| (*path).into()).collect();
        let name = format!("crashmonkey-{number}");
        let workload = Workload { name, operations, prepared: 0, whole: Vec::new(), promised };
        Known { number, found_on, workload }
    };
    vec![
        of(1, "btrfs", renamed_over_a_synced_file(), &["A/bar", "A/foo"]),
        of(2, "btrfs", renamed_with_its_directory(), &["B/bar", "A/bar"]),
        of(3, "btrfs", linked_below(), &["A", "A/C"]),
        of(4, "btrfs", created_below_a_new_name(true), &["B", "B/foo"]),
        of(5, "btrfs", both_names_synced(), &["A/foo", "B/foo"]),
        of(6, "btrfs", child_synced_before(), &["test", "test/foo", "test/A/foo"]),
        of(7, "btrfs", linked_then_synced(), &["foo", "A/bar"]),
        of(9, "f2fs", zeroed_behind_the_end(), &["foo"]),
        of(10, "f2fs", created_below_a_new_name(false), &["B/foo"]),
    ]
}

fn mkdir(path: &str) -> Operation {
    Operation::Mkdir(path.into())
}

fn create(path: &str) -> Operation {
    Operation::Create(path.into())
}

fn fsync(path: &str) -> Operation {
    Operation::Fsync(path.into())
}

fn rename(from: &str, to: &str) -> Operation {
    Operation::Rename { from: from.into(), to: to.into() }
}

fn link(from: &str, to: &str) -> Operation {
    Operation::Link { from: from.into(), to: to.into() }
}

fn renamed_over_a_synced_file() -> Vec<Operation> {
    vec![
        mkdir("A"),
        create("A/bar"),
        fsync("A/bar"),
        mkdir("B"),
        create("B/bar"),
        rename("B/bar", "A/bar"),
        create("A/foo"),
        fsync("A/foo"),
        fsync("A"),
    ]
}

fn renamed_with_its_directory() -> Vec<Operation> {
    vec![
        mkdir("A"),
        mkdir("A/C"),
        rename("A/C", "B"),
        create("B/bar"),
        fsync("B/bar"),
        rename("B/bar", "A/bar"),
        rename("A", "B"),
        fsync("B/bar"),
    ]
}

fn linked_below() -> Vec<Operation> {
    vec![
        mkdir("A"),
        mkdir("B"),
        mkdir("A/C"),
        create("B/foo"),
        fsync("B/foo"),
        link("B/foo", "A/C/foo"),
        fsync("A"),
    ]
}

fn created_below_a_new_name(with_directory: bool) -> Vec<Operation> {
    let mut all = vec![mkdir("A"), Operation::Syncfs, rename("A", "B"), create("B/foo")];
    all.push(fsync("B/foo"));
    all.extend(with_directory.then(|| fsync("B")));
    all
}

fn both_names_synced() -> Vec<Operation> {
    vec![
        mkdir("A"),
        mkdir("B"),
        create("A/foo"),
        link("A/foo", "B/foo"),
        fsync("A/foo"),
        fsync("B/foo"),
    ]
}

fn child_synced_before() -> Vec<Operation> {
    vec![
        mkdir("test"),
        mkdir("test/A"),
        create("test/foo"),
        create("test/A/foo"),
        fsync("test/A/foo"),
        fsync("test"),
    ]
}

fn linked_then_synced() -> Vec<Operation> {
    vec![create("foo"), mkdir("A"), link("foo", "A/bar"), fsync("foo")]
}

fn zeroed_behind_the_end() -> Vec<Operation> {
    let path = String::from("foo");
    vec![
        create("foo"),
        Operation::Write { path: path.clone(), offset: 0, length: WRITTEN, how: How::Buffered },
        fsync("foo"),
        Operation::Fallocate { path, space: Space::ZeroKeep, offset: WRITTEN, length: 4096 },
        fsync("foo"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Contract, Entry, Observed};
    use model::result::Harm;

    /// After the last mark.
    fn harms(number: u8, entries: &[(&str, Entry)]) -> Vec<Harm> {
        let known = known().into_iter().find(|known| known.number == number).unwrap();
        let contract = Contract::new(known.workload).unwrap();
        let mut observed = Observed::default();
        let entries = entries.iter().map(|(path, entry)| (path.to_string(), entry.clone()));
        observed.entries.extend(entries);
        let expected = contract.expect(Some(0)).unwrap();
        expected.check(&observed).into_iter().map(|finding| finding.harm).collect()
    }

    fn empty(inode: u64, links: u64) -> Entry {
        Entry::File { size: 0, runs: Vec::new(), inode, links }
    }

    #[test]
    fn all_can_be_performed_and_end_with_a_mark() {
        for known in known() {
            let contract = Contract::new(known.workload.clone()).unwrap();
            let end = &contract.ideal().trees[known.workload.operations.len()];
            for path in &known.workload.promised {
                assert!(end.contains_key(path) || path == "A/bar", "{}: {path}", known.number);
            }
        }
    }

    /// What CrashMonkey saw, and what it should have seen.
    #[test]
    fn what_was_seen_then_is_wrong() {
        let dir = Entry::Directory;
        assert_eq!(harms(10, &[("A", dir.clone()), ("A/foo", empty(2, 1))]), [Harm::NameGone]);
        assert_eq!(harms(10, &[("B", dir.clone()), ("B/foo", empty(2, 1))]), []);
        assert_eq!(harms(7, &[("foo", empty(2, 1))]), [Harm::NameGone]);
        let linked = [("foo", empty(3, 2)), ("A", dir.clone()), ("A/bar", empty(3, 2))];
        assert_eq!(harms(7, &linked), []);
        assert_eq!(harms(1, &[("A", dir.clone()), ("A/foo", empty(4, 1))]), [Harm::NameGone]);
        let twice = [
            ("A", dir.clone()),
            ("A/bar", empty(4, 2)),
            ("B", dir.clone()),
            ("B/bar", empty(4, 2)),
        ];
        assert!(harms(2, &twice).contains(&Harm::NameStays));
        assert_eq!(harms(2, &[("B", dir), ("B/bar", empty(4, 1))]), []);
    }

    #[test]
    fn a_file_below_a_new_name_may_be_below_the_old_one_until_it_is_promised() {
        let contract = Contract::new(known().pop().unwrap().workload).unwrap();
        let mut observed = Observed::default();
        observed.entries.insert("A".into(), Entry::Directory);
        observed.entries.insert("A/foo".into(), empty(2, 1));
        assert_eq!(contract.expect(None).unwrap().check(&observed), []);
        assert_ne!(contract.expect(Some(0)).unwrap().check(&observed), []);
    }

    #[test]
    fn a_size_that_grew_is_wrong() {
        let number = 9;
        let known = known().into_iter().find(|known| known.number == number).unwrap();
        let contract = Contract::new(known.workload).unwrap();
        let author = contract.ideal().authors[&1];
        let run = |bytes, origin| crate::content::Run { bytes, origin };
        let written = run(0..WRITTEN, crate::content::Origin::Written(author));
        let zeros = run(WRITTEN..WRITTEN + 4096, crate::content::Origin::Zeros);
        let file = |size, runs| [("foo", Entry::File { size, runs, inode: 1, links: 1 })];
        assert_eq!(harms(number, &file(WRITTEN, vec![written.clone()])), []);
        let longer = file(WRITTEN + 4096, vec![written, zeros]);
        assert_eq!(harms(number, &longer), [Harm::Size]);
    }
}
