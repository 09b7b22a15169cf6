//! Writes the trace of a recording: names in clear or hidden, and before each block of calls whatever it refers to.

use crate::{derived::Derived, resolve::Places, start::StartState};
use std::{
    hash::{BuildHasher, RandomState},
    io::Write,
};
use trace::{
    call::Call,
    file::{TraceError, Writer},
    header::{End, Header},
    path::Paths,
    start::StartHandle,
};

/// Where the state at the beginning comes from.
pub(crate) enum State {
    /// The disk.
    Disk(StartState),
    /// The calls themselves, of which an import has nothing else.
    Calls(Derived),
}

/// A trace that is being recorded.
pub(crate) struct Out<W: Write> {
    writer: Writer<W>,
    state: State,
    /// Hidden names, and what they are made with; forgotten at the end.
    hidden: Option<(Paths, RandomState)>,
    handles: Vec<StartHandle>,
    calls: u64,
}

impl<W: Write> Out<W> {
    pub(crate) fn new(file: W, header: &Header, state: State) -> Result<Self, TraceError> {
        let hidden = header.anonymous.then(|| (Paths::default(), RandomState::new()));
        let mut writer = Writer::create(file, header)?;
        // A recorder that is killed from here on leaves a trace, if an empty one.
        writer.flush()?;
        Ok(Out { writer, state, hidden, handles: Vec::new(), calls: 0 })
    }

    /// Descriptors of a process that joins.
    pub(crate) fn begin(&mut self, handles: Vec<StartHandle>) {
        self.handles.extend(handles);
    }

    /// Writes calls, and before them what they are the first to need.
    pub(crate) fn write(&mut self, places: &mut Places, calls: &[Call]) -> Result<(), TraceError> {
        let entries = match &mut self.state {
            State::Disk(state) => state.of(calls, places),
            State::Calls(derived) => {
                let paths = places.names().paths();
                calls.iter().for_each(|call| derived.see(call, paths));
                Vec::new()
            }
        };
        let paths = places.names().paths();
        match &mut self.hidden {
            None => self.writer.names(paths)?,
            Some((hidden, key)) => {
                hide(paths, hidden, key);
                self.writer.names(hidden)?;
            }
        }
        self.writer.start(&entries, &std::mem::take(&mut self.handles))?;
        self.writer.calls(calls)?;
        self.calls += calls.iter().filter(|call| !call.op.is_of_thread()).count() as u64;
        self.writer.flush()
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.writer.bytes()
    }

    pub(crate) fn end(mut self, end: &End) -> Result<(), TraceError> {
        if let State::Calls(derived) = &self.state {
            self.writer.start(&derived.entries(), &[])?;
        }
        self.writer.end(end).map(drop)
    }
}

/// Adds what `hidden` lacks of `paths`, each name replaced by a hash; what follows its last dot stays.
fn hide(paths: &Paths, hidden: &mut Paths, key: &RandomState) {
    for id in hidden.len() as u32..paths.len() as u32 {
        let Some(parent) = paths.parent(id) else {
            let _ = hidden.add_root();
            continue;
        };
        let name = paths.name(id);
        let mut text = format!("{:016x}", key.hash_one(name)).into_bytes();
        let ending = name.iter().rposition(|b| *b == b'.').map(|dot| &name[dot..]);
        let is_short = |ending: &&[u8]| {
            ending.len() <= 6
                && ending[1..].iter().all(u8::is_ascii_alphanumeric)
                && ending.len() < name.len()
        };
        text.extend_from_slice(ending.filter(is_short).unwrap_or_default());
        let _ = hidden.add(parent, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_keep_the_tree_and_the_ending() {
        let mut paths = Paths::default();
        let root = paths.add_root().unwrap();
        let folder = paths.add(root, b"customers").unwrap();
        paths.add(folder, b"meier.sqlite").unwrap();
        paths.add(folder, b".secret").unwrap();
        let (mut hidden, key) = (Paths::default(), RandomState::new());
        hide(&paths, &mut hidden, &key);
        assert_eq!(hidden.len(), 4);
        assert_eq!(hidden.parent(2), Some(folder));
        let name = |id| String::from_utf8(hidden.name(id).to_vec()).unwrap();
        assert_eq!((name(1).len(), name(3).len()), (16, 16));
        assert!(!name(2).contains("meier") && !name(2).contains(".sqlite"), "{}", name(2));
    }
}
