//! Workloads by name: common patterns of saving data, each with the contract that programs rely on.

use super::{How, Operation, Workload};

/// Names of all of them, with the contract in words.
pub const CONTRACTS: &[(&str, &str)] = &[
    ("append", "what was appended before an fsync is there"),
    ("create", "a file is there after its fsync and that of its directory"),
    (
        "replace",
        "a file that is written aside, synced and renamed is the old or the new one, and \
                 the new one after the fsync of the directory",
    ),
    (
        "replace-unsynced",
        "a file that is written aside and renamed, while other files are synced, is the old or the \
                          new one",
    ),
    ("overwrite", "what was overwritten before an fdatasync is there"),
    ("append-many", "what was appended to several files in turn is there after each one's fsync"),
    ("links", "a further name is there after the fsync of its directory"),
    ("deletes", "a removed name is not there after the fsync of its directory"),
    ("replace-open", "as replace, while another program has the old file open"),
];

/// Bytes of a record that is appended or overwritten.
const RECORD: u64 = 4096;
/// Bytes of a file that is replaced.
const WHOLE: u64 = 4 * RECORD;

/// The workload with this name and `rounds` of its pattern; `None` where there is none.
pub fn named(name: &str, rounds: u64) -> Option<Workload> {
    let mut list = List::default();
    let mut whole = Vec::new();
    let repeat: fn(&mut List, u64) = match name {
        "append" => {
            list.create("log", RECORD);
            |list, round| list.append("log", round)
        }
        "create" => create,
        "replace" | "replace-open" | "replace-unsynced" => {
            whole.push("config".into());
            list.create("config", WHOLE);
            match name {
                "replace" => |list, _| list.replace(true, false),
                "replace-open" => |list, _| list.replace(true, true),
                _ => |list, round| {
                    list.replace(false, false);
                    // Whatever is synced now takes the rename with it on some file systems, and not the data.
                    let path = format!("other{round}");
                    list.add(Operation::Create(path.clone()));
                    list.add(Operation::Fsync(path));
                    list.mark();
                },
            }
        }
        "overwrite" => {
            list.create("table", 16 * RECORD);
            overwrite
        }
        "append-many" => {
            (0..MANY).for_each(|nth| list.create(&format!("log{nth}"), RECORD));
            |list, round| (0..MANY).for_each(|nth| list.append(&format!("log{nth}"), round))
        }
        "links" => {
            list.add(Operation::Mkdir("names".into()));
            list.create("data", RECORD);
            links
        }
        "deletes" => {
            (0..rounds).for_each(|nth| list.create(&format!("file{nth}"), RECORD));
            deletes
        }
        _ => return None,
    };
    list.add(Operation::Syncfs);
    let prepared = list.operations.len();
    (0..rounds).for_each(|round| repeat(&mut list, round));
    let (name, operations) = (name.into(), list.operations);
    Some(Workload { name, operations, prepared, whole, promised: Vec::new() })
}

/// Files of `append-many`.
const MANY: u64 = 4;

#[derive(Default)]
struct List {
    operations: Vec<Operation>,
    marks: u64,
}

impl List {
    fn add(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    fn mark(&mut self) {
        self.add(Operation::Mark(self.marks));
        self.marks += 1;
    }

    fn write(&mut self, path: &str, offset: u64, length: u64) {
        self.add(Operation::Write { path: path.into(), offset, length, how: How::Buffered });
    }

    fn create(&mut self, path: &str, length: u64) {
        self.add(Operation::Create(path.into()));
        self.write(path, 0, length);
    }

    fn append(&mut self, path: &str, round: u64) {
        self.write(path, (round + 1) * RECORD, RECORD);
        self.add(Operation::Fsync(path.into()));
        self.mark();
    }

    /// Writes the file aside and renames it.
    fn replace(&mut self, is_synced: bool, is_open: bool) {
        if is_open {
            self.add(Operation::Hold("config".into()));
        }
        self.create("config.new", WHOLE);
        if is_synced {
            self.add(Operation::Fsync("config.new".into()));
        }
        self.add(Operation::Rename { from: "config.new".into(), to: "config".into() });
        if is_synced {
            self.add(Operation::Fsync(String::new()));
        }
        self.mark();
    }
}

fn create(list: &mut List, round: u64) {
    let path = format!("file{round}");
    list.create(&path, RECORD);
    list.add(Operation::Fsync(path));
    list.add(Operation::Fsync(String::new()));
    list.mark();
}

fn overwrite(list: &mut List, round: u64) {
    list.write("table", round * 5 % 16 * RECORD, RECORD);
    list.add(Operation::Fdatasync("table".into()));
    list.mark();
}

fn links(list: &mut List, round: u64) {
    list.add(Operation::Link { from: "data".into(), to: format!("names/name{round}") });
    list.add(Operation::Symlink { target: "../data".into(), path: format!("names/link{round}") });
    list.add(Operation::Fsync("names".into()));
    list.mark();
}

fn deletes(list: &mut List, round: u64) {
    list.add(Operation::Unlink(format!("file{round}")));
    list.add(Operation::Fsync(String::new()));
    list.mark();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_contract_has_a_workload_that_marks_each_round() {
        for (name, words) in CONTRACTS {
            let workload = named(name, 5).unwrap();
            let run = &workload.operations[workload.prepared..];
            let marks = run.iter().filter(|own| matches!(own, Operation::Mark(_))).count();
            assert!(marks >= 5 && !words.is_empty(), "{name}");
            assert!(matches!(workload.operations[workload.prepared - 1], Operation::Syncfs));
        }
        assert_eq!(named("none", 5), None);
    }
}
