//! Cuts the power while snapshots are made and deleted, and holds what is left to what each call had promised.

use super::{
    check::wrong,
    kept::make,
    volume::{MountedVolume, Volume},
};
use crate::faults::{Asked, FaultsError, RecordedTarget, Work};
use ::faults::{
    contract::Finding,
    full::Content,
    snapshots::{Author, Change, Tree},
};
use model::{
    random::Rng,
    result::{CrashStates, Harm},
};
use std::{
    io,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};
use suites::{Application, TestError};

/// Live files.
const FILES: u64 = 12;
/// Files that are changed before each snapshot.
const CHANGE: u64 = 3;
/// Snapshots that are made.
const ROUNDS: u64 = 12;
/// Snapshots that are kept: the oldest is dropped before a new one is made.
const KEPT: u64 = 4;

/// When a snapshot has to be there after a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    /// As soon as the call that makes it has returned.
    Returned,
    /// After a sync of the file system.
    Synced,
}

/// A program that makes a snapshot after each round of changes.
#[derive(Debug)]
struct Taking {
    promise: Promise,
    content: Content,
    filling: Vec<Change>,
    rounds: Vec<Round>,
}

/// Changes, and the snapshot of them.
#[derive(Debug)]
struct Round {
    changes: Vec<Change>,
    /// Whether they are synced before the snapshot is made.
    is_synced: bool,
    tree: Tree,
}

impl RecordedTarget<'_> {
    /// Cuts the power while snapshots are made and dropped. Holds the states first to the snapshots that were synced,
    /// then, with other states, to those whose call had returned.
    ///
    /// # Errors
    /// The file system cannot be mounted, or refuses a snapshot, without any fault.
    pub fn crash_snapshots(
        &mut self,
        asked: &Asked,
        stop: &AtomicBool,
    ) -> Result<[CrashStates; 2], FaultsError> {
        let mut crash = |promise| {
            let taking: Arc<dyn Application> = Arc::new(Taking::new(asked.seed, promise));
            Ok::<_, FaultsError>(self.crash(Work::Application(&taking), asked, stop)?.after)
        };
        Ok([crash(Promise::Synced)?, crash(Promise::Returned)?])
    }
}

impl Taking {
    fn new(seed: u64, promise: Promise) -> Taking {
        let (mut author, mut tree) = (Author::new(seed), Tree::default());
        let mut rng = Rng::new(seed ^ 0x6372_6173);
        let filling: Vec<Change> = (0..FILES).map(|_| author.create()).collect();
        filling.iter().for_each(|change| tree.apply(change));
        let round = |_| {
            let changes = author.step(&mut tree, CHANGE);
            Round { changes, is_synced: rng.below(2) == 1, tree: tree.clone() }
        };
        let rounds = (0..ROUNDS).map(round).collect();
        Taking { promise, content: Content::new(seed), filling, rounds }
    }

    fn change(&self, volume: &impl Volume, changes: &[Change]) -> io::Result<()> {
        changes.iter().try_for_each(|change| make(volume, &self.content, change, false))
    }

    /// One round; `mark` gets a mark when the snapshot is made, and another when it is synced.
    fn round(
        &self,
        volume: &impl Volume,
        (number, round): (u64, &Round),
        mark: &dyn Fn(u64),
    ) -> io::Result<()> {
        self.change(volume, &round.changes)?;
        if round.is_synced {
            volume.sync()?;
        }
        if let Some(oldest) = number.checked_sub(KEPT) {
            volume.drop_one(oldest)?;
        }
        volume.make(number)?;
        mark(2 * number);
        volume.sync()?;
        mark(2 * number + 1);
        Ok(())
    }

    /// What is wrong with the snapshot `number`, which is there or not.
    fn finding(
        &self,
        volume: &impl Volume,
        (number, round): (u64, &Round),
        is_there: bool,
        acknowledged: Option<u64>,
    ) -> Option<Finding> {
        let is_past = |mark: u64| acknowledged.is_some_and(|last| last >= mark);
        let promised = match self.promise {
            Promise::Returned => 2 * number,
            Promise::Synced => 2 * number + 1,
        };
        // It is dropped in a later round, if there is one: after the mark before that, and for sure by the mark at its
        // end.
        let later = 2 * (number + KEPT);
        let may_be_dropped = number + KEPT < ROUNDS && is_past(later - 1);
        let has_to_be = is_past(promised) && !may_be_dropped;
        let (harm, detail) = match is_there {
            false if has_to_be => (Harm::NameGone, "it is not there".to_owned()),
            false => return None,
            true if is_past(later + 1) => (Harm::NameStays, "it was dropped".to_owned()),
            true => {
                let detail = wrong(volume, &self.content, (Some(number), &round.tree))?;
                (if has_to_be { Harm::Lost } else { Harm::Malformed }, detail)
            }
        };
        Some(Finding { harm, path: format!("snapshot {number}"), detail })
    }

    /// What is wrong with all of them.
    fn findings(
        &self,
        volume: &impl Volume,
        there: &[u64],
        acknowledged: Option<u64>,
    ) -> Vec<Finding> {
        let one = |(number, round): (u64, &Round)| {
            self.finding(volume, (number, round), there.contains(&number), acknowledged)
        };
        (0..).zip(&self.rounds).filter_map(one).collect()
    }
}

impl Application for Taking {
    fn name(&self) -> &str {
        match self.promise {
            Promise::Returned => "snapshots, returned",
            Promise::Synced => "snapshots, synced",
        }
    }

    fn prepare(&self, root: &Path) -> Result<(), TestError> {
        let made = MountedVolume::make_in(root).and_then(|own| self.change(&own, &self.filling));
        made.map_err(TestError::io("prepare for snapshots in", root))
    }

    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError> {
        let work = |volume: MountedVolume| {
            (0..).zip(&self.rounds).try_for_each(|own| self.round(&volume, own, mark))
        };
        let done = MountedVolume::open_in(root).and_then(work);
        done.map_err(TestError::io("make snapshots in", root))
    }

    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError> {
        // The live files were there before the first change: where they cannot be opened, the state is to blame.
        let opened = MountedVolume::open_in(root).and_then(|own| Ok((own.snapshots()?, own)));
        Ok(match opened {
            Ok((there, volume)) => self.findings(&volume, &there, acknowledged),
            Err(error) => {
                let (path, detail) = ("live files".into(), error.to_string());
                vec![Finding { harm: Harm::Unreadable, path, detail }]
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::fake::{Fake, Way},
        *,
    };

    /// Those that are there after the work was cut off after the mark `last`, with what is found.
    fn cut_off(way: Way, promise: Promise, last: u64, gone: &[u64]) -> Vec<(u64, Harm)> {
        let (taking, fake) = (Taking::new(5, promise), Fake::new(way));
        taking.change(&fake, &taking.filling).unwrap();
        for own in (0..).zip(&taking.rounds).take(last as usize / 2 + 1) {
            taking.round(&fake, own, &|_| ()).unwrap();
        }
        gone.iter().for_each(|number| fake.drop_one(*number).unwrap());
        let found = taking.findings(&fake, &fake.snapshots(), Some(last));
        let number = |path: &str| path.trim_start_matches("snapshot ").parse().unwrap();
        found.into_iter().map(|own| (number(&own.path), own.harm)).collect()
    }

    #[test]
    fn snapshot_has_to_be_there_as_soon_as_it_is_promised() {
        let none: Vec<(u64, Harm)> = Vec::new();
        for promise in [Promise::Returned, Promise::Synced] {
            for last in [0, 1, 6, 7, 12, 23] {
                assert_eq!(cut_off(Way::Right, promise, last, &[]), none, "{promise:?} {last}");
            }
        }
        let gone = [(3, Harm::NameGone)];
        assert_eq!(cut_off(Way::Right, Promise::Synced, 6, &[3]), none, "it is not synced");
        assert_eq!(cut_off(Way::Right, Promise::Returned, 6, &[3]), gone);
        assert_eq!(cut_off(Way::Right, Promise::Synced, 7, &[3]), gone);
        assert_eq!(cut_off(Way::Right, Promise::Synced, 23, &[8]), [(8, Harm::NameGone)]);
        // From the mark before its drop on it may be gone.
        assert_eq!(cut_off(Way::Right, Promise::Synced, 7, &[0]), none);
        assert_eq!(cut_off(Way::Right, Promise::Synced, 6, &[0]), [(0, Harm::NameGone)]);
    }

    #[test]
    fn snapshot_that_changes_or_stays_is_found() {
        let changed = cut_off(Way::FollowsLive, Promise::Synced, 7, &[]);
        assert!(changed.contains(&(2, Harm::Lost)), "{changed:?}");
        let stays = cut_off(Way::KeepsDropped, Promise::Synced, 9, &[]);
        assert_eq!(stays, [(0, Harm::NameStays)]);
    }
}
