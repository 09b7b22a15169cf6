//! Stores a campaign that arrives sample by sample, and never the same campaign twice.

use crate::{
    Store, StoreError,
    found::Found,
    read::read_head,
    samples::same_samples,
    write::{insert_block, insert_campaign, insert_sample},
};
use model::result::{CampaignState, Checker, Dataset, Head, Note, Origin, Sample};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// The result of importing a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// It was stored under this id: its own, or with `-2`, `-3`, ... where another campaign has it.
    Stored(String),
    /// The campaign of this id has the same content; nothing was stored.
    AlreadyThere(String),
}

/// A campaign on its way into the store. Nothing of it is there before all of it is.
#[derive(Debug)]
pub struct Incoming<'a> {
    db: &'a Connection,
    campaign: Found,
    checker: Checker,
    /// The targets of each block, by their positions.
    blocks: BTreeMap<u32, BTreeMap<u32, Vec<String>>>,
}

impl Incoming<'_> {
    /// Takes the next sample, which keeps every rule of [`Dataset::checked`].
    pub fn add(&mut self, mut sample: Sample) -> Result<(), StoreError> {
        self.checker.sample(&mut sample)?;
        let block = self.blocks.entry(sample.block).or_default();
        let there = block.entry(sample.position).or_default();
        if there.last() != Some(&sample.case.target) {
            there.push(sample.case.target.clone());
        }
        insert_sample(self.db, &self.campaign, (1, 1), &sample)
    }

    /// Completes the campaign by what there is besides its samples.
    fn finish(self, mut given: Head) -> Result<Imported, StoreError> {
        self.checker.head(&mut given)?;
        for (block, places) in &self.blocks {
            let order: Vec<String> = places.values().flatten().cloned().collect();
            insert_block(self.db, self.campaign.number, *block, 1, "done", &order)?;
        }
        let mut import = as_import(&given);
        let base = given.campaign.id.clone();
        for copy in 2.. {
            let Some(found) = Found::exact(self.db, &import.campaign.id)? else { break };
            let stored = read_head(self.db, &found)?.printable();
            // What was exported here may come back.
            let is_same = stored == import || stored == given;
            if is_same && same_samples(self.db, &found, &self.campaign)? {
                return Ok(Imported::AlreadyThere(found.id));
            }
            import.campaign.id = format!("{base}-{copy}");
            given.campaign.id.clone_from(&import.campaign.id);
        }
        insert_campaign(self.db, Some(self.campaign.number), &import)?;
        Ok(Imported::Stored(import.campaign.id))
    }
}

impl Store {
    /// Stores a dataset as [`Store::import_from`] does.
    pub fn import(&mut self, dataset: &Dataset) -> Result<Imported, StoreError> {
        let Dataset { campaign, targets, tests, samples } = dataset;
        self.import_from(|incoming| {
            samples.iter().try_for_each(|sample| incoming.add(sample.clone()))?;
            let (campaign, targets, tests) = (campaign.clone(), targets.clone(), tests.clone());
            Ok(Head { campaign, targets, tests })
        })
    }

    /// Stores what `feed` gives, the samples one by one and the rest at last, in one transaction; its
    /// blocks count as finished at the first attempt. It must keep every rule of [`Dataset::checked`].
    /// Whatever it says of itself, it is an import of which nothing is left to run, and carries no mark.
    pub fn import_from<E: From<StoreError>>(
        &mut self,
        feed: impl FnOnce(&mut Incoming<'_>) -> Result<Head, E>,
    ) -> Result<Imported, E> {
        // A sample comes before what it refers to; that this comes is checked at the end.
        self.refer(false)?;
        let imported = self.import_parts(feed);
        self.refer(true)?;
        imported
    }

    /// Has SQLite see to it that rows refer to those that are there, or not.
    fn refer(&self, checked: bool) -> Result<(), StoreError> {
        Ok(self.db.pragma_update(None, "foreign_keys", checked)?)
    }

    fn import_parts<E: From<StoreError>>(
        &mut self,
        feed: impl FnOnce(&mut Incoming<'_>) -> Result<Head, E>,
    ) -> Result<Imported, E> {
        let tx = self.begin()?;
        let campaign = Found { number: next_number(&tx)?, id: "to import".into() };
        let (checker, blocks) = (Checker::default(), BTreeMap::new());
        let mut incoming = Incoming { db: &tx, campaign, checker, blocks };
        let head = feed(&mut incoming)?;
        let imported = incoming.finish(head)?;
        // A transaction that is not committed leaves nothing.
        if let Imported::Stored(_) = imported {
            tx.commit().map_err(StoreError::from)?;
        }
        Ok(imported)
    }
}

/// The number of the next campaign.
fn next_number(db: &Connection) -> Result<i64, StoreError> {
    let sql = "SELECT coalesce(max(number), 0) + 1 FROM campaign";
    Ok(db.query_row(sql, [], |row| row.get(0))?)
}

/// `given` as a campaign that was not run here and never will be.
fn as_import(given: &Head) -> Head {
    let mut import = given.clone();
    let campaign = &mut import.campaign;
    if campaign.state == CampaignState::Open {
        campaign.notes.push(Note::Unfinished {});
    }
    (campaign.origin, campaign.state) = (Origin::Import, CampaignState::Done);
    import
}
