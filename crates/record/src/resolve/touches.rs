//! Follows the first uses of mapped pages: those of one thread that follow each other in a mapping are one call.

use super::{Resolver, tables::Thread};
use crate::raw::{Fault, RawCall};
use std::collections::HashMap;
use trace::call::{MapId, NONE, Op};

const PAGE: u64 = 4096;

/// Uses that are not stored yet, by thread.
pub(super) type Touches = HashMap<u32, Touched>;

/// Pages that a thread used one after the other.
pub(super) struct Touched {
    thread: Thread,
    map: MapId,
    /// Within the mapping, bytes.
    offset: u64,
    pages: u64,
    is_write: bool,
    first_ns: u64,
    last_ns: u64,
}

impl Resolver {
    /// A page was used. Nothing where no file below a root is mapped there.
    pub(super) fn touch(&mut self, fault: &Fault) {
        let Some(thread) = self.tables.threads.get(&fault.tid).copied() else { return };
        let Some((from, map)) = self.mapping(thread.files, fault.address) else { return };
        let offset = (fault.address - from) / PAGE * PAGE;
        if let Some(touched) = self.touches.get_mut(&fault.tid) {
            let follows = touched.offset + touched.pages * PAGE == offset;
            if follows && touched.map == map && touched.is_write == fault.is_write {
                touched.pages += 1;
                touched.last_ns = fault.at_ns;
                return;
            }
        }
        self.store_touches(fault.tid);
        let (is_write, first_ns, last_ns) = (fault.is_write, fault.at_ns, fault.at_ns);
        let touched = Touched { thread, map, offset, pages: 1, is_write, first_ns, last_ns };
        self.touches.insert(fault.tid, touched);
    }

    /// Where the mapping of a file begins that has `address`, and which it is.
    pub(super) fn mapping(&self, files: usize, address: u64) -> Option<(u64, MapId)> {
        let before = self.maps.range((files, 0)..=(files, address)).next_back();
        let (&(_, from), &(len, map)) = before?;
        (address - from < len && map != NONE).then_some((from, map))
    }

    /// Stores what a thread used, before anything else that it does.
    pub(super) fn store_touches(&mut self, tid: u32) {
        let Some(touched) = self.touches.remove(&tid) else { return };
        let Touched { thread, map, offset, pages, is_write, first_ns, last_ns } = touched;
        let raw = RawCall { start_ns: first_ns, end_ns: last_ns, ..RawCall::default() };
        self.emit(&raw, &thread, Op::Touch, |call| {
            (call.other, call.offset, call.len, call.flags) = (map, offset, pages, is_write.into());
        });
    }

    /// Stores what all threads used.
    pub(super) fn store_all_touches(&mut self) {
        let tids: Vec<u32> = self.touches.keys().copied().collect();
        tids.into_iter().for_each(|tid| self.store_touches(tid));
    }
}
