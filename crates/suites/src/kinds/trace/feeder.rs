//! Makes the steps of lanes from the blocks of a trace: all before the clock starts, or during the run of a long trace.

use super::{files::Opened, plan::Planner, step::Chunk, supply::Supply};
use std::fs::File;
use trace::file::{Block, Calls};

/// Between the file of a trace and the supply of steps.
pub(super) struct Feeder<'f> {
    planner: Planner<'f>,
    calls: Calls<'f, File>,
    /// Blocks that are not read yet.
    blocks: std::slice::Iter<'f, Block>,
    supply: &'f Supply,
}

impl<'f> Feeder<'f> {
    pub(super) fn new(
        planner: Planner<'f>,
        calls: Calls<'f, File>,
        supply: &'f Supply,
    ) -> Feeder<'f> {
        let blocks = calls.blocks().iter();
        Feeder { planner, calls, blocks, supply }
    }

    /// Takes note of all calls before the window.
    ///
    /// # Errors
    /// A block cannot be read.
    pub(super) fn skip(&mut self) -> Result<(), String> {
        let mut calls = Vec::new();
        for block in self.calls.blocks() {
            self.calls.read(block, &mut calls).map_err(|why| why.to_string())?;
            self.planner.skip(&calls);
        }
        Ok(())
    }

    /// The handles that are open before the first step, each with its slot and its lane.
    pub(super) fn opened(&self) -> Vec<(u32, u32, Opened)> {
        self.planner.opened()
    }

    /// Supplies steps: those ahead of the lanes if it is the `first` time, else all others.
    ///
    /// # Errors
    /// A block cannot be read; no more steps come then.
    pub(super) fn feed(&mut self, first: bool) -> Result<(), String> {
        let fed = self.supplied(first);
        if fed.is_err() {
            self.supply.end();
        }
        fed
    }

    fn supplied(&mut self, first: bool) -> Result<(), String> {
        let lanes = self.supply.lanes();
        let mut calls = Vec::new();
        while self.blocks.len() > 0 {
            if first && self.supply.is_full() {
                return Ok(());
            }
            if !self.supply.has_room() {
                return Ok(());
            }
            let Some(block) = self.blocks.next() else { break };
            self.calls.read(block, &mut calls).map_err(|why| why.to_string())?;
            let mut chunks = vec![Chunk::default(); lanes];
            self.planner.block(&calls, &mut chunks);
            self.supply.add(chunks);
        }
        if first {
            // None of them was taken yet.
            for lane in 0..lanes {
                self.supply.each(lane, |chunks| self.planner.mark_awaited(lane, chunks));
            }
        }
        self.supply.end();
        Ok(())
    }
}
