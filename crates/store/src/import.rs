//! Storing a whole dataset at once, without storing the same one twice.

use crate::{
    Store, StoreError,
    found::Found,
    read::read_dataset,
    write::{insert_block, insert_campaign, insert_sample},
};
use model::{CampaignState, Dataset, Origin, Sample};
use rusqlite::Connection;

/// What a report says of a campaign that was exported before its end.
const UNFINISHED: &str =
    "Imported before it was finished: these are the figures that it had by then.";

/// What became of an imported dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// It was stored under this id: its own, or with `-2`, `-3`, ... where another campaign has it.
    Stored(String),
    /// The campaign of this id has the same content; nothing was stored.
    AlreadyThere(String),
}

impl Store {
    /// Stores a dataset in one transaction; its blocks count as finished at the first attempt. It must
    /// keep every rule of [`Dataset::checked`]. Whatever it says of itself, it is an import of which
    /// nothing is left to run, and carries no mark.
    pub fn import(&mut self, dataset: &Dataset) -> Result<Imported, StoreError> {
        let mut given = dataset.clone().checked()?;
        let mut import = as_import(&given);
        let tx = self.begin()?;
        let base = given.campaign.id.clone();
        for copy in 2.. {
            let Some(found) = Found::exact(&tx, &import.campaign.id)? else { break };
            let stored = read_dataset(&tx, &found)?;
            // What was exported here may come back.
            if stored == import || stored == given {
                return Ok(Imported::AlreadyThere(found.id));
            }
            import.campaign.id = format!("{base}-{copy}");
            given.campaign.id.clone_from(&import.campaign.id);
        }
        insert_dataset(&tx, &import)?;
        tx.commit()?;
        Ok(Imported::Stored(import.campaign.id))
    }
}

/// `given` as a campaign that was not run here and never will be.
fn as_import(given: &Dataset) -> Dataset {
    let mut import = given.clone();
    let campaign = &mut import.campaign;
    if campaign.state == CampaignState::Open {
        campaign.notes.push(UNFINISHED.into());
    }
    (campaign.origin, campaign.state) = (Origin::Import, CampaignState::Done);
    import
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
