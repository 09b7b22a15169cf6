//! Positions of directories and items in a tree. Directories are numbered by level, as in mdtest: those below directory
//! k are b*k+1 to b*k+b, and item i is in directory i / items_per_dir.

use super::settings::Settings;
use crate::kinds::scaled;
use model::workload::Job;
use std::{
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

/// Items of a worker at the smallest scale.
const LEAST_ITEMS: u64 = 64;

/// Numbers of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Directories of one tree.
    pub(super) dirs: u64,
    /// The first directory with items.
    first_dir: u64,
    branch: u64,
    /// Items in each directory that has any.
    pub(super) items_per_dir: u64,
    /// Items of one worker.
    pub(super) items: u64,
}

impl Geometry {
    pub(super) fn new(settings: &Settings, job: &Job) -> Geometry {
        Geometry::of_scale(settings, job.scale)
    }

    pub(super) fn of_scale(settings: &Settings, scale: f64) -> Geometry {
        let Settings { branch, depth, leaf_only, .. } = *settings;
        let leaves = branch.pow(depth);
        let dirs = match branch {
            1 => u64::from(depth) + 1,
            b => (b.pow(depth + 1) - 1) / (b - 1),
        };
        let with_items = if leaf_only { leaves } else { dirs };
        let wanted = scaled(settings.items, scale, LEAST_ITEMS);
        let items_per_dir = (wanted / with_items).max(1);
        let items = items_per_dir * with_items;
        Geometry { dirs, first_dir: dirs - with_items, branch, items_per_dir, items }
    }

    /// Number and directory of the item that is the `i`th of its worker.
    #[inline]
    pub(super) fn item(&self, i: u64) -> (u64, usize) {
        let item = i + self.first_dir * self.items_per_dir;
        (item, (item / self.items_per_dir) as usize)
    }

    /// The directories, each before those below it; last to first, each after those below it.
    pub(super) fn depth_first(&self) -> Vec<u64> {
        let mut order = Vec::with_capacity(self.dirs as usize);
        let mut left = vec![0];
        while let Some(dir) = left.pop() {
            order.push(dir);
            let first = dir * self.branch + 1;
            left.extend((first..self.dirs.min(first + self.branch)).rev());
        }
        order
    }

    /// `i` of the items in the order in which they are created and removed: directory by directory,
    /// depth first.
    pub(super) fn item_order(&self) -> Vec<u32> {
        let with_items = self.depth_first().into_iter().filter(|&dir| dir >= self.first_dir);
        let items = with_items.flat_map(|dir| {
            let from = (dir - self.first_dir) * self.items_per_dir;
            from..from + self.items_per_dir
        });
        items.map(|item| item as u32).collect()
    }
}

/// Paths of the directories of one tree, by number, and what the names of items begin with.
pub(super) struct Tree {
    pub(super) dirs: Vec<PathBuf>,
}

impl Tree {
    /// The tree below `base`: the one of `owner`, or without one that of all workers.
    pub(super) fn new(base: &Path, owner: Option<u32>, geometry: &Geometry) -> Tree {
        let name = match owner {
            Some(worker) => format!("mdtest_tree.{worker}"),
            None => "mdtest_tree".into(),
        };
        let mut dirs: Vec<PathBuf> = Vec::with_capacity(geometry.dirs as usize);
        for dir in 0..geometry.dirs {
            let above = match dir {
                0 => base,
                _ => dirs[((dir - 1) / geometry.branch) as usize].as_path(),
            };
            dirs.push(above.join(format!("{name}.{dir}")));
        }
        Tree { dirs }
    }

    /// Full paths up to the number: `DIR/file.mdtest.<owner>.` for each directory.
    pub(super) fn stems(&self, what: &str, owner: u32) -> Vec<Vec<u8>> {
        let name = format!("{what}.mdtest.{owner}.");
        self.dirs.iter().map(|dir| dir.join(&name).into_os_string().into_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::settings::KNOBS, *};
    use crate::kinds;
    use toml::Table;

    fn geometry(depth: u32, branch: u64, leaf_only: bool, items: u64) -> Geometry {
        let settings: Settings = kinds::settings(Table::new(), &KNOBS).unwrap();
        let settings = Settings { items, depth, branch, leaf_only, ..settings };
        Geometry::of_scale(&settings, 1.0)
    }

    #[test]
    fn numbers_are_those_of_mdtest() {
        // `mdtest -n 1000 -z 3 -b 2` on 2 tasks says 1980 files/directories.
        let tree = geometry(3, 2, false, 1000);
        assert_eq!((tree.dirs, tree.items_per_dir, tree.items), (15, 66, 990));
        assert_eq!(geometry(3, 1, false, 1000).dirs, 4);
        assert_eq!(geometry(0, 5, false, 1000), geometry(0, 1, false, 1000).with_branch(5));
        let leaves = geometry(3, 4, true, 1000);
        assert_eq!((leaves.dirs, leaves.items_per_dir, leaves.items), (85, 15, 960));
        assert_eq!(leaves.item(0), (21 * 15, 21));
        assert_eq!(leaves.item(959).1, 84);
    }

    impl Geometry {
        fn with_branch(self, branch: u64) -> Geometry {
            Geometry { branch, ..self }
        }
    }

    #[test]
    fn creation_goes_depth_first_and_misses_none() {
        let tree = geometry(2, 2, false, 64);
        assert_eq!(tree.depth_first(), [0, 1, 3, 4, 2, 5, 6]);
        let order = tree.item_order();
        assert_eq!(order[16..20], [16, 17, 27, 28]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..63).collect::<Vec<_>>());
        let leaves = geometry(2, 2, true, 64);
        assert_eq!(leaves.item_order(), (0..64).collect::<Vec<_>>());
    }

    #[test]
    fn paths_are_those_of_mdtest() {
        let geometry = geometry(2, 2, false, 64);
        let shared = Tree::new(Path::new("/t"), None, &geometry);
        assert_eq!(shared.dirs[0], Path::new("/t/mdtest_tree.0"));
        assert_eq!(shared.dirs[4], Path::new("/t/mdtest_tree.0/mdtest_tree.1/mdtest_tree.4"));
        let own = Tree::new(Path::new("/t"), Some(3), &geometry);
        assert_eq!(own.dirs[2], Path::new("/t/mdtest_tree.3.0/mdtest_tree.3.2"));
        let stem = String::from_utf8(own.stems("file", 3).remove(2)).unwrap();
        assert_eq!(stem, "/t/mdtest_tree.3.0/mdtest_tree.3.2/file.mdtest.3.");
    }
}
