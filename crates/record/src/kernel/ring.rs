//! Reads the rings of all processors in the order in which calls ended.

use super::{
    layout::{self, Entry},
    maps::{Maps, SEGMENT_BITS, SLACK},
};
use std::time::Duration;

/// An entry is read once it is this old: one that ended before it may still be being written on another processor.
const SETTLED: Duration = Duration::from_millis(2);

/// How far each ring is read.
pub(super) struct Reader {
    tails: Vec<u64>,
}

impl Reader {
    pub(super) fn new(maps: &Maps) -> Reader {
        Reader { tails: vec![0; maps.processors] }
    }

    /// Hands out what ended more than a moment before `now_ns`, or everything where `now_ns` is none. Returns the
    /// share of the fullest ring that was waiting.
    pub(super) fn read(
        &mut self,
        maps: &Maps,
        now_ns: Option<u64>,
        take: &mut dyn FnMut(Entry),
    ) -> f64 {
        let until = now_ns.map_or(u64::MAX, |now| now.saturating_sub(SETTLED.as_nanos() as u64));
        let heads: Vec<u64> = (0..maps.processors).map(|p| maps.head(p)).collect();
        let waiting = self.tails.iter().zip(&heads).map(|(tail, head)| head.wrapping_sub(*tail));
        let full = waiting.max().unwrap_or(0) as f64 / maps.ring_bytes() as f64;
        let mut fronts: Vec<Option<u64>> =
            (0..maps.processors).map(|p| self.front(maps, p, heads[p])).collect();
        loop {
            let next =
                fronts.iter().enumerate().filter_map(|(p, end)| Some((end.as_ref()?, p))).min();
            let Some((end_ns, processor)) = next else { break };
            if *end_ns > until {
                break;
            }
            // Entries of this processor up to the next of another come without looking at the others again.
            let others = fronts.iter().enumerate().filter(|(p, _)| *p != processor);
            let limit = others.filter_map(|(_, end)| *end).min().unwrap_or(u64::MAX).min(until);
            while let Some(end_ns) = self.front(maps, processor, heads[processor]) {
                if end_ns > limit {
                    break;
                }
                let entry = self.entry(maps, processor);
                take(Entry(entry));
                self.tails[processor] += entry.len() as u64;
            }
            fronts[processor] = self.front(maps, processor, heads[processor]);
            maps.set_tail(processor, self.tails[processor]);
        }
        full
    }

    /// When the first unread entry of a ring ended.
    fn front(&self, maps: &Maps, processor: usize, head: u64) -> Option<u64> {
        (self.tails[processor] != head).then(|| Entry(self.entry(maps, processor)).end_ns())
    }

    /// The first unread entry of a ring, which has one.
    fn entry<'a>(&self, maps: &'a Maps, processor: usize) -> &'a [u8] {
        let tail = self.tails[processor];
        let segment = tail >> SEGMENT_BITS & ((1 << maps.segments_bits) - 1);
        let segment = (processor << maps.segments_bits) + segment as usize;
        let at =
            segment * ((1 << SEGMENT_BITS) + SLACK) + (tail as usize & ((1 << SEGMENT_BITS) - 1));
        let len = (maps.ring.word(at).load(std::sync::atomic::Ordering::Relaxed) as u32 as usize)
            .clamp(layout::FIXED, SLACK);
        // SAFETY: the program wrote this entry before it moved the head behind it, and writes there again only after
        // the tail is set, which is after the entry was handed out.
        unsafe { maps.ring.slice(at, len) }
    }
}
