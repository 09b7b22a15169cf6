//! Files of which snapshots are taken: drawn changes of them, and what a snapshot has to hold.

use crate::full::{BLOCK, Content};
use model::random::Rng;
use std::collections::BTreeMap;

/// Blocks of a file.
pub const FILE_BLOCKS: u64 = 16;
/// Most blocks that one change overwrites.
const MOST_BLOCKS: u64 = 4;

/// The name of a file by its number.
pub fn name(file: u64) -> String {
    format!("f{file}")
}

/// Files at one moment: by number, the version of each block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<u64, Vec<u64>>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new file is written.
    Create {
        /// Its number.
        file: u64,
    },
    /// Blocks of an old file are overwritten.
    Overwrite {
        /// Its number.
        file: u64,
        /// The first of the blocks.
        block: u64,
        /// How many.
        blocks: u64,
        /// What they hold afterwards: each version is written once.
        version: u64,
    },
    /// A file is deleted.
    Delete {
        /// Its number.
        file: u64,
    },
}

impl Change {
    /// Where in the file it writes, as byte, and what; `None` if it deletes the file.
    pub fn data(&self, content: &Content) -> Option<(u64, Vec<u8>)> {
        let (file, block, blocks, version) = match *self {
            Change::Create { file } => (file, 0, FILE_BLOCKS, 0),
            Change::Overwrite { file, block, blocks, version } => (file, block, blocks, version),
            Change::Delete { .. } => return None,
        };
        let data = (block..block + blocks).flat_map(|own| content.block(file, own, version));
        Some((block * BLOCK as u64, data.collect()))
    }

    /// The number of its file.
    pub fn file(&self) -> u64 {
        match *self {
            Change::Create { file } | Change::Overwrite { file, .. } | Change::Delete { file } => {
                file
            }
        }
    }
}

impl Tree {
    /// The numbers of the files.
    pub fn files(&self) -> impl Iterator<Item = u64> {
        self.files.keys().copied()
    }

    /// Notes that `change` was made.
    pub fn apply(&mut self, change: &Change) {
        match *change {
            Change::Create { file } => {
                self.files.insert(file, vec![0; FILE_BLOCKS as usize]);
            }
            Change::Overwrite { file, block, blocks, version } => {
                let own = self.files.entry(file).or_default();
                own.iter_mut().skip(block as usize).take(blocks as usize).for_each(|own| {
                    *own = version;
                });
            }
            Change::Delete { file } => {
                self.files.remove(&file);
            }
        }
    }

    /// What is wrong with the names that were found; `None` if they are those of the files.
    pub fn wrong_names(&self, found: &[String]) -> Option<String> {
        let missing = self.files().map(name).find(|own| !found.contains(own));
        let known: Vec<String> = self.files().map(name).collect();
        let new = found.iter().find(|own| !known.contains(own));
        let missing = missing.map(|own| format!("{own} is missing"));
        missing.or_else(|| new.map(|own| format!("{own} is there, and was not at that moment")))
    }

    /// What is wrong where the content of `file` is `found`; `None` if it is as at that moment.
    pub fn wrong(&self, content: &Content, file: u64, found: &[u8]) -> Option<String> {
        let versions = self.files.get(&file)?;
        let bytes = versions.len() * BLOCK;
        if found.len() != bytes {
            return Some(format!("{} bytes long instead of {bytes}", found.len()));
        }
        let mut blocks = found.chunks(BLOCK).zip(versions).enumerate();
        blocks.find_map(|(number, (block, version))| {
            let is = |version| content.block(file, number as u64, version) == block;
            (!is(*version)).then(|| {
                let own = version_in(block);
                let what = match () {
                    () if is(own) && own > *version => "later data",
                    () if is(own) => "earlier data",
                    () if block.iter().all(|byte| *byte == 0) => "zeros",
                    () => "other data",
                };
                format!("{what} in block {number}")
            })
        })
    }
}

/// The version that a block says to be of.
fn version_in(block: &[u8]) -> u64 {
    block[16..24].iter().rev().fold(0, |version, byte| version << 8 | u64::from(*byte))
}

/// Draws changes.
#[derive(Clone, Debug)]
pub struct Author {
    rng: Rng,
    files: u64,
    versions: u64,
}

impl Author {
    /// One whose draws depend on `seed`.
    pub fn new(seed: u64) -> Author {
        Author { rng: Rng::new(seed ^ 0x736e_6170), files: 0, versions: 0 }
    }

    /// A new file.
    pub fn create(&mut self) -> Change {
        self.files += 1;
        Change::Create { file: self.files - 1 }
    }

    /// Blocks of a drawn file of `tree`, at most `most`; `None` if there is no file.
    pub fn overwrite(&mut self, tree: &Tree, most: u64) -> Option<Change> {
        let file = self.file(tree)?;
        let blocks = self.rng.below(most) + 1;
        let block = self.rng.below(FILE_BLOCKS - blocks + 1);
        self.versions += 1;
        Some(Change::Overwrite { file, block, blocks, version: self.versions })
    }

    /// Deletes a drawn file of `tree`; `None` if there is none.
    pub fn delete(&mut self, tree: &Tree) -> Option<Change> {
        Some(Change::Delete { file: self.file(tree)? })
    }

    /// A drawn file of `tree`.
    pub fn file(&mut self, tree: &Tree) -> Option<u64> {
        let count = tree.files.len() as u64;
        if count == 0 {
            return None;
        }
        tree.files().nth(self.rng.below(count) as usize)
    }

    /// What happens between two snapshots, applied to `tree`: in `overwritten` drawn files some blocks are overwritten,
    /// a file is created and one is deleted.
    pub fn step(&mut self, tree: &mut Tree, overwritten: u64) -> Vec<Change> {
        let mut all = Vec::new();
        for _ in 0..overwritten {
            all.extend(self.overwrite(tree, MOST_BLOCKS).inspect(|change| tree.apply(change)));
        }
        all.extend(self.delete(tree).inspect(|change| tree.apply(change)));
        let new = self.create();
        tree.apply(&new);
        all.push(new);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of five files after some steps, and the one before the last step.
    fn trees() -> (Content, Tree, Tree) {
        let (mut author, mut tree) = (Author::new(3), Tree::default());
        for _ in 0..5 {
            tree.apply(&author.create());
        }
        (0..4).for_each(|_| drop(author.step(&mut tree, 3)));
        let before = tree.clone();
        author.step(&mut tree, 3);
        (Content::new(3), before, tree)
    }

    fn bytes(content: &Content, tree: &Tree, file: u64) -> Vec<u8> {
        let versions = tree.files[&file].iter().enumerate();
        versions.flat_map(|(number, own)| content.block(file, number as u64, *own)).collect()
    }

    #[test]
    fn changes_make_what_the_tree_says() {
        let (mut author, mut tree) = (Author::new(9), Tree::default());
        let (content, mut disk) = (Content::new(9), BTreeMap::<u64, Vec<u8>>::new());
        let mut all: Vec<Change> = (0..8).map(|_| author.create()).collect();
        all.iter().for_each(|change| tree.apply(change));
        for _ in 0..30 {
            all.extend(author.step(&mut tree, 4));
        }
        for change in &all {
            let Some((at, data)) = change.data(&content) else {
                disk.remove(&change.file());
                continue;
            };
            let own = disk.entry(change.file()).or_default();
            own.resize(own.len().max(at as usize + data.len()), 0);
            own[at as usize..at as usize + data.len()].copy_from_slice(&data);
        }
        assert_eq!(disk.keys().copied().collect::<Vec<_>>(), tree.files().collect::<Vec<_>>());
        assert_eq!(disk.len(), 8, "each step creates a file and deletes one");
        for (file, found) in &disk {
            assert_eq!(tree.wrong(&content, *file, found), None);
        }
    }

    #[test]
    fn every_step_is_seen_by_who_looks_for_the_one_before() {
        let (content, before, after) = trees();
        let names: Vec<String> = after.files().map(name).collect();
        assert_eq!(after.wrong_names(&names), None);
        assert!(before.wrong_names(&names).unwrap().ends_with("is missing"));
        let common = before.files().filter(|file| after.files.contains_key(file));
        let wrong =
            common.filter_map(|file| before.wrong(&content, file, &bytes(&content, &after, file)));
        assert!(wrong.inspect(|why| assert!(why.starts_with("later data"), "{why}")).count() > 0);
    }

    #[test]
    fn each_way_of_being_wrong_is_named() {
        let (content, tree, _) = trees();
        let file = tree.files().next().unwrap();
        let right = bytes(&content, &tree, file);
        let wrong = |found: &[u8]| tree.wrong(&content, file, found).unwrap();
        assert_eq!(wrong(&right[1..]), "65535 bytes long instead of 65536");
        let with = |block: Vec<u8>| [block.as_slice(), &right[BLOCK..]].concat();
        assert_eq!(wrong(&with(vec![0; BLOCK])), "zeros in block 0");
        assert_eq!(wrong(&with(content.block(99, 0, 0))), "other data in block 0");
        assert_eq!(wrong(&with(content.block(file, 0, 1 << 40))), "later data in block 0");
        let names: Vec<String> = tree.files().chain([99]).map(name).collect();
        assert_eq!(tree.wrong_names(&names).unwrap(), "f99 is there, and was not at that moment");
        let mut old = tree.clone();
        old.files.get_mut(&file).unwrap()[0] = u64::MAX;
        assert_eq!(old.wrong(&content, file, &right).unwrap(), "earlier data in block 0");
    }

    #[test]
    fn draws_depend_on_the_seed_alone() {
        let steps = |seed| {
            let (mut author, mut tree) = (Author::new(seed), Tree::default());
            tree.apply(&author.create());
            (0..5).flat_map(|_| author.step(&mut tree, 2)).collect::<Vec<_>>()
        };
        assert_eq!(steps(4), steps(4));
        assert_ne!(steps(4), steps(5));
        let (mut author, none) = (Author::new(1), Tree::default());
        assert_eq!((author.overwrite(&none, 1), author.delete(&none)), (None, None));
    }
}
