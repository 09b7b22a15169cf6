//! Storing a whole dataset at once, without storing the same one twice.

use crate::{
    Store, StoreError,
    found::Found,
    read::read_dataset,
    write::{insert_block, insert_campaign, insert_sample},
};
use model::{Dataset, Sample};
use rusqlite::Connection;

/// What became of an imported dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// It was stored under this id: its own, or with `-2`, `-3`, ... where another campaign has it.
    Stored(String),
    /// The campaign of this id has the same content; nothing was stored.
    AlreadyThere(String),
}

impl Store {
    /// Stores a dataset in one transaction; its blocks count as finished at the first attempt.
    pub fn import(&mut self, dataset: &Dataset) -> Result<Imported, StoreError> {
        let mut dataset = dataset.clone();
        dataset.samples.sort_by_key(|sample| (sample.block, sample.position));
        let tx = self.begin()?;
        let base = dataset.campaign.id.clone();
        for copy in 2.. {
            let Some(found) = Found::exact(&tx, &dataset.campaign.id)? else { break };
            if read_dataset(&tx, &found)? == dataset {
                return Ok(Imported::AlreadyThere(found.id));
            }
            dataset.campaign.id = format!("{base}-{copy}");
        }
        insert_dataset(&tx, &dataset)?;
        tx.commit()?;
        Ok(Imported::Stored(dataset.campaign.id))
    }
}

fn insert_dataset(db: &Connection, dataset: &Dataset) -> Result<(), StoreError> {
    let Dataset { campaign, targets, tests, samples } = dataset;
    let number = insert_campaign(db, campaign, targets, tests)?;
    let found = Found { number, id: campaign.id.clone() };
    for block in samples.chunk_by(|a, b| a.block == b.block) {
        insert_block(db, number, block[0].block, 1, "done", &order(block))?;
        for sample in block {
            insert_sample(db, &found, (1, 1), sample)?;
        }
    }
    Ok(())
}

/// The targets of a block, by their positions.
fn order(block: &[Sample]) -> Vec<String> {
    let mut order: Vec<String> = block.iter().map(|sample| sample.case.target.clone()).collect();
    order.dedup();
    order
}
