//! Turns lines into events: unfinished and resumed halves of a call are joined, and children inherit from their
//! parents.

use super::{
    line::{self, Content, Line, Skipped},
    names,
};
use crate::{
    kernel::{EntryKind, recorded_calls},
    raw::{Event, Fork, RawCall},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
};

/// Calls that wait for their rest, at most; a machine has no more threads.
const MOST_UNFINISHED: usize = 1 << 16;

/// A call of which only the beginning was seen.
struct Unfinished {
    name: String,
    arguments: Vec<u8>,
    at_ns: u64,
}

/// State kept from line to line.
#[derive(Default)]
pub(super) struct Reader {
    kinds: HashMap<i64, EntryKind>,
    unfinished: HashMap<u32, Unfinished>,
    known: HashSet<u32>,
    skipped: BTreeMap<Skipped, u64>,
    last_ns: u64,
    /// Threads of a process that was there, and processes, that a call was seen to make.
    made_threads: u32,
    made_processes: u32,
}

impl Reader {
    pub(super) fn new() -> Reader {
        Reader { kinds: recorded_calls().collect(), ..Reader::default() }
    }

    /// Lines that were skipped, by reason.
    pub(super) fn skipped(&self) -> impl Iterator<Item = (Skipped, u64)> {
        self.skipped.iter().map(|(why, lines)| (*why, *lines))
    }

    /// Calls whose rest never came.
    pub(super) fn unfinished(&self) -> u64 {
        self.unfinished.len() as u64
    }

    /// How many processes `threads` threads were of; `None` where several have no call that made them, which may be
    /// threads or processes.
    pub(super) fn processes(&self, threads: u32) -> Option<usize> {
        let found = threads.saturating_sub(self.made_threads).saturating_sub(self.made_processes);
        (found <= 1).then_some((found + self.made_processes) as usize)
    }

    /// When the last event was.
    pub(super) fn last_ns(&self) -> u64 {
        self.last_ns
    }

    pub(super) fn skip(&mut self, why: Skipped) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// Takes the next line; hands out the events that it completes.
    pub(super) fn take(&mut self, text: &[u8], give: &mut dyn FnMut(&Event)) {
        match line::parse(text) {
            Ok(line) => self.take_line(&line, give),
            Err(why) if !text.trim_ascii().is_empty() => self.skip(why),
            Err(_) => {}
        }
    }

    fn take_line(&mut self, line: &Line, give: &mut dyn FnMut(&Event)) {
        let (tid, at_ns) = (line.tid, line.at_ns);
        self.last_ns = self.last_ns.max(at_ns);
        if self.known.insert(tid) {
            self.find_maker(tid, at_ns, give);
        }
        match &line.content {
            Content::Call { name, arguments, result } => {
                self.call(tid, at_ns, name, arguments, result, give);
            }
            Content::Unfinished { name, arguments } => {
                if self.unfinished.len() < MOST_UNFINISHED {
                    let (name, arguments) = ((*name).to_owned(), arguments.to_vec());
                    self.unfinished.insert(tid, Unfinished { name, arguments, at_ns });
                }
            }
            Content::Resumed { name, arguments, result } => match self.unfinished.remove(&tid) {
                Some(mut begun) if begun.name == *name => {
                    begun.arguments.extend_from_slice(arguments);
                    self.call(tid, begun.at_ns, name, &begun.arguments, result, give);
                }
                _ => self.skip(Skipped::Foreign),
            },
            Content::Exit => {
                self.unfinished.remove(&tid);
                self.known.remove(&tid);
                give(&Event::Exit { tid, at_ns });
            }
            Content::Nothing => {}
        }
    }

    /// A thread is seen before the call that made it has returned.
    fn find_maker(&mut self, child: u32, at_ns: u64, give: &mut dyn FnMut(&Event)) {
        let makers = self.unfinished.iter().filter(|(_, begun)| makes_threads(&begun.name));
        let Some((tid, begun)) = makers.min_by_key(|(_, begun)| begun.at_ns) else { return };
        let event = Event::Fork(fork(*tid, child, &begun.arguments, at_ns));
        let is_thread = makes_thread(&begun.arguments);
        self.made(is_thread);
        give(&event);
    }

    fn made(&mut self, is_thread: bool) {
        if is_thread {
            self.made_threads += 1;
        } else {
            self.made_processes += 1;
        }
    }

    fn call(
        &mut self,
        tid: u32,
        at_ns: u64,
        name: &str,
        arguments: &[u8],
        result: &[u8],
        give: &mut dyn FnMut(&Event),
    ) {
        let Some((result, took_ns)) = line::result(result) else { return };
        let end_ns = at_ns.saturating_add(took_ns);
        self.last_ns = self.last_ns.max(end_ns);
        if makes_threads(name) {
            let child = u32::try_from(result).ok().filter(|child| *child > 0);
            if let Some(child) = child.filter(|child| self.known.insert(*child)) {
                self.made(makes_thread(arguments));
                give(&Event::Fork(fork(tid, child, arguments, end_ns)));
            }
            return;
        }
        let Some(number) = names::number(name) else { return };
        let kind = self.kinds.get(&number).copied().unwrap_or(EntryKind::Plain);
        let mut raw =
            RawCall { tid, number, start_ns: at_ns, end_ns, result, ..RawCall::default() };
        let mut paths: [Cow<[u8]>; 2] = [Cow::Borrowed(&[]), Cow::Borrowed(&[])];
        for (at, argument) in line::split(arguments).enumerate().take(6) {
            raw.arguments[at] = line::value(argument) as u64;
            if let Some(index) = kind.paths().iter().position(|path| *path == at) {
                match line::string(argument) {
                    Some(text) => paths[index] = text,
                    None if argument == b"NULL" => {}
                    // A name that was cut off names another file.
                    None => return self.skip(Skipped::Foreign),
                }
            }
            words(kind, at, argument, &mut raw);
        }
        raw.paths = [&paths[0], &paths[1]];
        give(&Event::Call(raw));
    }
}

/// What pointers among the arguments lead to.
fn words(kind: EntryKind, at: usize, argument: &[u8], raw: &mut RawCall) {
    let field = |name: &[u8]| line::field(argument, name) as u64;
    match (kind, at) {
        (EntryKind::OpenHow, 2) => (raw.words[0], raw.words[1]) = (field(b"flags"), field(b"mode")),
        (EntryKind::Fcntl, 2) if argument.starts_with(b"{") => {
            raw.words = [field(b"l_type"), field(b"l_start"), field(b"l_len"), 0];
        }
        (EntryKind::Offsets13, 1) | (EntryKind::Offset2, 2) if argument != b"NULL" => {
            raw.words[0] = line::value(argument) as u64;
            raw.arguments[at] = 1;
        }
        (EntryKind::Offsets13, 3) if argument != b"NULL" => {
            raw.words[1] = line::value(argument) as u64;
            raw.arguments[at] = 1;
        }
        _ => {}
    }
}

fn makes_threads(name: &str) -> bool {
    matches!(name, "clone" | "clone3" | "fork" | "vfork")
}

/// Whether a call with these arguments makes a thread of its process.
fn makes_thread(arguments: &[u8]) -> bool {
    has_flag(arguments, b"CLONE_THREAD")
}

fn has_flag(arguments: &[u8], flag: &[u8]) -> bool {
    arguments.windows(flag.len()).any(|part| part == flag)
}

fn fork(tid: u32, child: u32, arguments: &[u8], at_ns: u64) -> Fork {
    let has = |flag: &[u8]| has_flag(arguments, flag);
    let shares_files = has(b"CLONE_FILES");
    Fork {
        tid,
        child,
        child_pid: 0,
        shares_files,
        shares_directory: has(b"CLONE_FS|") || has(b"CLONE_FS,") || makes_thread(arguments),
        at_ns,
    }
}
