//! The directories and files of a file system that is only read, and what it answers.

use super::protocol::{Answer, Opcode, Request};
use rustix::io::Errno;
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::PathBuf,
};

/// The number of the root, by the protocol.
const ROOT: u64 = 1;

/// A directory or file.
#[derive(Debug)]
struct Node {
    parent: u64,
    name: OsString,
    /// Of a file; `None` for a directory.
    file_bytes: Option<u64>,
}

/// All of them; a node's number is its place, from 1.
#[derive(Debug)]
pub(super) struct Tree(Vec<Node>);

impl Tree {
    /// The tree that holds `files`, relative paths and bytes.
    pub(super) fn of(files: &[(PathBuf, u64)]) -> Tree {
        let mut tree = Tree(vec![Node { parent: ROOT, name: OsString::new(), file_bytes: None }]);
        for (path, bytes) in files {
            let mut node = ROOT;
            for name in path {
                node = tree.find(node, name).unwrap_or_else(|| tree.add(node, name));
            }
            tree.0[node as usize - 1].file_bytes = Some(*bytes);
        }
        tree
    }

    fn add(&mut self, parent: u64, name: &OsStr) -> u64 {
        self.0.push(Node { parent, name: name.into(), file_bytes: None });
        self.0.len() as u64
    }

    fn find(&self, parent: u64, name: &OsStr) -> Option<u64> {
        let children = (ROOT + 1..).zip(&self.0[1..]);
        let mut found = children.filter(|(_, node)| node.parent == parent && node.name == name);
        found.next().map(|(number, _)| number)
    }

    fn node(&self, number: u64) -> Option<&Node> {
        self.0.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The answer to `request`.
    pub(super) fn answer(&self, request: &Request<'_>) -> Answer {
        match request.opcode {
            Opcode::INIT => Answer::init(),
            Opcode::FORGET | Opcode::BATCH_FORGET | Opcode::INTERRUPT => Answer::Nothing,
            Opcode::LOOKUP => self.look_up(request),
            Opcode::GETATTR => match self.node(request.node) {
                Some(node) => Answer::attributes(request.node, node.file_bytes),
                None => Answer::Failed(Errno::NOENT),
            },
            Opcode::OPEN | Opcode::OPENDIR => Answer::open(),
            Opcode::READ => self.read(request),
            Opcode::STATFS => {
                Answer::space(self.0.iter().filter_map(|n| n.file_bytes).sum(), self.0.len() as u64)
            }
            // Names are looked up, never listed.
            Opcode::READDIR
            | Opcode::RELEASE
            | Opcode::RELEASEDIR
            | Opcode::FLUSH
            | Opcode::FSYNC
            | Opcode::FSYNCDIR
            | Opcode::SYNCFS
            | Opcode::ACCESS
            | Opcode::DESTROY => Answer::Done(Vec::new()),
            _ => Answer::Failed(Errno::NOSYS),
        }
    }

    fn look_up(&self, request: &Request<'_>) -> Answer {
        let number = self.find(request.node, OsStr::from_bytes(request.name()));
        match number.and_then(|number| Some((number, self.node(number)?))) {
            Some((number, node)) => Answer::entry(number, node.file_bytes),
            None => Answer::Failed(Errno::NOENT),
        }
    }

    fn read(&self, request: &Request<'_>) -> Answer {
        let bytes = self.node(request.node).and_then(|node| node.file_bytes);
        match bytes.zip(request.range()) {
            None => Answer::Failed(Errno::INVAL),
            Some((bytes, (offset, length))) => {
                let left = bytes.saturating_sub(offset);
                Answer::Done(vec![0; left.min(u64::from(length)) as usize])
            }
        }
    }
}
