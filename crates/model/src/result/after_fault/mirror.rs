//! Faults of one leg of a mirror: what is read through the mirror, and what from each leg alone.

use super::{ErrnoCount, Scrub, Spread};
use serde::{Deserialize, Serialize};

/// What happens to one leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegFault {
    /// A block of a file's data is overwritten silently.
    BadData,
    /// A block of the tree that holds names and inodes is overwritten silently.
    BadMetadata,
    /// From some moment on it answers every request with EIO.
    LostDisk,
    /// The power of all legs goes at once: each keeps what it had flushed, and any of its writes since.
    PowerCut,
}

impl LegFault {
    /// All of them.
    pub const ALL: [LegFault; 4] =
        [LegFault::BadData, LegFault::BadMetadata, LegFault::LostDisk, LegFault::PowerCut];
}

/// When something is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// As the fault left it. Through the mirror: while it is still mounted, and the disk lost.
    Fault,
    /// Once the faulty leg answers again: through the mirror after a fresh mount, or from a leg after that.
    Read,
    /// After a scrub in place of these reads.
    Scrubbed,
    /// After the copies were made alike as well, where the scrub only counts what differs: `repair` of md and of LVM.
    MadeAlike,
    /// After the faulty leg was replaced by an empty disk.
    Replaced,
}

impl Moment {
    /// All of them, in their order.
    pub const ALL: [Moment; 5] =
        [Moment::Fault, Moment::Read, Moment::Scrubbed, Moment::MadeAlike, Moment::Replaced];
}

/// What it is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadFrom {
    /// The mirror with all legs.
    Mirror,
    /// Legs that are just enough, read alone, with the faulty one among them or what replaced it.
    FaultyLeg,
    /// Legs that are just enough, read alone, without the faulty one.
    OtherLeg,
}

impl ReadFrom {
    /// All of them.
    pub const ALL: [ReadFrom; 3] = [ReadFrom::Mirror, ReadFrom::FaultyLeg, ReadFrom::OtherLeg];
}

/// Reads of all files at one moment from one place. Each read counts once, as the worst of its files: wrong, then an
/// error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorReads {
    /// When.
    pub moment: Moment,
    /// From where.
    pub from: ReadFrom,
    /// Reads that found everything as it was written.
    pub right: u64,
    /// Those in which a file was missing or held something else, without an error.
    pub wrong: u64,
    /// The others, by their first error number.
    pub errors: Vec<ErrnoCount>,
    /// Files that were not read as they were written, in all these reads.
    pub missing: u64,
}

impl MirrorReads {
    /// Reads that ended with an error.
    pub fn failed(&self) -> u64 {
        self.errors.iter().map(|one| one.tries).sum()
    }

    /// All reads.
    pub fn reads(&self) -> u64 {
        self.right + self.wrong + self.failed()
    }
}

/// What was tried of one fault of a leg, and what was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirrors {
    /// What happened to the leg.
    pub fault: LegFault,
    /// Legs of the mirror.
    #[serde(default = "two")]
    pub legs: u64,
    /// Legs that are just enough to read everything: each set of this many is read alone.
    #[serde(default = "one")]
    pub enough: u64,
    /// The seed of the data, the leg, and the block or moment.
    pub seed: u64,
    /// Tries.
    pub tries: u64,
    /// Files that were written and synced in all tries; of a lost disk those that were acknowledged.
    pub written: u64,
    /// Tries in which a write or fsync of a program failed.
    pub refused: u64,
    /// Tries in which no read through the mirror met the bad block: they say nothing of a repair by reading.
    #[serde(default)]
    pub unmet: u64,
    /// Reads, ordered by moment and by what they were from.
    pub reads: Vec<MirrorReads>,
    /// What a scrub found. Repaired: each leg alone then has everything. `None` where none was run.
    pub scrub: Option<Scrub>,
    /// Times that a replacement of the faulty leg took; `None` where none was made.
    pub rebuild: Option<Spread>,
}

impl Mirrors {
    /// Nothing tried yet, of a mirror of two.
    pub fn new(fault: LegFault, seed: u64) -> Mirrors {
        let (legs, enough) = (two(), one());
        let (tries, written, refused, unmet) = (0, 0, 0, 0);
        let (reads, scrub, rebuild) = (Vec::new(), None, None);
        Mirrors { fault, legs, enough, seed, tries, written, refused, unmet, reads, scrub, rebuild }
    }

    /// Adds `more` reads to those at the same moment from the same place.
    pub fn note(&mut self, more: &MirrorReads) {
        let at =
            self.reads.iter().position(|own| (own.moment, own.from) == (more.moment, more.from));
        let Some(at) = at else {
            self.reads.push(more.clone());
            return self.reads.sort_by_key(|own| (own.moment, own.from));
        };
        let own = &mut self.reads[at];
        own.right += more.right;
        own.wrong += more.wrong;
        own.missing += more.missing;
        more.errors.iter().for_each(|one| ErrnoCount::add(&mut own.errors, *one));
    }

    /// The reads at `moment` from this place; `None` if there were none.
    pub fn at(&self, moment: Moment, from: ReadFrom) -> Option<&MirrorReads> {
        self.reads.iter().find(|own| (own.moment, own.from) == (moment, from))
    }

    /// Reads through the mirror, and those of them that were wrong without an error. What the faulty leg itself
    /// holds is not counted: a mirror need not say so as long as it does not read from it. After a power failure no leg
    /// has a fault of its own, and the mirror has to be right without some of them as well.
    pub fn silent(&self) -> (u64, u64) {
        let counts =
            |own: &&MirrorReads| own.from == ReadFrom::Mirror || self.fault == LegFault::PowerCut;
        let own = self.reads.iter().filter(counts);
        own.fold((0, 0), |(all, wrong), own| (all + own.reads(), wrong + own.wrong))
    }
}

/// Legs of every mirror that could be tried before there was a number of them.
const fn two() -> u64 {
    2
}

/// The same for those that are enough.
const fn one() -> u64 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(moment: Moment, from: ReadFrom, [right, wrong, missing]: [u64; 3]) -> MirrorReads {
        MirrorReads { moment, from, right, wrong, errors: Vec::new(), missing }
    }

    #[test]
    fn reads_of_one_place_are_added_in_order() {
        let mut all = Mirrors::new(LegFault::BadData, 1);
        all.note(&reads(Moment::Read, ReadFrom::Mirror, [2, 1, 3]));
        all.note(&reads(Moment::Fault, ReadFrom::FaultyLeg, [0, 4, 5]));
        let errors = vec![ErrnoCount { errno: 5, tries: 2 }];
        let failed = reads(Moment::Read, ReadFrom::Mirror, [1, 0, 2]);
        all.note(&MirrorReads { errors: errors.clone(), ..failed.clone() });
        all.note(&MirrorReads { errors, ..failed });
        let order: Vec<_> = all.reads.iter().map(|own| (own.moment, own.from)).collect();
        let known = [(Moment::Fault, ReadFrom::FaultyLeg), (Moment::Read, ReadFrom::Mirror)];
        assert_eq!(order, known);
        let own = all.at(Moment::Read, ReadFrom::Mirror).unwrap();
        assert_eq!((own.right, own.wrong, own.failed(), own.missing), (4, 1, 4, 7));
        assert_eq!(own.reads(), 9);
        assert_eq!(own.errors.len(), 1);
        assert_eq!(all.silent(), (9, 1), "the faulty leg alone is not counted");
        let cut = Mirrors { fault: LegFault::PowerCut, ..all.clone() };
        assert_eq!(cut.silent(), (13, 5), "after a power failure no leg is faulty");
        assert_eq!(all.at(Moment::Scrubbed, ReadFrom::Mirror), None);
    }

    #[test]
    fn mirror_without_a_number_of_legs_has_two() {
        let known = Mirrors::new(LegFault::LostDisk, 3);
        let mut value = serde_json::to_value(&known).unwrap();
        let fields = value.as_object_mut().unwrap();
        for new in ["legs", "enough", "unmet"] {
            assert!(fields.remove(new).is_some(), "{new}");
        }
        assert_eq!(serde_json::from_value::<Mirrors>(value).unwrap(), known);
    }

    #[test]
    fn every_word_is_listed_once() {
        assert!(LegFault::ALL.is_sorted() && Moment::ALL.is_sorted() && ReadFrom::ALL.is_sorted());
        assert_eq!(LegFault::ALL.last(), Some(&LegFault::PowerCut), "the last of the enum");
        assert_eq!(Moment::ALL.last(), Some(&Moment::Replaced), "the same");
        assert_eq!(ReadFrom::ALL.last(), Some(&ReadFrom::OtherLeg), "the same");
    }
}
