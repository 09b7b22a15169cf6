//! Asks a file system without free space what it still allows.

use super::{
    fill::{Filling, put},
    space::{Answer, Space},
};
use ::faults::full::{BLOCK, Kept};
use model::result::{FullAnswer, FullAnswers};

/// Files that were made before the disk was full, one for each change of a name or a length.
const SPARES: [&str; 4] = ["replaced", "replacing", "deleted", "truncated"];

/// The spare files.
pub(super) struct Spares([Kept; 4]);

/// Makes the spare files while there is space, and syncs them.
pub(super) fn prepare<S: Space>(filling: &mut Filling<'_, S>) -> Answer<Spares> {
    let mut make = |name: &str| -> Answer<Kept> {
        let number = filling.number();
        let file = filling.space.create(name)?;
        let data = filling.content.bytes(number, 0, BLOCK);
        put(filling.space, &file, 0, &data)?;
        filling.space.close(file)?;
        Ok(Kept { bytes: BLOCK as u64, ..Kept::new(name.into(), number) })
    };
    let [replaced, replacing, deleted, truncated] = SPARES;
    let spares = [make(replaced)?, make(replacing)?, make(deleted)?, make(truncated)?];
    filling.space.sync_dir()?;
    Ok(Spares(spares))
}

/// Does one operation after the other, each on a disk that is filled up again. What has to be there of the spare files
/// afterwards is noted.
pub(super) fn ask<S: Space>(filling: &mut Filling<'_, S>, spares: Spares) -> FullAnswers {
    let Spares([replaced, replacing, deleted, truncated]) = spares;
    let mut spares = Vec::new();
    let overwrite = overwrite(filling);
    filling.fill(u64::MAX);
    let create = create(filling.space);
    if create.is_ok() {
        spares.push(Kept::new("created".into(), 0));
    }
    filling.fill(u64::MAX);
    let space = filling.space;
    let mkdir = space.mkdir("directory").and_then(|()| space.sync_dir());
    filling.fill(u64::MAX);
    let rename = rename(space, replaced, replacing, &mut spares);
    filling.fill(u64::MAX);
    let unlink = space.unlink(&deleted.name).and_then(|()| space.sync_dir());
    filling.fill(u64::MAX);
    let truncate = truncate(space, truncated, &mut spares);
    filling.fill(u64::MAX);
    filling.note(spares);
    let [overwrite, create, mkdir, rename, unlink, truncate] =
        [overwrite, create, mkdir, rename, unlink, truncate].map(answer);
    FullAnswers { overwrite, create, mkdir, rename, unlink, truncate }
}

fn answer(done: Answer) -> FullAnswer {
    done.map_or_else(FullAnswer::Refused, |()| FullAnswer::Done)
}

/// Writes over the second block of the first file that has one.
fn overwrite<S: Space>(filling: &mut Filling<'_, S>) -> Answer {
    let index = filling.kept.iter().position(|own| own.bytes >= 2 * BLOCK as u64);
    let index = index.ok_or(rustix::io::Errno::NOENT.raw_os_error())?;
    filling.overwrite(index, 1, 1).map(|_| ())
}

fn create<S: Space>(space: &S) -> Answer {
    let file = space.create("created")?;
    let synced = space.sync(&file);
    space.close(file)?;
    synced
}

/// Where a call fails whose effect may be there or not, nothing is noted.
fn rename<S: Space>(space: &S, old: Kept, new: Kept, kept: &mut Vec<Kept>) -> Answer {
    let renamed = space.rename(&new.name, &old.name);
    if renamed.is_err() {
        kept.extend([old, new]);
        return renamed;
    }
    let synced = space.sync_dir();
    if synced.is_ok() {
        kept.push(Kept { name: old.name, ..new });
    }
    synced
}

fn truncate<S: Space>(space: &S, spare: Kept, kept: &mut Vec<Kept>) -> Answer {
    let file = space.open(&spare.name)?;
    let done = space.truncate(&file, 0).and_then(|()| space.sync(&file));
    space.close(file)?;
    if done.is_ok() {
        kept.push(Kept { bytes: 0, ..spare });
    }
    done
}
