//! Slots for the descriptors and mappings of a replay: a slot of the lane if only one thread uses it, otherwise a
//! shared slot. Slots of a lane are reused.

use super::{
    resource::{Mark, Resource},
    step::{NONE, SHARED, Step, has},
};
use std::collections::{HashMap, HashSet};
use trace::call::{Call, Field, HandleId, MapId, Op};

/// A handle that is open.
#[derive(Debug)]
struct Held {
    slot: u32,
    lane: u32,
    /// Only of a shared one.
    life: Resource,
    position: Resource,
}

/// The slots of one lane.
#[derive(Clone, Debug, Default)]
struct Own {
    free: Vec<u32>,
    next: u32,
}

/// The slots of all lanes.
#[derive(Debug)]
pub(super) struct Slots<'s> {
    is_shared: &'s HashSet<HandleId>,
    held: HashMap<HandleId, Held>,
    own: Vec<Own>,
    shared: u32,
    maps: HashMap<MapId, (u32, Resource)>,
    free_maps: Vec<u32>,
    next_map: u32,
}

impl<'s> Slots<'s> {
    pub(super) fn new(is_shared: &'s HashSet<HandleId>, lanes: usize) -> Slots<'s> {
        Slots {
            is_shared,
            held: HashMap::new(),
            own: vec![Own::default(); lanes],
            shared: 0,
            maps: HashMap::new(),
            free_maps: Vec::new(),
            next_map: 0,
        }
    }

    /// The slot of `handle`.
    pub(super) fn of(&self, handle: HandleId) -> u32 {
        self.held.get(&handle).map_or(NONE, |held| held.slot)
    }

    /// The lane that made `handle`.
    pub(super) fn lane(&self, handle: HandleId) -> u32 {
        self.held.get(&handle).map_or(0, |held| held.lane)
    }

    /// Gives `handle`, which `lane` makes, a slot.
    pub(super) fn make(&mut self, handle: HandleId, lane: u32) -> u32 {
        if handle == NONE {
            return NONE;
        }
        let slot = if self.is_shared.contains(&handle) {
            self.shared += 1;
            SHARED | (self.shared - 1)
        } else {
            let own = &mut self.own[lane as usize];
            own.free.pop().unwrap_or_else(|| {
                own.next += 1;
                own.next - 1
            })
        };
        let held = self.held.entry(handle).or_insert_with(|| Held {
            slot,
            lane,
            life: Resource::default(),
            position: Resource::default(),
        });
        held.slot = slot;
        slot
    }

    /// Sets the slots of `step`, which `lane` makes of `call`.
    pub(super) fn resolve(&mut self, call: &Call, lane: u32, step: &mut Step) {
        match call.op {
            Op::Open => step.handle = self.make(call.handle, lane),
            Op::Dup => {
                step.handle = self.of(call.handle);
                step.other = self.make(call.other, lane);
            }
            Op::Map => {
                step.handle = self.of(call.handle);
                step.other = self.make_map(call.other);
            }
            Op::Close => {
                step.handle = self.of(call.handle);
                if call.flags == 0 {
                    self.give_back(call.handle, lane);
                }
            }
            Op::Unmap => {
                step.other = self.map(call.other);
                if let Some((slot, _)) = self.maps.remove(&call.other) {
                    self.free_maps.push(slot);
                }
            }
            Op::Msync | Op::Madvise | Op::Touch => step.other = self.map(call.other),
            op if op.copies() || op == Op::Clone => {
                step.handle = self.of(call.handle);
                step.other = self.of(call.other);
            }
            op if has(op, Field::Handle) => step.handle = self.of(call.handle),
            _ => {}
        }
    }

    /// Takes note of `call`, which `lane` has made before.
    pub(super) fn skip(&mut self, call: &Call, lane: u32) {
        match call.op {
            Op::Open => {
                self.make(call.handle, lane);
            }
            Op::Dup => {
                self.make(call.other, lane);
            }
            Op::Close if call.flags == 0 => self.give_back(call.handle, lane),
            _ => {}
        }
    }

    fn give_back(&mut self, handle: HandleId, lane: u32) {
        let Some(held) = self.held.remove(&handle) else { return };
        if held.slot & SHARED == 0 {
            self.own[lane as usize].free.push(held.slot);
        }
    }

    fn make_map(&mut self, map: MapId) -> u32 {
        if map == NONE {
            return NONE;
        }
        let slot = self.free_maps.pop().unwrap_or_else(|| {
            self.next_map += 1;
            self.next_map - 1
        });
        self.maps.insert(map, (slot, Resource::default()));
        slot
    }

    fn map(&self, map: MapId) -> u32 {
        self.maps.get(&map).map_or(NONE, |(slot, _)| *slot)
    }

    /// Orders `call` of `mark` among the calls on its handles and its mapping.
    pub(super) fn order(&mut self, mark: Mark, call: &Call, wait: &mut dyn FnMut(Mark)) {
        let moves = matches!(call.op, Op::Read | Op::Write | Op::Seek | Op::Getdents)
            || call.op.copies() && call.offset == u64::MAX;
        if has(call.op, Field::Handle) {
            self.order_handle(mark, call.handle, (call.op, call.flags), moves, wait);
        }
        match call.op {
            Op::Dup | Op::CopyRange | Op::CopyTo | Op::SendFile | Op::Clone => {
                let moves = matches!(call.op, Op::CopyRange | Op::SendFile);
                self.order_handle(mark, call.other, (call.op, 0), moves, wait);
            }
            Op::Unmap => {
                if let Some((_, life)) = self.maps.get_mut(&call.other) {
                    life.change_by(mark, wait);
                }
            }
            Op::Msync | Op::Madvise | Op::Touch => {
                if let Some((_, life)) = self.maps.get_mut(&call.other) {
                    life.use_by(mark, wait);
                }
            }
            _ => {}
        }
    }

    fn order_handle(
        &mut self,
        mark: Mark,
        handle: HandleId,
        (op, flags): (Op, u32),
        moves: bool,
        wait: &mut dyn FnMut(Mark),
    ) {
        if !self.is_shared.contains(&handle) {
            return;
        }
        let is_made = !self.held.contains_key(&handle);
        let held = self.held.entry(handle).or_insert_with(|| Held {
            slot: NONE,
            lane: mark.lane,
            life: Resource::default(),
            position: Resource::default(),
        });
        if is_made || op == Op::Close && flags == 0 {
            held.life.change_by(mark, wait);
        } else {
            held.life.use_by(mark, wait);
        }
        if moves {
            held.position.change_by(mark, wait);
        }
    }
}
