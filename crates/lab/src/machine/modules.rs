//! Reads what a kernel that does not run here supports, from the lists next to its modules.

use ::fs::ALL;
use std::{collections::BTreeSet, fs, path::Path};

/// Prefix of the module of a file system in a list of aliases.
const OF_FILE_SYSTEM: &str = "fs-";

/// The modules of a kernel, built in or not, and the file systems that they bring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModuleTree {
    names: BTreeSet<String>,
}

impl ModuleTree {
    /// Reads the lists in `dir`, e.g. `/lib/modules/VERSION`; a list that is missing is empty.
    pub(crate) fn read(dir: &Path) -> ModuleTree {
        let list = |name: &str| fs::read(dir.join(name)).unwrap_or_default();
        let text = |name: &str| String::from_utf8_lossy(&list(name)).into_owned();
        let aliases = text("modules.alias") + &text("modules.builtin.modinfo");
        ModuleTree::of_lists(&text("modules.dep"), &text("modules.builtin"), &aliases)
    }

    /// From the text of `modules.dep`, `modules.builtin`, and of `modules.alias` and
    /// `modules.builtin.modinfo` together (modules.dep(5), kmod(8)).
    pub(crate) fn of_lists(dependencies: &str, built_in: &str, aliases: &str) -> ModuleTree {
        let files = dependencies.lines().filter_map(|line| line.split(':').next());
        let modules = files.chain(built_in.lines()).filter_map(module);
        let file_systems = aliases.split(['\n', '\0']).filter_map(file_system);
        ModuleTree { names: modules.chain(file_systems).map(plain).collect() }
    }

    /// Returns true if it has the module or the file system `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        is_in_every_kernel(name) || self.names.contains(&plain(name))
    }
}

/// Returns true if it is built into every kernel, so that no list of modules has it.
fn is_in_every_kernel(name: &str) -> bool {
    let mut known = ALL.iter().map(|fs| fs.about());
    known.any(|about| about.is_in_every_kernel && about.kernel_name == Some(name))
}

/// `f2fs` of `kernel/fs/f2fs/f2fs.ko.xz`.
fn module(file: &str) -> Option<&str> {
    let name = file.trim().rsplit('/').next()?;
    name.split_once(".ko").map(|(name, _)| name)
}

/// `nfs4` of `alias fs-nfs4 nfsv4` and of `nfsv4.alias=fs-nfs4`.
fn file_system(line: &str) -> Option<&str> {
    let alias = match line.split_once(".alias=") {
        Some((_, alias)) => alias,
        None => line.strip_prefix("alias ")?.split(' ').next()?,
    };
    alias.strip_prefix(OF_FILE_SYSTEM)
}

/// The kernel takes `-` and `_` in names of modules for the same.
fn plain(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_file_systems_are_found_in_the_lists() {
        let tree = ModuleTree::of_lists(
            "kernel/fs/f2fs/f2fs.ko: kernel/lib/crc32.ko\nkernel/drivers/md/dm-crypt.ko.xz:\n",
            "kernel/fs/ext4/ext4.ko\n",
            "# Aliases\nalias fs-nfs4 nfsv4\nalias net-pf-10 ipv6\n\
             ext4.alias=fs-ext3\0ext4.license=GPL\0fuse.alias=fs-fuseblk\0",
        );
        for name in ["f2fs", "dm_crypt", "dm-crypt", "ext4", "nfs4", "ext3", "fuseblk", "tmpfs"] {
            assert!(tree.has(name), "{name}");
        }
        for name in ["crc32", "GPL", "net-pf-10", "zfs", ""] {
            assert!(!tree.has(name), "{name}");
        }
    }

    #[test]
    fn a_folder_without_lists_brings_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(ModuleTree::read(dir.path()), ModuleTree::default());
        fs::write(dir.path().join("modules.builtin"), "kernel/fs/jfs/jfs.ko\n").unwrap();
        assert!(ModuleTree::read(dir.path()).has("jfs"));
    }
}
