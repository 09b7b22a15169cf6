//! Translates entries of the ring into events.

use crate::{
    kernel::{Entry, EntryKind, RequestFields},
    raw::{Completed, Event, Fault, Fork, RawCall, Woke},
};

/// An entry of the ring as any recorder would say it.
pub(super) fn event(entry: Entry<'_>, requests: Option<RequestFields>) -> Option<Event<'_>> {
    let kind = entry.kind()?;
    let [child, child_pid, shared, ..] = entry.arguments();
    Some(match kind {
        EntryKind::Fork => Event::Fork(Fork {
            tid: entry.tid(),
            child: child as u32,
            child_pid: child_pid as u32,
            shares_files: shared & 1 != 0,
            shares_directory: shared & 2 != 0,
            at_ns: entry.end_ns(),
        }),
        EntryKind::Exit => Event::Exit { tid: entry.tid(), at_ns: entry.end_ns() },
        EntryKind::Wake => {
            let [woken, ..] = entry.arguments();
            let (tid, pid, at_ns) = (entry.tid(), entry.pid(), entry.end_ns());
            Event::Woke(Woke { tid, pid, woken: woken as u32, at_ns })
        }
        EntryKind::Fault => {
            const WRITE: u64 = 2;
            let [address, code, ..] = entry.arguments();
            let (tid, pid, at_ns) = (entry.tid(), entry.pid(), entry.end_ns());
            Event::Fault(Fault { tid, pid, address, is_write: code & WRITE != 0, at_ns })
        }
        EntryKind::Submit => Event::Submitted(requests?.read(entry)?),
        EntryKind::Complete => Event::Completed(Completed {
            key: entry.arguments()[0],
            at_ns: entry.end_ns(),
            result: (entry.result() as i32).into(),
        }),
        kind => {
            let strings = kind.strings();
            let path = |index| if index < strings { entry.path(index) } else { &[] };
            Event::Call(RawCall {
                tid: entry.tid(),
                pid: entry.pid(),
                number: entry.number().into(),
                start_ns: entry.start_ns(),
                end_ns: entry.end_ns(),
                result: entry.result(),
                arguments: entry.arguments(),
                paths: [path(0), path(1)],
                words: if kind.has_words() { entry.words(strings) } else { [0; 4] },
            })
        }
    })
}
