//! Finds the id of a name in a directory; a path is stored once.

use trace::path::{PathError, PathId, Paths};

/// The value of a slot that is free.
const FREE: u32 = u32::MAX;

/// Paths, and an index of them by parent and name.
pub struct Names {
    paths: Paths,
    slots: Vec<u32>,
}

impl Default for Names {
    fn default() -> Self {
        Names { paths: Paths::default(), slots: vec![FREE; 1024] }
    }
}

impl Names {
    /// All paths.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    pub(super) fn add_root(&mut self) -> Result<PathId, PathError> {
        self.paths.add_root()
    }

    /// The path `name` in `parent`, which is new where it was not known.
    pub(super) fn child(&mut self, parent: PathId, name: &[u8]) -> Result<PathId, PathError> {
        let mut at = self.slot(parent, name);
        loop {
            match self.slots[at] {
                FREE => break,
                id if self.paths.parent(id) == Some(parent) && self.paths.name(id) == name => {
                    return Ok(id);
                }
                _ => at = (at + 1) % self.slots.len(),
            }
        }
        let id = self.paths.add(parent, name)?;
        self.slots[at] = id;
        if self.paths.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(id)
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![FREE; old.len() * 2];
        for id in old.into_iter().filter(|id| *id != FREE) {
            let parent = self.paths.parent(id).unwrap_or(id);
            let mut at = self.slot(parent, self.paths.name(id));
            while self.slots[at] != FREE {
                at = (at + 1) % self.slots.len();
            }
            self.slots[at] = id;
        }
    }

    fn slot(&self, parent: PathId, name: &[u8]) -> usize {
        let seed = 0xcbf2_9ce4_8422_2325 ^ u64::from(parent).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = name
            .iter()
            .fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        (hash ^ hash >> 32) as usize % self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_found_again_after_the_table_grew() {
        let mut names = Names::default();
        let root = names.add_root().unwrap();
        let ids: Vec<PathId> =
            (0..5000).map(|i| names.child(root, format!("{i}").as_bytes()).unwrap()).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.child(root, format!("{i}").as_bytes()).unwrap(), *id);
        }
        let below = names.child(ids[7], b"7").unwrap();
        assert_ne!(below, ids[7]);
        assert_eq!(names.paths().len(), 5002);
    }
}
