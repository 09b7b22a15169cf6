//! The race: at each look, candidates that are clearly behind get no more blocks. When a candidate is dropped, the
//! number of its blocks is stored among its facts, so that a resumed campaign knows.

use super::Schedule;
use anyhow::Result;
use model::result::Note;
use stats::description::Settings;

impl Schedule<'_> {
    /// Takes candidates out of the race that are decidedly behind after `blocks` blocks.
    pub(super) fn race(&mut self, blocks: u32) -> Result<()> {
        let dataset = self.store.dataset(&self.sized.campaign().id)?;
        for behind in stats::verdict::look(&dataset, &Settings::default())?.behind {
            let own = |record: &&mut model::result::TargetRecord| record.label == behind.target;
            let Some(record) = self.records.iter_mut().find(own) else { continue };
            record.leave_after(blocks);
            self.store.set_target(&self.sized.campaign().id, record)?;
            let why = Note::Dropped {
                target: behind.target,
                after_blocks: blocks,
                leader: behind.leader,
                tables: behind.tables,
            };
            self.progress.noted(&why);
            self.store.add_note(&self.sized.campaign().id, &why)?;
        }
        Ok(())
    }

    /// Entrants that can be made and did not leave.
    pub(super) fn running(&self) -> impl Iterator<Item = usize> {
        self.sized.available().filter(|&at| self.records[at].left_after().is_none())
    }

    /// Cases of the first `blocks` blocks, without those of candidates that left before.
    pub(super) fn cases_until(&self, blocks: u32) -> u64 {
        let own = |at: usize| self.records[at].left_after().unwrap_or(blocks).min(blocks);
        self.sized.available().map(|at| self.sized.cases() * u64::from(own(at))).sum()
    }
}
