//! Store files that were made, or damaged, elsewhere.

use super::shown::{assert_shown, scratch};
use std::fs;
use store::Store;

/// A store: whatever of it can be read is shown without harm.
pub fn store(bytes: &[u8]) -> bool {
    let dir = scratch();
    let path = dir.path().join("store.db");
    fs::write(&path, bytes).unwrap_or_else(|why| panic!("cannot write: {why}"));
    let Ok(store) = Store::open_read_only(&path) else { return false };
    let mut accepted = false;
    for campaign in store.list().into_iter().flatten().flatten() {
        let id = &campaign.id;
        let _ = (store.mark(id), store.finished_blocks(id), store.block_seconds(id));
        let _ = store.unfinished(id);
        if let Ok(data) = store.dataset(id) {
            assert_shown(&data);
            accepted = true;
        }
    }
    accepted
}
