//! Corrupts the disk silently (a flipped bit, a lost or misdirected write), and observes what is read.

use super::{
    FaultsError,
    failed_write::number,
    recorded_target::{LOG_BYTES, RecordedTarget},
    test_disk,
};
use ::faults::{
    log::Log,
    rule::{On, Rule, What, When, flip},
    turned_bit::{
        LINK_TARGET, NAME, PIECE_BYTES, PIECES, Role, Spot, bit_of, content, other_place, spots,
        written,
    },
};
use lab::{error::LabError, recording::btrfs};
use model::result::{DamagedPlace, SilentFault};
use rustix::fs::syncfs;
use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::{FileExt, symlink},
    path::Path,
    time::{Duration, Instant},
};

/// The other files of the workload.
const OTHER: &str = "other";
const LINK: &str = "link";
const MANY: &str = "many-pieces";

/// What one try read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// What was written.
    Right,
    /// Other data, without an error.
    Wrong,
    /// This error number.
    Failed(i32),
}

/// What was seen of one silent fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenBit {
    /// What was read.
    pub read: Read,
    /// Whether the disk held afterwards what was written.
    pub is_repaired: bool,
    /// What a scrub or the checker made of it, where the damage was still there and the file system has one.
    pub scrubbed: Option<Scrubbed>,
}

/// A scrub, or a run of the checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scrubbed {
    /// Whether it found anything.
    pub has_detected: bool,
    /// Whether the disk held afterwards what was written.
    pub has_repaired: bool,
    /// How long it took.
    pub took: Duration,
}

/// What is damaged in one try.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    /// What the disk does.
    pub fault: SilentFault,
    /// To what.
    pub place: DamagedPlace,
    /// Of the data, and of the bit.
    pub seed: u64,
    /// Which of the copies, counted around.
    pub copy: u64,
}

/// Bytes that the disk ought to hold, and does not.
#[derive(Clone, Debug)]
struct Sound {
    offset: u64,
    bytes: Vec<u8>,
    /// The bits of the first byte that count; all of every byte where it is 0xff.
    mask: u8,
}

impl RecordedTarget<'_> {
    /// Writes files, damages one of them on the disk, and reads it after a mount. `None` where the target has no such
    /// place.
    ///
    /// # Errors
    /// It cannot be mounted without the fault, what is looked for was never written as it is, or no read met it.
    pub fn damage(&mut self, damage: Damage) -> Result<Option<SeenBit>, FaultsError> {
        self.begin()?;
        self.disk.record(LOG_BYTES);
        let mounted = self.mount()?;
        let done = write(mounted.root(), damage).map_err(FaultsError::Prepare);
        self.unmount(mounted)?;
        let log = self.disk.recorded()?;
        done?;
        let Some(spots) = spots(&self.traits, damage.place, &log, damage.seed) else {
            return Ok(None);
        };
        let lost = || FaultsError::FaultNotTriggered {
            target: self.name(),
            what: "wrote the data to damage",
        };
        let number = damage.copy.checked_rem(spots.len() as u64).ok_or_else(lost)?;
        let spot = &spots[usize::try_from(number).unwrap_or(0)];
        let sound = self.make_damage(&log, damage, spot)?;
        let read = self.read(damage, &sound)?;
        if self.disk.served().injected.iter().sum::<u64>() == 0 && spots.len() == 1 {
            return Err(FaultsError::FaultNotTriggered {
                target: self.name(),
                what: "met the damage",
            });
        }
        self.disk.inject(Vec::new());
        let is_repaired = self.is_sound(&sound)?;
        let scrubbed = if is_repaired { None } else { self.scrub(&sound)? };
        Ok(Some(SeenBit { read, is_repaired, scrubbed }))
    }

    /// Shows the disk with the damage. Returns what it would hold without.
    fn make_damage(
        &self,
        log: &Log,
        damage: Damage,
        spot: &Spot,
    ) -> Result<Vec<Sound>, FaultsError> {
        let lost = || FaultsError::FaultNotTriggered {
            target: self.name(),
            what: "wrote the data to overwrite",
        };
        let length = usize::try_from(spot.range.end - spot.range.start).unwrap_or(0);
        let whole = |offset| -> Result<Sound, FaultsError> {
            Ok(Sound { offset, bytes: self.bytes(offset, length)?, mask: 0xff })
        };
        let (mut sound, mut patches) = (vec![whole(spot.range.start)?], Vec::new());
        let mut other = 0;
        match damage.fault {
            SilentFault::TurnedBit => {
                let bit = bit_of(&spot.range, damage.seed);
                let bytes = self.bytes(bit / 8, 1)?;
                let mut turned = bytes.clone();
                flip(&mut turned, bit / 8, &[bit]);
                patches.push((bit / 8, turned));
                sound = vec![Sound { offset: bit / 8, bytes, mask: 1 << (bit % 8) }];
            }
            SilentFault::LostWrite => {}
            SilentFault::MisdirectedWrite => {
                other = other_place(log, damage.seed).ok_or_else(lost)?;
                sound.push(whole(other)?);
            }
        }
        let written = written(log, damage.fault, spot, other);
        self.disk.show(written.into_iter().chain(patches))?;
        Ok(sound)
    }

    /// What a fresh mount reads. One that fails is an answer, too. That the damage is read is counted by the disk.
    fn read(&self, damage: Damage, sound: &[Sound]) -> Result<Read, FaultsError> {
        let probe = |sound: &Sound| Rule {
            on: On::Read,
            range: sound.offset..sound.offset + sound.bytes.len() as u64,
            when: When::ALWAYS,
            what: What::Delay(Duration::ZERO),
        };
        self.disk.inject(sound.iter().map(probe).collect());
        // A tree that is written anew for a time of access leaves the damage behind, where nothing looks again.
        let mounted = match self.how.without_access_times().mount()? {
            Ok(mounted) => mounted,
            Err(errno) => return Ok(Read::Failed(errno.raw_os_error())),
        };
        let seen = match is_right(mounted.root(), damage) {
            Ok(true) => Read::Right,
            Ok(false) => Read::Wrong,
            Err(error) => Read::Failed(number(&error)),
        };
        self.unmount(mounted)?;
        Ok(seen)
    }

    /// Whether the disk holds what was written.
    fn is_sound(&self, sound: &[Sound]) -> Result<bool, FaultsError> {
        for one in sound {
            let now = self.bytes(one.offset, one.bytes.len())?;
            if now.iter().zip(&one.bytes).any(|(now, then)| (now ^ then) & one.mask != 0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs the scrub of a file system that has one, and of others the checker; `None` if it has neither.
    fn scrub(&self, sound: &[Sound]) -> Result<Option<Scrubbed>, FaultsError> {
        let start = Instant::now();
        let has_detected = match self.how.kind() == "btrfs" {
            true => self.scrub_mounted()?,
            false => None,
        };
        let has_detected = match has_detected {
            None => self.checker_detects()?,
            known => known,
        };
        let took = start.elapsed();
        let Some(has_detected) = has_detected else { return Ok(None) };
        Ok(Some(Scrubbed { has_detected, has_repaired: self.is_sound(sound)?, took }))
    }

    /// Whether a scrub of the mounted file system finds anything; `None` where it cannot be mounted.
    fn scrub_mounted(&self) -> Result<Option<bool>, FaultsError> {
        let Ok(mounted) = self.how.without_access_times().mount()? else { return Ok(None) };
        let root = File::open(mounted.root()).map_err(LabError::io("open", mounted.root()))?;
        let errors = btrfs::scrub(&root, 1).map_err(io::Error::from);
        let errors = errors.map_err(LabError::io("scrub", mounted.root()))?;
        drop(root);
        self.unmount(mounted)?;
        Ok(Some(errors > 0))
    }

    /// Whether the checker finds anything; `None` if there is none.
    fn checker_detects(&self) -> Result<Option<bool>, FaultsError> {
        let Some(checker) = self.part.fs.check(&self.site) else { return Ok(None) };
        Ok(Some(test_disk::damage(&checker)?.is_some()))
    }
}

/// Writes the files, one of them twice, and has all of it on the disk.
fn write(root: &Path, damage: Damage) -> io::Result<()> {
    let seed = damage.seed;
    put(&root.join(OTHER), &content(Role::Other, seed))?;
    put(&root.join(NAME), &content(Role::Before, seed))?;
    let path = root.join(NAME);
    let again = File::options().write(true).open(&path)?;
    again.write_all_at(&content(Role::Damaged, seed), 0)?;
    again.sync_all()?;
    symlink(LINK_TARGET, root.join(LINK))?;
    if damage.place == DamagedPlace::Tree {
        let many = File::create(root.join(MANY))?;
        for (piece, data) in (0..).zip(content(Role::Pieces, seed).chunks(PIECE_BYTES)) {
            many.write_all_at(data, piece * 2 * PIECE_BYTES as u64)?;
        }
        many.sync_all()?;
    }
    Ok(syncfs(File::open(root)?)?)
}

fn put(path: &Path, data: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(data)?;
    file.sync_all()
}

/// Whether what was damaged is read as it was written.
fn is_right(root: &Path, damage: Damage) -> io::Result<bool> {
    let file = |name: &str, role| -> io::Result<bool> {
        Ok(fs::read(root.join(name))? == content(role, damage.seed))
    };
    match damage.place {
        DamagedPlace::Name => has_name(root),
        DamagedPlace::Inode => Ok(fs::read_link(root.join(LINK))? == Path::new(LINK_TARGET)),
        DamagedPlace::Tree => has_pieces(&root.join(MANY), damage.seed),
        DamagedPlace::Data | DamagedPlace::Superblock => {
            let other = file(OTHER, Role::Other);
            // Each is read: an error in one does not hide that the other is wrong.
            let own = file(NAME, Role::Damaged);
            match (own, other) {
                (Ok(false), _) | (_, Ok(false)) => Ok(false),
                (own, other) => own.and(other),
            }
        }
    }
}

/// Whether the directory lists the name as it was given.
fn has_name(dir: &Path) -> io::Result<bool> {
    let mut has = false;
    for entry in fs::read_dir(dir)? {
        has |= entry?.file_name() == NAME;
    }
    Ok(has)
}

fn has_pieces(path: &Path, seed: u64) -> io::Result<bool> {
    let file = File::open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    let all = content(Role::Pieces, seed);
    for (number, data) in (0..PIECES).zip(all.chunks(PIECE_BYTES)) {
        let length = file.read_at(&mut piece, number * 2 * PIECE_BYTES as u64)?;
        if piece[..length] != *data {
            return Ok(false);
        }
    }
    Ok(true)
}
