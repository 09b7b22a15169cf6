//! The store and the state folder, opened for a verb that writes to them.

use crate::terminal;
use anyhow::{Context, Result};
use lab::{error::LabError, ownership::State};
use std::{
    fs,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};
use store::Store;

/// How long a campaign waits for its store, which another process may copy or compact meanwhile.
const PATIENCE: Duration = Duration::from_secs(600);

/// Opens the store, making its folder when it is the first time.
pub fn store(path: &Path) -> Result<Store> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    Ok(Store::open(path)?)
}

/// Opens the store for a campaign, which waits longer than a reader for another process that holds it.
pub fn store_to_run(path: &Path, stop: &Arc<AtomicBool>) -> Result<Store> {
    let mut store = self::store(path)?;
    store.wait_for(PATIENCE, stop)?;
    Ok(store)
}

/// Makes the state folder, or closes it to others, and says so.
pub fn state(state: &Path) -> Result<State, LabError> {
    let state = State::open(state)?;
    state.messages().iter().for_each(|line| terminal::note(line));
    Ok(state)
}
