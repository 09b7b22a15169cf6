//! Silent corruption: reads of data that the disk has changed, lost or misdirected without an error.

use super::Spread;
use serde::{Deserialize, Serialize};

/// What the disk did, and did not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilentFault {
    /// A bit of it has turned.
    TurnedBit,
    /// A write was answered, and not done.
    LostWrite,
    /// A write was answered, and done in another place.
    MisdirectedWrite,
}

impl SilentFault {
    /// All of them.
    pub const ALL: [SilentFault; 3] =
        [SilentFault::TurnedBit, SilentFault::LostWrite, SilentFault::MisdirectedWrite];
}

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DamagedPlace {
    /// The data of a file.
    Data,
    /// Its name, as its directory holds it.
    Name,
    /// An inode: the target of a short symbolic link.
    Inode,
    /// A block of a tree that says where the data of a file is.
    Tree,
    /// The first superblock.
    Superblock,
}

impl DamagedPlace {
    /// All of them.
    pub const ALL: [DamagedPlace; 5] = [
        DamagedPlace::Data,
        DamagedPlace::Name,
        DamagedPlace::Inode,
        DamagedPlace::Tree,
        DamagedPlace::Superblock,
    ];
}

/// Tries with one error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ErrnoCount {
    /// The number, as in `errno`.
    pub errno: i32,
    /// Tries.
    pub tries: u64,
}

impl ErrnoCount {
    /// Adds `more` tries to those in `all` with the same number; `all` stays ordered by it.
    pub fn add(all: &mut Vec<ErrnoCount>, more: ErrnoCount) {
        match all.iter_mut().find(|own| own.errno == more.errno) {
            Some(own) => own.tries += more.tries,
            None => {
                all.push(more);
                all.sort_unstable();
            }
        }
    }
}

/// What a scrub or a checker made of the damage, after it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scrub {
    /// Tries in which it was run while the damage was there.
    pub tries: u64,
    /// Those in which it found something.
    pub detected: u64,
    /// Those in which the disk held afterwards what was written.
    pub repaired: u64,
    /// Times that it took; `None` where it was never run.
    pub time: Option<Spread>,
}

/// What was tried of one silent fault in one place, and what was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnedBits {
    /// What the disk did.
    pub fault: SilentFault,
    /// To what.
    pub place: DamagedPlace,
    /// The seed of the data and of the bits.
    pub seed: u64,
    /// Tries; none where the file system has no such place, with these options.
    pub tries: u64,
    /// Those in which what was written was read, and the damage stayed on the disk.
    pub right: u64,
    /// Those in which what was written was read, and the disk held it again.
    pub repaired: u64,
    /// Those in which other data was read, without an error.
    pub wrong: u64,
    /// Those in which an error was read, by its number.
    pub errors: Vec<ErrnoCount>,
    /// What a scrub found, where the file system has one.
    pub scrub: Option<Scrub>,
}

impl TurnedBits {
    /// Nothing tried yet.
    pub fn new(fault: SilentFault, place: DamagedPlace, seed: u64) -> TurnedBits {
        let (tries, right, repaired, wrong) = (0, 0, 0, 0);
        let (errors, scrub) = (Vec::new(), None);
        TurnedBits { fault, place, seed, tries, right, repaired, wrong, errors, scrub }
    }

    /// Counts `tries` with the error number.
    pub fn note_error(&mut self, errno: i32, tries: u64) {
        ErrnoCount::add(&mut self.errors, ErrnoCount { errno, tries });
    }

    /// Tries in which an error was read.
    pub fn failed(&self) -> u64 {
        self.errors.iter().map(|one| one.tries).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_their_number() {
        let mut bits = TurnedBits::new(SilentFault::TurnedBit, DamagedPlace::Name, 1);
        for (errno, tries) in [(74, 2), (5, 1), (74, 1)] {
            bits.note_error(errno, tries);
        }
        let of = |errno, tries| ErrnoCount { errno, tries };
        assert_eq!(bits.errors, [of(5, 1), of(74, 3)]);
        assert_eq!(bits.failed(), 4);
    }

    #[test]
    fn every_word_is_listed_once() {
        assert!(SilentFault::ALL.is_sorted() && DamagedPlace::ALL.is_sorted());
        assert_eq!(
            DamagedPlace::ALL.last(),
            Some(&DamagedPlace::Superblock),
            "the last of the enum"
        );
        assert_eq!(SilentFault::ALL.last(), Some(&SilentFault::MisdirectedWrite), "the same");
    }
}
